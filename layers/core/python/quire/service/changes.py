"""The values of a comparison: members, how they changed, and the whole difference as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from quire.documents import Value

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
