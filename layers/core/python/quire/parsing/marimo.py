"""Notebooks of marimo, which are Python, as Markdown of the same lines: their text as text, their cells of code fenced.

Source: docs.marimo.io, "File format".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from textwrap import dedent

_APP = re.compile(r"^app[ ]*=[ ]*marimo\.App\(", re.MULTILINE)
_TEXT = re.compile(
    r"""
    ^[ \t]*+(?:return[ ]++)?\w{1,20}\.md\(\s*+[rRfF]{0,2}
    (?: "{3} (?P<long>(?:[^"]|"(?!""))*+) "{3} | '{3} (?P<other>(?:[^']|'(?!''))*+) '{3}
      | "(?P<short>(?:[^"\\\n]|\\.)*+)" )
    \s*+\)?  # with more behind it, such as `.callout()`
    """,
    re.MULTILINE | re.VERBOSE,
)
_CELLS, _NAMELESS = re.compile(r"^@app\.\w", re.MULTILINE), re.compile(r"^(?:async )?def __?\(", re.MULTILINE)
_CELL, _RETURN = re.compile(r"(?:@|with )app\.(\w++)"), re.compile(r"    return\b")
_WHOLE = ("function", "class_definition")
"""Of cells that define one thing for other modules: its name and its results belong to it."""


def is_marimo(path: str, text: str) -> bool:
    """Whether a file is a notebook of marimo that tells something, and no app whose cells have names as functions."""
    if not (path.endswith(".py") and "import marimo" in text and _APP.search(text)):
        return False
    return 2 * len(_NAMELESS.findall(text)) >= len(_CELLS.findall(text)) and bool(_TEXT.search(text))


def marimo_as_markdown(text: str) -> tuple[str, list[int]]:
    r"""The notebook as Markdown, and the line of the file that each line of it stands on.

    >>> marimo_as_markdown('@app.cell\ndef _(mo):\n    mo.md("# Tea")\n    return\n')
    ('# Tea\n', [3, 3])
    """
    shown = list(_shown(text.split("\n"), _texts(text)))
    return "\n".join(line for _, line in shown), [number for number, _ in shown]


def _texts(text: str) -> dict[int, tuple[str, int, int]]:
    """Each text by the line of its call: what it says, the line where that begins, and the call's last line."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    return {
        bisect_right(starts, found.start()): (
            dedent(found[found.lastgroup or 0].expandtabs(4)),
            bisect_right(starts, found.start(found.lastgroup or 0)),
            bisect_right(starts, found.end() - 1),
        )
        for found in _TEXT.finditer(text)
    }


def _shown(lines: list[str], texts: dict[int, tuple[str, int, int]]) -> Iterator[tuple[int, str]]:
    """The lines of Markdown with their numbers; of a cell without its decorator, its name and its result."""
    code: list[tuple[int, str]] = []
    is_cell = is_signature = is_whole = False
    done = 0
    for number, line in enumerate(lines, 1):
        if number <= done:
            continue
        if is_cell and not is_whole and number in texts:
            yield from _fenced(code)
            said, first, done = texts[number]
            yield from enumerate(said.split("\n"), first)
            yield done, ""
            code = []
        elif opened := _CELL.match(line):
            yield from _fenced(code)
            code, is_cell, is_whole = [], True, opened[1] in _WHOLE
            is_signature = opened[1] != "setup"
        elif is_signature:
            is_signature = not line.rstrip().endswith(":")
            code += [(number, line)] * is_whole
        elif line[:1].strip():
            is_cell = False
        elif is_cell and (is_whole or not _RETURN.match(line)):
            code.append((number, line))
    yield from _fenced(code)


def _fenced(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    written = [place for place, (_, line) in enumerate(lines) if line.strip()]
    if not written:
        return
    lines = lines[written[0] : written[-1] + 1]
    bare = dedent("\n".join(line for _, line in lines)).split("\n")
    yield lines[0][0], "```python"
    yield from ((number, line) for (number, _), line in zip(lines, bare, strict=True))
    yield lines[-1][0], "```"
    yield lines[-1][0], ""
