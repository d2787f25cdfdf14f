"""Cuts a type's long description into parts that a search result can show, each with its own lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from build_index.sources.roblox.api_text import readable
from build_index.sources.roblox.reference_page import ReferenceEntry

PART_CHARS = 1500


@dataclass(frozen=True, slots=True)
class ReferencePart:
    """Some lines of a description.

    Attributes:
        text: as it stands in the file, indentation removed.
        start_line: first line in the file.
        end_line: last line in the file, inclusive.
        heading: the heading that it stands under; "" before the first.
    """

    text: str
    start_line: int
    end_line: int
    heading: str = ""


def split_description(entry: ReferenceEntry, limit: int = PART_CHARS) -> list[ReferencePart]:
    """Cut the description between paragraphs, table rows or headings; one part where it is short or not literal.

    A part holds at most `limit` readable characters, unless a single block is longer. Fenced code is never cut.
    """
    text = entry.text("description")
    whole = ReferencePart(text, entry.start_line, entry.end_line)
    if not entry.description_line or len(readable(text)) <= limit:
        return [whole]
    parts: list[ReferencePart] = []
    for block in _blocks(str(entry.fields["description"]), entry.description_line):
        last = parts[-1] if parts else None
        if last and last.heading == block.heading and _size(last) + _size(block) <= limit:
            parts[-1] = ReferencePart(
                f"{last.text}\n{block.text}", last.start_line, block.end_line, last.heading
            )
        else:
            parts.append(block)
    return [part for part in parts if readable(part.text)] or [whole]


def _size(part: ReferencePart) -> int:
    return len(readable(part.text))


def _blocks(text: str, first_line: int) -> Iterator[ReferencePart]:
    held: list[str] = []
    start, fenced, heading = first_line, False, ""
    for number, line in enumerate(text.rstrip("\n").split("\n"), first_line):
        bare = line.strip()
        begins = bare.startswith(("#", "<tr")) or (bool(held) and not held[-1].strip())
        if begins and held and not fenced:
            yield ReferencePart("\n".join(held), start, number - 1, heading)
            held, start = [], number
        if bare.startswith("#") and not fenced:
            heading = bare.lstrip("#").strip()
        fenced ^= bare.startswith("```")
        held.append(line)
    if held:
        yield ReferencePart("\n".join(held), start, start + len(held) - 1, heading)
