"""Opened collections for tests of answering: real segments over chunks in our own words."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from quire.answering.findings import AskedCollection
from quire.documents import Chunk, Hit, chunk_id
from quire.embedding.quantization import quantize
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.writer import SegmentFacts, write_segment
from quire.ingestion.rows import index_rows
from quire.ports import Embedder
from quire.profiles import profile_named
from tests.support.fakes import HashingEmbedder

KETTLE = """\
## Care

Descale the kettle every two months. Citric acid removes the scale within 20 minutes. Rinse it twice afterwards.

It needs no oil. The lid can be taken off:

1. Press both latches.
2. Lift the lid straight up.
3. Wash it by hand.

Part | Price | Life
Lid | 9 euros | 10 years
Filter | 4 euros | 1 year
"""
SAFETY = """\
## Safety

Unplug the kettle before you clean it. Never put its base into water, because the switch is not sealed.

```bash
kettlectl --power off
kettlectl --status   # prints "cold" below 40 degrees
```

Is it safe to leave it on?
"""
LAMP = """\
# Lamp

The lamp takes an E14 bulb. A bulb may draw at most 40 watts.
"""


def chunk(document: str, text: str, number: int = 0, **metadata: Any) -> Chunk:
    """A chunk of a document, named as a chunker would name it."""
    facts = {"path": document, "chunk_index": number, **metadata}
    heading = str(metadata.get("heading") or text.lstrip("# ").split("\n", 1)[0])
    return Chunk(
        id=chunk_id(document, str(number)),
        document_id=document,
        text=text,
        breadcrumb=str(metadata.pop("breadcrumb", f"{Path(document).stem.title()} › {heading}")),
        metadata=facts,
    )


def household() -> list[Chunk]:
    """A small manual: a kettle in two chunks, and a lamp."""
    return [chunk("kettle.md", KETTLE), chunk("kettle.md", SAFETY, 1), chunk("lamp.md", LAMP)]


def code(
    path: str, text: str, symbol: str, line: int, *, kind: str = "function", named: bool = True
) -> Chunk:
    """A chunk of Ruby; one that is not `named` goes on with the definition of the symbol."""
    lines = {"start_line": line, "end_line": line + text.count("\n") - 1}
    facts = {"lang": "ruby", "kind": kind, "symbol": symbol, "is_test": "test" in path, **lines}
    made = chunk(path, text, line, **facts)
    return made._replace(symbols=(symbol,) if named else (), breadcrumb=f"{path} › {symbol}")


def pages(count: int) -> list[Chunk]:
    """So many chunks that say nothing of what is asked: a collection that is not small."""
    return [chunk(f"page{number}.md", f"# Page {number}\n\nNothing of note.") for number in range(count)]


def shelf_of(
    chunks: Sequence[Chunk],
    *,
    profile: str = "docs",
    title: str = "Household",
    embedder: Embedder | None = None,
    extra: Mapping[str, Any] | None = None,
    calibration: Mapping[str, Any] | None = None,
) -> AskedCollection:
    """A collection of these chunks, opened; `HashingEmbedder` where no model is given."""
    model = embedder or HashingEmbedder()
    chosen = profile_named(profile)
    rows = index_rows(chunks, chosen, lambda passages: map(quantize, model.embed_passages(list(passages))))
    folder = Path(tempfile.mkdtemp(dir=_room())) / "segment"
    facts = SegmentFacts(
        profile=profile,
        face=chosen.face,
        filters=chosen.filters,
        dimensions=model.dimensions,
        model=model.digest,
        extra=extra or {},
        calibration=calibration or {},
    )
    write_segment(folder, rows, facts)
    return AskedCollection(OpenedIndex([(open_segment(folder), 0)], version="v1"), model, title, "1.0")


@cache
def _room() -> Path:
    """Where this process's segments lie: their files are read as long as it asks them."""
    return Path(tempfile.mkdtemp(prefix="shelves-"))


def remove_shelves() -> None:
    """Remove the segments of this process, when its tests are over."""
    if _room.cache_info().currsize:
        shutil.rmtree(_room(), ignore_errors=True)


def hit_of(one: Chunk, rank: int = 1, score: float = 0.9, cosine: float | None = 0.5) -> Hit:
    """The chunk as if it had been found."""
    return Hit(one, rank, score, cosine, "v1")


class Scripted:
    """An `AnswerModel` that plays a script: pieces of text, a `Spent`, or an error to raise; one list for each call.

    Attributes:
        asked: system instruction and turns of each call.
    """

    provider = "script"

    def __init__(self, *calls: Sequence[Any], name: str = "scripted", wants_examples: bool = False) -> None:
        self.name = name
        self.wants_examples = wants_examples
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self._calls = calls

    def stream(self, system: str, turns: Sequence[Any], *, max_tokens: int, deadline: float) -> Any:
        self.asked.append((system, tuple(turns)))
        for step in self._calls[min(len(self.asked), len(self._calls)) - 1]:
            if isinstance(step, Exception):
                raise step
            yield step() if callable(step) else step
