"""Documents of the dump's classes and their members, each joined with its entry in the reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from build_index.sources import Failure
from build_index.sources.roblox.api_describe import Described, list_names, show_default, signature
from build_index.sources.roblox.api_document import (
    DUMP_NAME,
    Identity,
    build_document,
    say_deprecation,
    say_role,
    say_tags,
)
from build_index.sources.roblox.dump_values import (
    Raw,
    is_internal,
    is_named,
    join_parameters,
    join_returns,
    read_facts,
    read_preferred,
    read_security,
    read_tags,
    say_security,
    show_type,
    write_declaration,
)
from build_index.sources.roblox.reference_documents import read_names, read_prose
from build_index.sources.roblox.reference_page import ReferenceEntry, ReferencePage
from quire.analysis.symbols import ancestry
from quire.documents import Document, Value

GLOBAL_NAMES = {"DataModel": "game", "Workspace": "workspace"}
"""Classes whose one object scripts reach by a global name."""

SECTIONS = {"Property": "properties", "Function": "methods", "Event": "events", "Callback": "callbacks"}
"""The dump's MemberType -> the member list of a reference page."""

SUBCLASSES_SHOWN = 40

_UNLISTED = frozenset({"Deprecated", "Hidden"})


@dataclass(frozen=True, slots=True)
class Family:
    """How the dump's classes descend from each other.

    Attributes:
        parents: class -> superclass.
        children: class -> direct subclasses, in the dump's order.
    """

    parents: Mapping[str, str]
    children: Mapping[str, Sequence[str]]


def relate(parents: Mapping[str, str]) -> Family:
    """Add the way down to the way up."""
    children: dict[str, list[str]] = {}
    for name, superclass in parents.items():
        children.setdefault(superclass, []).append(name)
    return Family(parents, children)


def class_documents(raw: Raw, page: ReferencePage | None, family: Family) -> Iterator[Document | Failure]:
    """The class, then its members in the dump's order; a malformed member is a Failure."""
    yield _class_document(raw, page, family)
    entries = page.entries() if page else {}
    for number, member in enumerate(raw.get("Members") or ()):
        if not is_named(member) or member.get("MemberType") not in SECTIONS:
            wanted = f"wanted a 'Name' and one of {', '.join(SECTIONS)} as 'MemberType'"
            yield Failure(DUMP_NAME, f"{raw['Name']}.Members[{number}]: {wanted}, found {str(member)[:80]}")
            continue
        entry = entries.get((SECTIONS[member["MemberType"]], member["Name"]))
        yield _member_document(raw["Name"], member, page, entry)


def _class_document(raw: Raw, page: ReferencePage | None, family: Family) -> Document:
    name, tags = raw["Name"], read_tags(raw)
    entry = page.head if page else None
    chain = list(ancestry(name, family.parents))[1:]
    kind = "Service" if "Service" in tags else "Class"
    described = Described(
        name=name,
        signature=name,
        role=say_role(f"{kind}, inherits {chain[0]}" if chain else kind, tags),
        notes=say_tags(tags),
        notice=say_deprecation(entry, tags, read_preferred(raw), name),
        prose=read_prose(entry, name) if entry else "",
        details=(*_family_lines(name, chain, family), *_member_lists(raw)),
        samples=read_names(entry, "code_samples") if entry else (),
        facts=(list_names("Tags", tags), f"Memory category: {raw.get('MemoryCategory', 'unknown')}"),
    )
    service = f'game:GetService("{name}")' if "Service" in tags else ""
    identity = Identity(
        id=f"api_dump/{name}",
        source="api_dump",
        class_name=name,
        member_type="Class",
        folder="classes",
        symbols=(name,),
        aliases=" ".join(filter(None, (GLOBAL_NAMES.get(name), service, "superclass base class"))),
        tags=tags,
        page=page,
        entry=entry,
        extra={"superclass": chain[0]} if chain else {},
    )
    return build_document(described, identity)


def _family_lines(name: str, chain: Sequence[str], family: Family) -> Iterator[str]:
    if len(chain) > 1:
        yield f"Inheritance: {' → '.join((name, *chain))}"
    children = family.children.get(name, ())
    more = len(children) - SUBCLASSES_SHOWN
    if children:
        yield list_names("Inherited by", children[:SUBCLASSES_SHOWN]) + (
            f" and {more} more" if more > 0 else ""
        )


def _member_lists(raw: Raw) -> Iterator[str]:
    """The members that scripts and plugins use today, by kind; how many there are beside them."""
    members = [member for member in raw.get("Members") or () if is_named(member)]
    shown = [one for one in members if not is_internal(one) and _UNLISTED.isdisjoint(read_tags(one))]
    for kind, section in SECTIONS.items():
        line = list_names(
            section.capitalize(), (one["Name"] for one in shown if one.get("MemberType") == kind)
        )
        if line:
            yield line
    if len(members) > len(shown):
        yield f"Deprecated, hidden or internal members: {len(members) - len(shown)}"


def _member_document(
    owner: str, raw: Raw, page: ReferencePage | None, entry: ReferenceEntry | None
) -> Document:
    name, kind, tags = raw["Name"], raw["MemberType"], read_tags(raw)
    spoken = GLOBAL_NAMES.get(owner)
    global_name = (f"{spoken}.{name}",) if spoken else ()
    identity = Identity(
        id=f"api_dump/{owner}.{name}",
        source="api_dump",
        class_name=owner,
        member_type=kind,
        folder="classes",
        member_name=name,
        symbols=(f"{owner}.{name}", *global_name, name),
        aliases=" ".join(global_name),
        tags=tags,
        page=page,
        entry=entry,
        extra=_member_facts(owner, raw),
    )
    return build_document(_describe_member(owner, raw, entry), identity)


def _member_facts(owner: str, raw: Raw) -> dict[str, Value]:
    read, write = read_security(raw)
    preferred = read_preferred(raw)
    facts: dict[str, Value] = {
        "signature": write_declaration(raw),
        "security": read if read == write else f"read {read}, write {write}",
        "thread_safety": str(raw.get("ThreadSafety", "Unknown")),
        "internal": is_internal(raw),
    }
    return {**facts, "preferred": f"{owner}.{preferred}"} if preferred else facts


def _describe_member(owner: str, raw: Raw, entry: ReferenceEntry | None) -> Described:
    kind, tags = raw["MemberType"], read_tags(raw)
    name = f"{owner}{':' if kind == 'Function' else '.'}{raw['Name']}"
    parameters, returns = join_parameters(raw, entry, owner), join_returns(raw, entry, owner)
    written = signature(name, parameters, returns)
    if kind == "Property":
        default = show_default(raw.get("Default"))
        written = f"{name}: {show_type(raw.get('ValueType'))}" + (f" = {default}" if default else "")
    return Described(
        name=name,
        signature=written,
        role=say_role(f"{kind} of {owner}", tags),
        notes=(*say_tags(tags), *say_security(raw)),
        notice=say_deprecation(entry, tags, read_preferred(raw), owner),
        prose=read_prose(entry, owner) if entry else "",
        parameters=parameters,
        returns=returns,
        samples=read_names(entry, "code_samples") if entry else (),
        facts=read_facts(raw),
    )
