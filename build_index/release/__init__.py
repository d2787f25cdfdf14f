"""Moves pointers by hand, and removes what no pointer needs."""
