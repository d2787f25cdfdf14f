"""The text to embed for a piece of source code: words before syntax, because the model was trained on prose."""

from __future__ import annotations

from quire.chunking.spans import Span
from quire.terms import split_identifier


def summarize(path: str, span: Span, text: str) -> str:
    """Where a span stands and what it is called in words, what documents it, then its code."""
    place = " ".join(split_identifier(path))
    name = " ".join(word for part in span.path for word in split_identifier(part))
    return f"{place} {name}\n{span.doc}\n{text}"
