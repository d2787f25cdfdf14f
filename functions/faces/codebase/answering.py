"""A question to the specification's `final`: the answer's text, then its sources."""

from __future__ import annotations

from functions.faces.codebase.contract import CitationWire
from functions.faces.codebase.matches import citation_wire, sources_text
from quire.answering.request import Answer

FEWEST_CITATIONS = 2
"""As many are named where so many files or passages answer, section 19."""


def cited(answer: Answer) -> list[CitationWire]:
    """What the answer quotes, then the best matches until there are two; none for an answer that was not found."""
    if not answer.answerable:
        return []
    chunks = [citation.hit.chunk for citation in answer.citations]
    named = [citation_wire(chunk) for chunk in chunks]
    unique = [one for number, one in enumerate(named) if one not in named[:number]]
    for hit in answer.hits:
        one = citation_wire(hit.chunk)
        if len(unique) >= FEWEST_CITATIONS:
            break
        if one not in unique:
            unique.append(one)
    return unique


def final_text(answer: Answer, citations: list[CitationWire]) -> str:
    """The answer and its notices; it ends with "Sources:" and each citation, where there is one."""
    parts = [answer.text.strip(), *answer.notices]
    if citations:
        parts.append(sources_text(citations))
    return "\n\n".join(parts)
