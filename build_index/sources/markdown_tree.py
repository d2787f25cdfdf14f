"""Any tree of Markdown, reStructuredText and AsciiDoc files: the source of profile `docs`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.file_selection import Excluded
from build_index.sources.text_files import count_others, read_text, walk_files
from quire.documents import Document
from quire.errors import SourceError
from quire.parsing.asciidoc import parse_asciidoc
from quire.parsing.markdown import page_title
from quire.parsing.outline import Outline
from quire.parsing.rst import parse_rst

_MARKUP: Mapping[str, tuple[str, Callable[[str], Outline]]] = {
    ".rst": ("rst", parse_rst),
    ".adoc": ("asciidoc", parse_asciidoc),
    ".asciidoc": ("asciidoc", parse_asciidoc),
}
SUFFIXES = (".md", ".mdx", ".markdown", *_MARKUP)


def read_markdown_tree(
    root: Path, base_url: str = "", excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read every file of `SUFFIXES` below `root`, one document a file; of files with the same bytes, the first.

    `chapter` is the file's top folder, `section` its title. Without a `base_url`, `url` is the path. `excluded` is told
    of copies, of files without a word and of documents of other kinds.

    Raises:
        SourceError: `root` is no folder.
    """
    excluded = Excluded() if excluded is None else excluded
    count_others(root, SUFFIXES, excluded)
    seen: set[bytes] = set()
    for path in walk_files(root, SUFFIXES):
        try:
            text = read_text(root, path)
            digest = hashlib.sha256(text.encode()).digest()
            if not text.strip() or digest in seen:
                excluded.add("duplicate" if text.strip() else "empty")
                continue
            seen.add(digest)
            title = _title(text, path) or PurePosixPath(path).stem
        except SourceError as error:
            yield Failure(path, str(error))
            continue
        url = f"{base_url.rstrip('/')}/{path}" if base_url else path
        yield _document(path, text, title, url)


def _document(path: str, text: str, title: str, url: str) -> Document:
    """Sections of Markdown are cut as the page shows them, those of other markup by the file's lines."""
    markup = _MARKUP.get(PurePosixPath(path).suffix.lower())
    metadata = {
        "path": path,
        "filename": PurePosixPath(path).name,
        "chapter": path.split("/", maxsplit=1)[0] if "/" in path else "",
        "section": title,
        "url": url,
    }
    if markup is None:
        return Document(id=path, text=text, kind="docs", metadata=metadata)
    return Document(id=path, text=text, kind="source_code", metadata=metadata | {"lang": markup[0]})


def _title(text: str, path: str) -> str:
    markup = _MARKUP.get(PurePosixPath(path).suffix.lower())
    if markup is None:
        return page_title(text, path)
    sections = markup[1](text).definitions
    return sections[0].names[0] if sections else ""
