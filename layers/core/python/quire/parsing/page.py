"""What a parser gives: a Page of Sections of Blocks of Parts, each with its lines in the original file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Part:
    """The smallest piece that a chunker moves as a whole: a paragraph, a list item, a table row, a code block.

    Attributes:
        text: readable text; a source line break inside a paragraph is a space.
        start_line: first line in the original file, from 1.
        end_line: last line, inclusive.
        code: whether it must never be split.
        breaks: offsets in `text` where the second, third, ... source line begins.
        links: what leads to other sites, as Markdown: `[words of the text](https://...)`.
    """

    text: str
    start_line: int
    end_line: int
    code: bool = False
    breaks: tuple[int, ...] = ()
    links: tuple[str, ...] = ()

    def line_at(self, offset: int) -> int:
        """The source line of the character at `offset` of `text`."""
        return min(self.end_line, self.start_line + bisect_right(self.breaks, offset))


@dataclass(frozen=True, slots=True)
class Block:
    """Parts that belong together, joined by line breaks.

    Attributes:
        kind: `paragraph`, `code`, `list`, `table` or `label` (a tab's or an admonition's name).
        parts: at least one.
        header: a table's header row, "" elsewhere; it is also the first part.
    """

    kind: str
    parts: tuple[Part, ...]
    header: str = ""

    @property
    def text(self) -> str:
        """The parts, one a line."""
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what follows up to the next heading.

    Attributes:
        heading: readable text; "" for what stands before the first heading.
        level: 1 to 6; 0 for what stands before the first heading.
        line: line of the heading, from 1.
        anchor: fragment of the heading on a rendered page, unique in the document.
        blocks: in order; may be empty.
    """

    heading: str
    level: int
    line: int
    anchor: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed document.

    Attributes:
        title: the heading of level 1 that opens the page, else the front matter's title, else the first
            heading of level 1, else the heading that opens the page, else "".
        keywords: the front matter's keywords.
        sections: in order of the file.
    """

    title: str
    keywords: tuple[str, ...]
    sections: tuple[Section, ...]


def moved_to(section: Section, line: int) -> Section:
    """The section as if all of it stood on one line: included text is cited where it is included."""
    return _moved(section, lambda _: line)


def with_lines(section: Section, lines: Sequence[int]) -> Section:
    """The section of a text with included files by the lines of its own file: its line `n` stands on `lines[n - 1]`."""
    return _moved(section, lambda line: lines[min(line, len(lines)) - 1])


def _moved(section: Section, line_of: Callable[[int], int]) -> Section:
    blocks = tuple(
        replace(block, parts=tuple(_moved_part(part, line_of) for part in block.parts))
        for block in section.blocks
    )
    return replace(section, line=line_of(section.line), blocks=blocks)


def _moved_part(part: Part, line_of: Callable[[int], int]) -> Part:
    start, end = line_of(part.start_line), line_of(part.end_line)
    whole = end - start == part.end_line - part.start_line
    return replace(part, start_line=start, end_line=end, breaks=part.breaks if whole else ())
