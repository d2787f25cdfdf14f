"""Answers by a model: its prompt, its bounds, and the citations of what it wrote."""
