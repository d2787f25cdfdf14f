"""Packs: the documents of a build, sorted by id, in pieces whose borders depend on content and not on count.

A file that is inserted, edited or deleted changes the pack that it lies in and no other, so next week's build makes one
shard anew. A pack is an object named by its own digest: JSON lines, a document each.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from quire.documents import AnchorRules, Document

CHUNK_CHARACTERS = 800
"""What a chunk holds, about: how large a pack will be is guessed from its text."""
MEAN_CHUNKS = 8_000
LEAST_MEAN = 250
"""Smaller packs cost more to open, write and merge than another worker saves."""
MOST = 4  # packs of so many times the mean are cut in any case


def cited_id(document: Document) -> str:
    """Id of the document that its chunks will name: a member is a part of its file, and stays beside the others."""
    return document.id.partition("#")[0] if document.kind == "api_member" else document.id


def cut_packs(
    documents: Iterable[Document], mean_chunks: float = MEAN_CHUNKS, *, wanted: int = 1
) -> Iterator[tuple[bytes, int]]:
    """The packs of all documents, each with how many chunks it will give, about.

    What is cited as one document is in one pack, in the order in which it was read. The mean is halved until there
    are as many packs as `wanted`, about: borders then stay where they were, and more join them. The text waits in a
    file; memory holds its place and the id of each document.
    """
    with tempfile.TemporaryFile() as file:
        places = []
        for number, document in enumerate(documents):
            line = _line(document)
            places.append(
                (cited_id(document).encode("utf-8", "surrogatepass"), number, file.tell(), len(line))
            )
            file.write(line)
        places.sort()
        total = sum(_chunks_in(size) for *_, size in places)
        while mean_chunks >= 2 * LEAST_MEAN and total < wanted * mean_chunks:
            mean_chunks /= 2
        lines: list[bytes] = []
        held = 0.0
        for name, group in groupby(places, lambda place: place[0]):
            weight = 0.0
            for _, _, begin, size in group:
                file.seek(begin)
                lines.append(file.read(size))
                weight += _chunks_in(size)
            held += weight
            if _is_border(name, weight / mean_chunks) or held >= MOST * mean_chunks:
                yield b"".join(lines), round(held)
                lines, held = [], 0.0
        if lines:
            yield b"".join(lines), round(held)


def _chunks_in(size: int) -> float:
    return max(size / CHUNK_CHARACTERS, 1.0)


def read_pack(data: bytes) -> Iterator[Document]:
    """The documents of a pack."""
    for line in data.splitlines():
        fields = _frozen(json.loads(line))
        yield Document(**{**fields, "anchors": AnchorRules(*fields["anchors"])})


def _line(document: Document) -> bytes:
    fields = document._asdict()
    for name in ("metadata", "includes", "links"):
        fields[name] = dict(fields[name])
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"  # ASCII, lone surrogates too


def _frozen(value: Any) -> Any:
    """What JSON gave, with tuples in place of lists, as sources give them."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return {name: _frozen(one) for name, one in value.items()} if isinstance(value, dict) else value


def _is_border(name: bytes, share: float) -> bool:
    """Whether a pack ends behind a document that is such a share of the mean pack: by its id alone."""
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") < share * (1 << 64)
