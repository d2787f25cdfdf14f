"""Jupyter notebooks to Markdown, a cell at a time, in each version of their format.

Source: nbformat.readthedocs.io, "The notebook file format" and its changelog.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quire.errors import SourceError
from quire.parsing.formats import fenced

OUTPUT_CHARACTERS = 2_000
"""Of what a cell printed: more is data, not text."""
SOURCES = ("source", "input", "code", "text")
"""What a cell holds: of version 4, then what code was called in 3 and 2, and code and text in 1."""

_OBJECT = re.compile(r"\[?<[A-Za-z_][\w.]*[ :][^\n]*>\]?")
"""What stands for a picture where none can be shown: `<Figure size 640x480 with 1 Axes>`."""


def notebook_cells(text: str, path: str) -> list[str]:
    """Each cell as Markdown, in order: code in a fence, with what it printed below, but for the names of pictures.

    What does not follow the schema is read as far as it has cells.

    Raises:
        SourceError: it is no notebook.
    """
    try:
        notebook = json.loads(text)
        language = str(notebook.get("metadata", {}).get("kernelspec", {}).get("language", "python"))
        sheets = notebook.get("worksheets", [notebook])  # up to version 3
        ends = "\n" if notebook.get("nbformat") == 2 else ""  # the other versions' lines have theirs
        return ["\n\n".join(_parts(cell, language, ends)) for sheet in sheets for cell in sheet["cells"]]
    except (ValueError, AttributeError, LookupError, TypeError) as error:
        raise SourceError(f"{path}: not a notebook: {str(error)[:200]}", path=path) from error


def _parts(cell: Mapping[str, Any], language: str, ends: str) -> Iterator[str]:
    source = _text(cell[next((name for name in SOURCES if name in cell), SOURCES[0])], ends).strip("\n")
    if cell["cell_type"] == "heading":
        yield "#" * min(cell.get("level", 1), 6) + " " + " ".join(source.splitlines())
    elif cell["cell_type"] != "code":
        yield source
    elif source.strip():
        yield fenced(source, language)
    for output in cell.get("outputs", ()):
        shown = _text(output.get("text") or output.get("data", {}).get("text/plain") or "", ends).strip("\n")
        is_object = not output.get("text") and _OBJECT.fullmatch(shown)
        if shown.strip() and not is_object:
            yield fenced(shown[:OUTPUT_CHARACTERS], "text")


def _text(said: object, ends: str) -> str:
    """What a notebook holds as a text or as its lines."""
    return ends.join(said) if isinstance(said, list) else str(said)
