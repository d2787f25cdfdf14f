"""Text to terms: the one analyzer that builds and serves share."""
