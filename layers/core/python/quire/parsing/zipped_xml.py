"""Parts of XML in a ZIP archive, which books and office documents are made of."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from quire.limits import DOCUMENT_FILE_BYTES

UNREADABLE = (BadZipFile, KeyError, ElementTree.ParseError, NotImplementedError, RuntimeError)
"""What a damaged archive raises: a part that is missing, is no XML, needs a password, or is packed in another way."""


def parse_part(archive: ZipFile, name: str, most_bytes: int = DOCUMENT_FILE_BYTES) -> ElementTree.Element:
    """A part as its root element. Expat bounds what entities expand to, and archives are read where reading can end.

    Raises:
        KeyError: there is no such part.
        BadZipFile: it is larger than `most_bytes`, or damaged.
        ElementTree.ParseError: it is no XML.
    """
    if archive.getinfo(name).file_size > most_bytes:
        raise BadZipFile(f"{name} is larger than {most_bytes:,} bytes")
    return ElementTree.fromstring(archive.read(name))  # noqa: S314


def local_name(element: ElementTree.Element) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def elements(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """The elements of a name below `root`, itself included, whatever their namespace, in their order."""
    return (one for one in root.iter() if local_name(one) == name)


def attribute(element: ElementTree.Element, name: str) -> str:
    """An attribute's value, whatever its namespace; "" where it has none."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def relation_of(element: ElementTree.Element) -> str:
    """The relation that an element names; it stands beside an `id` without a namespace."""
    return next((value for key, value in element.attrib.items() if key.endswith("relationships}id")), "")


def related_parts(archive: ZipFile, part: str) -> dict[str, str]:
    """The parts that a part refers to, by the id of the relation, and once more by its kind."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in archive.NameToInfo:
        return {}
    found = {}
    for one in elements(parse_part(archive, relations), "Relationship"):
        if one.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join(folder, one.get("Target", ""))).lstrip("/")
            found[one.get("Id", "")] = found[one.get("Type", "").rpartition("/")[2]] = target
    return found


def holds_words(page: str) -> bool:
    """Whether HTML or Markdown shows a letter."""
    return bool(re.search(r"[^\W\d_]", re.sub(r"<[^<>]*>", "", page)))
