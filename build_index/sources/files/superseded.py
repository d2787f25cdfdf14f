"""Pages of documentation that say again what others say: translations, and versions older than the newest one.

Whoever wants to search them names their own folder as a source: `docs/de`, `versioned_docs/version-29.7`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from build_index.sources.files.types import TONGUE

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
_ARCHIVE = re.compile(r"(?<=versioned_docs)[_-]\w+$")
"""What a folder of versions is called that are kept apart from the newer ones: `versioned_docs_archived`."""
MIRRORED = 0.5
"""A folder that is called like a language holds translations where so many of its pages are also found outside of it,
or where a folder of English pages stands beside it."""


def superseded_pages(paths: Sequence[str]) -> Mapping[str, str]:
    """Pages that others stand for, with the reason: `translation` or `older version`.

    >>> superseded_pages(["a.md", "b.md", "de/a.md", "de/b.md", "it/racks.md", "c.md", "c.pt-BR.md"])
    {'c.pt-BR.md': 'translation', 'de/a.md': 'translation', 'de/b.md': 'translation'}
    """
    return dict.fromkeys(_translated(paths), "translation") | dict.fromkeys(_outdated(paths), "older version")


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
    versions: dict[str, dict[tuple[int, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        parts = path.split("/")
        for place, name in enumerate(parts[:-1]):
            if version := _VERSION.fullmatch(name):
                number = tuple(map(int, version[1].split(".")))
                versions[_ARCHIVE.sub("", "/".join(parts[:place]))][number].append(path)
                break
    for found in versions.values():
        for number, pages in found.items():
            if number != max(found):
                yield from pages
