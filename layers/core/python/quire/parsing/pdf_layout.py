"""Lines of a PDF to Markdown: headings, paragraphs as they were written, lists, and code with its indentation.

A PDF says where each sign stands and nothing of what it is. Running heads, page numbers, tables of contents and
indexes lead readers of paper; they are left out, because they would be found in place of what they lead to.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from quire.parsing.formats import fenced

HYPHEN = "\x02"
"""Stands where a word is parted at the end of a line."""
EDGE_LINES = 2
"""How many lines from the top and from the bottom of a page may be running heads."""
LEAST_REPEATED = 3
"""On so many pages a line stands again before it is taken for a running head."""
FIRST_LEVEL = 2
DEEPEST = 6
"""Of headings; the first level is the document's own title."""
MOST_HEADING = 120
_LARGER = 1.12
"""How much larger than the text a heading is set."""
_FULL = 0.88
"""What share of the column a line reaches that goes on in the next."""
_APART = 1.45
"""Lines further apart than so many of the usual distances belong to two paragraphs."""
_INDENT = 0.7
"""In units of its size: what a line must be set in to begin a paragraph."""
_NAVIGATION_SHARE = 0.5
_MOST_BOLD = 0.3
"""In a text of which more is bold a bold line says nothing."""
_MOST_WORDS = 10
LEAST_BEFORE_INDEX = 4
"""Pages that stand before one that can be of an index."""
_IN_ORDER = 0.8
"""What share of neighbours is in order where all are; columns and subentries break it."""
_LEADER = re.compile(r"(?:\. ?){4}")
_CONTENTS = re.compile(r"(?:table of )?contents", re.IGNORECASE)
_LEADS = re.compile(r"[\s.]\d+$|\.\s*[ivxlc]+$", re.IGNORECASE)
_INDEX_ENTRY = re.compile(r"\D{2,60},\s*\d+(?:[,–\s-]+\d+)*")
_LAST_NUMBER = re.compile(r"\d{1,9}$")
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"^(\d{1,4})\b|\b(\d{1,4})$")
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_BULLET = re.compile(r"^[•◦▪▶►➢‣●○■–·∙*]\s*(?=\S)")
_ORDERED = re.compile(r"^(\d{1,2})[.)]\s+(?=\S)")
_SPECIAL = re.compile(r"[\\`*_<\[\]|~#]|&(?=#?\w+;)")
_LIST_LIKE = re.compile(r"^[-+>=:](?=\s|$|[=-])")
_NUMBERED = re.compile(r"\d+(?:\.\d+)+(?=\.?\s+[^\W\d_a-z])")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_WORD = re.compile(r"[^\W\d_]{2,}")
_PART_LABEL = re.compile(r"(?:chapter|appendix|part)\s+[\w.]+", re.IGNORECASE)
_SENTENCE_ENDS = ".!?:;”\"’')]"
_OUTLINE_NUMBER = re.compile(
    r"""
    (?: (?:chapter|appendix|part|section)\s+\w+[.:]?  # Chapter 3:
      | (?:[a-z]\.)?\d+(?:\.\d+)*[.:)]?               # 3.1, B.2
    )
    \s+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HYPHENATED = re.compile(rf"(?<![^\W\d_])([^\W\d_]++){HYPHEN}([^\W\d_]+)")
_TICK = r"[-−]?[0-9]{1,9}(?:\.[0-9]{1,9})?"
_ONLY_NUMBERS = re.compile(rf"{_TICK}(?: {_TICK}){{0,40}}")
_SHORTEST_SCALE = 3
_OFF_SCALE = 1.5
"""What a number of an axis may stand off its place, in points."""


class Bookmark(NamedTuple):
    """An entry of the outline: how deep, from 0; its title; the page it leads to, from 0."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page.

    Attributes:
        left, right: where its first and last sign stand, in points from the left.
        top, bottom: how far below the top of the page they stand, in points; not alike where a word is parted.
        size: of its font, in points.
        is_code: all signs of its font are equally wide.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    is_code: bool = False
    is_bold: bool = False


@dataclass(slots=True)
class _Typesetting:
    """What the text of a document looks like: its font's size, the distance between its lines, whether it is bold."""

    size: float
    leading: float
    is_bold: bool
    headings: Mapping[float, int] = field(default_factory=dict)


def to_markdown(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark], title: str = "") -> list[str]:
    """The Markdown of each page, in order; "" for a page that holds none.

    The first says the document's title: `title`, or what is set largest on it. Headings are what the outline leads to,
    and lines in a larger font.
    """
    whole = [_without_scales(_joined(page)) for page in _mended(pages)]
    bare = _without_navigation(_without_running_heads(whole))
    shape = _shape(bare)
    shape.headings = _heading_sizes(bare, shape)
    by_page = _placed(bookmarks, bare)
    titled = (_titles(lines, by_page[number], bookmarks, shape) for number, lines in enumerate(bare))
    shown = [_page(lines, titles, shape) for lines, titles in zip(bare, titled, strict=True)]
    title = title or _largest(bare[0], shape)
    return [_titled(shown[0], _escaped(title)), *shown[1:]] if title else shown


def _titled(page: str, title: str) -> str:
    """The first page under its title, which it may say itself."""
    lines = page.split("\n")
    said = next(
        (at for at, line in enumerate(lines) if line.startswith("#") and line.lstrip("#")[1:] == title), -1
    )
    if said < 0:
        return f"# {title}\n\n{page}".rstrip()
    return "\n".join([*lines[:said], f"# {title}", *lines[said + 1 :]])


# ---- what is not text -----------------------------------------------------------------------------------------------


def _mended(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Words that a line's end parted are whole again; with their hyphen where the document writes them so."""
    known = Counter(
        word.lower()
        for page in pages
        for line in page
        for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", line.text)
    )

    def whole(match: re.Match[str]) -> str:
        one, hyphened = match[1] + match[2], f"{match[1]}-{match[2]}"
        return hyphened if known[hyphened.lower()] > known[one.lower()] else one

    return [
        [
            replace(line, text=_HYPHENATED.sub(whole, line.text).replace(HYPHEN, "-"))
            if HYPHEN in line.text
            else line
            for line in page
        ]
        for page in pages
    ]


def _joined(lines: Sequence[Line]) -> list[Line]:
    """Pieces that stand on one height behind each other are one line, such as a bullet and its text."""
    found: list[Line] = []
    for line in lines:
        last = found[-1] if found else None
        if last and _is_beside(last, line):
            whole = last if last.size > line.size or last.is_code else line
            found[-1] = replace(
                whole, text=f"{last.text} {line.text}", left=last.left, right=line.right, top=last.top
            )
        else:
            found.append(line)
    return found


def _is_beside(one: Line, other: Line) -> bool:
    """Whether a piece stands behind another on its line, raised or lowered as exponents are, or not."""
    size = max(one.size, other.size)
    return abs(one.bottom - other.top) < size * 0.6 and 0 < other.left - one.right < size * 3


def _without_scales(lines: Sequence[Line]) -> list[Line]:
    """The lines without the numbers along the axes of a plot, of which a quote would show a screen full.

    Those of the upright axis stand above each other and grow with their height by one rule; those of the other one in
    a line beside them. Three alone may be a vector, and numbers that have others beside them are a table.
    """
    numbers = [_read_numbers(line.text) for line in lines]
    left_out: set[int] = set()
    for at in range(len(lines) - 2):
        run = _scale(lines, numbers, at) if at not in left_out else range(0)
        if len(run) < _SHORTEST_SCALE:
            continue
        ends = (one for one in (run.start - 1, run.stop) if 0 <= one < len(lines))
        across = {one for one in ends if len(numbers[one]) > 1 and numbers[one] == sorted(set(numbers[one]))}
        if (len(run) > _SHORTEST_SCALE or across) and not _is_column(lines, run):
            left_out |= {*run, *across}
    return [line for at, line in enumerate(lines) if at not in left_out]


def _read_numbers(text: str) -> list[float]:
    """The numbers of a line that holds nothing else; none of another."""
    return [float(one.replace("−", "-")) for one in text.split()] if _ONLY_NUMBERS.fullmatch(text) else []


def _scale(lines: Sequence[Line], numbers: Sequence[list[float]], first: int) -> range:
    """The lines from `first` on, each a number, whose heights follow from their numbers as the first two tell."""
    if len(numbers[first]) != 1 or len(numbers[first + 1]) != 1:
        return range(0)
    (low,), (high,) = numbers[first], numbers[first + 1]
    drop = lines[first].top - lines[first + 1].top
    if not drop or (high - low) / drop <= 0:
        return range(0)
    last = first + 2
    while last < len(lines) and len(numbers[last]) == 1:
        expected = lines[first].top - drop * (numbers[last][0] - low) / (high - low)
        if abs(lines[last].top - expected) > _OFF_SCALE:
            break
        last += 1
    return range(first, last)


def _is_column(lines: Sequence[Line], run: range) -> bool:
    """Whether most of the lines have another on their height that says something else."""
    beside = [
        any(abs(one.top - lines[at].top) < _OFF_SCALE and one.text != lines[at].text for one in lines)
        for at in run
    ]
    return sum(beside) * 2 > len(run)


def _without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Without what stands on the edges of many pages, alike or but for their numbers, and without the pages' numbers.

    What is set larger than the text is a heading, however often it stands there.
    """
    size = _text_size(pages)
    repeated: Counter[tuple[str, int]] = Counter()
    for place, page in enumerate(pages):
        repeated.update({said for at in _edges(page) for said in _said(page[at].text, place)})
    offsets = Counter(
        number - place
        for place, page in enumerate(pages)
        for at in _edges(page)
        for number in _numbers(page[at].text)
    )
    offset, count = max(offsets.items(), key=lambda item: item[1], default=(0, 0))
    is_numbered = count >= max(LEAST_REPEATED, len(pages) // 4)

    def is_head(line: Line, place: int) -> bool:
        if line.size < size * _LARGER and any(
            repeated[one] >= LEAST_REPEATED for one in _said(line.text, place)
        ):
            return True
        return (is_numbered and place + offset in _numbers(line.text)) or bool(_ROMAN.fullmatch(line.text))

    found = []
    for place, page in enumerate(pages):
        heads = {at for at in _edges(page) if is_head(page[at], place)}
        found.append([line for at, line in enumerate(page) if at not in heads])
    return found


def _said(text: str, place: int) -> set[tuple[str, int]]:
    """A line as other pages may say it: alike, or with numbers that grow as those of the pages do."""
    without = _NUMBER.sub("#", text)
    return {(text, 0), *((without, int(number[0][:9]) - place) for number in _NUMBER.finditer(text))}


def _edges(page: Sequence[Line]) -> set[int]:
    """Which lines stand highest and lowest."""
    order = sorted(range(len(page)), key=lambda at: page[at].top)
    return {*order[:EDGE_LINES], *order[-EDGE_LINES:]}


def _numbers(text: str) -> Iterator[int]:
    """The numbers that a line begins and ends with."""
    for match in _PAGE_NUMBER.finditer(text):
        yield int(match[1] or match[2])


def _without_navigation(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Without tables of contents and the index: they say what is found where, and nothing of it.

    The pages that contents name ascend, and so do the words of an index, which stands at the end of a document. Prices
    and measures behind names do neither there.
    """
    found: list[list[Line]] = []
    is_contents = False
    for place, page in enumerate(pages):
        leads = [line for line in page if _LEADS.search(line.text)]
        numbers = [int(number[0]) for line in leads if (number := _LAST_NUMBER.search(line.text))]
        titled = any(_CONTENTS.fullmatch(line.text) for line in page[:EDGE_LINES])
        goes_on = is_contents and len(leads) > len(page) * _NAVIGATION_SHARE
        is_contents = (titled or goes_on or _is_led(page)) and _ascends(numbers)
        is_index = place >= max(LEAST_BEFORE_INDEX, len(pages) * 3 // 4) and _is_index(page)
        found.append([line for line in page if not ((is_contents or is_index) and line in leads)])
    return found


def _is_led(page: Sequence[Line]) -> bool:
    """Whether dots lead from words to numbers."""
    return sum(1 for line in page if _LEADER.search(line.text)) > LEAST_REPEATED


def _is_index(page: Sequence[Line]) -> bool:
    entries = [line for line in page if _INDEX_ENTRY.fullmatch(line.text)]
    is_listed = len(entries) > max(LEAST_REPEATED, len(page) * _NAVIGATION_SHARE)
    words = [line.text.lower() for line in (entries if is_listed else page)]
    return (is_listed or _is_led(page)) and _ascends(words)


def _ascends(values: Sequence[int] | Sequence[str]) -> bool:
    """Whether nearly each of the values is no less than the one before it."""
    pairs = [bool(first <= second) for first, second in pairwise(values)]  # type: ignore[operator]
    return sum(pairs) >= len(pairs) * _IN_ORDER


# ---- shape ----------------------------------------------------------------------------------------------------------


def _text_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size of the font that most of the text is set in, code apart."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size] += 0 if line.is_code else len(line.text)
    return max(sizes.items(), key=lambda item: item[1], default=(10.0, 0))[0]


def _shape(pages: Sequence[Sequence[Line]]) -> _Typesetting:
    size = _text_size(pages)
    steps = Counter(
        round(line.top - above.bottom, 1)
        for page in pages
        for above, line in pairwise(page)
        if above.size == line.size == size and 0 < line.top - above.bottom < 3 * size
    )
    often = max(steps.values(), default=0) / 2
    leading = min((step for step, count in steps.items() if count >= often), default=size * 1.2)
    bold = sum(len(line.text) for page in pages for line in page if line.is_bold)
    whole = sum(len(line.text) for page in pages for line in page if not line.is_code)
    return _Typesetting(size, leading, bold > whole * _MOST_BOLD)


def _heading_sizes(pages: Sequence[Sequence[Line]], shape: _Typesetting) -> Mapping[float, int]:
    """The level of the headings of each size that is larger than the text's: 2 for the largest."""
    sizes = {line.size for page in pages for line in page if _is_large(line, shape)}
    return {
        size: min(level, DEEPEST - 1) for level, size in enumerate(sorted(sizes, reverse=True), FIRST_LEVEL)
    }


def _is_large(line: Line, shape: _Typesetting) -> bool:
    return line.size >= shape.size * _LARGER and _is_title(line)


def _is_title(line: Line) -> bool:
    is_sentence = line.text[-1] in ".,;:"
    return not (line.is_code or is_sentence or len(line.text) > MOST_HEADING) and bool(
        _WORD.search(line.text)
    )


# ---- headings -------------------------------------------------------------------------------------------------------

Heading = tuple[int, str]
"""Its level and its words."""


class _Title(NamedTuple):
    """Headings that stand before a line, and the last line that says them."""

    headings: Sequence[Heading]
    last: int


def _titles(
    lines: Sequence[Line], here: Sequence[Bookmark], outline: Sequence[Bookmark], shape: _Typesetting
) -> Mapping[int, _Title]:
    """The headings of a page by the numbers of their lines; those that the outline lacks lie below all that it has."""
    by_size = _from_sizes(lines, shape)
    if not outline:
        return by_size
    margin = min(Counter(round(line.left) for line in lines).most_common(1), default=(0, 0))[0]
    found = _from_outline(lines, here)
    taken = {at for first, title in found.items() for at in range(first, title.last + 1)}
    below = min(max(one.level for one in outline) + FIRST_LEVEL + 1, DEEPEST)
    further = {
        first: _Title([(below, words) for _, words in title.headings], title.last)
        for first, title in by_size.items()
        if taken.isdisjoint(range(first, title.last + 1))
        and first not in found
        # What is large elsewhere is written into a picture.
        and abs(lines[first].left - margin) < lines[first].size
    }
    return {**found, **further}


def _placed(bookmarks: Sequence[Bookmark], pages: Sequence[Sequence[Line]]) -> Mapping[int, list[Bookmark]]:
    """The outline's entries by the page that says them: some lead to the foot of the page before."""
    found: dict[int, list[Bookmark]] = defaultdict(list)
    for one in bookmarks:
        here, there = (pages[at] if 0 <= at < len(pages) else () for at in (one.page, one.page + 1))
        is_next = not _find(here, one.title, 0) and _find(there, one.title, 0)
        found[one.page + 1 if is_next else one.page].append(one)
    return found


def _from_outline(lines: Sequence[Line], bookmarks: Sequence[Bookmark]) -> Mapping[int, _Title]:
    """By the number of a line the titles of the outline that it says.

    One that is nowhere found stands with the next that is, the rest at the top: the outline says that it begins here.
    """
    found: dict[int, _Title] = {}
    waiting: list[Heading] = []
    begin = 0
    for one in bookmarks:
        waiting.append((min(one.level + FIRST_LEVEL, DEEPEST), one.title))
        place = _find(lines, one.title, begin)
        if place:
            found[place[0]] = _Title(waiting, place[1])
            waiting, begin = [], place[1] + 1
    if waiting:
        above = found.get(0)
        found[0] = _Title([*waiting, *above.headings], above.last) if above else _Title(waiting, -1)
    return found


def _find(lines: Sequence[Line], title: str, begin: int) -> tuple[int, int] | None:
    """The first and the last line of a title, which may stand on up to three; "Chapter 3" above it is part of it."""
    wanted = _bare(title)
    for first in range(begin, len(lines)):
        shown = ""
        for last in range(first, min(first + 3, len(lines))):
            shown += f" {lines[last].text}"
            if _bare(shown) == wanted:
                above = first - 1
                is_part = above >= begin and _PART_LABEL.fullmatch(lines[above].text)
                return (above if is_part else first), last
    return None


def _bare(title: str) -> str:
    """A title without its number, spaces and signs."""
    title = title.strip()
    number = _OUTLINE_NUMBER.match(title)
    return re.sub(r"[\W_]+", "", title[number.end() :] if number else title).lower()


def _from_sizes(lines: Sequence[Line], shape: _Typesetting) -> Mapping[int, _Title]:
    """By the number of a line the heading that it is by its font; lines of one size below each other are one."""
    found: dict[int, _Title] = {}
    at = 0
    while at < len(lines):
        first, level = at, _level(lines, at, shape)
        at += 1
        if not level:
            continue
        while at < len(lines) and _goes_on(lines[at - 1], lines[at], shape):
            at += 1
        words = " ".join(one.text for one in lines[first:at])
        if len(words) <= MOST_HEADING:
            found[first] = _Title([(level, words)], at - 1)
    return found


def _level(lines: Sequence[Line], at: int, shape: _Typesetting) -> int:
    """The level of the heading that a line is by its size, or, where it is bold, by its number or by standing alone.

    0 where it is none.
    """
    line = lines[at]
    if _is_large(line, shape):
        return shape.headings.get(line.size, 0)
    if not line.is_bold or not _is_title(line):
        return 0
    if number := _NUMBERED.match(line.text):
        return min(number[0].count(".") + FIRST_LEVEL, DEEPEST)
    return min(len(shape.headings) + FIRST_LEVEL, DEEPEST) if _stands_alone(lines, at, shape) else 0


def _stands_alone(lines: Sequence[Line], at: int, shape: _Typesetting) -> bool:
    """Whether a bold line of few words stands apart from the line above it, between lines that are not bold."""
    line, above = lines[at], lines[at - 1] if at else None
    if shape.is_bold or at + 1 == len(lines) or lines[at + 1].is_bold:
        return False
    is_apart = above is None or not (above.is_bold or 0 < line.top - above.bottom < shape.leading * 1.15)
    return is_apart and line.text[0].isupper() and len(line.text.split()) <= _MOST_WORDS


def _largest(lines: Sequence[Line], shape: _Typesetting) -> str:
    """What the first page says in the largest font of the document; "" where it does not."""
    largest = max(shape.headings, default=0.0)
    titles = (
        title.headings[0][1] for at, title in _from_sizes(lines, shape).items() if lines[at].size == largest
    )
    return next(titles, "")


def _goes_on(above: Line, line: Line, shape: _Typesetting) -> bool:
    return (
        line.size == above.size
        and _is_large(line, shape)
        and 0 < line.top - above.bottom < line.size * _APART
    )


# ---- blocks ---------------------------------------------------------------------------------------------------------


def _page(lines: Sequence[Line], titles: Mapping[int, _Title], shape: _Typesetting) -> str:
    """The blocks of a page, with a blank line between them."""
    blocks: list[str] = []
    at = 0
    while at < len(lines) or at in titles:
        if at in titles:
            blocks += [f"{'#' * level} {_escaped(words)}" for level, words in titles[at].headings]
            begin = titles[at].last + 1
            titles = {number: title for number, title in titles.items() if number > at}
            at = max(at, begin)
            continue
        end = next((n for n in range(at, len(lines)) if n in titles), len(lines))
        for is_code, kin in groupby(lines[at:end], key=lambda line: line.is_code):
            group = list(kin)
            blocks += [fenced(_code(group, shape))] if is_code else _paragraphs(group, shape)
        at = end
    return "\n\n".join(blocks)


def _code(lines: Sequence[Line], shape: _Typesetting) -> str:
    """Lines of code; how far each is set in comes from where it stands."""
    widths = [(line.right - line.left) / (len(line.text) - 1) for line in lines if len(line.text) > 3]
    width = min(widths, default=0.0) or shape.size * 0.6
    left = min(line.left for line in lines)
    shown = []
    for above, line in pairwise([lines[0], *lines]):
        if line.top - above.bottom > shape.leading * _APART * 1.2:
            shown.append("")
        shown.append(" " * round((line.left - left) / width) + line.text)
    return "\n".join(shown)


def _paragraphs(lines: Sequence[Line], shape: _Typesetting) -> list[str]:
    """Paragraphs and items of lists. A line that reaches its column's end goes on in the next; others end there."""
    found: list[str] = []
    above: Line | None = None
    for line in lines:
        item = _item(line.text)
        if above is None or item or _is_apart(above, line, shape):
            found.append(item or _escaped(line.text))
        elif _is_full(above, lines):
            found[-1] += f" {_escaped(line.text)}"
        else:
            found[-1] += f"\\\n{_escaped(line.text)}"
        above = line
    return found


def _is_apart(above: Line, line: Line, shape: _Typesetting) -> bool:
    """Whether a paragraph begins: further down, set in, or at the head of another column without going on."""
    step = line.top - above.bottom
    if step < 0:
        return above.text[-1] in _SENTENCE_ENDS
    is_set_in = line.left - above.left > line.size * _INDENT and above.text[-1] in _SENTENCE_ENDS
    return step > max(shape.leading, line.size * 1.1) * _APART or is_set_in


def _is_full(line: Line, lines: Sequence[Line]) -> bool:
    """Whether a line reaches as far to the right as its column does."""
    column = [one for one in lines if abs(one.left - line.left) < line.size * 6]
    left, right = min(one.left for one in column), max(one.right for one in column)
    return line.right >= left + _FULL * (right - left)


def _item(text: str) -> str:
    """An item of a list as Markdown writes it; "" where the line begins none."""
    if found := _BULLET.match(text):
        return f"- {_escaped(text[found.end() :])}"
    if found := _ORDERED.match(text):
        return f"{found[1]}. {_escaped(text[found.end() :])}"
    return ""


def _escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    shown = _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), text)
    return f"\\{shown}" if _LIST_LIKE.match(shown) else shown
