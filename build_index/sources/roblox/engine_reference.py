"""The engine reference of creator-docs: descriptions to join with the dump, and pages that stand for themselves.

Datatypes, libraries and globals have no counterpart in the API dump: each page becomes one document for the type and
one for each member (overloads of a name are one member). A page's long description is cut into parts. Pages of
classes and enums are told by the dump's own chunks, which carry their path as `file_path`; whatever of them the dump
does not hold, a whole page or a single member or item, becomes a `creator_docs` document too: nothing is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from build_index.sources import Failure
from build_index.sources.roblox.reference_documents import page_documents
from build_index.sources.roblox.reference_page import PageError, ReferencePage, parse_page
from quire.documents import Document
from quire.errors import SourceError

ENGINE = "content/en-us/reference/engine"
JOINED = ("classes", "enums")
OWN = ("datatypes", "libraries", "globals")


@dataclass(frozen=True, slots=True)
class Reference:
    """Pages of classes and enums, to join by name.

    Attributes:
        pages: (`classes` | `enums`, name) -> page.
        failures: pages that could not be read.
    """

    pages: dict[tuple[str, str], ReferencePage] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()


def read_reference(root: Path, *, dump_joined: bool = False) -> Iterator[Document | Failure]:
    """Read the pages below `root` (a creator-docs checkout, or its `content/en-us`) as documents of their own.

    Args:
        root: the folder of the source.
        dump_joined: whether `read_roblox_api` reads the same reference beside its dump. It then accounts for every
            page of classes and enums, and only datatypes, libraries and globals are read here.

    Raises:
        SourceError: `root` is no folder.
    """
    for page in read_pages(root, OWN if dump_joined else (*JOINED, *OWN)):
        if isinstance(page, Failure):
            yield page
        else:
            yield from page_documents(page)


def load_reference(root: Path | None) -> Reference:
    """Load the pages of classes and enums; without a root, none."""
    if root is None:
        return Reference()
    pages: dict[tuple[str, str], ReferencePage] = {}
    failures: list[Failure] = []
    for page in read_pages(root, JOINED):
        if isinstance(page, Failure):
            failures.append(page)
        else:
            pages[page.folder, page.head.text("name")] = page
    return Reference(pages, tuple(failures))


def read_leftovers(page: ReferencePage, members: Collection[str]) -> Iterator[Document]:
    """Documents for the members of a joined page that the dump does not hold; `members` are the bare names it does."""
    missing = {entry.member for entries in page.sections.values() for entry in entries} - set(members)
    if missing:
        yield from page_documents(page, only=missing)


def read_pages(root: Path, folders: Iterable[str]) -> Iterator[ReferencePage | Failure]:
    """Parse every yaml file of those folders, in the order of their paths.

    Raises:
        SourceError: `root` is no folder.
    """
    engine = find_engine(root)
    for folder in folders:
        for file in sorted((engine / folder).glob("*.yaml")):
            path = f"{ENGINE}/{folder}/{file.name}"
            try:
                yield parse_page(file.read_text(encoding="utf-8"), path)
            except PageError as error:
                yield Failure(path, str(error))
            except UnicodeDecodeError as error:
                yield Failure(path, f"byte {error.start}: not UTF-8")
            except OSError as error:
                yield Failure(path, f"cannot be read: {error.strerror}")


def find_engine(root: Path) -> Path:
    """The folder that holds `classes`, `enums` and so on, from a checkout's root or its `content/en-us`.

    Raises:
        SourceError: `root` is no folder.
    """
    if not root.is_dir():
        raise SourceError(f"{root}: wanted a folder with {ENGINE}, found no folder", path=str(root))
    inside = root / ENGINE
    return inside if inside.is_dir() else root / "reference" / "engine"
