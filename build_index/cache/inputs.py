"""One digest over everything that decides a build's bytes, so that a rebuild of the same input can stop at once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import build_index
import quire
from quire.canonical_json import canonical_json

PASSED_OVER = frozenset(
    ".git .quire .venv __pycache__ node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis".split()
)


def digest_inputs(settings: object, folders: Iterable[Path], files: Iterable[Path] = ()) -> str:
    """Hexadecimal sha256 of `settings` (any JSON value), of every file below the folders, and of Quire's own code.

    Files count by relative path and content, so that copying or touching a source changes nothing. One that cannot be
    read counts by its path alone: whoever reads the source reports it.
    """
    whole = hashlib.sha256(canonical_json([settings, digest_code()]))
    for root in folders:
        _add_tree(whole, root)
    for path in files:
        _add(whole, path, path.name)
    return whole.hexdigest()


@cache
def digest_code() -> str:
    """Hexadecimal sha256 of Quire's own code, as it was when first asked for; the same where it lies in an archive."""
    whole = hashlib.sha256()
    for package in (quire, build_index):
        for root in map(Path, package.__path__):
            for path in _files(root):
                if path.suffix != ".md" and not path.name.startswith("."):
                    _add(whole, path, str(path.relative_to(root)))
    return whole.hexdigest()


def _add_tree(whole: hashlib._Hash, root: Path) -> None:
    for path in _files(root):
        _add(whole, path, str(path.relative_to(root)) if path != root else path.name)


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(set(inner) - PASSED_OVER)
        yield from (path for name in sorted(names) if (path := Path(folder, name)).is_file())


def _add(whole: hashlib._Hash, path: Path, name: str) -> None:
    try:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
    except OSError:
        content = b"unreadable"
    whole.update(f"{name}\x00".encode("utf-8", "surrogateescape") + content)
