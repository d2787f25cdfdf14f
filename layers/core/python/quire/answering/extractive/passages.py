"""Cuts stored text into passages that can be quoted by themselves: sentences, list items, table rows, code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quire.analysis.entries import naming_option

SENTENCE, ITEM, ROW, CODE = "sentence", "item", "row", "code"
TITLE = "title"  # with a row of signs below it
DEFINED = "defined"  # by a directive, whose body is about it

_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ANY_FENCE = re.compile(r"^[ \t]*+(?:`{3,}+|~{3,}+)(?P<info>[^\n`]*+)$", re.M)
_ITEM = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s+")
_INDENT = re.compile(r"(?:\t| {2,})\S")
_ROW = re.compile(r"\S[ \t]{0,20} \| \S|^[ \t]*+\|.*\|$|^\| \S")
CSV_ROW = re.compile(
    r"""
    [ \t]*+ "(?:[^"]|"")*+"                           # the first cell, always quoted here
    (?: ,[ \t]*+ (?: "(?:[^"]|"")*+" | [^\s",]++ ) )++ [ \t]*+ $
    """,
    re.VERBOSE,
)
BORDER = re.compile(r"[ \t]*+=++(?:[ \t]++=++)++[ \t]*+")
"""Above, within and below a table of reStructuredText whose columns blanks part."""
_IN_HTML_TABLE = re.compile(
    r"""
    [ \t]*+ (?: <(?:t[dh])\b                                                  # a cell, whatever it says
      | </?(?:table|thead|tbody|tr|t[dh])\b [^<>\n]*+ (?:>|$) [ \t]*+ (?:<|$) )  # the tag alone, or before others
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"<[^<>\n]*+>?")
_LINK = re.compile(r"\[[^\[\]\n]*+\]\(")
_INLINE_CODE = re.compile(r"`[^`\n]*+`")
_PARAMETERS = re.compile(r"(?<=\w)\([^()\n]*+\)")
_RULE = re.compile(r"[\s|:+=-]*$")
_UNDERLINE = re.compile(r"([-=`:.'\"~^_*+#<>])\1{2,}")
LABEL = re.compile(r"\s*+\.\. (?:_[^:\n]++:(?: \S++)?|[\w-]+:: ?[\w./-]*)$")
"""Of reStructuredText: a target, also of links, or a directive that says nothing itself."""
_DEFINES = re.compile(
    r"""
    (?P<indent>[ \t]*+)\.\.[ ](?:
      [a-z]{1,12}:[a-z-]++                                           # of a domain: py:method, c:function, http:get
    | class | exception | function | method | staticmethod | classmethod | attribute | data | property | decorator
    | describe | object | option | cmdoption | confval | envvar | setting | signal | event | macro | member | type
    )::[ \t]++(?P<name>\S.*+)
    """,
    re.VERBOSE,
)
"""Of reStructuredText: what says that its body is about a name."""
_END = re.compile(r"[.!?…][\"'”’)\]*_`]*(?=\s)(?!\s+[a-z])|[。！？]")
_ENDS = re.compile(r"[.!?…;)\"”'`\]。]\s*$")
LONGEST_TITLE = 80
_KEYED = re.compile(r"[*_\s]{0,3}[A-Z][\w -]{0,40}[*_]{0,2}:[*_]{0,2} \S")
LONGEST_HEAD = 12
"""Lines of a directive's signatures and options that are told from what it says of them."""
_ABBREVIATION = re.compile(
    r"""
    (?:
        \b(?:e\.g|i\.e|cf|vs|etc|approx|fig|eq|no|vol|pp?        # of texts
            |dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|u\.s|u\.k)     # of names
        | \b[A-Z]
    )\.$
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotable span of a text: `text[start:end]`.

    Attributes:
        kind: `sentence`, `item` (without its bullet), `row` (of a table) or `code` (with its fences).
        lead: span of the sentence or header row that introduces it, such as "It needs:"; None without one.
        heading: span of the heading that it stands under, without `#`; None without one.
        block: passages of one paragraph, list or table share a number, counted from 0.
    """

    start: int
    end: int
    kind: str
    lead: tuple[int, int] | None
    heading: tuple[int, int] | None
    block: int


@lru_cache(maxsize=256)
def split_passages(text: str) -> tuple[Passage, ...]:
    """All passages of the text, in order. Headings and introducing lines are no passages but belong to some."""
    cutter = _Cutter(text)
    for start, end, kind in _lines(text):
        cutter.take(start, end, kind)
    cutter.end_block()
    cutter.keep_lead()
    return tuple(cutter.passages)


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans of lines with their kind; a fenced block is one span, and so is the end of one that begins a text."""
    if torn := torn_fence_end(text):
        yield 0, torn, CODE
    for start, end, kind in _lines_behind(text[torn:]):
        yield torn + start, torn + end, kind


def _lines_behind(text: str) -> Iterator[tuple[int, int, str]]:
    position, fence_start, fence, past = 0, -1, "", 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        start, end = position, position + len(line.rstrip())
        position += len(line)
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                yield fence_start, end, CODE
                fence = ""
        elif number < past:
            continue
        elif past := table_end(lines, number):
            yield from _rows(lines[number:past], start)
        elif mark and not _named(lines, number):
            fence_start, fence = start, mark[1]
        else:
            name, kind = _named(lines, number) or (0, _kind(line.rstrip()))
            yield start + name, end, kind
    if fence:
        yield fence_start, len(text.rstrip()), CODE


def _rows(lines: Sequence[str], position: int) -> Iterator[tuple[int, int, str]]:
    """Spans of a table's rows, each a line without a border, or of HTML, where one may stand on several lines."""
    if _IN_HTML_TABLE.match(lines[0]):
        yield from _html_rows(lines, position)
        return
    for line in lines:
        if line.strip() and not BORDER.fullmatch(line.rstrip()):
            yield position, position + len(line.rstrip()), ROW
        position += len(line)


def _html_rows(lines: Sequence[str], position: int) -> Iterator[tuple[int, int, str]]:
    """The same of a table of HTML, whose first row may begin in the chunk before; what says nothing is none."""
    row, end, says = -1, position, False
    for line in lines:
        begins, bare = "<tr" in line.lower(), _TAG.sub("", line).strip()
        if says and begins:  # the row before it was not closed
            yield row, end, ROW
        if begins or (row < 0 and bare):
            row, says = position, False
        says = says or (row >= 0 and bool(bare))
        end = position + len(line.rstrip()) if line.strip() else end
        if "</tr" in line.lower():
            if says:
                yield row, end, ROW
            row, says = -1, False
        position += len(line)
    if says:
        yield row, end, ROW


def table_end(lines: Sequence[str], number: int) -> int:
    """Line behind a table that is drawn or of HTML, where one begins in line `number`, or goes on there from the chunk
    before; 0 where none does."""
    return drawn_table_end(lines, number) or _html_table_end(lines, number)


def _html_table_end(lines: Sequence[str], number: int) -> int:
    """Line behind a table of HTML that begins in line `number`, or goes on there from the chunk before; 0 without one.
    Of one that nothing closes, the lines up to a blank one that others follow are there.

    >>> _html_table_end(["<table>", "", "<tr><td>1</td></tr>", "</table>", "Below."], 0), _html_table_end(["<p>"], 0)
    (4, 0)
    """
    if not _IN_HTML_TABLE.match(lines[number]):
        return 0
    torn, above = len(lines), lines[number]
    for below in range(number, len(lines)):
        line = lines[below]
        if "</table" in line.lower():
            return below + 1
        if _HEADING.match(line):
            return min(torn, below)
        if line.strip() and not above.strip() and not _IN_HTML_TABLE.match(line):
            torn = min(torn, below)
        above = line
    return torn


def _named(lines: Sequence[str], number: int) -> tuple[int, str] | None:
    """Kind of a line that names what follows, or belongs to one that does, and where in it the name begins."""
    if is_underlined(lines, number):
        return 0, TITLE
    if is_underlined(lines, number - 1) or is_underlined(lines, number + 1, over=True):
        return 0, "rule"
    if (name := defined_at(lines, number)) or (name := _names_head(lines, number)):
        return name, DEFINED
    return (0, "rule") if _is_in_head(lines, number) else None


def _names_head(lines: Sequence[str], number: int) -> int:
    """Where in the line the names begin, of the option that names what the directive above documents; 0 elsewhere."""
    if not lines[number].lstrip().startswith(":"):
        return 0
    heads = (
        naming_option(lines, above) for above in range(number - 1, max(number - 1 - LONGEST_HEAD, -1), -1)
    )
    found = next(filter(None, heads), None)
    return found[1].start("names") if found and found[0] == number else 0


def _is_in_head(lines: Sequence[str], number: int) -> bool:
    """Whether the line is a further one of a directive's head: its signature goes on, or an option."""
    if not lines[number][:1].isspace() or not lines[number].strip():
        return False
    for above in range(number - 1, max(number - 1 - LONGEST_HEAD, -1), -1):
        if not lines[above].strip():
            return False
        if naming_option(lines, above):
            return True
        if _DEFINES.fullmatch(lines[above].rstrip()):
            return bool(defined_at(lines, above))
    return False


def is_underlined(lines: Sequence[str], number: int, *, over: bool = False) -> bool:
    """Whether a line is a title with a row of one sign below it, as long as itself; with `over`, above it as well.

    A row of `=` or `-` below a line of its own may be shorter, as Markdown allows.
    Such a row may look like a fence, which says that code begins: below a title nothing stands at once.
    """
    if not 0 <= number < len(lines) - 1 or (over and not number):
        return False
    title, row = lines[number].rstrip(), lines[number + 1].rstrip()
    if (
        not title.strip()
        or title.lstrip().startswith(("```", "~~~"))  # code that begins with a row, such as front matter
        or not _UNDERLINE.fullmatch(row)
        or (
            len(row) < len(title)
            and (row[0] not in "=-" or over or "".join(lines[number - 1 : number]).strip())
        )
        or _UNDERLINE.fullmatch(title)
    ):
        return False
    if over:
        return lines[number - 1].rstrip() == row and row not in ("```", "~~~")
    if row[0] not in "`~" or not "".join(lines[number + 2 : number + 3]).strip():
        return True
    # A fence is three signs wide; a row that is exactly as wide as a longer title was drawn below it.
    return len(row) > len("~~~") and len(row) - len(title) <= 1


def defined_at(lines: Sequence[str], number: int) -> int:
    """Where in the line the name begins that the indented text below it is about; 0 where the line begins no such text.

    >>> defined_at([".. py:method:: stop(timeout)\\n", "\\n", "    Ends it.\\n"], 0)
    15
    """
    found = _DEFINES.fullmatch(lines[number].rstrip())
    if found is None:
        return 0
    below = next((line for line in lines[number + 1 :] if line.strip()), "")
    return found.start("name") if len(below) - len(below.lstrip()) > len(found["indent"]) else 0


def _kind(line: str) -> str:
    if not line.strip() or LABEL.match(line):
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if _RULE.fullmatch(line):
        return "rule"
    if _ITEM.match(line):
        return ITEM
    if is_row(line):
        return ROW
    return "indented" if _INDENT.match(line) else SENTENCE


def drawn_table_end(lines: Sequence[str], number: int) -> int:
    """Line behind a table whose columns blanks part, where it begins in line `number`, or goes on there from the chunk
    before; 0 where none does. Of one that no border ends, its rows up to a blank line are there.

    >>> drawn_table_end(["===  ===", "Key  Does", "===  ===", "n    opens", "===  ==="], 0)
    5
    >>> drawn_table_end(["n    opens", "===  ===", ""], 0), drawn_table_end(["No table.", "===  ==="], 0)
    (2, 0)
    >>> drawn_table_end(["Keys", "  ===  ===", "  n    opens", "  ===  ==="], 0)
    0
    """
    is_border = bool(BORDER.fullmatch(lines[number].rstrip()))
    if not (is_border or number == 0) or not "".join(lines[number + 1 : number + 2]).strip():
        return 0
    for below in range(number + 1, len(lines)):
        is_closing = BORDER.fullmatch(lines[below].rstrip())
        if is_closing and not "".join(lines[below + 1 : below + 2]).strip():
            gaps = [slice(*gap.span()) for gap in re.finditer(r"(?<==)[ \t]++(?==)", lines[below])]
            rows = [] if is_border else lines[:below]
            return below + 1 if all(not row[gap].strip() for row in rows for gap in gaps) else 0
        if not is_border and (is_closing or not lines[below].strip()):
            return 0
    return (
        next((n for n in range(number, len(lines)) if not lines[n].strip()), len(lines)) if is_border else 0
    )


def is_keyed(line: str) -> bool:
    """Whether a line tells a value by its key, and so needs no end: what a setting is by default.

    >>> is_keyed("Default: 20"), is_keyed("**Default**: `true`"), is_keyed("On Android:"), is_keyed("On Android")
    (True, True, False, False)
    """
    return bool(_KEYED.match(line))


def is_row(line: str) -> bool:
    """Whether a line looks like a row of a table. A bar in code, as in `` `ls | wc` `` or a signature, divides nothing.

    >>> is_row("a | b"), is_row("| | b"), is_row("Count them by `ls | wc`."), is_row("f(x: int | str): int")
    (True, True, False, False)

    Nor does one in the words of a link, or below a footnote's mark.

    >>> is_row("See [our guide | Quay](https://quay.test)."), is_row("[^1]: From Quay | the port")
    (False, False)

    A row of a `csv-table` is one too.

    >>> is_row('   "n", "opens, or not"'), is_row('"A lamp", she said.')
    (True, False)
    """
    if '", "' in line and CSV_ROW.match(line):
        return True
    if "|" not in line or line.lstrip().startswith("[^"):
        return False
    plain = _LINK.sub("[](", line) if "](" in line else line
    return bool(_ROW.search(_PARAMETERS.sub("()", _INLINE_CODE.sub("`", plain))))


def torn_fence_end(text: str) -> int:
    """Where the code ends that the text begins in, its fence's last line included; 0 where it begins in none.

    Long code is cut between chunks. The first fence line is then a closing one: it is bare, nothing stands directly
    below it, and the next one has a language or is missing.

    >>> torn_fence_end("x = 1\\n```\\n\\nSay:\\n\\n```python\\ny = 2\\n```")
    9
    """
    if not (found := list(_ANY_FENCE.finditer(text))):
        return 0
    lines = text.splitlines()
    fences = [one for one in found if not is_underlined(lines, text.count("\n", 0, one.start()) - 1)]
    if not fences or fences[0]["info"] or text[fences[0].end() + 1 :].partition("\n")[0].strip():
        return 0
    return fences[0].end() if len(fences) == 1 or fences[1]["info"] else 0


class _Cutter:
    """Collects lines into blocks and cuts each block when it ends."""

    def __init__(self, text: str) -> None:
        self.passages: list[Passage] = []
        self._text = text
        self._spans: list[tuple[int, int]] = []
        self._kind = ""
        self._lead: tuple[int, int] | None = None
        self._heading: tuple[int, int] | None = None
        self._block = 0

    def take(self, start: int, end: int, kind: str) -> None:
        """Add a line; a line of another kind ends the block."""
        if kind == "rule" and self._is_below_header(self._text[start:end]):
            return
        if kind in ("blank", "rule"):
            self.end_block()
        elif kind in ("heading", TITLE, DEFINED):
            self.end_block()
            begin = start + (
                self._text[start:end].index(" ") + 1 if kind == "heading" else _blanks(self._text, start)
            )
            self._heading, self._lead = (begin, end), None
        elif kind == CODE:
            self.end_block()
            self._kind, self._spans = CODE, [(start, end)]
            self.end_block()
        elif kind == "indented" or (kind == SENTENCE and self._kind == SENTENCE):
            self._continue(start, end)
        else:
            if kind != self._kind:
                self.end_block()
            self._kind = kind
            self._spans.append((start + _marker(self._text[start:end]), end))

    def _is_below_header(self, rule: str) -> bool:
        """Whether the rule parts the first row of a table from the others; between rows of a grid others stand."""
        return self._kind == ROW and len(self._spans) == 1 and "|" in rule

    def _continue(self, start: int, end: int) -> None:
        if self._spans:
            self._spans[-1] = (self._spans[-1][0], end)
        else:
            self._kind, self._spans = SENTENCE, [(start + _blanks(self._text, start), end)]

    def end_block(self) -> None:
        """Cut what was collected into passages."""
        if not self._spans:
            return
        kind, spans, self._spans, self._kind = self._kind, self._spans, [], ""
        lead = self._lead
        begin = spans[0][0]
        if kind == SENTENCE and lead and self._text[begin - 1 : begin] in (" ", "\t"):
            spans = sentences(self._text, *spans[0])  # set in below what announces it: a command, say
        elif kind == SENTENCE:
            lead, spans = None, self._without_lead(spans[0])
        elif kind == ROW and len(spans) > 1:
            lead, *spans = spans
        self.passages += [Passage(start, end, kind, lead, self._heading, self._block) for start, end in spans]
        self._block += bool(spans)

    def keep_lead(self) -> None:
        """At the end of the text: what introduces nothing is a passage after all, where there is no other."""
        if self._lead and not self.passages:
            self.passages.append(Passage(*self._lead, SENTENCE, None, self._heading, 0))

    def _without_lead(self, paragraph: tuple[int, int]) -> list[tuple[int, int]]:
        """Keep aside what introduces the next block and says little alone: a closing "…:", or a title-like line."""
        self._lead = None
        spans = sentences(self._text, *paragraph)
        last = self._text[slice(*spans[-1])]
        is_short = len(spans) == 1 and len(last) <= LONGEST_TITLE and "\n" not in last
        if last.endswith(":") or (is_short and not (_ENDS.search(last) or is_keyed(last))):
            self._lead = spans.pop()
        return spans


def _marker(line: str) -> int:
    """Length of the line's bullet or number, with its blanks."""
    found = _ITEM.match(line)
    return found.end() if found else 0


def _blanks(text: str, start: int) -> int:
    return len(text[start:]) - len(text[start:].lstrip())


def sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the sentences in `text[start:end]`, without the white space between them.

    Abbreviations, initials and decimals do not end a sentence, and a lower-case letter does not begin one.
    """
    found: list[tuple[int, int]] = []
    begin = start
    for mark in _END.finditer(text, start, end):
        if _ABBREVIATION.search(text[max(begin, mark.start() - 12) : mark.start() + 1]):
            continue
        found.append((begin, mark.end()))
        begin = mark.end() + _blanks(text[: end + 1], mark.end())
    if begin < end:
        found.append((begin, end))
    return found
