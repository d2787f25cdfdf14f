"""Work that one process of a run does, and the others, or the next run, find done."""

from __future__ import annotations

import fcntl
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.tree import ROOT

_DIGEST = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}")


@contextmanager
def alone(work: str) -> Iterator[None]:
    """Wait until no other process of this checkout is in a block of that name."""
    with (_cache() / f"{work}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@contextmanager
def once(work: str, *files: Path) -> Iterator[bool]:
    """Whether a block of that name ended well over the same files; kept where this one does.

    Digests in them are compared by where they stand, not by their value, which changes with every line of code.
    """
    read = hashlib.sha256()
    for file in files:
        read.update(hashlib.sha256(_without_digests(file.read_text(encoding="utf-8")).encode()).digest())
    kept = _cache() / f"{work}.sha256"
    yield kept.is_file() and kept.read_text(encoding="utf-8") == read.hexdigest()
    kept.write_text(read.hexdigest(), encoding="utf-8")


def _without_digests(text: str) -> str:
    """The text with its digests numbered as they come: two texts of the same digests at the same places are equal."""
    numbers: dict[str, int] = {}
    return _DIGEST.sub(lambda found: f"<{numbers.setdefault(found.group(), len(numbers))}>", text)


def _cache() -> Path:
    folder = ROOT / ".quire" / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
