"""Answers without a model: passages chosen from the hits and quoted exactly."""
