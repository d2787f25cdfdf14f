"""Golden questions: questions of a collection with the places that answer them, one JSON object a line.

    {"query": "How do I ask for leave?", "relevant": [{"path": "leave.md"}]}

`relevant` lists targets: metadata keys with wanted values; `line` must lie in the hit's range. A row may have `id` (its
file and line otherwise), `kind` (figures are told apart by it), `selected_text`, `filters` and `places` (groups of
targets that count as one place for recall). Rows of the kinds in `UNANSWERABLE` have no place and test abstention.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.errors import InputError

EXAMPLE = '{"query": "How do I ask for leave?", "relevant": [{"path": "leave.md"}]}'
UNANSWERABLE = frozenset(("off_topic", "vague", "non_english"))


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One golden question."""

    id: str
    query: str
    kind: str
    places: tuple[tuple[Mapping[str, Any], ...], ...]
    selected_text: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is searched for: the query, and the selected text on a line of its own."""
        return f"{self.query}\n{self.selected_text}" if self.selected_text else self.query

    @property
    def answerable(self) -> bool:
        """Whether the collection holds a place that answers it."""
        return self.kind not in UNANSWERABLE and bool(self.places)


def read_golden(files: Sequence[Path]) -> list[GoldenQuestion]:
    """Read every row of the files, in order.

    Raises:
        InputError: a file is missing, or a line is not a golden row; the message names file and line.
    """
    return [row for path in files for row in _rows(path)]


def _rows(path: Path) -> Iterator[GoldenQuestion]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file of golden questions", field="golden") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _question(json.loads(line), f"{path.name}:{number}")
            except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                raise InputError(
                    f"{path}:{number}: not a golden question: {error}; wanted such as {EXAMPLE}",
                    field="golden",
                ) from error


def _question(row: Mapping[str, Any], place: str) -> GoldenQuestion:
    targets = row.get("relevant") or []
    if not isinstance(row.get("query"), str) or not row["query"].strip():
        raise ValueError(f"no text at 'query', found {', '.join(row) or 'nothing'}")
    if not targets and not row.get("kind"):
        raise ValueError(
            'nothing at \'relevant\'; a question that has no answer here says so by "kind": "off_topic"'
        )
    groups = row.get("places") or [[position] for position in range(len(targets))]
    return GoldenQuestion(
        id=str(row.get("id") or place),
        query=row["query"],
        kind=row.get("kind") or "question",
        places=tuple(tuple(targets[position] for position in group) for group in groups),
        selected_text=row.get("selected_text") or "",
        filters={key: value for key, value in (row.get("filters") or {}).items() if value},
    )


def matches(metadata: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    """Whether a hit's metadata satisfies every key of the target.

    >>> matches({"path": "a.py", "start_line": 3, "end_line": 9}, {"path": "a.py", "line": 9})
    True
    """
    for name, wanted in target.items():
        if name == "line":
            if not (metadata.get("start_line") or 1) <= wanted <= (metadata.get("end_line") or 0):
                return False
        elif metadata.get(name) != wanted:
            return False
    return True
