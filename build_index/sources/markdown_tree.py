"""Any tree of Markdown files: the source of profile `docs`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from build_index.sources import Failure
from build_index.sources.file_selection import Excluded
from build_index.sources.text_files import read_text, walk_files
from quire.documents import Document
from quire.errors import SourceError
from quire.parsing.markdown import page_title

SUFFIXES = (".md", ".mdx", ".markdown")


def read_markdown_tree(
    root: Path, base_url: str = "", excluded: Excluded | None = None
) -> Iterator[Document | Failure]:
    """Read every Markdown file below `root`, one document a file; of files with the same bytes, the first.

    `chapter` is the file's top folder, `section` its title. Without a `base_url`, `url` is the path. `excluded` is told
    of copies and of files without a word.

    Raises:
        SourceError: `root` is no folder.
    """
    excluded = Excluded() if excluded is None else excluded
    seen: set[bytes] = set()
    for path in walk_files(root, SUFFIXES):
        try:
            text = read_text(root, path)
            digest = hashlib.sha256(text.encode()).digest()
            if not text.strip() or digest in seen:
                excluded.add("duplicate" if text.strip() else "empty")
                continue
            seen.add(digest)
            title = page_title(text, path) or PurePosixPath(path).stem
        except SourceError as error:
            yield Failure(path, str(error))
            continue
        yield Document(
            id=path,
            text=text,
            kind="docs",
            metadata={
                "path": path,
                "filename": PurePosixPath(path).name,
                "chapter": path.split("/")[0] if "/" in path else "",
                "section": title,
                "url": f"{base_url.rstrip('/')}/{path}" if base_url else path,
            },
        )
