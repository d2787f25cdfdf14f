"""Opened segments, each once for as long as some index uses it; remote ones are fetched first."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from quire.artifact.layout import MANIFEST
from quire.artifact.reader import Segment, open_segment
from quire.artifact.stack import Stack
from quire.artifact.transfer import fetch_segment, segment_key
from quire.ports import ObjectStore


class Shelf:
    """What a store has open. Safe to share by threads.

    Args:
        objects: where segments come from.
        cache: folder for fetched ones; unused where the store's files can be mapped in place.
    """

    def __init__(self, objects: ObjectStore, cache: Path) -> None:
        self._objects = objects
        self._cache = cache
        self._guard = threading.Lock()
        self._segments: WeakValueDictionary[str, Segment] = WeakValueDictionary()
        self._stacks: WeakValueDictionary[tuple[str, ...], Stack] = WeakValueDictionary()

    def segment(self, name: str, digest: str) -> Segment:
        """The segment of a collection, opened.

        Raises:
            ArtifactCorrupt: a file is missing or damaged.
        """
        with self._guard:
            segment = self._segments.get(digest)
        if segment is None:
            segment = open_segment(self.folder(name, digest), digest)
            with self._guard:
                segment = self._segments.setdefault(digest, segment)
        return segment

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
        prefix = segment_key(name, digest)
        local = self._objects.local_path(prefix)
        if local is not None:
            return local
        folder = self._cache / "segments" / digest
        if not (folder / MANIFEST).exists():
            fetch_segment(self._objects, prefix, digest, folder)
        return folder
