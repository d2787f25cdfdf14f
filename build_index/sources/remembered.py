"""Documents as they were read the last time, where nothing that they were read from has changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from build_index.sources import Failure
from quire.documents import Document

Documents = Iterable[Document | Failure]


def remember(path: Path, key: str, read: Callable[[], Documents]) -> Iterator[Document | Failure]:
    """The documents of `path` where it was written under this key; else those that `read` gives, kept for next time.

    What had a failure is not kept, for a failure may pass. A file that is damaged counts as none.
    """
    kept = _load(path, key)
    if kept is not None:
        yield from kept
        return
    documents: list[Document] = []
    failed = False
    for one in read():
        if isinstance(one, Failure):
            failed = True
        else:
            documents.append(one)
        yield one
    if not failed:
        _save(path, key, documents)


def _load(path: Path, key: str) -> list[Document] | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        if head.decode() != key:
            return None
        return [_document(row) for row in json.loads(body)]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _save(path: Path, key: str, documents: list[Document]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [(one.id, one.text, one.kind, dict(one.metadata), dict(one.includes)) for one in documents]
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(f"{key}\n".encode() + json.dumps(rows, separators=(",", ":")).encode())
    beside.replace(path)


def _document(row: tuple[str, str, str, Mapping[str, Any], Mapping[str, str]]) -> Document:
    name, text, kind, facts, includes = row
    metadata = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    return Document(name, text, kind, metadata, includes)
