"""Text structure: what a file says, as sections and blocks that remember their lines."""
