"""An outline's definitions to spans of lines: whole ones where they fit, merged where small, cut where long.

The spans of a file follow each other without a gap and hold every line once, so their texts joined are the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from quire.parsing.outline import Definition, Outline


@dataclass(frozen=True, slots=True)
class Lines:
    """A file's lines.

    Attributes:
        texts: each with its line feed, so that joining them gives the file back.
        offsets: characters before each line, and last those of all.
    """

    texts: tuple[str, ...]
    offsets: tuple[int, ...]

    def size(self, start: int, end: int) -> int:
        """Characters of the lines `start` to `end`, inclusive."""
        return self.offsets[end] - self.offsets[start - 1]

    def text(self, start: int, end: int) -> str:
        """The lines `start` to `end`, without the last one's line feed."""
        return "".join(self.texts[start - 1 : end]).removesuffix("\n")

    def last_within(self, start: int, size: int) -> int:
        """The last line up to which lines from `start` hold at most `size` characters; `start` at least."""
        return max(start, bisect_right(self.offsets, self.offsets[start - 1] + size) - 1)

    def is_blank(self, line: int) -> bool:
        """Whether the line holds nothing but white space."""
        return not self.texts[line - 1].strip()


def read_lines(text: str) -> Lines:
    r"""Cut a file's text at its line feeds.

    >>> read_lines("a\n\nb").texts
    ('a\n', '\n', 'b')
    """
    parts = text.split("\n")
    texts = tuple([part + "\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1]))
    return Lines(texts, (0, *accumulate(map(len, texts))))


@dataclass(frozen=True, slots=True)
class SpanSizes:
    """Wanted sizes of spans, in characters.

    Attributes:
        whole: up to this a definition is one span; a longer one is cut.
        holder: up to this what holds definitions, such as a class, is one span.
        small: neighbouring definitions that are all smaller are joined,
        merged: up to this.
        unbroken: up to this a part may grow, or shrink to an eighth of `whole`, rather than end inside of a block.
    """

    whole: int
    holder: int
    small: int
    merged: int
    unbroken: int = 0


CODE = SpanSizes(whole=2400, holder=1200, small=200, merged=700)
SECTIONS = SpanSizes(whole=1200, holder=1200, small=500, merged=1000, unbroken=1800)

_MINOR = frozenset("module variable macro type".split())
_HOLDERS = frozenset("class interface trait struct enum record impl union namespace module section".split())
_TITLED = frozenset(("section", "item", "test"))
"""What is called by a title: it is shown, and names nothing."""
LONGEST_CLOSING = 80
_OPENINGS = {"section": 100, "module": 40, "test": 160}
"""Kinds of spans that may say nothing by themselves, and up to how many characters."""
_OPENS_WRAPPER = re.compile(r"(?:module|class)\s+[\w:]+")
_CLOSING = re.compile(r"(?:\s|[^\w\s]|\bend\b|\bfi\b|\bdone\b)*")

Path = tuple[str, ...]


class Span(NamedTuple):
    """Lines that become one chunk.

    Attributes:
        start_line: from 1.
        end_line: inclusive.
        kind: `function`, `class`, `module` (lines outside of any definition), `section`, ...
        path: names from the outermost definition down to this one; empty for lines outside of any.
        defines: paths of every definition that begins here.
        doc: what documents it.
        signature: its head on one line.
        holder: path of the definition around it.
    """

    start_line: int
    end_line: int
    kind: str
    path: Path = ()
    defines: tuple[Path, ...] = ()
    doc: str = ""
    signature: str = ""
    holder: Path = ()


def cut_spans(outline: Outline, lines: Lines, sizes: SpanSizes) -> list[Span]:
    """Spans over every line, in order; none where the file holds nothing but white space."""
    last = len(lines.texts)
    whole = Span(1, last, "module", doc=outline.doc)
    pieces = _closed(_pieces(whole, outline.definitions, lines, sizes), lines)
    return [part for span in _merged(pieces, lines, sizes) for part in _parts(span, outline, lines, sizes)]


def _pieces(
    around: Span, definitions: Sequence[Definition], lines: Lines, sizes: SpanSizes
) -> Iterator[Span]:
    """The lines of `around`: its definitions, and what lies between them as spans of its own kind."""
    line, first = around.start_line, True
    for definition in definitions:
        if definition.start_line > line:
            yield _between(around, line, definition.start_line - 1, first=first)
            first = False
        yield from _piece(around, definition, lines, sizes)
        line = definition.end_line + 1
    if line <= around.end_line:
        yield _between(around, line, around.end_line, first=first)


def _between(around: Span, start: int, end: int, *, first: bool) -> Span:
    """Lines of a definition outside its members; the first of them hold its head."""
    if first:
        return around._replace(start_line=start, end_line=end, holder=around.path)
    return Span(start, end, around.kind, around.path, holder=around.path)


def _piece(around: Span, definition: Definition, lines: Lines, sizes: SpanSizes) -> Iterator[Span]:
    path, defines = _paths(_name_in(around.path, around.kind, definition), definition)
    span = Span(
        definition.start_line,
        definition.end_line,
        definition.kind,
        path,
        defines,
        definition.doc,
        definition.signature,
        around.path,
    )
    inner = _wrapped(definition, lines)
    if inner is not None:
        first, *rest = _piece(span, inner, lines, sizes)
        yield first._replace(defines=(*first.defines, *defines))
        yield from rest
        return
    most = sizes.holder if definition.kind in _HOLDERS else sizes.whole
    if definition.members and lines.size(span.start_line, span.end_line) > most:
        yield from _pieces(span, definition.members, lines, sizes)
    else:
        yield span._replace(defines=(*defines, *_inner(path, definition)))


def _wrapped(definition: Definition, lines: Lines) -> Definition | None:
    """What a module or class of Ruby is opened for, with the lines of both; None where it holds more than that."""
    inner = definition.members[0] if len(definition.members) == 1 else None
    if inner is None or definition.doc or inner.kind not in _HOLDERS:
        return None
    above = [line.strip() for line in lines.texts[definition.start_line - 1 : inner.start_line - 1]]
    if not above or not all(not line or _OPENS_WRAPPER.fullmatch(line) for line in above):
        return None
    if inner.end_line < definition.end_line and not _only_closes(
        inner.end_line + 1, definition.end_line, lines
    ):
        return None
    return replace(inner, start_line=definition.start_line, end_line=definition.end_line)


def _paths(holder: Path, definition: Definition) -> tuple[Path, tuple[Path, ...]]:
    """A definition's own path, and those of all that it defines."""
    if definition.kind == "namespace":
        return holder, ()
    if definition.kind in _TITLED:
        return (*holder, definition.names[0]), tuple((name,) for name in definition.names[1:])
    paths = tuple(
        (*holder, *(filter(None, name.split(".")) if name.strip(".") else (name,)))
        for name in definition.names
    )
    return paths[0], () if definition.kind == "impl" else paths


def _name_in(path: Path, kind: str, definition: Definition) -> Path:
    """What the name of a definition begins with: of a test's own helper nothing, as titles are no names."""
    return () if kind == "test" != definition.kind else path


def _inner(path: Path, holder: Definition) -> Iterator[Path]:
    for member in holder.members:
        inside, defines = _paths(_name_in(path, holder.kind, member), member)
        yield from defines
        yield from _inner(inside, member)


def _closed(pieces: Iterator[Span], lines: Lines) -> Iterator[Span]:
    """Give blank lines and closing brackets to what stands before them, so that a span begins with its first word."""
    last: Span | None = None
    for piece in pieces:
        start = piece.start_line
        while last is not None and start <= piece.end_line and lines.is_blank(start):
            start += 1
        if last is not None and not piece.defines and _only_closes(start, piece.end_line, lines):
            start = piece.end_line + 1
        if last is not None and start > piece.start_line:
            last = last._replace(end_line=start - 1)
        if start > piece.end_line:
            continue
        if last is not None:
            yield last
        last = piece if start == piece.start_line else piece._replace(start_line=start)
    if last is not None:
        yield last


def _only_closes(start: int, end: int, lines: Lines) -> bool:
    return lines.size(start, end) <= LONGEST_CLOSING and bool(_CLOSING.fullmatch(lines.text(start, end)))


def _merged(pieces: Iterator[Span], lines: Lines, sizes: SpanSizes) -> Iterator[Span]:
    last: Span | None = None
    for piece in pieces:
        if last is not None and _only_begins(last, piece, lines):
            last = piece._replace(start_line=last.start_line)
            continue
        if last is not None and _belong_together(last, piece, lines, sizes):
            last = _joined(last, piece)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _only_begins(above: Span, below: Span, lines: Lines) -> bool:
    """Whether the lines say nothing by themselves and lead into what follows: a bare heading, `<?php`."""
    if above.kind not in _OPENINGS or above.defines or below.path[: len(above.path)] != above.path:
        return False
    return lines.size(above.start_line, above.end_line) <= _OPENINGS[above.kind]


def _belong_together(above: Span, below: Span, lines: Lines, sizes: SpanSizes) -> bool:
    if above.holder != below.holder:
        return False
    size = lines.size(above.start_line, below.end_line)
    if _is_minor(above) and _is_minor(below):
        return size <= sizes.holder
    largest = max(lines.size(span.start_line, span.end_line) for span in (above, below))
    return size <= sizes.merged and largest < sizes.small


def _is_minor(span: Span) -> bool:
    """Lines outside of any definition, a class's head, constants: what is read together."""
    return span.kind in _MINOR or (span.path == span.holder and span.kind in _HOLDERS)


def _joined(above: Span, below: Span) -> Span:
    """Two neighbours as one, named after the first that defines something; a file's head keeps its own kind."""
    is_head = above.start_line == 1 and above.kind == "module"
    shown = above if above.defines or is_head or not below.defines else below
    return shown._replace(
        start_line=above.start_line,
        end_line=below.end_line,
        defines=(*above.defines, *below.defines),
        doc=above.doc or below.doc,
        signature=above.signature or below.signature,
    )


def _parts(span: Span, outline: Outline, lines: Lines, sizes: SpanSizes) -> Iterator[Span]:
    """A span cut into parts of at most `sizes.whole` characters where its lines allow it, at shallow statements."""
    start, part = span.start_line, span
    while lines.size(start, span.end_line) > sizes.whole:
        line = _best_cut((start, span.end_line), outline, lines, sizes)
        if line > span.end_line:
            break
        yield part._replace(start_line=start, end_line=line - 1)
        start, part = line, span._replace(defines=(), start_line=line)
    yield part


def _best_cut(part: tuple[int, int], outline: Outline, lines: Lines, sizes: SpanSizes) -> int:
    """The line with which the next part begins."""
    start, end = part
    rest = lines.size(start, end)
    # Even, with room to find a good cut.
    most = min(sizes.whole, -(-rest // -(-rest // sizes.whole)) * 5 // 4)
    furthest = lines.last_within(start, most) + 1
    candidates = _cuts_between(part, outline, lines, (most // 2, most))
    best = min(candidates, key=lambda cut: (cut[1], -cut[0]), default=None)
    if sizes.unbroken and (best is None or best[1]):
        whole = _whole_blocks(part, outline, lines, sizes)
        best = min(whole, key=lambda cut: abs(lines.size(start, cut[0] - 1) - most), default=best)
    return best[0] if best else min(furthest, end + 1)


def _whole_blocks(
    part: tuple[int, int], outline: Outline, lines: Lines, sizes: SpanSizes
) -> list[tuple[int, int]]:
    """Cuts that stand inside of no block, and whose own block is no longer than a part may be."""
    around = _cuts_between(part, outline, lines, (sizes.whole // 8, sizes.unbroken))
    shallow = min((depth for _, depth in around), default=0)
    outer = [line for line, depth in around if depth == shallow]
    last = part[1] + 1
    following = range(bisect_left(outline.cuts, (outer[-1] + 1, 0)) if outer else 0, len(outline.cuts))
    behind = next((outline.cuts[place][0] for place in following if outline.cuts[place][1] <= shallow), last)
    ends = [*outer[1:], min(behind, last)]
    return [
        (line, shallow)
        for line, end in zip(outer, ends, strict=False)
        if lines.size(line, end - 1) <= sizes.unbroken
    ]


def _cuts_between(
    part: tuple[int, int], outline: Outline, lines: Lines, sizes: tuple[int, int]
) -> list[tuple[int, int]]:
    """Lines of the part, with their depth, that leave between so many and so many characters before them."""
    start, end = part
    least, most = sizes
    nearest = max(start + 1, bisect_left(lines.offsets, lines.offsets[start - 1] + least) + 1)
    beyond = min(lines.last_within(start, most) + 1, end)
    low, high = bisect_left(outline.cuts, (nearest, 0)), bisect_left(outline.cuts, (beyond + 1, 0))
    return list(outline.cuts[low:high])
