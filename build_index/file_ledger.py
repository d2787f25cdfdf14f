"""Which files an order to index a folder takes, and which of them changed since the version that is served."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_index.sources.file_selection import Excluded, as_selection, select_files
from quire import __version__


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


@dataclass(frozen=True, slots=True)
class Ledger:
    """Digests of the files behind the version that is served, kept in the cache folder."""

    cache: Path
    order: Order

    def read(self, version: str) -> dict[str, str]:
        """Digests by path; empty where that version was built of something else, by something else, or elsewhere."""
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        digests: dict[str, str] = kept.get("digests", {})
        return digests if version and kept.get("of") == self._identity(version) else {}

    def write(self, version: str, digests: Mapping[str, str]) -> None:
        """Keep the digests; the file appears whole."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        written = self._file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps({"of": self._identity(version), "digests": digests}), encoding="utf-8")
        written.replace(self._file)

    @property
    def _file(self) -> Path:
        return self.cache / "files" / f"{self.order.collection}.json"

    def _identity(self, version: str) -> list[Any]:
        order = self.order
        return [version, __version__, order.root, list(order.patterns), list(order.exclude)]


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""  # the build reports it
