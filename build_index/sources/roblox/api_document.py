"""From a described API entry to the Document that carries it: one shape for the dump and the reference's own pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from build_index.sources.roblox.api_describe import Described, write_embedding, write_headline, write_text
from build_index.sources.roblox.api_text import readable
from build_index.sources.roblox.reference_page import ReferenceEntry, ReferencePage
from quire.documents import Document, Value, text_sha256

_SAYS_DEPRECATED = re.compile(r"(?:this|the)\b[^.]{0,60}\bdeprecated|deprecated", re.IGNORECASE)

_TAGS_IN_WORDS = {
    "ReadOnly": "read-only",
    "NotReplicated": "not replicated",
    "NotScriptable": "not scriptable",
    "NotCreatable": "not creatable by scripts",
    "Yields": "yields",
    "CanYield": "may yield",
}

DUMP_NAME = "Full-API-Dump.json"
DOCS = "https://create.roblox.com/docs/reference/engine"


@dataclass(frozen=True, slots=True)
class Identity:
    """What names an entry and says where it stands.

    Attributes:
        id: the document's id; `file#part` where it is a part of a file.
        source: `api_dump` or `creator_docs`.
        class_name: the declaring class, enum, datatype, library or page of globals.
        member_type: see the issue's list; `DataType`, `Library` and `Globals` beside it for pages.
        member_name: "" for the class or type itself.
        folder: the part of the URL between `engine/` and the name.
        symbols: exact names, most specific first.
        aliases: more words to find it by.
        tags: as the dump or page gives them, strings only.
        page: the reference page that tells of it; None where only the dump does.
        entry: its own entry on that page, whose lines are cited; None where the page does not hold it.
        extra: further metadata.
    """

    id: str
    source: str
    class_name: str
    member_type: str
    folder: str
    member_name: str = ""
    symbols: tuple[str, ...] = ()
    aliases: str = ""
    tags: tuple[str, ...] = ()
    page: ReferencePage | None = None
    entry: ReferenceEntry | None = None
    extra: Mapping[str, Value] = field(default_factory=dict)


def build_document(entry: Described, identity: Identity) -> Document:
    """Write the entry's texts and gather the metadata that filters, faces and citations read."""
    metadata: dict[str, Value] = {
        "source": identity.source,
        "class_name": identity.class_name,
        "member_type": identity.member_type,
        "tags": identity.tags,
        "title": identity.class_name,
        "heading": entry.name,
        "url": _url(identity),
        "deprecated": "Deprecated" in identity.tags,
        "description_sha256": _description_digest(entry, identity.entry),
        "symbols": identity.symbols,
        "aliases": identity.aliases,
        "breadcrumb": " › ".join(part for part in (identity.class_name, identity.member_name) if part),
        "summary": write_embedding(entry),
        "headline": write_headline(entry),
    }
    if not entry.prose and identity.member_type not in {"Enum", "EnumItem"}:
        metadata["undocumented"] = True
    if identity.member_name:
        metadata["member_name"] = identity.member_name
    return Document(
        identity.id, write_text(entry), "api_member", {**metadata, **_place(identity), **identity.extra}
    )


def say_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """What tags that scripts must mind mean, in words.

    >>> say_tags(("Hidden", "ReadOnly", "NotReplicated"))
    ('read-only', 'not replicated')
    """
    return tuple(_TAGS_IN_WORDS[tag] for tag in tags if tag in _TAGS_IN_WORDS)


def say_role(role: str, tags: tuple[str, ...]) -> str:
    """The role, marked where the entry is deprecated."""
    return f"deprecated {role}" if "Deprecated" in tags else role


def say_deprecation(entry: ReferenceEntry | None, tags: tuple[str, ...], preferred: str, owner: str) -> str:
    """One line on an entry's deprecation and its replacement; "" for a current one.

    `preferred` is the dump's word for the replacement within the same class.
    """
    message = readable(entry.text("deprecation_message"), owner) if entry else ""
    use = f"Use `{preferred}` instead." if preferred and preferred not in message else ""
    told = " ".join(part for part in (use, message) if part)
    if not told and "Deprecated" not in tags:
        return ""
    return told if _SAYS_DEPRECATED.match(told) else f"Deprecated. {told}".strip()


def _description_digest(entry: Described, told: ReferenceEntry | None) -> str:
    """Half a digest of what people read about it: it changes with the words, not with signature, tags or security."""
    words = [entry.prose, told.text("deprecation_message") if told else ""]
    words += [one.summary for one in (*entry.parameters, *entry.returns)]
    return text_sha256("\n".join(filter(None, words)))[:32]


def _place(identity: Identity) -> dict[str, Value]:
    """Where the text stands: lines of the reference page, or else the dump, which has no lines."""
    if identity.page is None or identity.entry is None:
        return {"path": DUMP_NAME}
    return {
        "path": identity.page.path,
        "file_path": identity.page.path,
        "start_line": identity.entry.start_line,
        "end_line": identity.entry.end_line,
    }


def _url(identity: Identity) -> str:
    page = f"{DOCS}/{identity.folder}/{_quote(identity.class_name)}"
    member = identity.member_name
    return f"{page}#{_quote(member)}" if member and " " not in member else page


def _quote(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else quote(name)
