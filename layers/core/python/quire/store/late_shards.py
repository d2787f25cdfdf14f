"""Stored text that follows a segment: its shards come when they are first read, and one a second beside that.

A function that starts waits for what its first answer shows and for no more: of Roblox's 79 MB, 42 and one for each
hit. What was asked for comes at once, whole, and is checked before anything of it is read. Whoever waits for that
brings one more shard, so that a function which is asked on holds all of it soon and answers while the store is away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from quire.errors import ArtifactError, StoreError, unavailable
from quire.index.layout import PAYLOADS, Manifest, payload_shard
from quire.store.keys import fetch_files

if TYPE_CHECKING:
    from quire.ports import ObjectStore

LEAST_BYTES = 8_000_000
"""Less stored text than this is not worth a second look at the store."""
EVERY_S = 1.0
"""One shard in so many seconds comes unasked: 1 MB, while a question waits for it."""
RETRY_S = 60.0
"""After an unasked one failed: no question is to pay for finding out, time and again, that the store is away."""


def shards_that_follow(manifest: Manifest) -> Collection[str]:
    """The payload shards of a segment, where they are large enough to be worth it.

    A segment of an older build has shards of 4 MB, which are brought alike.
    """
    shards = [name for name in manifest.files if name.startswith(f"{PAYLOADS}/")]
    return shards if sum(manifest.files[name].size for name in shards) > LEAST_BYTES else ()


def none_follows(manifest: Manifest) -> Collection[str]:
    """For a segment that is wanted whole."""
    del manifest
    return ()


class LateShards:
    """The payload shards that a fetched segment lacks. Safe to share by threads.

    Args:
        objects: where they come from.
        prefix: of the segment's keys.
        folder: of the segment.
        manifest: of the segment.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        objects: ObjectStore,
        prefix: str,
        folder: Path,
        manifest: Manifest,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._objects = objects
        self._prefix = prefix
        self._folder = folder
        self._clock = clock
        self._manifest = manifest
        shards = (name for name in self._manifest.files if name.startswith(f"{PAYLOADS}/"))
        self.missing = {name for name in sorted(shards) if not (folder / name).exists()}
        self._guard = threading.Lock()
        self._due = float("inf")

    def bring(self, shards: Collection[int]) -> None:
        """Have these shards near, and now and then one more.

        Raises:
            StoreUnavailable: the store is away, or this machine's disk is full.
            ArtifactCorrupt: a shard is missing or is not what its digest promises.
        """
        if not self.missing:
            return
        with self._guard:
            self._fetch({payload_shard(number) for number in shards} & self.missing)
            self._due = min(self._due, self._clock() + EVERY_S)  # the first answer waits for nothing unasked
            if self.missing and self._clock() >= self._due:
                self._fetch_unasked(min(self.missing))

    @property
    def missing_bytes(self) -> int:
        """What is still to come."""
        return sum(self._manifest.files[name].size for name in self.missing)

    def bring_all(self) -> None:
        """Have every shard near; raises as `bring` does."""
        if self.missing:
            with self._guard:
                self._fetch(set(self.missing))

    def _fetch(self, names: set[str]) -> None:
        if not names:
            return
        try:
            files = {name: self._manifest.files[name] for name in names}
            fetch_files(self._objects, self._prefix, self._folder, files)
        except OSError as error:
            raise unavailable(f"segment {self._manifest.digest[:12]}", error) from error
        self.missing -= names

    def _fetch_unasked(self, name: str) -> None:
        """One that no answer needs yet; where it cannot be had, whoever needs it will be told."""
        try:
            self._fetch({name})
            self._due = self._clock() + EVERY_S
        except (StoreError, ArtifactError):
            self._due = self._clock() + RETRY_S
