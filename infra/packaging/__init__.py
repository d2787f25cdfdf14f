"""Layers, locks and licences: what is deployed, and how it is installed."""
