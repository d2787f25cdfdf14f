"""Vendors, one a module: stores, chat memory, answer models, tokens. Only composition roots import them."""
