"""Face `textbook`: questions to a book, as the textbook specification has them."""
