"""Hits to an answer: packed context, a model or quoted sentences, checked citations, and when to say no."""
