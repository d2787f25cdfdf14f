"""A Docusaurus book: chapters are folders, or files, and say so in their names or titles."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.files.page_links import PageLinks
from build_index.sources.files.selection import Excluded
from build_index.sources.files.text_files import count_others, read_text, walk_files
from build_index.sources.site_config import FoundSite
from quire.documents import AnchorRules, Document
from quire.errors import SourceError
from quire.parsing.front_matter import read_front_matter
from quire.parsing.markdown import page_title
from quire.parsing.site_pages import PublishedSite

SUFFIXES = (".md", ".mdx")
UNKNOWN_SITE = FoundSite(PublishedSite(anchors=AnchorRules("docusaurus")))
"""Of a book without a configuration: no addresses, but headings as Docusaurus names them."""
_CHAPTER = re.compile(r"\bchapter[\s_-]*0*(\d+)\s*(?:[:.–—-]+\s*)?(.*)", re.IGNORECASE)
_NUMBER = re.compile(r"^\d+[-_.\s]+")
_INTRODUCTIONS = ("index", "readme", "intro", "introduction")


def read_docusaurus(
    root: Path, site: FoundSite | None = None, excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read every `.md` and `.mdx` file below `root`, the site's docs folder, one document a file.

    Of files with the same content, front matter aside, only the first is read; `excluded` is told of the others, of
    files without a word and of documents of other kinds.

    Metadata: `chapter`, such as `Chapter 3: Physical AI Architecture`, from the chapter folder's category file, index,
    name or introduction, or from the file itself where each file is a chapter; `chapter_dir`, `section` (the file's
    stem), `filename`, `path` and `url`: where the `site` shows the page, without one the path.

    Raises:
        SourceError: `root` is no folder.
    """
    site = UNKNOWN_SITE if site is None else site
    excluded = Excluded() if excluded is None else excluded
    count_others(root, SUFFIXES, excluded)
    texts: dict[str, str] = {}
    failures: list[Failure] = []
    for path in walk_files(root, SUFFIXES):
        try:
            texts[path] = read_text(root, path)
        except SourceError as error:
            failures.append(Failure(path, str(error)))
    titles = dict(_titles(texts, failures))
    yield from failures
    seen: set[bytes] = set()
    links = PageLinks(titles.keys(), lambda path: site.url_of(path, texts[path]))
    for path, text in texts.items():
        if path not in titles:
            continue
        digest = hashlib.sha256(_content(text, path).encode()).digest()
        if not text.strip() or digest in seen:
            excluded.add("duplicate" if text.strip() else "empty")
            continue
        seen.add(digest)
        document = _document(path, text, chapter_of(root, path, titles), site.url_of(path, text))
        yield document._replace(anchors=site.site.anchors, links=links.addresses(path, text))


def _content(text: str, path: str) -> str:
    """What makes two files the same: the page without its front matter, but where that is all it has to say."""
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    body = lines[read_front_matter(text, path).end_line :]
    says = any(line.strip() and not line.startswith(_COMPONENTS) for line in body)
    return "".join(body).strip() if says else text


_COMPONENTS = ("import ", "export ", "<")


def _titles(texts: Mapping[str, str], failures: list[Failure]) -> Iterator[tuple[str, str]]:
    for path, text in texts.items():
        try:
            yield path, page_title(text, path)
        except SourceError as error:
            failures.append(Failure(path, str(error)))


def _document(path: str, text: str, chapter: str, url: str) -> Document:
    file = PurePosixPath(path)
    return Document(
        id=path,
        text=text,
        kind="textbook",
        metadata={
            "chapter": chapter,
            "chapter_dir": file.parent.name,
            "section": file.stem,
            "filename": file.name,
            "path": path,
            "url": url,
        },
    )


def chapter_of(root: Path, path: str, titles: Mapping[str, str]) -> str:
    """The chapter that a file belongs to, `Chapter N: title` where it has a number.

    `titles` holds the title of every file of the book, by path.
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
    if _CHAPTER.search(file.stem) or _CHAPTER.match(titles.get(path, "")):
        return _numbered(titles.get(path, "")) or _numbered(_spoken(file.stem, titles, folder))
    if not folder.name:
        return titles.get(path, "")
    return next((text for text in shown if text), "") or _spoken(folder.name, titles, folder)


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


def category_label(folder: Path) -> str:
    """The label of Docusaurus's category file, "" without one."""
    try:
        label = json.loads((folder / "_category_.json").read_text(encoding="utf-8")).get("label", "")
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return label if isinstance(label, str) else ""
