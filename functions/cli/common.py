"""What the commands share: options, the store that is meant, the collection that is meant, and how results look."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zlib import crc32

import typer

from quire.errors import InputError, UnknownCollection
from quire.settings import Settings, read_settings

if TYPE_CHECKING:
    from quire.documents import Chunk
    from quire.service.knowledge import Knowledge
    from quire.store.catalog import Served

NOTHING, WRONG, INTERRUPTED = 1, 2, 130
SNIPPET_LINES = 6
NEWLINE = "\n"

StoreOption = Annotated[
    str,
    typer.Option(
        "--store", help="Folder or s3:// bucket of the indexes.", show_default="QUIRE_STORE or .quire/store"
    ),
]
CollectionOption = Annotated[
    str, typer.Option("--collection", "-c", help="Which index to ask; needed where there are several.")
]
VersionOption = Annotated[
    str, typer.Option("--version", help="Ask an older version: its id, engine version (0.732) or date.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
TopOption = Annotated[int, typer.Option("--top", "-n", min=1, max=50, help="How many passages at most.")]
TermsOption = Annotated[
    str,
    typer.Option("--terms", help="Names and words that the sources would use, ranked beside the question."),
]
QuestionArgument = Annotated[str, typer.Argument(help="In words, or just a name.")]


def name_of(folder: Path) -> str:
    """What a folder's index is called: its name, in the letters that a collection may have.

    >>> name_of(Path("/src/My.App 2")), name_of(Path("Größe")), name_of(Path("проект"))
    ('my-app-2', 'grosse', 'code-f4da9059')
    """
    plain = unicodedata.normalize("NFKD", folder.name.casefold()).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-") or f"code-{crc32(folder.name.encode()):x}"
    return name[:63] if name[:1].isalpha() else f"code-{name}"[:63].rstrip("-")


def settings_for(store: str) -> Settings:
    """The process's settings, with the store of `--store` where it was given."""
    settings = read_settings()
    return replace(settings, store=store) if store else settings


def open_knowledge(store: str) -> Knowledge:
    """The collections of the store, ready to be asked. Imports the server's libraries, which takes a second."""
    from functions.app.wiring import open_service

    return open_service(settings_for(store))


def choose(service: Knowledge, wanted: str) -> str:
    """The collection that was named, the only one, or that of the folder we stand in."""
    held = service.catalog.names()
    if wanted or len(held) == 1:
        return wanted or held[0]
    if not held:
        raise UnknownCollection(
            "nothing is indexed in this store yet: run `quire index PATH` first, or name another store with --store",
            field="collection",
        )
    here = name_of(Path.cwd())
    if here in held:
        return here
    raise InputError(f"say which with --collection: {', '.join(held)}", field="collection")


def place_of(served: Served, chunk: Chunk, start: int = 0) -> str:
    """Where character `start` of a chunk stands, as `path:line`, which terminals and editors open."""
    path, line = chunk.metadata.get("path"), chunk.metadata.get("start_line")
    if not isinstance(path, str):
        return str(chunk.metadata.get("url") or chunk.document_id)
    near = _near(served, path)
    return f"{near}:{line + chunk.text.count(NEWLINE, 0, start)}" if isinstance(line, int) else near


def _near(served: Served, path: str) -> str:
    """The path from where we stand, if the file still is where it was indexed."""
    for source in (source for manifest in served.index.manifests for source in manifest.sources):
        root = Path(source.location)
        # Where a collection holds several repositories, paths begin with the repository's name.
        for file in (root / path, root.parent / path):
            if file.is_file():
                return os.path.relpath(file)
    return path


def symbol_of(chunk: Chunk) -> str:
    """What the passage defines, or the heading that it stands under."""
    return str(chunk.metadata.get("symbol") or chunk.metadata.get("heading") or "")


def snippet(text: str, question: str) -> str:
    """Lines of a passage, indented: its first, and with it those that hold most of the question's words."""
    lines = text.rstrip().split("\n")
    start = _most_asked(lines, question)
    end = start + SNIPPET_LINES - 1
    before = [f"… {start - 1} lines"] if start > 1 else []
    more = [f"… {len(lines) - end} more lines"] if len(lines) > end else []
    return "\n".join(f"    {line}"[:160] for line in (lines[0], *before, *lines[start:end], *more)) + "\n"


def _most_asked(lines: list[str], question: str) -> int:
    """Where to show on behind the first line: at the second unless lines further down hold more of the question."""
    from quire.analysis.terms import analyze

    wanted = set(analyze(question)) - set(analyze(lines[0]))
    held = [wanted.intersection(analyze(line)) for line in lines]
    room = SNIPPET_LINES - 1
    sums = [
        len(set().union(*held[start : start + room])) for start in range(1, max(len(lines) - room, 1) + 1)
    ]
    start = sums.index(max(sums)) + 1
    if start == 1 or sums[0] == max(sums):
        return 1
    return next(place for place in range(start, len(lines)) if held[place])


def warn(degraded: tuple[str, ...]) -> None:
    """Say on standard error what did not work as it should."""
    for one in degraded:
        typer.echo(f"degraded: {one}", err=True)


def print_json(value: Any) -> None:
    """Print the value in one line."""
    typer.echo(json.dumps(value, ensure_ascii=False))
