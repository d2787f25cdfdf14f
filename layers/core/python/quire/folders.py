"""Folders that appear whole: nobody sees one that is half written, and a process that dies leaves none in its place.

And whether one may be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.errors import SourceError

ARRIVING = ".arriving-"
"""What folders are called that a transfer fills; one that is there when none runs was left by a process that died."""


@contextmanager
def whole_folder(folder: Path, prefix: str = ARRIVING, *, is_shared: bool = False) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its name at the end of the block, or goes where the block fails.

    `is_shared` says that other processes make the same one: whichever was first stands.

    Raises:
        OSError: there is no place for it, or the name is taken and not shared.
    """
    import shutil  # 5 ms with tempfile, which a process that maps its segments in place has not got
    import tempfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        yield work
        try:
            work.rename(folder)
        except OSError:
            if not (is_shared and folder.is_dir()):
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def demand_readable(place: Path) -> None:
    """Refuse a file or folder that is there and may not be read.

    Raises:
        SourceError: the message says what to do.
    """
    try:
        may = os.access(place, os.R_OK | os.X_OK if place.is_dir() else os.R_OK) or not place.exists()
    except PermissionError:  # of a folder above it
        may = False
    except (OSError, ValueError):  # no path at all
        return
    if not may:
        raise SourceError(
            f"{place}: may not be read: give yourself the right to it and to the folders above it (`chmod -R u+rX`), "
            "or name another",
            path=str(place),
        )
