"""Face `chatbot`: ingest, embed, query and chat over a collection of documents, at `/{collection}`."""
