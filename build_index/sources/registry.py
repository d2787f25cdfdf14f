"""Which source reads what a profile is built from. A source registers itself: no list elsewhere names it.

A folder below `build_index/sources` may hold a module `source.py` with `SOURCES`, a tuple of `Source`; that is all.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import build_index.sources
from build_index.sources import Documents
from build_index.sources.fetch.fetch import Located
from build_index.sources.files.selection import Excluded
from quire.errors import InputError
from quire.index.layout import SourceFacts

Folders: TypeAlias = Mapping[str, Sequence[Path]]
"""Key of a source -> the folders that it was located in, in the order they were given."""


@dataclass(frozen=True, slots=True)
class OpenedSources:
    """What one profile's reader gives; what it was located at, `open_reading` adds.

    Attributes:
        documents: read lazily, in the sources' order.
        label: the engine version or release that names the index; "" where the sources have none.
        extra: what serving needs beside chunks, such as the class hierarchy.
        excluded: files left out by rule, counted by reason while `documents` is read.
        files: what was read beside them, such as the configuration of the site that shows them.
        provenance: each source as it was read; its key is the word before `=` on the command line.
        folders: where the sources lie now, fetched ones included.
    """

    documents: Documents
    label: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    excluded: Excluded = field(default_factory=Excluded)
    files: tuple[Path, ...] = ()
    provenance: tuple[SourceFacts, ...] = ()
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """What reads a profile's documents.

    Attributes:
        profile: one of `quire.profiles`.
        keys: the words before `=` that `collections.toml` and `--source` may use.
        read: opens the folders with the collection's options; the path is the build's cache.
        settle: moves a located folder to the one that is meant, such as a checkout's root.
    """

    profile: str
    keys: tuple[str, ...]
    read: Callable[[Folders, Mapping[str, Any], Path], OpenedSources]
    settle: Callable[[str, Located], Located] = lambda _, found: found


@cache
def registered() -> Mapping[str, Source]:
    """Every source by its profile, sorted."""
    found: dict[str, Source] = {}
    for package in pkgutil.iter_modules(build_index.sources.__path__, "build_index.sources."):
        if package.ispkg and importlib.util.find_spec(f"{package.name}.source"):
            for one in importlib.import_module(f"{package.name}.source").SOURCES:
                found[one.profile] = one
    return dict(sorted(found.items()))


def source_of(profile: str) -> Source:
    """The source that reads the profile.

    Raises:
        InputError: none does: its collections are filled by requests.
    """
    known = registered()
    if profile not in known:
        raise InputError(
            f"profile {profile!r}: no source reads it; {', '.join(known)} can be built", field="profile"
        )
    return known[profile]
