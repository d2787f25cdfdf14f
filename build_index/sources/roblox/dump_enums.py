"""Documents of the dump's enums and their items, each joined with its entry in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator

from build_index.sources import Failure
from build_index.sources.roblox.api_describe import Described, list_names
from build_index.sources.roblox.api_document import (
    DUMP_NAME,
    Identity,
    build_document,
    say_deprecation,
    say_role,
)
from build_index.sources.roblox.api_text import readable, split_words
from build_index.sources.roblox.dump_values import Raw, is_named, read_preferred, read_tags
from build_index.sources.roblox.reference_documents import read_names, read_prose
from build_index.sources.roblox.reference_page import ReferenceEntry, ReferencePage
from quire.documents import Document


def enum_documents(raw: Raw, page: ReferencePage | None) -> Iterator[Document | Failure]:
    """The enum, then its items in the dump's order; a malformed item is a Failure."""
    yield _enum_document(raw, page)
    entries = page.entries() if page else {}
    about = _first_sentence(readable(page.head.text("summary"), raw["Name"])) if page else ""
    for number, item in enumerate(raw.get("Items") or ()):
        if not is_named(item):
            wanted = f"wanted an object with a 'Name', found {str(item)[:80]}"
            yield Failure(DUMP_NAME, f"Enum.{raw['Name']}.Items[{number}]: {wanted}")
            continue
        described = _describe_item(raw["Name"], item, entries.get(("items", item["Name"])), about)
        identity = _identify_item(raw["Name"], item, page, entries.get(("items", item["Name"])))
        yield build_document(described, identity)


def _enum_document(raw: Raw, page: ReferencePage | None) -> Document:
    name, tags = raw["Name"], read_tags(raw)
    entry = page.head if page else None
    items = [item for item in raw.get("Items") or () if is_named(item)]
    described = Described(
        name=f"Enum.{name}",
        signature=f"Enum.{name}",
        role=say_role(f"Enum with {len(items)} items", tags),
        notice=say_deprecation(entry, tags, read_preferred(raw), name),
        prose=read_prose(entry, name) if entry else "",
        details=(list_names("Items", (f"{item['Name']} ({item.get('Value')})" for item in items)),),
        samples=read_names(entry, "code_samples") if entry else (),
        facts=(list_names("Tags", tags),),
    )
    identity = Identity(
        id=f"api_dump/Enum.{name}",
        source="api_dump",
        class_name=name,
        member_type="Enum",
        folder="enums",
        symbols=(f"Enum.{name}", name),
        tags=tags,
        page=page,
        entry=entry,
    )
    return build_document(described, identity)


def _describe_item(owner: str, raw: Raw, entry: ReferenceEntry | None, about: str) -> Described:
    tags, name = read_tags(raw), f"Enum.{owner}.{raw['Name']}"
    return Described(
        name=name,
        signature=f"{name} = {raw.get('Value')}",
        role=say_role(f"Item of Enum.{owner}", tags),
        notice=say_deprecation(entry, tags, read_preferred(raw), owner),
        prose=readable(entry.text("summary"), owner) if entry else "",
        context=f"Enum.{owner}: {about}" if about else f"One of the {split_words(owner)} values.",
        facts=(list_names("Tags", tags), list_names("Legacy names", _legacy_names(raw))),
    )


def _identify_item(
    owner: str, raw: Raw, page: ReferencePage | None, entry: ReferenceEntry | None
) -> Identity:
    name, value = raw["Name"], raw.get("Value")
    return Identity(
        id=f"api_dump/Enum.{owner}.{name}",
        source="api_dump",
        class_name=owner,
        member_type="EnumItem",
        folder="enums",
        member_name=name,
        symbols=(f"Enum.{owner}.{name}", f"{owner}.{name}", name),
        aliases=" ".join(_legacy_names(raw)),
        tags=read_tags(raw),
        page=page,
        entry=entry,
        extra={"value": value} if isinstance(value, int) else {},
    )


def _legacy_names(raw: Raw) -> tuple[str, ...]:
    return tuple(str(name) for name in raw.get("LegacyNames") or ())


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]
