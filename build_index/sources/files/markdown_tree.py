"""Any tree of Markdown, reStructuredText, AsciiDoc, HTML, text, notebooks and PDF: the source of profile `docs`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.files.docusaurus import category_label
from build_index.sources.files.selection import Excluded
from build_index.sources.files.text_files import count_others, read_bytes, read_text, walk_files
from build_index.sources.site_config import FoundSite
from quire.chunking.markdown import spoken
from quire.documents import Document, Value
from quire.errors import SourceError
from quire.ingestion.rows import read_apart
from quire.parsing.asciidoc import parse_asciidoc
from quire.parsing.formats import HTML, TEXT, UNITS, RawFile, kind_of, suffix_of, title_of
from quire.parsing.outline import Outline
from quire.parsing.rst import parse_rst

_MARKUP: Mapping[str, tuple[str, Callable[[str], Outline]]] = {
    ".rst": ("rst", parse_rst),
    ".adoc": ("asciidoc", parse_asciidoc),
    ".asciidoc": ("asciidoc", parse_asciidoc),
}
SUFFIXES = (".md", ".mdx", ".markdown", *_MARKUP, *HTML, *TEXT, *UNITS)
MOST_BYTES = 50_000_000
"""Of a PDF or a notebook, which hold pictures beside their text."""
_FOR_PROGRAMS = re.compile(
    r"(?:requirements|constraints)[\w.-]*\.txt|robots\.txt|cmakelists\.txt|llms[\w-]*\.txt|humans\.txt|top_level\.txt",
    re.IGNORECASE,
)


def read_markdown_tree(
    root: Path, site: FoundSite | None = None, excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read every file of `SUFFIXES` below `root`, one document a file; of files with the same bytes, the first.

    `chapter` and `section` are the page's title, as `/ingest` has it; `chapters` adds its folder's, so that both are
    found by. `url` is where the `site` shows the page, "" where it shows none; without a site it is the path.
    `excluded` is told of copies, of files without a word and of documents of other kinds.

    Raises:
        SourceError: `root` is no folder.
    """
    site = FoundSite() if site is None else site
    excluded = Excluded() if excluded is None else excluded
    count_others(root, SUFFIXES, excluded)
    seen: set[bytes] = set()
    folders: dict[str, str] = {"": ""}
    for path in walk_files(root, SUFFIXES):
        if _is_no_document(path):
            excluded.add("settings" if path.endswith(".txt") else "built")
            continue
        folder = path.rpartition("/")[0]
        try:
            text = _text(root, path)
            digest = hashlib.sha256(text.encode()).digest()
            if not text.strip() or digest in seen:
                excluded.add("duplicate" if text.strip() else "empty")
                continue
            seen.add(digest)
            title = _title(text, path) or PurePosixPath(path).stem
            url = site.url_of(path, text)
        except SourceError as error:
            yield Failure(path, str(error))
            continue
        if folder not in folders:
            folders[folder] = _folder_title(root, folder)
        document = _document(path, text, (title, folders[folder]), url)
        yield document._replace(anchors=site.site.anchors)


def _text(root: Path, path: str) -> str:
    if suffix_of(path) not in UNITS:
        return read_text(root, path)
    return read_apart(RawFile(path, read_bytes(root, path, MOST_BYTES)))


def _is_no_document(path: str) -> bool:
    """Whether a file of text is for programs, or what a generator made of documents."""
    built = suffix_of(path) in HTML and not {"_build", "_site", "htmlcov"}.isdisjoint(path.split("/"))
    return built or bool(_FOR_PROGRAMS.fullmatch(PurePosixPath(path).name))


def _document(path: str, text: str, titles: tuple[str, str], url: str) -> Document:
    """Sections of Markdown are cut as the page shows them, those of other markup by the file's lines."""
    markup = _MARKUP.get(PurePosixPath(path).suffix.lower())
    title, folder_title = titles
    metadata: dict[str, Value] = {
        "path": path,
        "filename": PurePosixPath(path).name,
        "chapter": title,
        "section": title,
        "url": url,
    }
    if folder_title not in ("", title):
        metadata["chapters"] = (title, folder_title)
    if markup is None:
        return Document(id=path, text=text, kind=kind_of(path), metadata=metadata)
    return Document(id=path, text=text, kind="source_code", metadata=metadata | {"lang": markup[0]})


def _folder_title(root: Path, folder: str) -> str:
    """What a folder is called: by its category file, by its index page, or by its name."""
    label = category_label(root / folder)
    if label:
        return label
    names = sorted(one.name for one in (root / folder).iterdir() if one.suffix.lower() in SUFFIXES)
    for name in names:
        if PurePosixPath(name).stem.lower() in ("index", "readme"):
            try:
                title = _title(read_text(root, f"{folder}/{name}"), name)
            except SourceError:  # whoever reads the page itself says so
                continue
            if title:
                return title
    return spoken(re.sub(r"^\d+[-_.\s]+", "", PurePosixPath(folder).name))


def _title(text: str, path: str) -> str:
    markup = _MARKUP.get(PurePosixPath(path).suffix.lower())
    if markup is None:
        return title_of(path, text)
    sections = markup[1](text).definitions
    return sections[0].names[0] if sections else ""
