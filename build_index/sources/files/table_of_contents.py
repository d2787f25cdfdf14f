"""A book's own table of contents: which chapter each of its files belongs to.

Read are `SUMMARY.md` of mdBook, `_quarto.yml` of a book of Quarto, `_toc.yml` of Jupyter Book and `myst.yml` of MyST.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from build_index.sources.files.text_files import folders_above
from build_index.sources.site_config import BROKEN, read_table
from quire.documents import Document
from quire.errors import SourceError

_FOLDERS = ("", "src", "book", "docs")
"""Folders of a book's repository in which its contents may stand."""
_LINK = re.compile(
    r"""
    (?P<indent>[ \t]*+)(?P<item>[-*+][ \t]++)?   # an item of the list, or a chapter without a number
    \[(?P<title>(?:\\.|[^\]\\\n])++)\]
    \(<?(?P<file>[^()\s>#]*+)[^()\n]*+\)[ \t]*+  # no file: a chapter that is not written yet
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"^#[ \t]+[^\n]*", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\{([^{}\n]*+)\}[ ]*+$")
_UNNUMBERED = frozenset(("-", ".unnumbered"))


class Chapter(NamedTuple):
    """An entry of the contents, its own file first; `title` is "" where the contents leave it to that."""

    files: Sequence[str]
    title: str = ""
    is_numbered: bool = False


def contents_file(root: Path) -> Path | None:
    """The file in which the book that `root` is or belongs to lists its chapters; None where there is none."""
    places = (root.resolve() / folder for folder in _FOLDERS)
    above = (base for base in folders_above(root.resolve()) if base != root.resolve())
    return next(
        (file for base in (*places, *above) for name in _READERS if _lists(file := base / name)), None
    )


def _lists(file: Path) -> bool:
    if file.name == "SUMMARY.md":  # others list their pages in such a file too, without numbers
        return file.is_file() and any((one / "book.toml").is_file() for one in file.parents[:2])
    return file.is_file() and bool(_read(file))


def listed_chapters(
    root: Path, pages: Mapping[str, Document], titles: Mapping[str, str]
) -> Mapping[str, str]:
    """The chapter of every page of `root` that the contents list, `Chapter 3: Oars` where it has a number.

    A page whose first heading asks for no number has none, as in Quarto. `titles` are those of the pages, by path.

    Raises:
        SourceError: the contents cannot be read.
    """
    file = contents_file(root)
    if file is None:
        return {}
    found, number = dict[str, str](), 0
    for chapter in _read(file):
        paths = [_path(root, file.parent / one, pages) if one else "" for one in chapter.files]
        title = chapter.title or titles.get(paths[0], "") or PurePosixPath(chapter.files[0]).stem
        if chapter.is_numbered and not (paths[0] and _asks_for_none(pages[paths[0]])):
            number += 1
            title = f"Chapter {number}: {title}"
        found |= {path: title for path in paths if path and path not in found}
    return found


def _path(root: Path, file: Path, pages: Mapping[str, Document]) -> str:
    """The page's path below the root, "" where it is none; Jupyter Book leaves the suffix away."""
    path = Path(os.path.relpath(file, root.resolve())).as_posix()
    ends = ("", ".md", ".ipynb", ".rst")
    return next((path + end for end in ends if path + end in pages), "")


def _asks_for_none(page: Document) -> bool:
    heading = _HEADING.search(page.text)
    attributes = _ATTRIBUTES.search(heading[0]) if heading else None
    return bool(attributes and not _UNNUMBERED.isdisjoint(attributes[1].split()))


def _read(file: Path) -> list[Chapter]:
    try:
        return list(_READERS[file.name](file))
    except BROKEN as error:
        raise SourceError(f"{file.name}: cannot be read: {error}", path=str(file)) from error


def _summary(file: Path) -> Iterator[Chapter]:
    """Of mdBook: the items of the list have numbers, what stands before and behind it has none."""
    held: Chapter | None = None
    for line in file.read_text(encoding="utf-8").splitlines():
        link = _LINK.fullmatch(line)
        if link is None:
            continue
        if link["indent"] and held:
            held = held._replace(files=(*held.files, link["file"]))
            continue
        if held:
            yield held
        held = Chapter((link["file"],), link["title"].replace("\\", ""), bool(link["item"]))
    if held:
        yield held


def _quarto(file: Path) -> Iterator[Chapter]:
    tree = read_table(file)
    book = tree.get("book") or {}
    formats = tree.get("format")
    html = formats.get("html") if isinstance(formats, dict) else None
    settings = [tree, html if isinstance(html, dict) else {}]
    numbers = all(one.get("number-sections") is not False for one in settings)
    for entry in book.get("chapters", ()):
        below = entry.get("chapters", ()) if isinstance(entry, dict) else ()
        if isinstance(entry, dict) and str(entry.get("part", "")).endswith((".qmd", ".Rmd", ".md", ".ipynb")):
            yield Chapter((entry["part"],))
        for one in below or (entry,):
            yield from _of_quarto(one, is_numbered=numbers)
    for one in book.get("appendices", ()):
        yield from _of_quarto(one, is_numbered=False)


def _of_quarto(entry: Any, *, is_numbered: bool) -> Iterator[Chapter]:
    path, title = (
        (entry.get("file") or entry.get("href"), entry.get("text"))
        if isinstance(entry, dict)
        else (entry, "")
    )
    if path:
        is_first = PurePosixPath(path).stem == "index"  # its preface
        yield Chapter((str(path),), str(title or ""), is_numbered and not is_first)


def _jupyter_book(file: Path) -> Iterator[Chapter]:
    tree = read_table(file)
    if "root" in tree:
        yield Chapter((str(tree["root"]),))
    usual = _numbers(tree.get("defaults") or tree.get("options") or {})
    for part in tree.get("parts") or (tree,):
        for entry in part.get("chapters") or part.get("sections") or ():
            yield _tree(entry, "sections", is_numbered=_numbers(part) or usual)


def _numbers(options: Mapping[str, Any]) -> bool:
    return bool(options.get("numbered"))


def _myst(file: Path) -> Iterator[Chapter]:
    """The first page is the book's own."""
    project = read_table(file).get("project") or {}
    numbering = project.get("numbering")
    titled = isinstance(numbering, dict) and numbering.get("title")
    for place, entry in enumerate(project.get("toc", ())):
        if "file" in entry or "children" in entry:
            yield _tree(entry, "children", is_numbered=place > 0 and (numbering is True or bool(titled)))


def _tree(entry: Mapping[str, Any], below: str, *, is_numbered: bool) -> Chapter:
    """An entry with all that stands below it."""
    waiting, files = [entry], list[str]()
    while waiting:
        one = waiting.pop(0)
        files.append(str(one.get("file") or ""))
        waiting = [*(one.get(below) or ()), *waiting]
    return Chapter(files, str(entry.get("title") or ""), is_numbered)


_READERS: Mapping[str, Callable[[Path], Iterator[Chapter]]] = {
    "SUMMARY.md": _summary,
    "_quarto.yml": _quarto,
    "_toc.yml": _jupyter_book,
    "myst.yml": _myst,
}
