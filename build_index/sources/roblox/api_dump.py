"""The engine's API dump: every class, member, enum and enum item as one document, told with the reference's words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

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
from build_index.sources.roblox.dump_classes import class_documents, relate
from build_index.sources.roblox.dump_values import Raw, is_named, read_preferred, read_tags
from build_index.sources.roblox.engine_reference import load_reference, read_leftovers
from build_index.sources.roblox.reference_documents import page_documents, read_names, read_prose
from build_index.sources.roblox.reference_page import ReferenceEntry, ReferencePage
from quire.documents import Document
from quire.errors import SourceError


def read_roblox_api(dump: Path, reference: Path | None = None) -> Iterator[Document | Failure]:
    """Yield one document for each class, member, enum and enum item, in the dump's order.

    With `reference` (a creator-docs folder), descriptions are joined by name, and whatever its pages of classes and
    enums hold beyond the dump follows as `creator_docs` documents: read the rest of that folder with
    `read_reference(root, dump_joined=True)`. A page or entry that cannot be read is a Failure, and so is a dump that
    is no JSON; the rest goes on.

    Raises:
        SourceError: there is no dump, or `reference` is no folder.
    """
    joined = load_reference(reference)
    yield from joined.failures
    try:
        data = load_dump(dump)
    except SourceError as error:
        if not find_dump(dump).is_file():
            raise
        yield Failure(DUMP_NAME, str(error))
        data = {"Classes": [], "Enums": []}
    left = dict(joined.pages)
    family = relate(hierarchy_of(data))
    yield from _read_list(data["Classes"], "classes", left, partial(class_documents, family=family))
    yield from _read_list(data["Enums"], "enums", left, enum_documents)
    for page in left.values():
        yield from page_documents(page)


def read_hierarchy(dump: Path) -> dict[str, str]:
    """Class -> superclass for every class of the dump that has one; what `quire.analysis.symbols.resolve` walks.

    Raises:
        SourceError: as `load_dump`.
    """
    return hierarchy_of(load_dump(dump))


def hierarchy_of(data: dict[str, Any]) -> dict[str, str]:
    """Class -> superclass; roots, whose superclass the dump writes as `<<<ROOT>>>`, are left out."""
    known = {owner["Name"] for owner in data["Classes"] if is_named(owner)}
    pairs = ((owner["Name"], owner.get("Superclass")) for owner in data["Classes"] if is_named(owner))
    return {name: above for name, above in pairs if isinstance(above, str) and above in known}


def find_dump(dump: Path) -> Path:
    """The dump's file: `dump` itself, or the one in that folder."""
    return dump / DUMP_NAME if dump.is_dir() else dump


def load_dump(dump: Path) -> dict[str, Any]:
    """Parse the dump.

    Raises:
        SourceError: it is missing, no JSON, or without the lists `Classes` and `Enums`.
    """
    file = find_dump(dump)
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{file}: {error.strerror}; wanted {DUMP_NAME}", path=str(file)) from error
    except json.JSONDecodeError as error:
        raise SourceError(f"{file}: line {error.lineno}: {error.msg}", path=str(file)) from error
    except RecursionError as error:
        raise SourceError(f"{file}: nested too deeply to be read", path=str(file)) from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{file}: byte {error.start}: not UTF-8", path=str(file)) from error
    if not isinstance(data, dict) or not all(isinstance(data.get(key), list) for key in ("Classes", "Enums")):
        raise SourceError(f"{file}: wanted an object with the lists 'Classes' and 'Enums'", path=str(file))
    return data


def _read_list(
    raws: list[Raw],
    folder: str,
    pages: dict[tuple[str, str], ReferencePage],
    write: Callable[[Raw, ReferencePage | None], Iterator[Document | Failure]],
) -> Iterator[Document | Failure]:
    """Documents of each entry and of what its page holds beyond it; its page is taken out of `pages`."""
    for number, raw in enumerate(raws):
        if not is_named(raw):
            found = f"wanted an object with a 'Name', found {str(raw)[:80]}"
            yield Failure(DUMP_NAME, f"{folder}[{number}]: {found}")
            continue
        page = pages.pop((folder, raw["Name"]), None)
        yield from write(raw, page)
        if page:
            members = raw.get("Members") or raw.get("Items") or ()
            yield from read_leftovers(page, {member["Name"] for member in members if is_named(member)})


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
