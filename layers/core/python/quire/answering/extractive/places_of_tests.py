"""Where the tests of a code base lie, for a question that asks for none in particular: folders, with a file of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from quire.analysis.terms import analyze, split_identifier
from quire.answering.citations import cite
from quire.documents import Chunk, Citation, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.parsing.languages import GRAMMARS
from quire.ranking import contains, union
from quire.search.query import written_names

MOST_PLACES = 6
HEAD_LINES = 3
_ASKS = re.compile(r"^\W*(?:where|(?:in\s+)?(?:which|what)|show|list|find|how)\b", re.IGNORECASE)
_TEST_FOLDER = re.compile(r"_{0,2}(?:unit|integration)?[-_]?(?:tests?|specs?)_{0,2}", re.IGNORECASE)
_ASKING = frozenset(
    analyze(
        "tests test specs spec testing tested suite suites cases files file folder folders directory directories"
        " located lie live stand kept stored found placed organized structured laid out automated existing all"
        " code codebase base project repository repo package library this list show find can"
    )
)
_TESTS = frozenset(analyze("test tests spec specs"))
_UNIT = frozenset(analyze("unit units"))
"""What most projects call none of their folders."""


class FolderOfTests(NamedTuple):
    """A folder that has tests: how many files, and the beginning of the longest one."""

    folder: str
    files: int
    first: Chunk


def asks_where_tests_are(question: str) -> bool:
    """Whether it asks for tests, and for none of them in particular; which kind it may say.

    >>> asks_where_tests_are("Where are the unit tests?"), asks_where_tests_are("Where are the tests of the parser?")
    (True, False)
    """
    terms = set(analyze(question))
    return (
        bool(_ASKS.match(question))
        and not terms.isdisjoint(analyze("tests specs"))
        and terms <= _ASKING | _KINDS
    )


_KINDS = _UNIT | frozenset(
    analyze("integration functional acceptance e2e end system smoke performance regression")
)
"""Words for kinds of tests, which projects name folders and files by."""


def find_places(
    index: OpenedIndex, question: str, filters: Filters
) -> tuple[list[FolderOfTests], tuple[int, int]]:
    """The folders that have tests of the kind that is asked for, those with most files first; then how many folders
    there are beside them, and with how many files."""
    if "is_test" not in index.filters.fields or not asks_where_tests_are(question):
        return [], (0, 0)
    allowed = index.filters.chunks({**filters, "lang": sorted(GRAMMARS)})
    if allowed is None:
        return [], (0, 0)
    found = (index.filters.chunks({"is_test": True}), index.filters.chunks({"role": "test"}))
    ordinals = union([one for one in found if one is not None])
    ordinals = ordinals[contains(allowed, ordinals)]
    paths = [*map(index.documents.id_of, index.documents.numbers(ordinals).tolist())]
    sizes, firsts = Counter(paths), dict(zip(reversed(paths), reversed(ordinals.tolist()), strict=True))
    wanted = set(analyze(question)) & (_KINDS - _UNIT)
    if wanted:
        sizes = Counter({path: size for path, size in sizes.items() if wanted <= set(analyze(path))})
    files: dict[str, list[str]] = {}
    for path in sizes:
        files.setdefault(_root(path), []).append(path)
    folders = sorted(files, key=lambda folder: (-len(files[folder]), folder))
    longest = [max(files[folder], key=lambda path: (sizes[path], path)) for folder in folders[:MOST_PLACES]]
    heads = index.fetch([firsts[path] for path in longest])
    shown = [FolderOfTests(one, len(files[one]), head) for one, head in zip(folders, heads, strict=False)]
    further = folders[MOST_PLACES:]
    return shown, (len(further), sum(len(files[one]) for one in further))


def is_named_for(question: str, chunk: Chunk) -> bool:
    """Whether the file of a test is called like what the question asks the tests of.

    >>> asked = "Where are the tests of DeadSet?"
    >>> [is_named_for(asked, Chunk("", path, "", "")) for path in ("test/dead_set_test.rb", "test/set_test.rb")]
    [True, False]
    """
    stem = " ".join(split_identifier(PurePosixPath(chunk.document_id).name.partition(".")[0]))
    called = set(analyze(stem)) - _TESTS
    asked = (" ".join(split_identifier(name)) for name in (*written_names(question), question))
    return any(called == set(analyze(one)) - _ASKING for one in asked)


def _root(path: str) -> str:
    """The folder up to the one that is called by tests; that of the file where none is.

    >>> _root("src/test/java/org/ATest.java"), _root("pkg/a_test.go"), _root("a_test.go")
    ('src/test', 'pkg', '.')
    """
    folders = PurePosixPath(path).parts[:-1]
    named = [n for n, folder in enumerate(folders, 1) if _TEST_FOLDER.fullmatch(folder)]
    return "/".join(folders[: named[0]] if named else folders) or "."


def tell_places(
    places: Sequence[FolderOfTests], further: tuple[int, int], version: str
) -> tuple[str, tuple[Citation, ...]]:
    """The places as a list, each with how a file of it begins as what it cites."""
    lines, citations = [], []
    for n, place in enumerate(places, 1):
        head = "".join(place.first.text.splitlines(keepends=True)[:HEAD_LINES]).rstrip()
        citations.append(cite(n, Hit(place.first, n, 1.0, None, version), 0, len(head)))
        folder = "the root" if place.folder == "." else f"`{place.folder}`"
        files = f"{place.files} files, such as" if place.files > 1 else "one file,"
        lines.append(f"- {folder}: {files} `{place.first.document_id}` [{n}]")
    if further[0]:
        lines.append(f"- and {further[1]} files in {further[0]} more folders")
    return "\n".join(["Tests stand in:", "", *lines]) if lines else "", tuple(citations)
