"""Space on the disk that fetched segments lie on: what nobody has open is removed before something new is fetched."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from quire.errors import DiskFull

ARRIVING = ".arriving-"
"""What folders are called that a transfer fills; one that is there when none runs was left by a process that died."""
SPARE_BYTES = 1 << 20
"""What is left over: a file takes whole blocks, and folders take some too."""


class DiskSpace:
    """The space of one process's own disk, such as a function's /tmp.

    Args:
        cache: folder that everything fetched lies below.
        most_bytes: what may lie there; 0 means that other processes share the folder, so nothing is ever removed.
    """

    def __init__(self, cache: Path, most_bytes: int) -> None:
        self._cache = cache
        self.most_bytes = most_bytes

    def free(self, wanted: int, open_now: Callable[[], Collection[str]]) -> None:
        """Remove fetched segments until so many bytes fit, those first that were opened longest ago.

        Those in `open_now` (digests) stay: what is mapped would keep its space though its name is gone. It is asked
        only where something has to go.

        Raises:
            DiskFull: they do not fit though nothing else is left to remove.
        """
        if not self.most_bytes:
            return
        left = self.left()
        if left >= wanted:
            return
        opened = open_now()
        for folder in self._removable(opened):
            if left >= wanted:
                break
            shutil.rmtree(folder)
            left = self.left()
        if left < wanted:
            raise DiskFull(
                f"{self._cache}: a segment of {wanted:,} bytes is to be fetched, {max(left, 0):,} are free beside "
                f"{len(opened)} open ones; deploy with a larger ephemeral_mb"
            )

    def left(self) -> int:
        """Bytes that may still arrive: what the bound leaves, and what the disk has."""
        self._cache.mkdir(parents=True, exist_ok=True)
        by_disk = shutil.disk_usage(self._cache).free
        return min(self.most_bytes - held_bytes(self._cache), by_disk) - SPARE_BYTES

    def _removable(self, opened: Collection[str]) -> list[Path]:
        folders = [path for path in (self._cache / "segments").glob("*") if path.name not in opened]
        return sorted(folders, key=lambda path: (not path.name.startswith(ARRIVING), path.stat().st_mtime))


def held_bytes(folder: Path) -> int:
    """What the files below the folder amount to."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
