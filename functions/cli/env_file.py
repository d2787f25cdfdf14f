"""The `.env` of the folder that one stands in, unless it came with somebody else's repository.

It may choose who writes answers, and where: passages of the reader's own indexes would go there.
"""

from __future__ import annotations

import struct
from pathlib import Path

import typer
from dotenv import dotenv_values

from quire.settings import adopt

NAME = ".env"
_LONGEST = 0xFFF
"""Of a path's length in git's index; a longer one is written as this."""


def adopt_env_file() -> None:
    """Take settings from `.env`; say so where it is left alone."""
    file = Path(NAME).resolve()
    if is_tracked(file):
        typer.echo(
            "quire: .env is a file of this repository, so it is not read: export what you want of it",
            err=True,
        )
    elif file.is_file():
        adopt(dotenv_values(file))


def is_tracked(file: Path) -> bool:
    """Whether git's index of the repository around a file names it, so that it came or goes with every clone.

    The index is read as it lies there: git itself runs programs that a repository's settings name.
    """
    for folder in file.parents:
        try:
            index = (_git_folder(folder) / "index").read_bytes()
        except OSError:
            continue
        path = file.relative_to(folder).as_posix().encode()
        return struct.pack(">H", min(len(path), _LONGEST)) + path + b"\0" in index
    return False


def _git_folder(folder: Path) -> Path:
    """Where git keeps what it knows: of a submodule or a work tree elsewhere, as the file `.git` says."""
    git = folder / ".git"
    return (
        folder / git.read_text("utf-8", "replace").partition("gitdir:")[2].strip() if git.is_file() else git
    )
