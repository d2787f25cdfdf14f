"""A chunk to the terms that it is found by; what it refers to, as terms behind a mark."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from quire.analysis.entries import definition_terms, entry_terms
from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import HEADING_MARK, analyze, command_terms
from quire.documents import Chunk

CALL_MARK = "&"
"""Stands before a referred name among a chunk's terms; no term that `quire.analysis.terms` makes begins so."""
PROSE = frozenset(("", "markdown", "rst", "asciidoc", "html", "latex", "man", "text", "yaml_text"))
"""Languages of what people read; "" is that of a page of documentation."""


def call_terms(chunk: Chunk) -> dict[str, float]:
    """Marked terms of what a chunk refers to; they go into its row's terms and add nothing to its length.

    >>> call_terms(Chunk("0", "a.py", "retry()", metadata={"calls": ("retry", "Task")}))
    {'&retry': 1.0, '&task': 1.0}
    """
    return dict.fromkeys(map(call_term, calls_of(chunk)), 1.0)


@lru_cache(maxsize=1 << 16)
def call_term(name: str) -> str:
    """The term that stands for a reference to the name, whatever it is a member of."""
    return CALL_MARK + last_part(fold_symbol(name)).replace("\0", "")


def calls_of(chunk: Chunk) -> tuple[str, ...]:
    """Names that the chunk refers to, as written, in the order of the text."""
    calls = chunk.metadata.get("calls")
    return calls if isinstance(calls, tuple) else ()


def keyword_terms(chunk: Chunk) -> tuple[Counter[str], float]:
    """Term frequencies of a chunk and its length in terms.

    Text, breadcrumb and aliases count alike; breadcrumb and symbols count once more as marked heading terms, and
    names that the chunk refers to as marked call terms; commands, entries and definitions are marked too. These add
    nothing to the length.
    """
    heading = analyze(chunk.breadcrumb)
    said = analyze(f"{chunk.text}\n{chunk.aliases}" if chunk.aliases else chunk.text)
    is_prose = chunk.metadata.get("lang", "") in PROSE
    named = dict.fromkeys([*heading, *analyze("\n".join(chunk.symbols))])
    shown = _shown_terms(chunk) if is_prose else {}
    frequencies = Counter(
        [*said, *heading, *(HEADING_MARK + term for term in named), *call_terms(chunk), *shown]
    )
    return frequencies, float(len(said) + len(heading))


def _shown_terms(chunk: Chunk) -> dict[str, float]:
    text = chunk.text
    return {**command_terms(text), **entry_terms(text, chunk.breadcrumb), **definition_terms(text)}
