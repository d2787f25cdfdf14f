"""What functions compile while they start, compiled when the archives are made: a seventh of a start's CPU.

See `quire.precompiled`. `write_precompiled` imports what functions import and keeps what was compiled meanwhile.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from quire import precompiled

FILE = Path(__file__).with_name("precompiled.bin")
HANDLERS = ("query", "answer", "memory", "jobs")
LATER = (
    "quire.adapters.s3",
    "quire.adapters.s3_reader",
    "quire.adapters.dynamo",
    "quire.index.usearch",
    "functions.app.llms",
)
"""What only some functions import, or only with the first request; the faces besides."""


def take_precompiled(file: Path = FILE) -> None:
    """Have what functions import take from the archive's file what it has."""
    precompiled.take(file)


def write_precompiled(file: Path) -> None:
    """Import what functions import, and keep what was compiled meanwhile. The same imports give the same bytes."""
    noted = precompiled.note()
    for name in HANDLERS:
        importlib.import_module(f"functions.{name}")
    import pkgutil

    faces = importlib.import_module("functions.faces")
    for name in (*LATER, *(one.name for one in pkgutil.walk_packages(faces.__path__, "functions.faces."))):
        importlib.import_module(name)
    noted.write(file)
