"""The same small shop in every language that is read by syntax, with what an outline must find in it.

`code_samples.txt` holds them: after `==== LANGUAGE PATH` the file, after `---- finds` one definition a line as
`path of names: kind first-last line | doc`, members after what holds them, after `---- calls` names it refers to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SAMPLE = re.compile(
    r"^==== (\S+) (\S+)\n(.*?)^---- finds\n(.*?)^---- calls\n(.*?)(?=^==== |\Z)", re.MULTILINE | re.DOTALL
)


class Sample(NamedTuple):
    """A file, and what it defines and refers to; `language` is a key of `quire.parsing.languages.GRAMMARS`."""

    language: str
    path: str
    text: str
    finds: tuple[str, ...]
    calls: frozenset[str]


def _read() -> Iterator[Sample]:
    samples = Path(__file__).with_suffix(".txt").read_bytes().decode()
    for language, path, text, finds, calls in _SAMPLE.findall(samples):
        yield Sample(language, path, text, tuple(finds.splitlines()), frozenset(calls.split()))


SAMPLES = tuple(_read())
