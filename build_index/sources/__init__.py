"""Where documents come from: readers that yield `Document | Failure`, one module a kind of source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from quire.documents import Document


@dataclass(frozen=True, slots=True)
class Failure:
    """One file that could not be read; the rest of its source is built without it.

    Attributes:
        path: the file, relative to its source.
        reason: what is wrong and, where known, in which line.
    """

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one source of a segment came from.

    Attributes:
        key: the word before `=` on the command line, such as `api_dump`.
        location: the path or URL as it was given.
        revision: the commit that was read; "" where the source has none.
        version: the source's own version, such as the engine's; "" where it has none.
    """

    key: str
    location: str
    revision: str = ""
    version: str = ""


Documents: TypeAlias = Iterator[Document | Failure]
