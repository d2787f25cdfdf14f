"""What changed between two versions of a collection: members of an API, and documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from quire.documents import Chunk, Value
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment
from quire.service.access import READ, Caller
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served

Change: TypeAlias = tuple[Value, Value]
"""A field's value before and after."""


@dataclass(frozen=True, slots=True)
class Member:
    """A class, member, enum or enum item: its qualified name, its kind, and the document that tells of it."""

    name: str
    kind: str
    document_id: str


@dataclass(frozen=True, slots=True)
class ChangedMember:
    """A member that both versions have, with the fields that differ."""

    member: Member
    fields: Mapping[str, Change]


@dataclass(frozen=True, slots=True)
class Diff:
    """Everything that differs, each list sorted by name.

    Attributes:
        added, removed: members of one version alone. One that moved between an engine's own declaration and a page
            that merely tells of it counts by the declaration: it came or went.
        changed: members that differ in a field.
        deprecated: members that became deprecated; their tags changed too.
        documents_added, documents_removed, documents_changed: ids of documents that tell of no member.
    """

    added: tuple[Member, ...] = ()
    removed: tuple[Member, ...] = ()
    changed: tuple[ChangedMember, ...] = ()
    deprecated: tuple[Member, ...] = ()
    documents_added: tuple[str, ...] = ()
    documents_removed: tuple[str, ...] = ()
    documents_changed: tuple[str, ...] = ()

    def by_document(self) -> dict[str, tuple[str, ...]]:
        """Ids of the documents that were added, changed and removed, those that tell of members included, sorted."""
        added = {*self.documents_added, *(one.document_id for one in self.added)}
        removed = {*self.documents_removed, *(one.document_id for one in self.removed)}
        changed = {*self.documents_changed, *(one.member.document_id for one in self.changed)}
        changed |= (added & removed) | {one.document_id for one in self.deprecated}
        added, removed = added - changed, removed - changed
        return {
            "added": tuple(sorted(added)),
            "changed": tuple(sorted(changed)),
            "removed": tuple(sorted(removed)),
        }

    def as_json(self) -> dict[str, Any]:
        """The diff as a JSON value."""
        return {
            "members": {
                "added": [_member_json(one) for one in self.added],
                "changed": [
                    {
                        **_member_json(one.member),
                        "fields": {name: _pair(*pair) for name, pair in one.fields.items()},
                    }
                    for one in self.changed
                ],
                "deprecated": [_member_json(one) for one in self.deprecated],
                "removed": [_member_json(one) for one in self.removed],
            },
            "documents": {
                "added": list(self.documents_added),
                "changed": list(self.documents_changed),
                "removed": list(self.documents_removed),
            },
        }


def _member_json(member: Member) -> dict[str, Any]:
    return {"name": member.name, "kind": member.kind, "document": member.document_id}


def _pair(before: Value, after: Value) -> dict[str, Any]:
    return {
        "from": list(before) if isinstance(before, tuple) else before,
        "to": list(after) if isinstance(after, tuple) else after,
    }


FIELDS = ("signature", "tags", "security", "thread_safety", "description")
"""What is compared of a member; `description` is what people read about it, without the others."""


DECLARED = "api_dump"
"""Source of the members that an engine declares itself."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two states of a collection, and what differs between them."""

    before: Served
    after: Served
    diff: Diff


def compare(
    service: Knowledge, caller: Caller, collection: str, before: str, *, after: str | None = None
) -> Comparison:
    """What changed in a collection from one version to another, by default to the one that is served.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion: as their names say.
    """
    caller.require(READ, collection)
    old, new = (service.catalog.get(collection, version) for version in (before, after))
    return Comparison(old, new, compare_versions(old.index, new.index))


def compare_versions(before: OpenedIndex, after: OpenedIndex) -> Diff:
    """Compare two opened versions; only chunks whose stored lines differ are parsed."""
    old, new = _stored(before), _stored(after)
    if _is_whole(before) and _is_whole(after):
        shared = old.keys() & new.keys()
        old, new = ({line: place for line, place in one.items() if line not in shared} for one in (old, new))
    return compare_chunks(
        _live(before, old.values()),
        _live(after, new.values()),
        held_before=lambda document: len(before.documents.chunks(document)) > 0,
        held_after=lambda document: len(after.documents.chunks(document)) > 0,
    )


def compare_chunks(
    before: Iterable[Chunk],
    after: Iterable[Chunk],
    *,
    held_before: Callable[[str], bool] = lambda _: False,
    held_after: Callable[[str], bool] = lambda _: False,
) -> Diff:
    """Compare chunks, of which equal ones may be left out on both sides.

    `held_before` and `held_after` say whether a version has more of a document than the chunks given.
    """
    old, new = _sort_out(before), _sort_out(after)
    both = old.members.keys() & new.members.keys()
    changed = [
        ChangedMember(_member(new.members[key]), fields) for key in both if (fields := _fields(old, new, key))
    ]
    deprecated = [
        _member(new.members[key])
        for key in both
        if not old.members[key].metadata.get("deprecated") and new.members[key].metadata.get("deprecated")
    ]
    gone = [chunk for key, chunk in old.members.items() if key not in both]
    come = [chunk for key, chunk in new.members.items() if key not in both]
    documents = _compare_documents(old.texts, new.texts, held_before, held_after)
    return Diff(
        added=_sorted(_unless_moved(come, gone)),
        removed=_sorted(_unless_moved(gone, come)),
        changed=tuple(sorted(changed, key=lambda one: _order(one.member))),
        deprecated=_sorted(deprecated),
        documents_added=documents["added"],
        documents_removed=documents["removed"],
        documents_changed=documents["changed"],
    )


@dataclass(slots=True)
class _Sorted:
    """Members by chunk id and kind; the texts of other documents by chunk id."""

    members: dict[tuple[str, str], Chunk] = field(default_factory=dict)
    texts: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))


def _sort_out(chunks: Iterable[Chunk]) -> _Sorted:
    held = _Sorted()
    for chunk in chunks:
        kind = chunk.metadata.get("member_type")
        if kind:
            held.members[chunk.id, str(kind)] = chunk
        else:
            held.texts[chunk.document_id][chunk.id] = chunk.text
    return held


def _compare_documents(
    old: Mapping[str, Mapping[str, str]],
    new: Mapping[str, Mapping[str, str]],
    held_before: Callable[[str], bool],
    held_after: Callable[[str], bool],
) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {"added": [], "removed": [], "changed": []}
    for document in sorted(old.keys() | new.keys()):
        if document not in old and not held_before(document):
            found["added"].append(document)
        elif document not in new and not held_after(document):
            found["removed"].append(document)
        elif old.get(document) != new.get(document):
            found["changed"].append(document)
    return {name: tuple(documents) for name, documents in found.items()}


def _stored(index: OpenedIndex) -> dict[bytes, tuple[Segment, int]]:
    """Every stored line of the version, with the chunk's place."""
    return {
        segment.payloads.line(place): (segment, place)
        for segment in index.segments
        for place in range(segment.chunk_count)
    }


def _is_whole(index: OpenedIndex) -> bool:
    """Whether no chunk of its segments is hidden."""
    return index.chunk_count == sum(segment.chunk_count for segment in index.segments)


def _live(index: OpenedIndex, places: Iterable[tuple[Segment, int]]) -> Iterator[Chunk]:
    chunks = (segment.payloads.fetch([place])[0] for segment, place in places)
    return (chunk for chunk in chunks if index.find(chunk.id) is not None)


def _member(chunk: Chunk) -> Member:
    name = chunk.symbols[0] if chunk.symbols else str(chunk.metadata.get("heading") or chunk.document_id)
    return Member(name, str(chunk.metadata["member_type"]), chunk.document_id)


def _unless_moved(chunks: Iterable[Chunk], others: Iterable[Chunk]) -> Iterator[Member]:
    """The chunks' members, without those that the engine declares on the other side alone."""
    declared = {(one.name, one.kind) for one in map(_member, filter(_is_declared, others))}
    for chunk in chunks:
        member = _member(chunk)
        if _is_declared(chunk) or (member.name, member.kind) not in declared:
            yield member


def _is_declared(chunk: Chunk) -> bool:
    return chunk.metadata.get("source") == DECLARED


def _fields(old: _Sorted, new: _Sorted, key: tuple[str, str]) -> dict[str, Change]:
    before, after = _facts(old.members[key]), _facts(new.members[key])
    changes = {name: (before[name], after[name]) for name in FIELDS if before[name] != after[name]}
    if "description" in changes:
        changes["description"] = _paragraphs(old.members[key].text, new.members[key].text)
    return changes


def _facts(chunk: Chunk) -> dict[str, Value]:
    known = chunk.metadata
    first, _, rest = chunk.text.partition("\n")
    signature = str(known.get("signature") or first.partition(" — ")[0])
    superclass, preferred = known.get("superclass"), known.get("preferred")
    tags = known.get("tags")
    return {
        "signature": f"{signature}, inherits {superclass}" if superclass else signature,
        "tags": (*(tags if isinstance(tags, tuple) else ()), *((f"use {preferred}",) if preferred else ())),
        "security": known.get("security"),
        "thread_safety": known.get("thread_safety"),
        "description": known.get("description_sha256") or rest,
    }


def _paragraphs(before: str, after: str) -> Change:
    """The paragraphs that only one of two texts has."""
    old, new = before.split("\n\n"), after.split("\n\n")
    return (tuple(one for one in old[1:] if one not in new), tuple(one for one in new[1:] if one not in old))


def _sorted(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(sorted(members, key=_order))


def _order(member: Member) -> tuple[str, str, str]:
    return member.name, member.kind, member.document_id
