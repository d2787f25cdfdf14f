"""What the commands share: options, the store that is meant, the collection that is meant, and how results look."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.adapters.chosen import open_server
from quire.errors import InputError
from quire.parsing.formats import UNITS

if TYPE_CHECKING:
    from quire.documents import Chunk
    from quire.ports import ObjectStore
    from quire.settings import Settings
    from quire.store.catalog import Catalog, Served

NOTHING, WRONG, INTERRUPTED = 1, 2, 130
SNIPPET_LINES = 6

StoreOption = Annotated[
    str,
    typer.Option(
        "--store",
        help="Folder or s3:// bucket of the indexes.",
        show_default="QUIRE_STORE, .quire above, or yours",
    ),
]
CollectionOption = Annotated[
    str,
    typer.Option(
        "--collection", "-c", help="Which index; else the one of this folder, else the last indexed."
    ),
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", "-f", help="FIELD=VALUE, such as lang=python; again for more values or fields."),
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
QuestionArgument = Annotated[
    list[str], typer.Argument(metavar="QUESTION", help="In words, quoted or not, or just a name.")
]


def open_catalog(settings: Settings, objects: ObjectStore) -> Catalog:
    """The collections of these objects."""
    from quire.store.catalog import Catalog
    from quire.store.store import SegmentStore

    server = open_server(settings.opensearch, is_serving=True)
    return Catalog(SegmentStore(objects, settings.cache, server=server), refresh_s=0)


def log_of(settings: Settings, name: str) -> Path:
    """What a build in the background says."""
    return settings.cache / "logs" / f"{name}.log"


def read_filters(given: Sequence[str] | None) -> dict[str, list[str]]:
    """Fields with the values of which a passage must have one.

    >>> read_filters(["lang=python", "lang=go", "symbol=a=b"])
    {'lang': ['python', 'go'], 'symbol': ['a=b']}

    Raises:
        InputError: one is not FIELD=VALUE.
    """
    filters: dict[str, list[str]] = {}
    for one in given or ():
        field, separator, value = one.partition("=")
        if not (field and separator and value):
            raise InputError(f"--filter: wanted FIELD=VALUE, found {one!r}", field="filters")
        filters.setdefault(field, []).append(value)
    return filters


def file_of(served: Served, chunk: Chunk) -> str:
    """The file that a chunk is of, from where we stand; its address or document where it is of none."""
    path = chunk.metadata.get("path")
    return (
        _near(served, path) if isinstance(path, str) else str(chunk.metadata.get("url") or chunk.document_id)
    )


def place_of(served: Served, chunk: Chunk) -> str:
    """Where a chunk begins: `path:line`, which editors open, or its page, cell or slide."""
    path, line = chunk.metadata.get("path"), chunk.metadata.get("start_line")
    if not isinstance(path, str):
        return str(chunk.metadata.get("url") or chunk.document_id)
    near = _near(served, path)
    if isinstance(line, int):
        return f"{near}:{line}"
    parts = (f", {unit} {number}" for unit in UNITS.values() if (number := chunk.metadata.get(unit)))
    return near + next(parts, "")


def _near(served: Served, path: str) -> str:
    """The path from where we stand, or from the root where that is shorter, if the file still is where it was."""
    for source in served.index.sources:
        root = Path(source.location)
        # Where a collection holds several repositories, paths begin with the repository's name.
        for file in (root / path, root.parent / path):
            if file.is_file():
                return min(os.path.relpath(file), str(file.resolve()), key=len)
    return path


def symbol_of(chunk: Chunk) -> str:
    """What the passage defines, as its language writes it, or the heading that it stands under."""
    from quire.analysis.symbols import written_symbol

    known = chunk.metadata
    symbol = str(known.get("symbol") or known.get("heading") or "")
    return written_symbol(symbol, str(known.get("lang") or ""), chunk.text)


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
