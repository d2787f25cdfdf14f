"""Which files an order to index a folder takes, and which of them changed since the version that is served."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from build_index.cache.inputs import digest_code
from build_index.cache.store import ContentStore
from build_index.sources.files.selection import Excluded, as_selection, select_files

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
        add: beside the folders that the collection holds already; without it the folder takes their place.
    """

    collection: str
    root: str
    store: str = ""
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    clean: bool = False
    incremental: bool = False
    add: bool = False


class Root(NamedTuple):
    """A folder of a collection with the globs of its files."""

    folder: str
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def holds(self, other: Root) -> bool:
        """Whether the other is a folder inside of this one, or the same."""
        return Path(other.folder).is_relative_to(self.folder)


def roots_of(order: Order, held: Sequence[Root]) -> tuple[Root, ...]:
    """The folders that the order makes of those that are held.

    One that is added takes the place of those inside of it; one that lies in a held folder is there already.
    """
    root = Root(order.root, order.patterns, order.exclude)
    if not order.add:
        return (root,)
    kept = [one for one in held if not root.holds(one) and Path(one.folder).is_dir()]
    return tuple(sorted(kept if any(one.holds(root) for one in kept) else [root, *kept]))


def read_digests(roots: Sequence[Root], excluded: Excluded) -> dict[str, str]:
    """The sha256 of every file that is taken, by its path."""
    return {
        str(Path(root.folder, path)): _digest(Path(root.folder, path))
        for root in roots
        for path in select_files(Path(root.folder), as_selection(root.patterns, root.exclude), excluded)
    }


def count_changes(before: Mapping[str, str], now: Mapping[str, str]) -> int:
    """Files that are new, different or gone.

    >>> count_changes({"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "2", "d": "1"})
    3
    """
    return sum(now.get(path) != before.get(path) for path in now.keys() | before.keys())


class KnownFiles(NamedTuple):
    """What is known of a built version.

    Attributes:
        digests: of its files, by path.
        by_content: how many their content kept out, by reason.
        named: the first paths of all that was left out for each of these reasons.
        roots: the folders that they lie in.
        failed: files that could not be read, with the reason.
        unread: those of `digests` that nothing is indexed of.
    """

    digests: Mapping[str, str] = {}
    by_content: Mapping[str, int] = {}
    named: Mapping[str, Sequence[str]] = {}
    roots: tuple[Root, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()

    def indexed(self) -> dict[str, str]:
        """The digests of the files that are indexed."""
        unread = frozenset(self.unread)
        return {path: digest for path, digest in self.digests.items() if path not in unread}


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known of the files behind the version that is served, kept in the cache folder.

    Attributes:
        code: digest of the program; what another one read is not known.
    """

    cache: Path
    collection: str
    code: str = field(default_factory=digest_code)

    def read(self, version: str) -> KnownFiles:
        """What was kept; nothing where that version was built by something else, or elsewhere."""
        with closing(ContentStore(self.cache)) as store:
            values = store.read(KIND, [self._key])
        kept = json.loads(values.get(self._key, b"{}"))
        if not version or kept.get("of") != self._identity(version):
            return KnownFiles()
        roots = (Root(folder, tuple(patterns), tuple(exclude)) for folder, patterns, exclude in kept["roots"])
        failed = tuple((path, reason) for path, reason in kept["failed"])
        found = (kept["digests"], kept["by_content"], kept["named"])
        return KnownFiles(*found, tuple(roots), failed, tuple(kept["unread"]))

    def write(self, version: str, known: KnownFiles) -> None:
        """Keep it."""
        kept = {"of": self._identity(version), **known._asdict()}
        with closing(ContentStore(self.cache)) as store:
            store.write(KIND, {self._key: json.dumps(kept).encode()})

    def changes_since(self, version: str) -> int | None:
        """Files that changed since that version was built; None where that is not known."""
        known = self.read(version)
        return count_changes(known.digests, read_digests(known.roots, Excluded())) if known.roots else None

    def forget(self) -> None:
        """Keep nothing of the collection."""
        with closing(ContentStore(self.cache)) as store:
            store.retain(KIND, store.read_all(KIND).keys() - {self._key})

    @property
    def _key(self) -> bytes:
        return self.collection.encode()

    def _identity(self, version: str) -> list[Any]:
        return [6, version, self.code]  # 6: the form of what is kept, with files that nothing is indexed of


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return UNREADABLE  # the build reports it
