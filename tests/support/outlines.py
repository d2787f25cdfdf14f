"""What tests ask of outlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.parsing.outline import Definition


def sections(definitions: Sequence[Definition], depth: int = 0) -> Iterator[tuple[int, str, int, int]]:
    """Depth, first name, first and last line of every definition, members after what holds them."""
    for definition in definitions:
        yield depth, definition.names[0], definition.start_line, definition.end_line
        yield from sections(definition.members, depth + 1)


def assert_apart(definitions: Sequence[Definition], first: int, last: int) -> None:
    """Definitions lie between the two lines, in order, none on another's lines; members inside of theirs."""
    for definition in definitions:
        assert first <= definition.start_line <= definition.end_line <= last
        assert_apart(definition.members, definition.start_line, definition.end_line)
        first = definition.end_line + 1
