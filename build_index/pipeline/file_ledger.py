"""Which files an order to index a folder takes, and which of them changed since the version that is served."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from build_index.cache.store import ContentStore
from build_index.sources.files.selection import Excluded, as_selection, select_files
from quire import __version__

KIND = "files"
UNREADABLE = ""
"""Stands for the digest of a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to index.

    Attributes:
        collection: its name.
        root: the folder.
        store: folder or bucket of the collections; "" means the process's own setting.
        patterns: globs of the files to take; empty takes every known kind of file.
        exclude: globs to leave out, on top of the usual ones.
        clean: embed everything again, whatever earlier builds kept.
        incremental: do nothing where no file changed since the build that is served.
    """

    collection: str
    root: str
    store: str = ""
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    clean: bool = False
    incremental: bool = False


def read_digests(order: Order, excluded: Excluded) -> dict[str, str]:
    """The sha256 of every file that the order takes, by its path in the folder."""
    root = Path(order.root)
    selection = as_selection(order.patterns, order.exclude)
    return {path: _digest(root / path) for path in select_files(root, selection, excluded)}


class KnownFiles(NamedTuple):
    """What is known of a built version: its files' digests by path, and how many their content kept out, by reason."""

    digests: Mapping[str, str]
    by_content: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known of the files behind the version that is served, kept in the cache folder."""

    cache: Path
    order: Order

    def read(self, version: str) -> KnownFiles:
        """What was kept; nothing where that version was built of something else, by something else, or elsewhere."""
        with closing(ContentStore(self.cache)) as store:
            values = store.read(KIND, [self._key])
        kept = json.loads(values.get(self._key, b"{}"))
        if not version or kept.get("of") != self._identity(version):
            return KnownFiles({}, {})
        return KnownFiles(kept["digests"], kept["by_content"])

    def write(self, version: str, known: KnownFiles) -> None:
        """Keep it."""
        kept = {"of": self._identity(version), "digests": known.digests, "by_content": known.by_content}
        with closing(ContentStore(self.cache)) as store:
            store.write(KIND, {self._key: json.dumps(kept).encode()})

    @property
    def _key(self) -> bytes:
        return self.order.collection.encode()

    def _identity(self, version: str) -> list[Any]:
        order = self.order
        # 3: without secrets.
        return [3, version, __version__, order.root, list(order.patterns), list(order.exclude)]


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return UNREADABLE  # the build reports it
