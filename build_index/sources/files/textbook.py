"""A book: the pages of a tree of documents, each with the chapter that it belongs to.

Chapters are what the book's table of contents lists; where it has none, folders or files that say so in their names or
titles.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.files.includes import included_files
from build_index.sources.files.markdown_tree import category_label, page_owners, read_markdown_tree
from build_index.sources.files.selection import Excluded
from build_index.sources.files.table_of_contents import listed_chapters
from build_index.sources.site_config import FoundSite
from quire.chunking.markdown import spoken
from quire.documents import AnchorRules, Document, Value
from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.front_matter import read_front_matter
from quire.parsing.site_pages import PublishedSite

UNKNOWN_SITE = FoundSite(PublishedSite(anchors=AnchorRules("docusaurus")))
"""Of a book without a configuration: no addresses, but headings as Docusaurus names them."""
_CHAPTER = re.compile(r"\bchapter[\s_-]*0*(\d+)\s*(?:[:.–—-]+\s*)?(.*)", re.IGNORECASE)
_FILE_OF_CHAPTER = re.compile(r"ch(?:apter)?[\s_-]*0*([1-9]\d*)(?:[\s_.-]|$)", re.IGNORECASE)
"""Books of one folder call the files of a chapter `ch04-00-ownership`, `ch04-01-references`."""
_NUMBER = re.compile(r"^\d+[-_.\s]+")
_INTRODUCTIONS = ("index", "readme", "intro", "introduction")
_LAID_OUT = (":", "=", "//", "[", "(((", "ifdef::", "ifndef::", "endif::", "toc::")
"""How lines of AsciiDoc begin that are not text."""
_COMPONENTS = ("import ", "export ", "<")


def read_book(
    root: Path, site: FoundSite | None = None, excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read every document below `root` that `read_markdown_tree` reads, in that order, translations and older
    versions too: a book is read whole. Failures come first.

    Of pages with the same content, front matter aside, only the first is read; `excluded` is told of the others too.

    Metadata: `chapter`, such as `Chapter 3: Physical AI Architecture`, from the book's contents, from the chapter
    folder's category file, index, name or introduction, from the first file of its number, or from the file itself
    where each file is a chapter;
    `chapter_dir`, `section` (the file's stem), `filename`, `path` and `url`: where the `site` shows the page, without
    one the path.

    Raises:
        SourceError: `root` is no folder, or its contents cannot be read.
    """
    site = UNKNOWN_SITE if site is None else site
    excluded = Excluded() if excluded is None else excluded
    read = list(read_markdown_tree(root, site, excluded, newest=False))
    yield from (one for one in read if isinstance(one, Failure))
    pages = [one for one in read if isinstance(one, Document)]
    titles = {one.id: _own_title(one) for one in pages}
    folders = {one.folder for one in site.site.contents}
    texts = {one.id: one for one in pages}
    listed = listed_chapters(root, texts, titles)
    are_included = any(one.id.lower().endswith(ASCIIDOC) for one in pages)
    owners = page_owners(root, included_files(root, site)) if are_included else {}
    seen: set[bytes] = set()
    for page in pages:
        digest = hashlib.sha256(_content(page).encode()).digest()
        if digest in seen:
            excluded.add("duplicate", page.id)
            continue
        seen.add(digest)
        first = _page_of_chapter(page.id, owners, texts)
        yield _of_book(page, listed.get(page.id) or chapter_of(root, first, titles, folders))


def _page_of_chapter(path: str, owners: Mapping[str, str], pages: Mapping[str, Document]) -> str:
    """The page that a section belongs to that is a file of its own; a book's first file is no chapter."""
    seen = {path}
    while (owner := owners.get(path, "")) in pages and owner not in seen:
        if owner not in owners and _lists_files(pages[owner].text):
            break
        seen.add(owner)
        path = owner
    return path


def _lists_files(text: str) -> bool:
    """Whether a page of AsciiDoc includes more files than it has lines of its own, as a book's first file does."""
    lines = [line for line in text.splitlines() if line and not line.startswith(_LAID_OUT)]
    return len(lines) < 2 * sum(line.startswith("include::") for line in lines)


def _own_title(page: Document) -> str:
    """The title that a page gives itself, "" where it gives none."""
    title = str(page.metadata["section"])
    return "" if title == PurePosixPath(page.id).stem else title


def _content(page: Document) -> str:
    """What makes two pages the same: all but the front matter, but where that is all that one of Markdown says."""
    if page.kind != "docs":
        return page.text
    lines = page.text.lstrip("\ufeff").splitlines(keepends=True)
    body = lines[read_front_matter(page.text, page.id).end_line :]
    says = any(line.strip() and not line.startswith(_COMPONENTS) for line in body)
    return "".join(body).strip() if says else page.text


def _of_book(page: Document, chapter: str) -> Document:
    file = PurePosixPath(page.id)
    metadata: dict[str, Value] = {
        "chapter": chapter,
        "chapter_dir": file.parent.name,
        "section": file.stem,
        "filename": file.name,
        **{name: page.metadata[name] for name in ("path", "url", "lang") if name in page.metadata},
    }
    return page._replace(kind="textbook" if page.kind == "docs" else page.kind, metadata=metadata)


def chapter_of(root: Path, path: str, titles: Mapping[str, str], folders: Collection[str] = ("",)) -> str:
    """The chapter that a file belongs to, `Chapter N: title` where it has a number.

    `titles` holds the title of every file of the book, by path; pages right in one of `folders`, where the book
    begins, are chapters of their own.
    """
    file = PurePosixPath(path)
    folder = file.parent
    label = category_label(root / folder) if folder.name else ""
    shown = [label, *(titles[one] for one in sorted(titles) if _introduces(one, folder))]
    if _CHAPTER.search(folder.name):
        named = next((text for text in shown if _CHAPTER.search(text)), "") or _spoken(
            folder.name, titles, folder
        )
        return _numbered(named)
    if opening := _opening(file, titles):
        return opening
    if _CHAPTER.search(file.stem) or _CHAPTER.match(titles.get(path, "")):
        return _numbered(titles.get(path, "")) or _numbered(_spoken(file.stem, titles, folder))
    if not folder.name or folder.as_posix() in folders:
        return titles.get(path, "") or spoken(file.stem)
    return next((text for text in shown if text), "") or _spoken(folder.name, titles, folder)


def _opening(file: PurePosixPath, titles: Mapping[str, str]) -> str:
    """The chapter whose number a file's name begins with, by the title of its first file; "" where none is so named."""
    number = _FILE_OF_CHAPTER.match(file.stem)
    if number is None or _CHAPTER.search(titles.get(str(file), "")):
        return ""
    beside = (one for one in sorted(titles) if PurePosixPath(one).parent == file.parent)
    named = ((_FILE_OF_CHAPTER.match(PurePosixPath(one).stem), titles[one]) for one in beside)
    title = next((title for found, title in named if found and found[1] == number[1]), "")
    return title and _numbered(title if _CHAPTER.search(title) else f"Chapter {number[1]}: {title}")


def _introduces(path: str, folder: PurePosixPath) -> bool:
    file = PurePosixPath(path)
    return file.parent == folder and _NUMBER.sub("", file.stem).lower() in _INTRODUCTIONS


def _numbered(text: str) -> str:
    match = _CHAPTER.search(text)
    if not match:
        return text
    return f"Chapter {int(match[1])}: {match[2].strip()}".rstrip(": ")


def _spoken(name: str, titles: Mapping[str, str], folder: PurePosixPath) -> str:
    """A folder's name as words, capitalized as the folder's titles write them: `physical-ai` is `Physical AI`."""
    written = {
        word.lower(): word
        for path, title in titles.items()
        if PurePosixPath(path).parent == folder
        for word in re.findall(r"\w+", title)
        if not word.islower()
    }
    words = re.split(r"[-_\s]+", _NUMBER.sub("", name))
    return " ".join(written.get(word.lower(), word.capitalize()) for word in words if word)
