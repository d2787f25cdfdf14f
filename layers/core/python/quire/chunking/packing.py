"""Packing: parts of a page into pieces of a wanted size, at the best boundaries there are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from typing import NamedTuple

from quire.parsing.page import Block, Part, Section

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]?[A-Z0-9])|\n+")
_ENTRY = re.compile(r"[^\n]{1,60}(?<![.!?,;:])\n\S")
"""A short line, at whose end the page breaks the line, above what it names."""
_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_MARK = re.compile(r"\d{1,3}|_|[^\w\s]")


@lru_cache(maxsize=512)  # packing measures a part three times on its way into a piece
def estimate_tokens(text: str) -> int:
    """About how many word pieces the text has, without a tokenizer: within 12 % for nine of ten chunks.

    Fitted to the tokenizer of all-MiniLM-L6-v2 over the textbook and the React Native documents, where a word of
    letters has 1.15 pieces, and three digits or a punctuation mark one; a test measures it.

    >>> estimate_tokens("The sensorimotor loop runs at 30 Hz.")
    9
    """
    marks = _MARK.findall(text)
    words = _LETTERS.findall(text)
    return len(marks) + round(1.15 * len(words) + sum((len(word) - 1) // 12 for word in words))


@dataclass(frozen=True, slots=True)
class Sizes:
    """Wanted sizes of chunks, in the unit of `measure` (characters by default).

    Attributes:
        least: a smaller section is merged with its neighbours where they fit together.
        most: no chunk is larger, but one that holds an over-long code block.
        overlap: how much of a chunk's end the next chunk of the same section repeats.
        across: whether the next chunk repeats it also where it begins another section, as far as there is room.
    """

    least: int
    most: int
    overlap: int
    measure: Callable[[str], int] = len
    across: bool = False


class Unit(NamedTuple):
    """A part on its way into a piece. `joint` is what stands before it in the text, unless it comes first."""

    part: Part
    joint: str = "\n\n"
    sticky: bool = False
    header: str = ""
    repeated: bool = False


@dataclass(frozen=True)
class Piece:
    """What becomes one chunk: units of one section, or of neighbouring ones."""

    units: tuple[Unit, ...]
    section: int

    @cached_property
    def text(self) -> str:
        """The stored text."""
        return join_units(self.units)


def join_units(units: Sequence[Unit]) -> str:
    """The text of units that follow each other."""
    return "".join([unit.joint + unit.part.text for unit in units])[len(units[0].joint) :] if units else ""


def section_units(section: Section) -> list[Unit]:
    """The units of a section, its heading first."""
    units: list[Unit] = []
    if section.heading:
        mark = "#" * max(1, section.level)
        units.append(Unit(Part(f"{mark} {section.heading}", section.line, section.line), sticky=True))
    for block in section.blocks:
        units += block_units(block)
    return units


def block_units(block: Block) -> Iterator[Unit]:
    """The units of a block; a label or a line that ends in a colon sticks to what follows."""
    for number, part in enumerate(block.parts):
        sticky = block.kind == "label" or (block.kind in ("paragraph", "list") and part.text.endswith(":"))
        sticky = sticky or (block.kind == "table" and number == 0 and len(block.parts) > 1)
        header = block.header if number else ""
        yield Unit(part, "\n" if number else "\n\n", sticky, header)


def split_section(units: Sequence[Unit], section: int, sizes: Sizes) -> Iterator[Piece]:
    """Cut a section's units into pieces of even size, the later ones beginning with an overlap.

    The text of a piece is measured only where the sum of its units, which is never less, is over the limit: measuring
    it with each unit would take quadratic time.
    """
    whole = Piece(tuple(units), section)
    total = sizes.measure(whole.text)
    if total <= sizes.most:
        if units:
            yield whole
        return
    count = ceil((total - sizes.overlap) / (sizes.most - sizes.overlap))
    even = (total + (count - 1) * sizes.overlap) / count
    limit = min(sizes.most, max(sizes.least, ceil(even * 1.1)))
    groups: list[list[Unit]] = []
    current: list[Unit] = []
    text, bound = "", 0
    for unit in (small for one in units for small in _split_unit(one, limit - sizes.overlap, sizes)):
        longer = f"{text}{unit.joint}{unit.part.text}" if current else unit.part.text
        bound += sizes.measure(unit.part.text) + len(unit.joint) + 1
        if bound > limit:
            bound = sizes.measure(longer)
        if bound > limit and not all(unit.repeated for unit in current):
            kept, moved = _unstick(current, unit, limit, sizes)
            if kept:
                groups.append(kept)
                current = [*repeated_end(kept, [*moved, unit], limit, sizes), *moved]
            else:
                current = [one for one in moved if not one.repeated]
            longer = join_units([*current, unit])
            bound = sizes.measure(longer)
        current.append(unit)
        text = longer
    for group in _without_crumb([*groups, current], sizes):
        yield Piece(tuple(group), section)


def _without_crumb(groups: list[list[Unit]], sizes: Sizes) -> list[list[Unit]]:
    """Join a small last group to the one before, where both fit one piece."""
    if len(groups) < 2:
        return groups
    own = [unit for unit in groups[-1] if not unit.repeated]
    joined = [*groups[-2], *own]
    if sizes.measure(join_units(own)) >= sizes.least or sizes.measure(join_units(joined)) > sizes.most:
        return groups
    return [*groups[:-2], joined]


def _unstick(units: list[Unit], following: Unit, limit: int, sizes: Sizes) -> tuple[list[Unit], list[Unit]]:
    """Separate trailing units that should not end a piece, such as headings and labels, where there is room."""
    cut = len(units)
    while cut and (units[cut - 1].sticky or units[cut - 1].repeated):
        cut -= 1
    moved = units[cut:]
    fits = sizes.measure(following.part.text) <= limit
    if moved and fits and sizes.measure(join_units([*moved, following])) > sizes.most:
        return units, []
    return units[:cut], moved


def repeated_end(before: Sequence[Unit], following: Sequence[Unit], limit: int, sizes: Sizes) -> list[Unit]:
    """The last sentences of `before` that fit both the overlap and, with what follows, the limit.

    Of a table they are whole rows, of entries that begin with a name on a line of its own whole entries: half of one,
    without its name, reads as if it told of something else.
    """
    taken: list[Unit] = []
    for unit in reversed(before):
        if unit.part.code or unit.sticky:
            break
        is_whole = unit.header or _ENTRY.match(unit.part.text)
        sentences = [unit.part] if is_whole else list(split_part(unit.part, 1, sizes.measure))
        for sentence in reversed(sentences):
            joint = unit.joint if sentence.text == unit.part.text else " "
            more = [unit._replace(part=sentence, joint=joint, repeated=True), *taken]
            if (
                sizes.measure(join_units(more)) > sizes.overlap
                or sizes.measure(join_units([*more, *following])) > limit
            ):
                return taken
            taken = more
        taken[0] = taken[0]._replace(joint=unit.joint)
    return taken


def _split_unit(unit: Unit, most: int, sizes: Sizes) -> Iterator[Unit]:
    if unit.part.code or sizes.measure(unit.part.text) <= most:
        yield unit
        return
    for number, part in enumerate(split_part(unit.part, most, sizes.measure)):
        yield unit._replace(part=part, joint=" " if number else unit.joint, sticky=False)


def split_part(part: Part, most: int, measure: Callable[[str], int] = len) -> Iterator[Part]:
    """Cut a part at sentence ends, and an over-long sentence between words, into parts of `most` where possible.

    With `most` 1, every sentence is a part.
    """
    spans = list(_spans(part.text))
    if most > 1:
        spans = [
            piece
            for start, end in spans
            for piece in (
                [(start, end)] if measure(part.text[start:end]) <= most else _words(part.text, start, end)
            )
        ]
    start, end = spans[0]
    bound = measure(part.text[start:end])
    for next_start, next_end in spans[1:]:
        bound += measure(part.text[end:next_end]) + 1
        if bound > most:
            bound = measure(part.text[start:next_end])
        if bound > most:
            yield _cut(part, start, end)
            start, bound = next_start, measure(part.text[next_start:next_end])
        end = next_end
    yield _cut(part, start, end)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.start() + len(match[0].rstrip())
        start = match.end()
    if start < len(text) or not text:
        yield start, len(text)


def _words(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    return [(match.start(), match.end()) for match in re.compile(r"\S+").finditer(text, start, end)]


def _cut(part: Part, start: int, end: int) -> Part:
    first, last = bisect_right(part.breaks, start), bisect_left(part.breaks, end)
    return Part(
        part.text[start:end],
        part.line_at(start),
        part.line_at(max(start, end - 1)),
        breaks=tuple(at - start for at in part.breaks[first:last]),
        links=part.links,
    )
