"""How a pointer goes from one state to the next, and which of its states is meant. Plain functions.

A build carries the sequence that was last used when it began to read. A document that is deleted or replaced while the
build runs gets a higher tombstone, which therefore hides the build's copy of it. The store swaps what they give.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quire.errors import SwapConflict, UnknownVersion
from quire.index.layout import Manifest, Pointer, SegmentRef

BUILD = "build"
WRITE = "write"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


def last_sequence(pointer: Pointer | None) -> int:
    """The sequence that was last used; what a build that begins now carries."""
    return pointer.next_sequence - 1 if pointer else 0


def builds_of(pointer: Pointer) -> tuple[str, ...]:
    """Digests of the segments that builds made."""
    return tuple(ref.digest for ref in pointer.segments if ref.origin == BUILD)


def with_build(
    collection: str,
    previous: Pointer | None,
    manifest: Manifest,
    *,
    parts: Sequence[str] = (),
    as_of: int,
    label: str,
    published_at: str,
    engine: str = "",
) -> Pointer:
    """A finished build takes the place of the builds before it; what was written live stays behind it.

    `parts` are the digests of its segments where it has several; `engine` is what searches them, "" for themselves.
    """
    written = tuple(ref for ref in previous.segments if ref.origin == WRITE) if previous else ()
    return Pointer(
        collection=collection,
        profile=manifest.profile,
        face=manifest.face,
        segments=(*(SegmentRef(one, as_of, BUILD) for one in parts or (manifest.digest,)), *written),
        tombstones=previous.tombstones if previous else {},
        label=label,
        published_at=published_at,
        next_sequence=previous.next_sequence if previous else as_of + 1,
        build=manifest.facts if parts else None,
        engine=engine,
    )


def with_write(pointer: Pointer, digest: str, replaced: Iterable[str]) -> Pointer:
    """A live segment is added, and the `replaced` documents vanish from all segments before it, in one step."""
    sequence = pointer.next_sequence
    return pointer._replace(
        segments=(*pointer.segments, SegmentRef(digest, sequence, WRITE)),
        tombstones={**pointer.tombstones, **dict.fromkeys(replaced, sequence)},
        next_sequence=sequence + 1,
    )


def with_deletion(pointer: Pointer, documents: Iterable[str]) -> Pointer:
    """The documents vanish from every segment there is."""
    sequence = pointer.next_sequence
    return pointer._replace(
        tombstones={**pointer.tombstones, **dict.fromkeys(documents, sequence)},
        next_sequence=sequence + 1,
    )


def with_check(pointer: Pointer, digest: str, checked_at: str) -> Pointer:
    """The sources are still what the segment was built from; the version stays."""
    if all(ref.digest != digest for ref in pointer.segments):
        return pointer  # it was rolled back meanwhile
    return pointer._replace(checked_at=checked_at)


def with_rollback(pointer: Pointer, older: Pointer) -> Pointer:
    """An older state's builds serve again. Live writes stay as they are now, and what was deleted stays deleted."""
    built = [ref for ref in older.segments if ref.origin == BUILD]
    written = [ref for ref in pointer.segments if ref.origin == WRITE]
    tombstones = {**older.tombstones}
    for document, sequence in pointer.tombstones.items():
        tombstones[document] = max(sequence, tombstones.get(document, 0))
    return older._replace(
        segments=(*built, *written),
        tombstones=tombstones,
        next_sequence=max(pointer.next_sequence, older.next_sequence),
    )


def with_merge(pointer: Pointer, parts: Iterable[str], digest: str, *, as_of: int) -> Pointer:
    """One segment takes the place of its `parts`, which were merged into it, `as_of` the last sequence when that began.

    What was written or deleted meanwhile has a higher sequence and holds on.

    Raises:
        SwapConflict: one of them is no longer served, so the new segment may hold what is gone.
    """
    gone = set(parts)
    missing = gone - {ref.digest for ref in pointer.segments}
    if missing:
        raise SwapConflict(f"merge: segment {min(missing)} is no longer served")
    at = next(place for place, ref in enumerate(pointer.segments) if ref.digest in gone)
    kept = [ref for ref in pointer.segments if ref.digest not in gone]
    before = sum(ref.digest not in gone for ref in pointer.segments[:at])
    whole = SegmentRef(digest, as_of, WRITE)
    return pointer._replace(segments=(*kept[:before], whole, *kept[before:]))


def find_version(held: Sequence[Pointer], name: str, wanted: str) -> Pointer:
    """The version of that id; else the newest of that label or label prefix; else the newest published by that date.

    A date such as `2026-11-21` means its end in UTC; `2026-11-21T08:00:00Z` means that moment. `held` is newest first.

    Raises:
        UnknownVersion: none of `held` is meant; the message lists them.
    """
    for pointer in held:
        if pointer.version == wanted:
            return pointer
    for pointer in held:
        if matches_label(pointer.label, wanted):
            return pointer
    moment = f"{wanted}T23:59:59Z" if _DATE.fullmatch(wanted) else wanted
    if _MOMENT.fullmatch(moment):
        for pointer in held:
            if pointer.published_at and pointer.published_at <= moment:
                return pointer
    raise UnknownVersion(
        f"version {wanted!r} of {name!r}: the store holds {list_versions(held)}", field="version"
    )


def list_versions(held: Sequence[Pointer]) -> str:
    """The versions in a line, for messages."""
    return ", ".join(
        f"{one.version} ({' of '.join(filter(None, (one.label, one.published_at[:10])))})".replace(" ()", "")
        for one in held
    )


def matches_label(label: str, wanted: str) -> bool:
    """Whether `wanted` is the label or a prefix of it that ends at a dot.

    >>> matches_label("0.735.0.7350832", "0.735"), matches_label("0.735.0.7350832", "0.73")
    (True, False)
    """
    return bool(wanted) and (label == wanted or label.startswith(wanted.rstrip(".") + "."))
