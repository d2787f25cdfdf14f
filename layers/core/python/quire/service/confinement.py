"""Folders that a caller may name: those inside of an allowed one."""

from __future__ import annotations

from pathlib import Path

from quire.errors import InputError


def confine(root: str | Path, allowed: Path) -> Path:
    """The folder `root`, resolved, where it lies inside of `allowed`; a relative one is relative to it.

    Raises:
        InputError: it leads out of `allowed`, is no folder, or no path at all.
    """
    try:
        folder = (allowed / root).resolve()
        folder.is_dir()
    except (OSError, RuntimeError, ValueError):  # a circle of links, U+0000, a name that is too long
        raise InputError("root: no path of a folder", field="root") from None
    if not folder.is_relative_to(allowed.resolve()):
        raise InputError(f"root: {root} leads out of the allowed folder", field="root")
    if not folder.is_dir():
        raise InputError(
            f"root: wanted a folder, found {'a file' if folder.exists() else 'nothing'} at {root}",
            field="root",
        )
    return folder
