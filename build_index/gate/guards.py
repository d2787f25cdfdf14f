"""The shrink guard: refuses a build that lost documents, chunks, text or symbols of a source, naming what is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from quire.documents import Chunk
from quire.errors import PublishRefused
from quire.index.layout import Counts
from quire.index.opened import OpenedIndex

MOST_LOST = 0.10
"""Share of a source that may go without a question. Engine releases take under 1 %; a broken reader takes most."""

MEASURES = ("documents", "chunks", "characters", "symbols")
NAMED = 5


@dataclass(frozen=True, slots=True)
class Stock:
    """What a version holds.

    Attributes:
        counts: by source.
        chunks: reads every chunk; called only where something is missing.
    """

    counts: Mapping[str, Counts]
    chunks: Callable[[], Iterable[Chunk]]


@dataclass(frozen=True, slots=True)
class Shrink:
    """A measure of a source that fell further than allowed; `gone` names what the loss hit, worst first."""

    source: str
    measure: str
    before: int
    after: int
    gone: tuple[str, ...] = ()

    def __str__(self) -> str:
        fall = round(100 * (self.before - self.after) / self.before)
        where = f"{self.source}: " if self.source else ""
        text = f"{where}{self.measure} {self.before:,} -> {self.after:,} (-{fall} %)"
        if not self.gone:
            return text
        more = len(self.gone) - NAMED
        what = "gone" if self.measure in ("documents", "symbols") else "most from"
        return f"{text}, {what}: {', '.join(self.gone[:NAMED])}" + (f" and {more:,} more" if more > 0 else "")


def take_stock(index: OpenedIndex, *, built: int | None = None) -> Stock:
    """Count an opened version; `built` is how many of its segments came from builds, which stand before live ones."""
    manifests = index.manifests[:built]
    counts: dict[str, Counts] = {}
    for manifest in manifests:
        for source, one in manifest.source_counts.items():
            counts[source] = counts.get(source, Counts()).plus(one)
    size = sum(manifest.counts.chunks for manifest in manifests)
    return Stock(counts, lambda: index.fetch(range(size)))


def find_shrinks(before: Stock, after: Stock, most_lost: float = MOST_LOST) -> list[Shrink]:
    """Every measure of every source that lost more than that share of itself."""
    fallen = [
        Shrink(source, measure, getattr(old, measure), getattr(after.counts.get(source, Counts()), measure))
        for source, old in before.counts.items()
        for measure in MEASURES
    ]
    fallen = [one for one in fallen if _over(one, most_lost)]  # to name what is gone reads every chunk
    return _name(fallen, before, after) if fallen else []


def guard_shrink(before: Stock, after: Stock, most_lost: float = MOST_LOST) -> None:
    """Stop a version that lost too much of what the one before held.

    Raises:
        PublishRefused: naming source, measure, both counts, and some of what is gone.
    """
    shrinks = find_shrinks(before, after, most_lost)
    if shrinks:
        told = "\n  ".join(map(str, shrinks))
        raise PublishRefused(
            f"refused: more than {most_lost:.0%} of a source is gone\n  {told}\n"
            f"  if that is right, say --allow-shrink {_enough_for(shrinks)} (1 allows any loss)"
        )


def _enough_for(shrinks: Sequence[Shrink]) -> float:
    """The least share, in hundredths, that lets all of them pass."""
    shares = (hundredths / 100 for hundredths in range(100))
    return next((share for share in shares if not any(_over(one, share) for one in shrinks)), 1)


def _over(one: Shrink, share: float) -> bool:
    return one.before - one.after > share * one.before


def _name(fallen: list[Shrink], before: Stock, after: Stock) -> list[Shrink]:
    """Add what is gone: ids of documents, names of symbols, and for lost text the documents that lost most of it."""
    old, new = _contents(before.chunks()), _contents(after.chunks())
    named = []
    for one in fallen:
        had, has = old[one.source], new[one.source]
        if one.measure == "symbols":
            gone = sorted(had.symbols - has.symbols)
        elif one.measure == "documents":
            gone = sorted(had.sizes.keys() - has.sizes.keys())
        else:
            sizes = (had.chunks, has.chunks) if one.measure == "chunks" else (had.sizes, has.sizes)
            lost = Counter({key: size - sizes[1][key] for key, size in sizes[0].items()})
            gone = [key for key, size in lost.most_common() if size > 0]
        named.append(Shrink(one.source, one.measure, one.before, one.after, tuple(gone)))
    return named


@dataclass(slots=True)
class _Contents:
    """Characters and chunks of each document of a source, and its symbols."""

    sizes: Counter[str]
    chunks: Counter[str]
    symbols: set[str]


class _BySource(dict[str, _Contents]):
    def __missing__(self, source: str) -> _Contents:
        contents = self[source] = _Contents(Counter(), Counter(), set())
        return contents


def _contents(chunks: Iterable[Chunk]) -> _BySource:
    held = _BySource()
    for chunk in chunks:
        source = held[str(chunk.metadata.get("source") or "")]
        source.sizes[chunk.document_id] += len(chunk.text)
        source.chunks[chunk.document_id] += 1
        source.symbols.update(chunk.symbols)
    return held
