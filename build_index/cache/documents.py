"""Documents as they were read the last time, where nothing that they were read from has changed since."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from build_index.sources import Failure
from quire.documents import Document

Documents = Iterable[Document | Failure]


def remember(path: Path, key: str, read: Callable[[], Documents]) -> Iterator[Document | Failure]:
    """The documents of `path` where it was written under this key; else those that `read` gives, kept for next time.

    One is in memory at a time. What had a failure is not kept, for a failure may pass. A file that is damaged counts
    as none.
    """
    if _is_sound(path, key):
        with path.open("rb") as file:
            next(file)
            yield from (_document(json.loads(line)) for line in file if line[:1] == b"[")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    failed = False
    try:
        with beside.open("wb") as file:
            kept = _DocumentLines(file, key)
            for one in read():
                if isinstance(one, Failure):
                    failed = True
                else:
                    kept.write(one)
                yield one
            kept.end()
        if not failed:
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class _DocumentLines:
    """The key, then a document a line, then the sha256 of all that."""

    def __init__(self, file: IO[bytes], key: str) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._append(key.encode())

    def write(self, one: Document) -> None:
        row = (one.id, one.text, one.kind, dict(one.metadata), dict(one.includes))
        self._append(json.dumps(row, separators=(",", ":")).encode())

    def end(self) -> None:
        self._file.write(self._digest.hexdigest().encode() + b"\n")

    def _append(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._digest.update(line + b"\n")


def _is_sound(path: Path, key: str) -> bool:
    """Whether the file was written under this key and is as it was written."""
    try:
        with path.open("rb") as file:
            line = next(file, b"")
            if line != key.encode() + b"\n":
                return False
            digest = hashlib.sha256(line)
            last = b""
            for line in file:
                digest.update(last)
                last = line
            return last == digest.hexdigest().encode() + b"\n"
    except OSError:
        return False


def _document(row: tuple[str, str, str, Mapping[str, Any], Mapping[str, str]]) -> Document:
    name, text, kind, facts, includes = row
    metadata = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    return Document(name, text, kind, metadata, includes)
