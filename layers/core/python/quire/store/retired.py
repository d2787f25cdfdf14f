"""Segments that nothing serves any more: noted under `retired/`, and deleted when no request can be reading them."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from quire.canonical_json import canonical_json
from quire.store.keys import collection_key, pointer_key, segment_key

if TYPE_CHECKING:
    from quire.index.layout import Pointer
    from quire.ports import ObjectStore

GRACE_S = 15 * 60.0
"""A process opens the segments of a pointer within seconds of reading it; a Lambda call ends after 15 minutes."""


def retire(objects: ObjectStore, name: str, digests: Iterable[str], now: float) -> None:
    """Note that a collection's segments were replaced, `now` in seconds since the epoch."""
    stamp = f"{int(now * 1000):015d}-{secrets.token_hex(4)}"
    objects.write(f"{collection_key(name)}retired/{stamp}", canonical_json(sorted(digests)))


def sweep(
    objects: ObjectStore, name: str, states: Callable[[], Sequence[Pointer]], clock: Callable[[], float]
) -> int:
    """Delete the segments that were retired longer ago than `GRACE_S`, and say how many.

    One that a state of the collection still names, or names again, stays. `clock` gives seconds since the epoch.
    """
    prefix = collection_key(name) + "retired/"
    swept = 0
    for record in objects.list(prefix):
        if int(record.partition("-")[0]) > (clock() - GRACE_S) * 1000:
            continue
        stored = objects.read(prefix + record)
        served = {ref.digest for state in states() for ref in state.segments}
        for digest in json.loads(stored.data) if stored else ():
            if digest not in served:
                delete_under(objects, segment_key(name, digest))
                swept += 1
        objects.delete(prefix + record)
    return swept


def names_under(objects: ObjectStore, prefix: str) -> Iterator[str]:
    """Names of every object below `prefix`, which ends with a slash, relative to it."""
    for name in objects.list(prefix):
        if name.endswith("/"):
            yield from (name + inner for inner in names_under(objects, prefix + name))
        else:
            yield name


def delete_under(objects: ObjectStore, prefix: str) -> None:
    """Delete every object below `prefix`, which ends with a slash."""
    for name in names_under(objects, prefix):
        objects.delete(prefix + name)


def delete_collection(objects: ObjectStore, name: str) -> None:
    """Delete a collection with its versions and, at last, its build lock, which the caller holds.

    What reads it at the moment keeps the files that it has open.
    """
    prefix = collection_key(name)
    objects.delete(pointer_key(name))  # first: nobody begins to read what is half gone
    for part in objects.list(prefix):
        if part.endswith("/"):
            delete_under(objects, prefix + part)
    # What is hidden from lists lies in folders alone: lock files, and what a process that was killed was writing.
    if folder := objects.local_path(prefix):
        shutil.rmtree(folder, ignore_errors=True)
    delete_under(objects, prefix)
