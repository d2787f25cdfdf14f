"""The numbered sources that a model is shown: packed from hits, and quoted where its answer cites them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.analysis.terms import analyze
from quire.answering.citations import CITED, cite, linked
from quire.answering.extractive.passages import Passage, sentences, split_passages
from quire.answering.extractive.weighing import Lexicon, weigh
from quire.documents import Chunk, Citation, Hit

LEAST_OVERLAP = 12
LEAST_ROOM_TOKENS = 60
"""A source cut shorter than this says nothing."""


@dataclass(frozen=True, slots=True)
class PromptSource:
    """One numbered source: a chunk, or neighbouring chunks of one document as one text.

    Attributes:
        n: from 1, in the order of the best hit.
        hits: the chunks, in the document's order.
        text: their text with what they share said once, and with the addresses of its links; cut where the budget ends.
    """

    n: int
    hits: tuple[Hit, ...]
    text: str

    @property
    def label(self) -> str:
        """Where it stands, for the model to name: breadcrumb, or path."""
        chunk = self.hits[0].chunk
        return chunk.breadcrumb or str(chunk.metadata.get("path") or chunk.document_id)

    def place(self, version: str = "") -> str:
        """Label, chapter, path with lines, heading and version, as far as they are known and differ."""
        first, last = self.hits[0].chunk.metadata, self.hits[-1].chunk.metadata
        path = str(first.get("path") or self.hits[0].chunk.document_id)
        start, end = first.get("start_line"), last.get("end_line")
        where = f"{path}:{start}-{end}" if start and end else path
        heading, chapter = str(first.get("heading") or ""), str(first.get("chapter") or "")
        known = (
            self.label,
            chapter if chapter not in self.label else "",
            where if path != self.label else where.removeprefix(path).lstrip(":"),
            heading if heading not in self.label else "",
            f"version {version}" if version else "",
        )
        return ", ".join(part for part in known if part)


def estimate_tokens(text: str) -> int:
    """Tokens of English or code, about: four characters each. No tokenizer is right for all models."""
    return -(-len(text) // 4)


def pack(hits: Sequence[Hit], budget_tokens: int) -> tuple[PromptSource, ...]:
    """Number the hits as sources, best first, within the budget; neighbours of one document become one source."""
    groups: list[list[Hit]] = []
    for hit in hits:
        near = [group for group in groups if any(_join(hit.chunk, other.chunk) for other in group)]
        if not near:
            groups.append([hit])
            continue
        near[0].append(hit)
        for group in near[1:]:
            near[0].extend(group)
            groups.remove(group)
    sources: list[PromptSource] = []
    left = budget_tokens
    for group in groups:
        ordered = sorted(group, key=lambda hit: _place(hit.chunk))
        text = linked(_merged(ordered), (hit.chunk for hit in ordered))
        if left < min(LEAST_ROOM_TOKENS, estimate_tokens(text)):
            break
        text = text[: left * 4]
        left -= estimate_tokens(text)
        sources.append(PromptSource(len(sources) + 1, tuple(ordered), text))
    return tuple(sources)


def _place(chunk: Chunk) -> tuple[int, int]:
    return _number(chunk, "chunk_index"), _number(chunk, "start_line")


def _number(chunk: Chunk, name: str) -> int:
    value = chunk.metadata.get(name)
    return value if isinstance(value, int) else -1


def _join(one: Chunk, other: Chunk) -> bool:
    """Whether one begins where the other ends, or they overlap."""
    if one.document_id != other.document_id:
        return False
    first, second = sorted((one, other), key=_place)
    if _number(first, "chunk_index") >= 0:
        return _number(second, "chunk_index") - _number(first, "chunk_index") == 1
    end, start = _number(first, "end_line"), _number(second, "start_line")
    return end >= 0 and start - end <= 1


def _merged(ordered: Sequence[Hit]) -> str:
    text = ordered[0].chunk.text
    for hit in ordered[1:]:
        shared = overlap(text, hit.chunk.text)
        text += hit.chunk.text[shared:] if shared else "\n\n" + hit.chunk.text
    return text


def overlap(left: str, right: str) -> int:
    """Length of the longest end of `left` that `right` begins with; 0 below a dozen characters, which may be chance.

    >>> overlap("one two three four five", "three four five six")
    15
    """
    for size in range(min(len(left), len(right)), LEAST_OVERLAP - 1, -1):
        if left.endswith(right[:size]):
            return size
    return 0


def quote_sources(
    text: str, used: Sequence[int], sources: Sequence[PromptSource], lexicon: Lexicon
) -> tuple[Citation, ...]:
    """The citations behind the marks of a generated text: for each used number, ascending, the passage of its source
    that says most of it."""
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
