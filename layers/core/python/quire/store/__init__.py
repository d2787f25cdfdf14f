"""The index artifact: immutable segments, the pointer that says which of them serve, and the store that holds both."""
