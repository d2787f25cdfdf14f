"""The shared core of Quire: documents in, immutable segments out, cited hits back."""

__version__ = "0.1.0"
