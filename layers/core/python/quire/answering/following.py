"""What is new in a follow-up, and whether what was found tells of it.

A follow-up is searched for together with what it follows. Judged by all of that it always seems covered: the old topic
is. So its own words are looked for apart, by meaning and as terms, in what is close to both.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.analysis.terms import analyze
from quire.answering.abstention import READ_HITS, News, hit_terms
from quire.answering.extractive.scoring import EMBEDDED_CHARACTERS, Scored
from quire.answering.extractive.weighing import Lexicon, weigh
from quire.documents import Hit
from quire.ports import Embedder

READ_PASSAGES = 3


def gather_news(
    question: str,
    earlier: str,
    told: Sequence[Hit],
    scored: Sequence[Scored],
    *,
    lexicon: Lexicon,
    embedder: Embedder,
) -> News:
    """How well the first hits and passages tell of the follow-up's own words, beside what it follows."""
    whole = weigh(f"{question}\n{earlier}", lexicon)
    old = set(analyze(earlier))
    new = {term: weight for term, weight in whole.idf.items() if term not in old}
    held = {term: weight for term, weight in whole.idf.items() if term in old}
    joined = max(
        (_share(new, terms) * _share(held, terms) for terms in map(hit_terms, told[:READ_HITS])), default=0.0
    )
    passages = [one.text[:EMBEDDED_CHARACTERS] for one in scored[:READ_PASSAGES]]
    asked, *rows = embedder.embed([question, *passages])
    return News(max((float(row @ asked) for row in rows), default=0.0), joined)


def _share(weights: dict[str, float], terms: set[str]) -> float:
    """Share of the weight that the terms hold; all of it where nothing is asked for."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / total if total else 1.0
