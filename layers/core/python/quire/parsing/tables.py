"""Sheets of Excel and files of separated values to a page of HTML: a heading for each sheet, and its tables."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import PurePosixPath
from xml.etree import ElementTree
from zipfile import ZipFile

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES, TABLE_ROWS
from quire.parsing.encodings import WESTERN, older_encoding
from quire.parsing.formats import RawFile, text_of
from quire.parsing.zipped_xml import (
    UNREADABLE,
    elements,
    holds_words,
    local_name,
    parse_part,
    related_parts,
    relation_of,
)

_WORKBOOK = "xl/workbook.xml"
_DELIMITERS = ",;\t|"
_SNIFFED = 4_000
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_MOST_COLUMNS = 200
_DATES = frozenset((*range(14, 23), *range(45, 48)))
"""Numbers of the formats that show a number as a date or a time; ECMA-376, part 1, 18.8.30."""
_PERCENT = frozenset((9, 10))
_ELAPSED, _ELAPSED_CODE = 46, re.compile(r"\[[hms]{1,4}\]", re.IGNORECASE)
"""The number and the sign of formats that show how long something took, be it more than a day."""
_DAY_ZERO = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}
"""What days are counted from, and where a workbook counts from 1904 as those of old Macs."""
_MOST_DAYS = 2_958_465
"""The last day of 9999."""
_EXPORTED = re.compile(r"[ -][0-9a-f]{32}(?:_all)?$")
"""What Notion writes behind the names of databases that it exports."""
_QUOTED = re.compile(r'"[^"]*+"|\\.|\[[^\[\]]{0,40}\]')
"""What a format or a line says word for word: `"day"`, `\\d`, `[Red]`."""

_INCHES = re.compile(r'\d"')

Row = list[str]


def csv_html(data: bytes, path: str) -> str:
    """A file of values that commas, semicolons, tabs or bars separate, as HTML.

    Raises:
        SourceError: it is no such file, or has more than `TABLE_ROWS` rows.
        NoText: it holds no word.
    """
    try:
        text = text_of(RawFile(path, data)).removeprefix("\ufeff")
    except SourceError:
        # As Excel writes it: in Western Europe, unless it is mostly in another alphabet.
        text = data.decode((older_encoding(data) or WESTERN).codec, "replace")
    delimiter = "\t" if path.lower().endswith(".tsv") else _delimiter(text)
    try:
        rows = _Room(path).take(_separated(text, delimiter))
    except csv.Error as error:
        raise SourceError(f"{path}: the table cannot be read: {error}", path=path) from error
    return _page(path, [("", [[" ".join(cell.split()) for cell in row] for row in rows])])


def _separated(text: str, delimiter: str) -> Iterator[Row]:
    r"""The rows of the text. A quotation mark that opens a cell by chance, as that of `"3 inch` does, takes in no row.

    >>> list(_separated('size,part\n"3 inch,pipe\n2",hose\n', ","))
    [['size', 'part'], ['"3 inch', 'pipe'], ['2"', 'hose']]
    """
    taken: list[str] = []
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # of all that one mark takes in

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            taken.append(line)
            yield line

    width = 0
    for row in csv.reader(lines(), delimiter=delimiter):
        apart = [_cells_of(line, delimiter) for line in taken if line.strip()] if len(taken) > 1 else []
        # Lines of one cell hardly have as many cells each as the head, and end behind no number.
        is_open = "".join(taken).count('"') % 2 or _INCHES.search(taken[-1])
        is_chance = is_open and width > 1 and apart and _is_of_width(apart, width)
        yield from apart if is_chance else [row]
        width = width or len(row)
        taken.clear()


def _is_of_width(rows: Sequence[Row], width: int) -> bool:
    """Whether most rows have as many cells, and none has more."""
    whole = sum(len(row) == width for row in rows)
    return 2 * whole > len(rows) and all(len(row) <= width for row in rows)


def _cells_of(line: str, delimiter: str) -> Row:
    bare = line.rstrip("\r\n")
    return bare.split(delimiter) if bare.count('"') % 2 else next(csv.reader([bare], delimiter=delimiter), [])


def xlsx_html(data: bytes, path: str) -> str:
    """A workbook of Excel as HTML, values as they were last computed; without sheets that are hidden.

    Raises:
        SourceError: it is damaged, needs a password, or has more than `TABLE_ROWS` rows.
        NoText: it holds no word.
    """
    room = _Room(path)
    try:
        with ZipFile(io.BytesIO(data)) as book:
            return _page(path, [(name, room.take(rows)) for name, rows in _sheets(book)])
    except (*UNREADABLE, ValueError, IndexError, OverflowError) as error:
        raise SourceError(f"{path}: the workbook cannot be read: {error}", path=path) from error


def _delimiter(text: str) -> str:
    """What separates values, by the first lines: above a table a title may stand that has none of it.

    >>> _delimiter("Price list\\nname;price\\nlamp, red;2,50"), _delimiter('a,b\\n"1;2;3",4')
    (';', ',')
    """
    lines = _QUOTED.sub("", text[:_SNIFFED]).splitlines()
    return max(
        _DELIMITERS,
        key=lambda sign: (sum(sign in line for line in lines), sum(line.count(sign) for line in lines)),
    )


class _Room:
    """What a file may hold: filled rows, and characters, since a small workbook may say one text in all its cells."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows = self._characters = 0

    def take(self, rows: Iterator[Row]) -> list[Row]:
        """The rows; of several empty ones in turn the first.

        Raises:
            SourceError: with what was taken before there are too many.
        """
        kept: list[Row] = []
        for row in rows:
            cells = [cell.strip() for cell in row[:_MOST_COLUMNS]]
            if not any(cells) and not (kept and any(kept[-1])):
                continue
            self._rows += any(cells)
            self._characters += sum(map(len, cells))
            self._demand(self._rows, TABLE_ROWS, "rows")
            self._demand(self._characters, DOCUMENT_FILE_BYTES, "characters")
            kept.append(cells)
        return kept

    def _demand(self, found: int, most: int, what: str) -> None:
        if found > most:
            raise SourceError(
                f"{self._path}: wanted at most {most:,} {what}, found more: so many are data, which are not searched",
                path=self._path,
            )


def _page(path: str, sheets: Sequence[tuple[str, Sequence[Row]]]) -> str:
    title = _EXPORTED.sub("", PurePosixPath(path).stem)
    named = [one for one in sheets if any(map(any, one[1]))]
    parts = [f"<title>{html.escape(title)}</title>\n<h1>{html.escape(title)}</h1>"]
    for name, rows in named:
        parts += [f"<h2>{html.escape(name)}</h2>"] if name and (len(named) > 1 or name != title) else []
        for is_filled, run in groupby(rows, key=any):
            parts += _table(list(run)) if is_filled else []
    shown = "\n".join(parts)
    if not holds_words("\n".join(parts[1:])):
        raise NoText(f"{path}: the table holds no text", path=path)
    return shown


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Rows that no empty one parts: those of one cell above the others say what they are of, the next is the head."""
    titles = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > 1), len(rows))
    yield from (f"<p>{html.escape(' '.join(filter(None, row)))}</p>" for row in rows[:titles])
    table = rows[titles:]
    if not table:
        return
    width = max(at + 1 for row in table for at, cell in enumerate(row) if cell)
    first = min(at for row in table for at, cell in enumerate(row) if cell)
    yield "<table>"
    for number, row in enumerate(table):
        tag = "td" if number else "th"
        cells = [*row, *[""] * width][first:width]
        yield "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
    yield "</table>"


# ---- workbooks ------------------------------------------------------------------------------------------------------


def _sheets(book: ZipFile) -> Iterator[tuple[str, Iterator[Row]]]:
    """Names and rows of the sheets that are shown, in their order.

    Raises:
        KeyError: a part that the workbook names is not there.
    """
    root = parse_part(book, _WORKBOOK)
    targets = related_parts(book, _WORKBOOK)
    from_1904 = any(one.get("date1904") in ("1", "true") for one in elements(root, "workbookPr"))
    strings, formats = _strings(book), _formats(book)
    read = set[str]()
    for sheet in elements(root, "sheet"):
        target = targets.get(relation_of(sheet), "")
        if sheet.get("state") in ("hidden", "veryHidden") or "worksheets/" not in target or target in read:
            continue  # a chart has no cells
        read.add(target)
        cells = _Cells(strings, formats, from_1904=from_1904)
        yield sheet.get("name", ""), cells.rows(parse_part(book, target, DOCUMENT_FILE_BYTES * 10))


def _strings(book: ZipFile) -> list[str]:
    """The strings that cells refer to by their number."""
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = parse_part(book, "xl/sharedStrings.xml", DOCUMENT_FILE_BYTES * 10)
    return [_said(one) for one in elements(root, "si")]


def _said(element: ElementTree.Element) -> str:
    """Its text, in runs or not, without how a Japanese word is read."""
    own = (one for one in element if local_name(one) in ("t", "r", "is"))
    return " ".join("".join(one.text or "" for part in own for one in elements(part, "t")).split())


def _formats(book: ZipFile) -> list[str]:
    """By the number of a cell's style what its number is shown as: `date`, `elapsed`, `percent`, or ""."""
    if "xl/styles.xml" not in book.namelist():
        return []
    root = parse_part(book, "xl/styles.xml")
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in elements(root, "numFmt")}
    styles = next(elements(root, "cellXfs"), None)
    return [_shown_as(one.get("numFmtId", "0"), own) for one in (styles if styles is not None else ())]


def _shown_as(number: str, own: Mapping[str, str]) -> str:
    if int(number) == _ELAPSED or _ELAPSED_CODE.search(own.get(number, "")):
        return "elapsed"
    code = _QUOTED.sub("", own.get(number, "")).lower()
    if code:
        return "percent" if "%" in code else "date" if re.search("[ydh]|mm", code) else ""
    return "date" if int(number) in _DATES else "percent" if int(number) in _PERCENT else ""


class _Cells:
    """How the cells of a workbook are read."""

    def __init__(self, strings: Sequence[str], formats: Sequence[str], *, from_1904: bool) -> None:
        self._strings, self._formats = strings, formats
        self._day_zero = _DAY_ZERO[from_1904]

    def rows(self, sheet: ElementTree.Element) -> Iterator[Row]:
        """The rows of a sheet; one that stands apart from the one before it has an empty one above it."""
        before = 0
        for row in elements(sheet, "row"):
            number = int(row.get("r") or before + 1)
            if before and number > before + 1:
                yield []
            cells: Row = []
            for cell in elements(row, "c"):
                at = min(_column(cell.get("r", ""), len(cells)), _MOST_COLUMNS)
                cells += [""] * (at - len(cells))
                cells.append(self._value(cell))
            yield cells
            before = number

    def _value(self, cell: ElementTree.Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _said(cell)
        value = next((one.text or "" for one in elements(cell, "v")), "").strip()
        if not value or kind == "e":
            return ""
        if kind == "s":
            return self._strings[int(value)]
        if kind == "b":
            return "yes" if value == "1" else "no"
        return self._number(value, int(cell.get("s", "0"))) if kind == "n" else " ".join(value.split())

    def _number(self, value: str, style: int) -> str:
        shown_as = self._formats[style] if style < len(self._formats) else ""
        number = float(value)
        if shown_as == "date" and 0 <= number <= _MOST_DAYS:
            return self._date(number)
        if shown_as == "elapsed" and 0 <= number <= _MOST_DAYS:
            minutes, seconds = divmod(round(number * 86_400), 60)
            return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
        return f"{number * 100:.10g}%" if shown_as == "percent" else f"{number:.15g}"

    def _date(self, days: float) -> str:
        """A day, with its time where it has one; a time alone where it is less than a day."""
        moment = self._day_zero + timedelta(seconds=round(days * 86_400))
        time = f"{moment:%H:%M:%S}".removesuffix(":00")
        if days < 1:
            return time
        return f"{moment:%Y-%m-%d}" if time == "00:00" else f"{moment:%Y-%m-%d} {time}"


def _column(place: str, otherwise: int) -> int:
    """Number of the column of a place such as `AB12`, from 0.

    >>> _column("A1", 0), _column("AB12", 0), _column("", 3)
    (0, 27, 3)
    """
    found = _CELL.fullmatch(place)
    number = 0
    for letter in found[1] if found else "":
        number = number * 26 + ord(letter) - 64
    return number - 1 if found else otherwise
