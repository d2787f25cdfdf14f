"""The quotes behind a generated answer's marks: for each number, the passage of its source that says most of it."""

from __future__ import annotations

from collections.abc import Sequence

from quire.analysis.terms import analyze
from quire.answering.citations import CITED, cite
from quire.answering.extractive.passages import Passage, sentences, split_passages
from quire.answering.extractive.weighing import Lexicon, weigh
from quire.answering.generative.context import PromptSource
from quire.documents import Citation, Hit


def quote_sources(
    text: str, used: Sequence[int], sources: Sequence[PromptSource], lexicon: Lexicon
) -> tuple[Citation, ...]:
    """One citation for each used number, ascending."""
    by_number = {source.n: source for source in sources}
    claims = _claims(text)
    return tuple(
        _quote(n, by_number[n], claims.get(n, text), lexicon) for n in sorted(used) if n in by_number
    )


def _claims(text: str) -> dict[int, str]:
    """Number -> the sentences that carry its mark."""
    claims: dict[int, str] = {}
    for paragraph in text.splitlines():
        for start, end in sentences(paragraph, 0, len(paragraph)):
            sentence = paragraph[start:end]
            for number in CITED.findall(sentence):
                claims[int(number)] = f"{claims.get(int(number), '')} {CITED.sub('', sentence)}"
    return claims


def _quote(n: int, source: PromptSource, claim: str, lexicon: Lexicon) -> Citation:
    wanted = weigh(claim, lexicon)
    best: tuple[float, Hit, Passage | None] = (-1.0, source.hits[0], None)
    for hit in source.hits:
        for passage in split_passages(hit.chunk.text):
            held = wanted.coverage(set(analyze(hit.chunk.text[passage.start : passage.end])))
            if held > best[0]:
                best = (held, hit, passage)
    _, hit, found = best
    start, end = (found.start, found.end) if found else (0, len(hit.chunk.text))
    return cite(n, hit, start, end)
