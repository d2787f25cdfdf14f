"""The Markdown pages of the Roblox creator documentation."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from build_index.sources import Failure
from build_index.sources.files.includes import IMPORT
from build_index.sources.files.selection import Excluded
from build_index.sources.files.text_files import read_text, walk_files
from quire.documents import Document
from quire.errors import SourceError

CONTENT = "content/en-us"
BASE_URL = "https://create.roblox.com/docs"
_INDEX = ("index", "README")


def read_creator_docs(root: Path, excluded: Excluded | None = None) -> Iterator[Document | Failure]:
    """Read every `.md` file below `root` (a creator-docs checkout, or its `content/en-us`), one document a file.

    Files that pages include are documents too, and travel with each page that includes them. Nothing that holds a word
    is left out, since the files are what an index of this source is counted by; `excluded` is told of the others.

    Raises:
        SourceError: `root` is no folder.
    """
    excluded = Excluded() if excluded is None else excluded
    content = root / CONTENT if (root / CONTENT).is_dir() else root
    for path in walk_files(content, (".md",)):
        file_path = f"{CONTENT}/{path}"
        try:
            text = read_text(content, path)
            includes = read_includes(content, path, text)
        except SourceError as error:
            yield Failure(file_path, str(error))
            continue
        if not text.strip():
            excluded.add("empty", file_path)
            continue
        yield Document(
            id=file_path,
            text=text,
            kind="creator_docs",
            metadata={
                "source": "creator_docs",
                "file_path": file_path,
                "path": file_path,
                "url": page_url(path),
            },
            includes=includes,
        )


def find_checkout(root: Path) -> Path:
    """The folder to read: `root`, or the one checkout that lies up to two folders below it, or whose `content` it is.

    Raises:
        SourceError: several lie below, or `root` is a part of one, the message names them; or it holds no page.
    """
    above, inside = CONTENT.split("/")
    here = root.resolve()
    if (root / CONTENT).is_dir():
        return root
    if here.name == above and (here / inside).is_dir():
        return root.parent if root.name == above else here.parent
    whole = next((one for one in here.parents if one.parts[-2:] == (above, inside)), None)
    if whole is not None:
        raise SourceError(
            f"{root}: wanted a whole {CONTENT}, found a folder in one: name {whole}", path=str(root)
        )
    below = sorted(found.parents[1] for depth in ("*", "*/*") for found in root.glob(f"{depth}/{CONTENT}"))
    if len(below) > 1:
        raise SourceError(
            f"{root}: wanted one folder with {CONTENT}, found several: name one of {', '.join(map(str, below))}",
            path=str(root),
        )
    if below or not root.is_dir():  # what is no folder its readers refuse
        return below[0] if below else root
    if not (root / "reference/engine").is_dir() and not any(root.rglob("*.md")):
        raise SourceError(f"{root}: wanted a folder with {CONTENT}, found no page in it", path=str(root))
    return root


def page_url(path: str) -> str:
    """The address of the page made from the file at `path`, relative to `content/en-us`.

    >>> page_url("physics/index.md")
    'https://create.roblox.com/docs/physics'
    """
    stem = path.removesuffix(".md")
    folder, _, name = stem.rpartition("/")
    route = folder if name in _INDEX else stem
    return f"{BASE_URL}/{route}".rstrip("/")


def read_includes(root: Path, path: str, text: str) -> dict[str, str]:
    """Texts of the Markdown files that the text at `path` imports, and that those import, by the path as written.

    Raises:
        SourceError: one of them is missing, cannot be read or leads out of `root`.
    """
    found: dict[str, str] = {}
    waiting = [(path, text)]
    while waiting:
        here, body = waiting.pop()
        for written in IMPORT.findall(body):
            if written in found or not written.startswith("."):
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(here), written))
            try:
                found[written] = read_text(root, target)
            except SourceError as error:
                raise SourceError(f"{path}: includes {written!r}: {error}", path=path) from error
            waiting.append((target, found[written]))
    return found
