"""Pages of documentation that say again what others say: translations, and versions older than the newest one.

Whoever wants to search them names their own folder as a source: `docs/de`, `versioned_docs/version-29.7`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from build_index.sources.files.types import HISTORY, TONGUE, role_of

_FOLDER = re.compile(TONGUE, re.IGNORECASE)
_ENGLISH = re.compile(r"en(?:[-_](?:us|gb))?", re.IGNORECASE)
_WORDS = "ar|be|el|hi|id|is|it|lt|ms|my|ne|no|ro"
"""Codes of languages that names of members and commands end with too: a reference has a page of `boat` and one of
`boat.id`, of `sail` and of `sail_ro`, which only reads."""
_PAGE = re.compile(
    rf"""
    (.+)(?: [._](?!(?:{_WORDS})\.){TONGUE}
                                 # oars.de.md, oars_pt-BR.md, but not the page of a member: boat.md, boat.id.md
      | -[a-z]{{2}}[-_][A-Z]{{2}}  # oars-pt-BR.md, but not oars-it.md
    )(\.\w+)
    """,
    re.VERBOSE,
)
_VERSION = re.compile(r"version-(\d+(?:\.\d+)*)(?:\.x)?")
_BARE_VERSION = re.compile(r"(?<![\d.])v?+(\d++(?:\.\d++)++|\d++(?=\.x))(?:\.x)?", re.IGNORECASE)
"""`v1.6`, `2.x`; a `v1` may be an interface that is used beside `v2`."""
_OF_DOCUMENTS = frozenset("doc docs documentation handbook manual manuals guide guides website".split())
_SIGNATURE = ".asc"
"""How signatures of releases are called, and few pages of AsciiDoc."""
_ARCHIVE = re.compile(r"(?<=versioned_docs)[_-]\w+$")
"""What a folder of versions is called that are kept apart from the newer ones: `versioned_docs_archived`."""
MIRRORED = 0.5
"""A folder that is called like a language holds translations where so many of its pages are also found outside of it,
or where a folder of English pages stands beside it; one called like a version where the newest has so many of them."""
LEAST_PAGES = 3
"""So many pages make a folder that is called like a version documentation, where none above it says so."""


def older_versions(paths: Sequence[str]) -> Iterator[str]:
    """Files of documentation, whatever their format, in folders of versions older than one that has the same files.

    >>> list(older_versions(["docs/v1.6/manual.yml", "docs/v1.10/manual.yml", "docs/dev/manual.yml"]))
    ['docs/v1.6/manual.yml']
    >>> list(older_versions(["api/v1.6/pets.yml", "api/v1.10/pets.yml", "docs/1.0/a.md", "docs/1.1/b.md"]))
    []
    """
    pages = (one for one in paths if role_of(one) != HISTORY and not one.endswith(_SIGNATURE))
    for base, found in _versions(pages, _BARE_VERSION).items():
        least = 1 if is_documentation(base) else LEAST_PAGES
        newest = found.pop(max(found))
        for older in found.values():
            mirrored = len(older.keys() & newest.keys())
            if mirrored >= max(least, MIRRORED * len(older)):
                yield from older.values()


def is_documentation(folder: str) -> bool:
    """Whether a folder, or one above it, is called as documentation is."""
    return not _OF_DOCUMENTS.isdisjoint(folder.lower().split("/"))


def _versions(
    paths: Iterable[str], called: re.Pattern[str]
) -> Mapping[str, dict[tuple[int, ...], dict[str, str]]]:
    """By the folder that holds them, each version's files, by their path in it; `called` has the numbers as a group."""
    versions: dict[str, dict[tuple[int, ...], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for path in paths:
        parts = path.split("/")
        for place, name in enumerate(parts[:-1]):
            if version := called.fullmatch(name):
                base = _ARCHIVE.sub("", "/".join(parts[:place]))
                number = tuple(map(int, version[1].split(".")))
                versions[base][number]["/".join(parts[place + 1 :])] = path
                break
    return versions


def superseded_pages(paths: Sequence[str]) -> Mapping[str, str]:
    """Pages that others stand for, with the reason: `translation` or `older version`.

    >>> superseded_pages(["a.md", "b.md", "de/a.md", "de/b.md", "it/racks.md", "c.md", "c.pt-BR.md"])
    {'c.pt-BR.md': 'translation', 'de/a.md': 'translation', 'de/b.md': 'translation'}
    """
    older = (*_outdated(paths), *older_versions(paths))
    return dict.fromkeys(_translated(paths), "translation") | dict.fromkeys(older, "older version")


def _translated(paths: Sequence[str]) -> Iterator[str]:
    known = frozenset(paths)
    folders = frozenset(folder for path in paths for folder in _folders(path))
    below: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        page = _PAGE.fullmatch(path)
        if page and page[1] + page[2] in known:
            yield path
            continue
        parts = path.split("/")
        for place, name in enumerate(parts[:-1]):
            if _FOLDER.fullmatch(name):
                below["/".join(parts[:place]), name].append(path)
                break
    for (base, name), pages in below.items():
        prefix = f"{base}/" if base else ""
        beside_english = any(
            _ENGLISH.fullmatch(folder[len(prefix) :]) for folder in folders if folder.startswith(prefix)
        )
        mirrored = sum(prefix + page[len(prefix) + len(name) + 1 :] in known for page in pages)
        if beside_english or (mirrored > 1 and mirrored >= MIRRORED * len(pages)):
            yield from pages


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: place + 1]) for place in range(len(parts)))


def _outdated(paths: Iterable[str]) -> Iterator[str]:
    """Pages below `version-29.7`, where a folder of a newer version stands beside it."""
    for found in _versions(paths, _VERSION).values():
        for number, pages in found.items():
            if number != max(found):
                yield from pages.values()
