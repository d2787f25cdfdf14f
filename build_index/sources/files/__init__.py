"""Trees of files: books, documentation and code bases."""
