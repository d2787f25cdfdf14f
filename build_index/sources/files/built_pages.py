"""Folders in which a generator put the pages that it made of sources which are indexed themselves.

A build says the same as its sources, in tags, and beside them would be found twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.formats import HTML, suffix_of

NAMED = frozenset(("_build", "_site", "htmlcov"))
"""Folders whose pages are built, whatever they are built of."""
OWN = frozenset(("404", "genindex", "search", "py-modindex", "print", "tags", "toc"))
"""Pages that generators make of no source, by their stems."""
SAME = 0.6
"""The share of a source's words that its page has at least: all but what a site's own markup is written with."""
BUILT = 0.5
"""The share of a folder's pages that are made of sources outside of it, from which on it is a build."""
MOST_COMPARED = 5
MOST_WORDS = 200
_SOURCES = (".md", ".mdx", ".markdown", ".qmd", ".rmd", ".rst", *ASCIIDOC, ".org")
_MADE = (*HTML, ".js", ".mjs", ".css", ".txt", ".json", ".xml", ".map", ".svg")
_WORD = re.compile(r"[^\W\d_]{4,}")
_TAG = re.compile(r"<[^<>]*+>")


def built_pages(paths: Sequence[str], read: Callable[[str], str]) -> frozenset[str]:
    """Those of `paths` that are parts of a build.

    A folder is one where half of its pages at least stand at the places of sources outside of it, and say what these
    say. `read` gives the text of a file, "" where it has none.
    """
    found = {
        path for path in paths if suffix_of(path) in HTML and not NAMED.isdisjoint(path.lower().split("/"))
    }
    pages = sorted(path for path in paths if suffix_of(path) in HTML and path not in found)
    if not pages:
        return frozenset(found)
    sources: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if suffix_of(path) in _SOURCES:
            for place in _ends_of(_place(path)):
                sources[place].append(path)
    folders = tuple(one for one in _folders(pages) if _is_build(one, _below(one, pages), sources, read))
    return frozenset(found.union(one for one in paths if suffix_of(one) in _MADE and one.startswith(folders)))


def _folders(pages: Sequence[str]) -> list[str]:
    """The folders that pages lie in, each with a `/` at its end, those above first."""
    parts = {path[: at.end()] for path in pages for at in re.finditer("/", path)}
    return sorted(parts)


def _below(folder: str, pages: Sequence[str]) -> Sequence[str]:
    """Those of the sorted pages that lie in a folder."""
    return pages[bisect_left(pages, folder) : bisect_left(pages, f"{folder[:-1]}{chr(ord('/') + 1)}")]


def _is_build(
    folder: str, pages: Sequence[str], sources: Mapping[str, Sequence[str]], read: Callable[[str], str]
) -> bool:
    inside = [path for path in pages if path.startswith(folder)]
    told = [
        path for path in inside if PurePosixPath(path).stem.lower() not in OWN and _place(path[len(folder) :])
    ]
    pairs = [
        (path, source)
        for path in told
        if (source := next(_outside(sources.get(_place(path[len(folder) :]), ()), folder), ""))
    ]
    if not pairs or len(pairs) < BUILT * len(told):
        return False
    compared = pairs[:MOST_COMPARED]
    same = sum(_says_the_same(read(source), read(page)) for page, source in compared)
    return same > len(compared) / 2


def _outside(paths: Sequence[str], folder: str) -> Iterator[str]:
    return (path for path in paths if not path.startswith(folder))


def _place(path: str) -> str:
    """Where a page stands in its site: `guide/oars` of `guide/oars.md` and of `guide/oars/index.html`.

    >>> _place("guide/Oars.md"), _place("guide/oars/index.html"), _place("index.html")
    ('guide/oars', 'guide/oars', '')
    """
    bare = path.lower().removesuffix(suffix_of(path))
    folder, _, name = bare.rpartition("/")
    return folder if name in ("index", "readme", "_index") else bare


def _ends_of(place: str) -> Iterator[str]:
    """The place as seen from each folder above it."""
    parts = place.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)) if place)


def _says_the_same(source: str, page: str) -> bool:
    words = list(dict.fromkeys(_WORD.findall(source.casefold())))[:MOST_WORDS]
    shown = frozenset(_WORD.findall(_TAG.sub(" ", page).casefold()))
    return bool(words) and sum(word in shown for word in words) >= SAME * len(words)
