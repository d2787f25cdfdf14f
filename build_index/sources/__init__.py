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

    def __str__(self) -> str:
        return f"{self.path}: {self.reason.removeprefix(f'{self.path}: ')}"


Documents: TypeAlias = Iterator[Document | Failure]
