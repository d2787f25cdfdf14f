"""Work that one process of a run does, and the others find done."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.tree import ROOT


@contextmanager
def alone(work: str) -> Iterator[None]:
    """Wait until no other process of this checkout is in a block of that name."""
    folder = ROOT / ".quire" / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{work}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
