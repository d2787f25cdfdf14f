"""A chunk to the terms that it is found by."""

from __future__ import annotations

from collections import Counter

from quire.analysis.calls import call_terms
from quire.analysis.terms import HEADING_MARK, analyze
from quire.documents import Chunk


def keyword_terms(chunk: Chunk) -> tuple[Counter[str], float]:
    """Term frequencies of a chunk and its length in terms.

    Text, breadcrumb and aliases count alike; breadcrumb and symbols count once more as marked heading terms, and
    names that the chunk refers to as marked call terms; these add nothing to the length.
    """
    heading = analyze(chunk.breadcrumb)
    said = analyze(f"{chunk.text}\n{chunk.aliases}" if chunk.aliases else chunk.text)
    named = dict.fromkeys([*heading, *analyze("\n".join(chunk.symbols))])
    frequencies = Counter([*said, *heading, *(HEADING_MARK + term for term in named), *call_terms(chunk)])
    return frequencies, float(len(said) + len(heading))
