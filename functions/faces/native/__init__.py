"""The native API: every collection under one contract, at the root."""
