"""Documents as they were read the last time, where nothing that they were read from has changed since."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from build_index.cache.store import ContentStore
from build_index.sources import Failure
from quire.documents import Document

Documents = Iterable[Document | Failure]


def remember(
    store: ContentStore, kind: str, key: bytes, read: Callable[[], Documents]
) -> Iterator[Document | Failure]:
    """The documents that were kept under this key; else those that `read` gives, kept for next time.

    Of a kind only the last ones stay. What had a failure is not kept, for a failure may pass.
    """
    kept = store.read(kind, [key]).get(key)
    if kept is not None:
        yield from (_document(json.loads(line)) for line in io.BytesIO(kept))
        return
    lines, failed = io.BytesIO(), False
    for one in read():
        if isinstance(one, Failure):
            failed = True
        else:
            row = (one.id, one.text, one.kind, dict(one.metadata), dict(one.includes))
            lines.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        yield one
    if not failed:
        store.write(kind, {key: lines.getvalue()})
        store.retain(kind, [key])


def _document(row: tuple[str, str, str, Mapping[str, Any], Mapping[str, str]]) -> Document:
    name, text, kind, facts, includes = row
    metadata = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    return Document(name, text, kind, metadata, includes)
