"""What processes that were killed left behind: files and folders that were to be renamed, or removed at the end."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

LEFT_S = 24 * 3600.0
"""What nobody has written to for so long is nobody's: no build and no transfer rests for a day."""
OF_CACHES = (
    "built/.*-*",
    "bundles/.arriving-*",
    "clean-*",
    "downloads/fetch-*",
    "live/merge-*",
    "live/write-*",
    "models/.arriving-*",
    "models/.export-*",
    "segments/.arriving-*",
    "shard-*",
    "sources/*/fetching-*",
    "store/segments/.arriving-*",
)
OF_STORES = (
    ".new-*",
    "models/*/.new-*",
    "collections/*/.new-*",
    "collections/*/*/.new-*",
    "collections/*/segments/*/.new-*",
)
"""Where they lie, by the modules that make them; `tests/quire/store/test_leftovers.py` looks for others."""


def sweep_all(cache: Path, store: str) -> None:
    """Sweep the cache of a process that starts, and its store where that is a folder."""
    sweep(cache, OF_CACHES)
    if "://" not in store:
        sweep(Path(store), OF_STORES)


def sweep(folder: Path, patterns: tuple[str, ...]) -> int:
    """Remove what is older than a day and open in no process of this machine; how many there were.

    What cannot be removed stays: another process may sweep at the same time.
    """
    before = time.time() - LEFT_S
    found = [path for pattern in patterns for path in folder.glob(pattern) if _changed(path) < before]
    opened = tuple(map(Path, _opened())) if found else ()
    resolved = ((path, path.resolve()) for path in found)
    gone = [path for path, real in resolved if not any(one.is_relative_to(real) for one in opened)]
    for path in gone:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
    return len(gone)


def _changed(path: Path) -> float:
    """When it, or anything in it, was written last; now where that cannot be told."""
    try:
        return max(one.lstat().st_mtime for one in (path, *path.rglob("*")))
    except OSError:
        return float("inf")


def _opened() -> Iterator[str]:
    """The paths that processes have open or work in, as far as the system tells."""
    for link in (*Path("/proc").glob("[0-9]*/fd/*"), *Path("/proc").glob("[0-9]*/cwd")):
        with suppress(OSError):
            yield str(link.readlink())
