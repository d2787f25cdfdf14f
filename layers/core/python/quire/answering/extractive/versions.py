"""Of a question that names a version, what the sources say of that one: of releases each says nearly the same words."""

from __future__ import annotations

from collections.abc import Sequence, Set

from quire.analysis.terms import VERSION, analyze
from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed

NONE_NAMED: frozenset[str] = frozenset()


def of_versions(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages without those about other versions than the question names.

    All of them where what the search found first is not about a version of the question: it is a
    condition then, as in "How do I do this in 2.1?".
    """
    asked = _versions(" ".join(question.idf))
    if not asked:
        return [*ranked]
    about = [_version_above(one) for one in ranked]
    found_first = min((one.hit.rank for one in ranked), default=0)
    if not any(one.hit.rank == found_first and asked & said for one, said in zip(ranked, about, strict=True)):
        return [*ranked]
    return [one for one, said in zip(ranked, about, strict=True) if not said or asked & said]


def _version_above(one: Scored) -> Set[str]:
    """The versions in the title of its section, or of the next one above that has any."""
    chunk, start = one.hit.chunk, one.passage.start
    titles = [block for block in split_blocks(chunk.text) if block.kind == HEADING and block.start <= start]
    said = (_versions(chunk.text[title.start : title.end]) for title in reversed(titles))
    return next(filter(None, said), NONE_NAMED) or _versions(chunk.breadcrumb)


def _versions(text: str) -> Set[str]:
    return frozenset(term for term in analyze(text) if VERSION.fullmatch(term))
