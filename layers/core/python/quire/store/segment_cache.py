"""Opened segments, each once for as long as some index uses it; remote ones are fetched first."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

from quire.errors import DiskFull, unavailable
from quire.folders import ARRIVING, whole_folder
from quire.index.layout import KEYWORDS, MANIFEST, Manifest
from quire.index.reader import Segment, manifest_in, open_segment
from quire.index.served import held_by_server
from quire.index.stack import Stack
from quire.store.keys import fetch_segment, naming_segment, read_stored_manifest, segment_key
from quire.store.late_shards import LateShards, none_follows, shards_that_follow

if TYPE_CHECKING:
    from quire.ports import ObjectStore


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


class SegmentCache:
    """What a store has open. Safe to share by threads.

    Args:
        objects: where segments come from.
        cache: folder for fetched ones; unused where the store's files can be mapped in place.
        most_bytes: what may lie in that folder where it is this process's own: closed segments go before a new one
            comes. 0 removes nothing.
        is_late: whether the first version of a collection is opened before its stored text is here, see
            `quire.store.late_shards`.
    """

    def __init__(
        self, objects: ObjectStore, cache: Path, *, most_bytes: int = 0, is_late: bool = False
    ) -> None:
        self._is_late = is_late
        self._known: set[str] = set()
        self._coming: WeakSet[LateShards] = WeakSet()
        self._objects = objects
        self._cache = cache
        self._space = DiskSpace(cache, most_bytes)
        self._guard = threading.Lock()
        self._opening = threading.Lock()
        self._segments: WeakValueDictionary[str, Segment] = WeakValueDictionary()
        self._stacks: WeakValueDictionary[tuple[str, ...], Stack] = WeakValueDictionary()

    def segment(self, name: str, digest: str, *, is_served: bool = False) -> Segment:
        """The segment of a collection, opened; one whose chunks a server searches without what only they need.

        Raises:
            ArtifactCorrupt: a file other than the keyword index is missing or damaged.
            DiskFull: it cannot be fetched because this machine's disk is full.
        """
        with self._guard:
            segment = self._segments.get(_place(digest, is_served=is_served))
        if segment is not None:
            return segment
        if not self._space.most_bytes:
            return self._open(name, digest, is_served=is_served)
        with self._opening:  # between its arrival and its opening nobody else frees space
            return self._open(name, digest, is_served=is_served)

    def _open(self, name: str, digest: str, *, is_served: bool) -> Segment:
        is_late = self._is_late and name not in self._known
        folder, late = self._arrive(name, digest, is_late=is_late, is_served=is_served)
        # Without its keywords a segment can still be searched by its vectors.
        spared = (
            held_by_server(manifest_in(folder)) if is_served else {KEYWORDS, *(late.missing if late else ())}
        )
        with naming_segment(name, digest):
            segment = open_segment(folder, digest, spared=spared, bring=late.bring if late else None)
        with self._guard:
            return self._segments.setdefault(_place(digest, is_served=is_served), segment)

    def note_opened(self, name: str) -> None:
        """All segments of a version are open: of a newer one every byte is here before it takes the place of this."""
        with self._guard:
            self._known.add(name)

    def is_near(self, name: str, digest: str, *, is_served: bool = False) -> bool:
        """Whether the segment's files lie on this machine already, those that `segment` needs."""
        if self._objects.local_path(segment_key(name, digest)) is not None:
            return True
        return (self._cache / "segments" / _place(digest, is_served=is_served) / MANIFEST).exists()

    def manifest(self, name: str, digest: str) -> Manifest:
        """The segment's manifest, of which nothing else is fetched.

        Raises:
            ArtifactCorrupt: it is missing or damaged.
        """
        with self._guard:
            segment = self._segments.get(digest)
        if segment is not None:
            return segment.manifest
        return read_stored_manifest(self._objects, segment_key(name, digest), digest)[0]

    def stack(self, segments: Sequence[Segment]) -> Stack:
        """The segments stacked."""
        digests = tuple(segment.manifest.digest for segment in segments)
        with self._guard:
            stack = self._stacks.get(digests)
            if stack is None:
                stack = self._stacks[digests] = Stack(segments)
            return stack

    def folder(self, name: str, digest: str) -> Path:
        """Where the segment's files lie on this machine; fetched, and every byte checked, if they did not yet."""
        return self._arrive(name, digest)[0]

    def _arrive(
        self, name: str, digest: str, *, is_late: bool = False, is_served: bool = False
    ) -> tuple[Path, LateShards | None]:
        """The segment's folder, and what brings those of its shards that are not there; None where all are.

        Of one whose chunks a server searches the tables alone arrive: whoever reads stored text past the server, as a
        comparison of versions does, has it brought.
        """
        prefix = segment_key(name, digest)
        local = self._objects.local_path(prefix)
        if local is not None:
            return local, None
        folder = self._cache / "segments" / _place(digest, is_served=is_served)
        follows = held_by_server if is_served else shards_that_follow if is_late else none_follows
        try:
            if (folder / MANIFEST).exists():
                manifest = manifest_in(folder)
            else:
                make_room = partial(self._free_space, left_out=held_by_server if is_served else none_follows)
                manifest = fetch_segment(
                    self._objects, prefix, digest, folder, make_room=make_room, follows=follows
                )
            late = LateShards(self._objects, prefix, folder, manifest)
            if not (is_late or is_served):
                late.bring_all()
            if self._space.most_bytes:
                os.utime(folder)  # what was opened longest ago goes first
        except OSError as error:
            raise unavailable(f"segment {digest[:12]} of {name}", error) from error
        if not late.missing:
            return folder, None
        if not is_served:
            self._coming.add(late)
        return folder, late

    def _free_space(self, manifest: Manifest, left_out: Callable[[Manifest], Collection[str]]) -> None:
        """Make room for the files that arrive now or follow, and for what still follows of others."""
        never = left_out(manifest)
        wanted = sum(one.size for name, one in manifest.files.items() if name not in never)
        self._space.free(wanted + sum(late.missing_bytes for late in self._coming), self._open_now)

    def _open_now(self) -> set[str]:
        gc.collect()  # what a request held in a cycle is not open any more; costs a start 35 ms
        with self._guard:
            return set(self._segments)

    def keep(self, digest: str, folder: Path) -> None:
        """Keep a copy of a segment that was written here: nobody needs to fetch what they sent a moment ago."""
        target = self._cache / "segments" / digest
        if self._objects.local_path("") is not None or target.exists():
            return
        # A full disk: fetched when asked for.
        with suppress(OSError), whole_folder(target, is_shared=True) as work:
            shutil.copytree(folder, work, dirs_exist_ok=True)


def _place(digest: str, *, is_served: bool) -> str:
    """What the folder of a fetched segment is called, and of one of which only the tables are fetched."""
    return f"{digest}.tables" if is_served else digest
