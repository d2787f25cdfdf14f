"""Folders of source code and documents, git checkouts or not: one document a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.fetch.git import head_commit
from build_index.sources.files.built_pages import built_pages
from build_index.sources.files.selection import Excluded, Selection, select_files
from build_index.sources.files.superseded import superseded_pages
from build_index.sources.files.text_files import HEAD_CHARACTERS, decode, is_written, read_plain
from build_index.sources.files.types import (
    TEXT,
    is_exported_page,
    is_test_path,
    is_translation,
    language_of,
    role_of,
)
from quire.documents import Document, Value
from quire.errors import NoText, SourceError
from quire.parsing.formats import CONVERTED, HTML, RawFile, kind_of, suffix_of
from quire.parsing.latex_markdown import LATEX
from quire.parsing.man_page import is_man_page

LONGEST_LINE = 20_000
LONG_LINES = 400
"""Average characters of a line from which on a file of code, script or style sheet counts as minified."""

LETTERS = 0.45
"""Share of letters among the characters of a file of unknown kind, below which it counts as data."""

_DOCUMENTS = frozenset(("markdown", "rst", "asciidoc"))
_GENERATED = re.compile(
    r"""
    \W{0,8}(?:  # a comment's mark
        .{0,40}@generated\b
        | code[ ]generated\b.*\bdo[ ]not[ ]edit\b  # Go's convention
        | <auto-?generated                         # C#'s
        | .{0,60}\bth(?:is|e)[ ](?:file|code|script)[ ](?:is|was|has[ ]been)[ ]
          (?:auto(?:matically)?[- ]?)?generated\b
        | (?:warning\W{0,3})?auto(?:matically)?[- ]?generated[ ](?:file|code|by|from)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_GENERATED_LINES = 12
PAGE_WORDS, MANY_WORDS, LITTLE_MARKUP = 20, 100, 0.2
"""Fewer words are no document: the frame that a program writes into. Up to many, they are this share of the file."""
WORDS_A_MARK = 50
"""So many words of a page that tells about templates stand beside one mark of them at least."""
_WHOLE_PAGE = re.compile(r"<!doctype html|<html\b|<body\b", re.IGNORECASE)
_TEMPLATE_MARKS = ("{{", "{%", "<%", "<?php", "<?=")
_SCRIPT = re.compile(r"<(script|style)\b", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</(?:script|style)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*+>")
_WORD = re.compile(r"[^\W\d_]{2,}+")


@dataclass(frozen=True, slots=True)
class Repository:
    """One body of code.

    Attributes:
        root: its folder.
        name: what `repository` says of it; and, beside others in one collection, the first part of its paths.
        commit: the commit that the files are of; "" where there is none.
        selection: which of its files, where that is not said of all repositories.
    """

    root: Path
    name: str
    commit: str = ""
    selection: Selection | None = None


def open_repository(root: Path, name: str = "") -> Repository:
    """A folder as a repository, its commit read from git, named after the folder unless told."""
    folder = root.resolve()
    return Repository(folder, name or folder.name, head_commit(folder))


def read_repositories(
    repositories: Sequence[Repository], selection: Selection | None = None, excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read several repositories into one collection; paths begin with the name where there is more than one.

    Raises:
        SourceError: a root is no folder, or two repositories have one name.
    """
    names = [repository.name for repository in repositories]
    for name in names:
        if names.count(name) > 1:
            raise SourceError(f"{name}: two repositories of one collection have this name", path=name)
    for repository in repositories:
        prefix = f"{repository.name}/" if len(repositories) > 1 else ""
        yield from read_repository(repository, repository.selection or selection, excluded, prefix=prefix)


def read_repository(
    repository: Repository,
    selection: Selection | None = None,
    excluded: Excluded | None = None,
    *,
    prefix: str = "",
) -> Iterator[Document | Failure]:
    """Read every wanted file, in order; one file is in memory at a time.

    A document's text is the file as decoded: UTF-8, UTF-16 with its mark, or else Windows-1252 or Latin-1, line
    breaks as they are but for those of old Macs, which become line feeds.

    Args:
        repository: what to read.
        selection: which files; the usual ones where it is None.
        excluded: receives what is left out, complete once the iterator is used up.
        prefix: written before every path.

    Raises:
        SourceError: the root is no folder.
    """
    excluded = Excluded() if excluded is None else excluded
    root = repository.root.resolve()
    selection = selection or Selection()
    paths = list(select_files(repository.root, selection, excluded))
    # A caller who names files wants them.
    unwanted = {} if selection.patterns else _said_elsewhere(root, paths)
    for path in paths:
        if reason := unwanted.get(path):
            excluded.add(reason, prefix + path)
            continue
        try:
            content = _read_bytes(root, path)
            document = _document(repository, prefix + path, content, named=bool(selection.patterns))
        except NoText:
            document = "no text"
        except SourceError as error:
            yield Failure(prefix + path, str(error))
            continue
        if isinstance(document, str):
            excluded.add(document, prefix + path)
        else:
            yield document


def _said_elsewhere(root: Path, paths: Sequence[str]) -> Mapping[str, str]:
    """Documents that others stand for, with the reason: `built`, or what `superseded_pages` says."""
    documents = [path for path in paths if language_of(path) in _DOCUMENTS]
    return {
        **superseded_pages(documents),
        **dict.fromkeys(built_pages(paths, partial(_text_or_nothing, root)), "built"),
    }


def _document(repository: Repository, path: str, content: bytes, *, named: bool) -> Document | str:
    """The file's document, or the reason to leave it out; translations are read where a pattern `named` them.

    Raises:
        SourceError: it is a PDF, a notebook, a book or a document of Word that cannot be read.
    """
    if suffix_of(path) in CONVERTED:
        # With all of indexing, which counting files has no use for.
        from quire.ingestion.rows import read_apart

        shown = read_apart(RawFile(path, content))
        facts = _facts(repository, path, "markdown")
        return (
            Document(path, shown, kind_of(path), {**facts, "kind": "section"}) if shown.strip() else "empty"
        )
    text = decode(content)
    if text is None:
        extension = PurePosixPath(path).suffix.lower()
        return "binary" if language_of(path) else extension or "binary"
    if not text.strip():
        return "empty"
    if suffix_of(path) in HTML and _is_page(text):
        return Document(path, text, "html", {**_facts(repository, path, "html"), "kind": "section"})
    if markup := "latex" if suffix_of(path) in LATEX else "man" if is_man_page(path, text) else "":
        return Document(path, text, "docs", {**_facts(repository, path, markup), "kind": "section"})
    return _source_code(repository, path, content, text, named=named)


def _source_code(
    repository: Repository, path: str, content: bytes, text: str, *, named: bool
) -> Document | str:
    extension, head = PurePosixPath(path).suffix.lower(), text[:HEAD_CHARACTERS]
    language = language_of(path, text)  # a header of C++ may say so below a long comment
    if is_translation(head):
        if not named:
            return "translation"
        language = TEXT
    if not language and _is_no_text(extension, content):
        return extension or "type"
    language = language or TEXT
    reason = _unwanted_content(text, head, language)
    if reason:
        return reason
    return Document(path, text, "source_code", _facts(repository, path, language))


def _facts(repository: Repository, path: str, language: str) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "path": path,
        "lang": language,
        "repository": repository.name,
        "commit": repository.commit,
        "is_test": is_test_path(path),
    }
    role = role_of(path)
    return facts | {"role": role} if role else facts


def _unwanted_content(text: str, head: str, language: str) -> str:
    if "generated" in head.lower() and any(map(_GENERATED.match, head.split("\n")[:_GENERATED_LINES])):
        return "generated"
    if language in _DOCUMENTS:  # with one long line, such as a list of numbers, among those that are written
        return ""
    return "minified" if _has_long_line(text) or (language != TEXT and _is_dense(text)) else ""


def _has_long_line(text: str) -> bool:
    return len(text) > LONGEST_LINE and max(map(len, text.split("\n"))) > LONGEST_LINE


def _is_dense(text: str) -> bool:
    return len(text) > 4000 and len(text) / (text.count("\n") + 1) > LONG_LINES


def _is_page(text: str) -> bool:
    """Whether an HTML file is a document and no part of a program: a tool exported it, nobody writes lines so long by
    hand, or it is whole, fills in no template, and shows more than its scripts are long.

    >>> prose = "<p>Boats need oars and sails to cross the bay in the morning.</p>" * 2
    >>> _is_page(f"<!doctype html><body>{prose}"), _is_page(prose), _is_page(f"<html><body>{prose}{{{{ more }}}}")
    (True, False, False)
    """
    head = text[:HEAD_CHARACTERS]
    if is_exported_page(head):
        return True
    shown, script_length = _shown_words(text)
    length = sum(map(len, shown))
    if len(shown) < PAGE_WORDS:
        return False
    if _is_dense(text) or _has_long_line(text):
        return True
    if length <= script_length or (len(shown) < MANY_WORDS and length < LITTLE_MARKUP * len(text)):
        return False
    is_template = sum(map(text.count, _TEMPLATE_MARKS)) * WORDS_A_MARK > len(shown)
    return bool(_WHOLE_PAGE.search(head)) and not is_template


def _shown_words(text: str) -> tuple[list[str], int]:
    """The words of an HTML file outside of its tags, scripts and styles; and how long its scripts are."""
    before, *others = _SCRIPT.split(text)
    shown, script_length = [before], 0
    for tag, part in zip(others[::2], others[1::2], strict=True):
        end = _SCRIPT_END.search(part)
        inside = end.start() if end else len(part)
        shown.append(part[inside:])
        script_length += inside if tag.lower() == "script" else 0
    return _WORD.findall(_TAG.sub(" ", " ".join(shown))), script_length


def _is_no_text(extension: str, content: bytes) -> bool:
    """Whether a file of an unknown kind is data or, by its first line, a script that only its language would open."""
    return _is_data(content) or (not extension and content.startswith(b"#!"))


def _is_data(content: bytes) -> bool:
    r"""Whether a file of an unknown kind is not UTF-8, or begins with more numbers and marks than words.

    >>> _is_data(b"fn main() { print(total); }"), _is_data(b"0.12, 0.5, 17, 4e-3"), _is_data(b"caf\xe9 au lait")
    (False, True, True)
    """
    try:
        head = content.decode()[:HEAD_CHARACTERS]
    except UnicodeDecodeError:
        return True
    if not is_written(content):
        return True
    return sum(map(str.isalpha, head)) < LETTERS * len("".join(head.split()))


def _text_or_nothing(root: Path, path: str) -> str:
    """A file's text; nothing where it cannot be read: whoever reads the file itself says so."""
    try:
        return decode(_read_bytes(root, path)) or ""
    except SourceError:
        return ""


def _read_bytes(root: Path, path: str) -> bytes:
    """The bytes of a file that still is a plain one inside of the resolved root: no link in its place is followed."""
    file = root / path
    try:
        if not file.parent.resolve().is_relative_to(root):
            raise SourceError(f"{path}: leads out of the source", path=path)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", path=path) from error
    return read_plain(file, path)
