"""Documents of the reference pages that stand for themselves: the type, then its members."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from build_index.sources.roblox.api_describe import (
    Described,
    Parameter,
    join_prose,
    list_names,
    show_default,
    signature,
    write_meaning,
)
from build_index.sources.roblox.api_document import Identity, build_document, say_deprecation
from build_index.sources.roblox.api_text import readable
from build_index.sources.roblox.reference_page import ReferenceEntry, ReferencePage
from quire.documents import Document

PART_CHARS = 1500


@dataclass(frozen=True, slots=True)
class ReferencePart:
    """Some lines of a description.

    Attributes:
        text: as it stands in the file, indentation removed.
        start_line: first line in the file.
        end_line: last line in the file, inclusive.
        heading: the heading that it stands under; "" before the first.
    """

    text: str
    start_line: int
    end_line: int
    heading: str = ""


def split_description(entry: ReferenceEntry) -> list[ReferencePart]:
    """Cut the description between paragraphs, table rows or headings; one part where it is short or not literal.

    A part holds at most `PART_CHARS` readable characters, unless a single block is longer. Fenced code is never cut.
    """
    text = entry.text("description")
    whole = ReferencePart(text, entry.start_line, entry.end_line)
    if not entry.description_line or len(readable(text)) <= PART_CHARS:
        return [whole]
    parts: list[ReferencePart] = []
    for block in _blocks(str(entry.fields["description"]), entry.description_line):
        last = parts[-1] if parts else None
        if last and last.heading == block.heading and _size(last) + _size(block) <= PART_CHARS:
            parts[-1] = ReferencePart(
                f"{last.text}\n{block.text}", last.start_line, block.end_line, last.heading
            )
        else:
            parts.append(block)
    return [part for part in parts if readable(part.text)] or [whole]


def _size(part: ReferencePart) -> int:
    return len(readable(part.text))


def _blocks(text: str, first_line: int) -> Iterator[ReferencePart]:
    held: list[str] = []
    start, fenced, heading = first_line, False, ""
    for number, line in enumerate(text.rstrip("\n").split("\n"), first_line):
        bare = line.strip()
        begins = bare.startswith(("#", "<tr")) or (bool(held) and not held[-1].strip())
        if begins and held and not fenced:
            yield ReferencePart("\n".join(held), start, number - 1, heading)
            held, start = [], number
        if bare.startswith("#") and not fenced:
            heading = bare.lstrip("#").strip()
        fenced ^= bare.startswith("```")
        held.append(line)
    if held:
        yield ReferencePart("\n".join(held), start, start + len(held) - 1, heading)


PAGE_TYPES = {
    "classes": ("Class", "Class"),
    "enums": ("Enum", "Enum"),
    "datatypes": ("DataType", "Data type"),
    "libraries": ("Library", "Library"),
    "globals": ("Globals", "Global functions and variables"),
}
"""Folder -> the page's member_type and what its text calls it."""

MEMBER_TYPES = {
    "constructors": ("Function", "Constructor"),
    "constants": ("Property", "Constant"),
    "properties": ("Property", "Property"),
    "methods": ("Function", "Method"),
    "functions": ("Function", "Function"),
    "events": ("Event", "Event"),
    "callbacks": ("Callback", "Callback"),
    "items": ("EnumItem", "Item"),
    "math_operations": ("Function", "Operator"),
}
"""Section -> member_type, kept to the dump's words so that one filter spans both, and what the text calls it."""

_OWNERS = {"libraries": "the {} library", "enums": "Enum.{}"}


def page_documents(page: ReferencePage, only: Collection[str] | None = None) -> Iterator[Document]:
    """Yield the page's documents; with `only`, those of the members of these bare names alone.

    Overloads that follow each other are one member. A property that repeats a constant's name is that constant.
    """
    if only is None:
        yield from _type_documents(page)
    seen: set[str] = set()
    for section, entries in page.sections.items():
        for group in _group_overloads(section, entries):
            name = _member_name(section, group[0])
            if name in seen or (only is not None and name not in only):
                continue
            seen.add(name)
            yield _member_document(page, section, name, group)


def read_parameters(entry: ReferenceEntry, owner: str) -> tuple[Parameter, ...]:
    """The entry's parameters as its page tells them."""
    return tuple(
        Parameter(
            str(value.get("name") or ""),
            str(value.get("type") or ""),
            show_default(value.get("default")),
            readable(str(value.get("summary") or ""), owner),
        )
        for value in entry.items("parameters")
        if isinstance(value, dict)
    )


def read_returns(entry: ReferenceEntry, owner: str) -> tuple[Parameter, ...]:
    """The entry's returned values as its page tells them."""
    return tuple(
        Parameter("", str(value.get("type") or ""), None, readable(str(value.get("summary") or ""), owner))
        for value in entry.items("returns")
        if isinstance(value, dict)
    )


def read_prose(entry: ReferenceEntry, owner: str) -> str:
    """Summary and description, readable."""
    return join_prose(readable(entry.text("summary"), owner), readable(entry.text("description"), owner))


def read_names(entry: ReferenceEntry, key: str) -> tuple[str, ...]:
    """A list of plain names, such as the tags or code samples."""
    return tuple(str(value) for value in entry.items(key))


def _type_documents(page: ReferencePage) -> Iterator[Document]:
    first, *rest = split_description(page.head)
    member_type, role = PAGE_TYPES.get(page.folder, ("DataType", "Type"))
    head, title = page.head, page.head.text("name")
    tags = read_names(head, "tags")
    name = f"Enum.{title}" if page.folder == "enums" else title
    entry = Described(
        name=name,
        signature=name,
        role=role,
        notice=say_deprecation(head, tags, "", page.name),
        prose=join_prose(readable(head.text("summary"), page.name), readable(first.text, page.name)),
        details=tuple(_member_lists(page)),
        samples=read_names(head, "code_samples"),
        facts=(list_names("Tags", tags),),
    )
    symbols = (name, title) if name != title else (title,)
    identity = Identity(
        id=page.path,
        source="creator_docs",
        class_name=page.name,
        member_type=member_type,
        folder=page.folder,
        symbols=symbols,
        tags=tags,
        page=page,
        entry=replace(head, end_line=first.end_line) if rest else head,
    )
    yield build_document(entry, identity)
    for number, part in enumerate(rest, 2):
        heading = f"{title}: {part.heading}" if part.heading else title
        more = Described(heading, heading, f"{role}, part {number}", prose=readable(part.text, page.name))
        lines = replace(head, start_line=part.start_line, end_line=part.end_line)
        place = replace(identity, id=f"{page.path}#part-{number}", symbols=(), entry=lines)
        yield build_document(more, place)


def _member_lists(page: ReferencePage) -> Iterator[str]:
    for section, entries in page.sections.items():
        names = dict.fromkeys(_member_name(section, entry) for entry in entries)
        title = section.replace("_", " ").capitalize()
        if names:
            yield list_names(title, names)


def _group_overloads(section: str, entries: tuple[ReferenceEntry, ...]) -> Iterator[list[ReferenceEntry]]:
    group: list[ReferenceEntry] = []
    for entry in entries:
        if group and _member_name(section, entry) != _member_name(section, group[0]):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _member_name(section: str, entry: ReferenceEntry) -> str:
    if section == "math_operations":
        return " ".join((entry.text("type_a"), entry.text("operation"), entry.text("type_b")))
    return entry.member


def _member_document(page: ReferencePage, section: str, name: str, group: list[ReferenceEntry]) -> Document:
    member_type, role = MEMBER_TYPES[section]
    first, owner = group[0], page.name
    qualified = f"Enum.{owner}.{name}" if section == "items" else first.text("name")
    if section == "math_operations":
        qualified = name
    tags = read_names(first, "tags")
    described = [_describe(entry, section, qualified, owner) for entry in group]
    entry = described[0] if len(group) == 1 else _merge(qualified, described)
    role += " of " + _OWNERS.get(page.folder, "{}").format(page.head.text("name"))
    role += f", {len(group)} overloads" if len(group) > 1 else ""
    entry = replace(
        entry,
        role=role,
        notice=say_deprecation(first, tags, "", owner),
        samples=tuple(sample for one in group for sample in read_names(one, "code_samples")),
        facts=(list_names("Tags", tags),),
    )
    dotted = qualified.replace(":", ".")
    symbols = () if section == "math_operations" else tuple(dict.fromkeys((dotted, name)))
    identity = Identity(
        id=f"{page.path}#{name}",
        source="creator_docs",
        class_name=owner,
        member_type=member_type,
        folder=page.folder,
        member_name=name,
        symbols=symbols,
        tags=tags,
        page=page,
        entry=replace(first, end_line=group[-1].end_line),
    )
    return build_document(entry, identity)


def _describe(entry: ReferenceEntry, section: str, qualified: str, owner: str) -> Described:
    parameters, returns = read_parameters(entry, owner), read_returns(entry, owner)
    return Described(
        name=qualified,
        signature=_signature(entry, section, qualified, (parameters, returns)),
        role="",
        prose=read_prose(entry, owner),
        parameters=parameters,
        returns=returns,
    )


def _signature(
    entry: ReferenceEntry,
    section: str,
    qualified: str,
    values: tuple[tuple[Parameter, ...], tuple[Parameter, ...]],
) -> str:
    if section in {"properties", "constants"}:
        default = show_default(entry.fields.get("default"))
        return f"{qualified}: {entry.text('type')}" + (f" = {default}" if default else "")
    if section == "items":
        return f"{qualified} = {entry.text('value')}"
    if section == "math_operations":
        return f"{qualified}: {entry.text('return_type')}"
    return signature(qualified, *values)


def _merge(qualified: str, overloads: list[Described]) -> Described:
    """One entry that tells each overload under its signature."""
    told = [f"`{one.signature}`\n\n{write_meaning(one)}" for one in overloads]
    return Described(qualified, qualified, "", prose="\n\n".join(told))
