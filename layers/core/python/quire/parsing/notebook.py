"""Jupyter notebooks to Markdown, a cell at a time, on nbformat."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

import nbformat

from quire.errors import SourceError

OUTPUT_CHARACTERS = 2_000
"""Of what a cell printed: more is data, not text."""


def notebook_cells(text: str, path: str) -> list[str]:
    """Each cell as Markdown, in order: code in a fence, with what it printed below.

    Raises:
        SourceError: it is no notebook.
    """
    # It reads what does not follow its schema too, and tells a page of that for each cell.
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    try:
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        language = str(notebook.metadata.get("kernelspec", {}).get("language", "python"))
        return ["\n\n".join(_parts(cell, language)) for cell in notebook.cells]
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError, KeyError) as error:
        raise SourceError(f"{path}: not a notebook: {str(error)[:200]}", path=path) from error


def _parts(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    source = str(cell["source"]).strip("\n")
    if cell["cell_type"] != "code":
        yield source
        return
    if source.strip():
        yield _fenced(source, language)
    for output in cell.get("outputs", ()):
        shown = str(output.get("text") or output.get("data", {}).get("text/plain") or "").strip("\n")
        if shown.strip():
            yield _fenced(shown[:OUTPUT_CHARACTERS], "text")


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
