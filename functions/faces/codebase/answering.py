"""A question to the specification's `final`: the answer's text, then its sources."""

from __future__ import annotations

from functions.faces.codebase.contract import CitationWire
from functions.faces.codebase.matches import citation_wire, sources_text
from quire.answering.request import Answer
from quire.documents import Citation

FEWEST_CITATIONS = 2
"""As many are named where so many files or passages answer, section 19."""


def cited(answer: Answer) -> list[CitationWire]:
    """The lines behind each mark, in the order of its numbers, then the best matches until there are two places.

    None for an answer that was not found.
    """
    if not answer.answerable:
        return []
    named = [quote_lines(citation) for citation in answer.citations]
    for hit in answer.hits:
        if len({(one["path"], one["start_line"]) for one in named}) >= FEWEST_CITATIONS:
            break
        one = citation_wire(hit.chunk)
        if not any(_overlaps(one, other) for other in named):
            named.append(one)
    return named


def quote_lines(citation: Citation) -> CitationWire:
    """The lines that a citation quotes."""
    chunk = citation.hit.chunk
    whole = citation_wire(chunk)
    if not isinstance(chunk.metadata.get("start_line"), int):
        return whole
    first = whole["start_line"] + chunk.text.count("\n", 0, citation.start)
    last = first + citation.quote.rstrip("\n").count("\n")
    return {"path": whole["path"], "start_line": first, "end_line": min(last, whole["end_line"])}


def _overlaps(one: CitationWire, other: CitationWire) -> bool:
    return (
        one["path"] == other["path"]
        and one["start_line"] <= other["end_line"]
        and other["start_line"] <= one["end_line"]
    )


def final_text(answer: Answer, citations: list[CitationWire]) -> str:
    """The answer and its notices; it ends with "Sources:" and each citation, where there is one."""
    parts = [answer.text.strip(), *answer.notices]
    if citations:
        parts.append(sources_text(citations))
    return "\n\n".join(parts)
