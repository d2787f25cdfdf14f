"""What is kept between builds, by content: documents, chunks, vectors, questions and the last segment."""
