"""Finds text in sources that speaks to models and not to readers."""
