"""Sheets of Excel and files of separated values: what a reader sees of them."""

from __future__ import annotations

import html
import re

import pytest

from quire.errors import NoText, SourceError
from quire.limits import TABLE_ROWS
from quire.parsing.html_page import parse_html
from quire.parsing.tables import csv_html, xlsx_html
from tests.support.books import zipped

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/>'
    '<numFmt numFmtId="165" formatCode="#,##0.00 &quot;day&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="165"/>'
    '<xf numFmtId="20"/><xf numFmtId="46"/></cellXfs></styleSheet>'
)


def cell(place: str, value: object, kind: str = "n", style: int = 0) -> str:
    return f'<c r="{place}" t="{kind}" s="{style}"><v>{value}</v></c>'


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def make_xlsx(sheets: dict[str, str], *, hidden: str = "", strings: str = "", options: str = "") -> bytes:
    """A workbook of these rows of XML, with a style for each form that a number is shown in."""
    kind, base = f"{_RELATION}/worksheet", "worksheets/sheet"
    state = {name: "hidden" if name == hidden else "visible" for name in sheets}
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" state="{state[name]}" r:id="r{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    numbers = range(1, len(sheets) + 1)
    related = "".join(f'<Relationship Id="r{n}" Type="{kind}" Target="{base}{n}.xml"/>' for n in numbers)
    main = f'xmlns="{_MAIN}"'
    parts = {
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{_RELATION}">{options}<sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{related}</Relationships>",
        "xl/styles.xml": _STYLES,
        "xl/sharedStrings.xml": f"<sst {main}>{strings}</sst>",
    }
    for n, rows in enumerate(sheets.values(), 1):
        parts[f"xl/{base}{n}.xml"] = f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>"
    return zipped(parts)


def read(page: str) -> list[tuple[str, list[str]]]:
    return [
        (section.heading, [part.text for block in section.blocks for part in block.parts])
        for section in parse_html(page).sections
    ]


def test_sheets_are_sections_and_numbers_are_shown_as_their_cells_show_them() -> None:
    inline = '<c r="E1" t="inlineStr"><is><t>At</t></is></c>'
    tides = "".join(
        (
            row(1, cell("B1", 0, "s"), cell("C1", 1, "s"), inline),
            row(2, cell("B2", "Quay 4", "str"), cell("C2", 3.5), cell("E2", 46023, style=1)),
            row(3, cell("B3", "Lock", "str"), cell("C3", 0.25, style=3), cell("E3", 46023.75, style=2)),
            row(4, cell("B4", 1, "b"), cell("C4", 2, style=4), cell("E4", 0.5, style=5)),
            row(5, cell("B5", "#REF!", "e"), cell("C5", 12)),
        )
    )
    strings = "<si><t>Place</t></si><si><r><t>Rise </t></r><r><t>in m</t></r></si>"
    book = make_xlsx({"Tides": tides, "Drafts": tides, "Crew": tides}, strings=strings, hidden="Drafts")
    rows = [
        "Place | Rise in m |  | At",
        "Quay 4 | 3.5 |  | 2026-01-01",
        "Lock | 25% |  | 2026-01-01 18:00",
        "yes | 2 |  | 12:00",
    ]
    found = read(xlsx_html(book, "tides.xlsx"))
    assert [heading for heading, _ in found if heading != "tides"] == ["Tides", "Crew"]
    assert [one[:4] for heading, one in found if heading == "Tides"] == [rows]
    old = make_xlsx({"Tides": tides}, strings=strings, options='<workbookPr date1904="1"/>')
    assert "Quay 4 | 3.5 |  | 2030-01-02" in str(read(xlsx_html(old, "tides.xlsx")))


def test_an_empty_row_parts_two_tables_and_what_stands_alone_above_one_is_its_title() -> None:
    def told(number: int, *cells: str) -> str:
        return row(number, *(cell(f"{'ABC'[at]}{number}", said, "str") for at, said in enumerate(cells)))

    lamps = told(1, "Lamps of 2026") + told(2, "Lamp", "Watts") + told(3, "Mast", "9")
    rows = lamps + told(6, "Oar", "Metres") + told(7, "Long", "4")
    page = xlsx_html(make_xlsx({"stock": rows}), "stock.xlsx")
    assert page.count("<table>") == 2
    assert "<p>Lamps of 2026</p>\n<table>\n<tr><th>Lamp</th><th>Watts</th></tr>" in page
    assert "<tr><th>Oar</th><th>Metres</th></tr>" in page
    assert "<h2>" not in page


@pytest.mark.parametrize(
    "text",
    [
        'Name;Price;Note\nLamp;4,50;"for masts; white"\n',
        'Name,Price,Note\nLamp,"4,50","for masts; white"\n',
        "Name\tPrice\tNote\r\nLamp\t4,50\tfor masts; white\r\n",
        '\ufeffName;Price;Note\nLamp;4,50;"for masts;\n white"\n',
    ],
)
def test_values_are_parted_by_what_parts_those_of_the_first_line(text: str) -> None:
    [(_, rows)] = read(csv_html(text.encode(), "a/price list.csv"))
    assert rows == ["Name | Price | Note", "Lamp | 4,50 | for masts; white"]


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ('Pipe,"3 inch\nHose,2"\nTube,1\n', [["Pipe", '"3 inch'], ["Hose", '2"'], ["Tube", "1"]]),
        ('Pipe,"3 inch\nHose,2\nTube,1\n\n', [["Pipe", '"3 inch'], ["Hose", "2"], ["Tube", "1"]]),
        ('Pipe,"3 inch\nHose,2\nTube\n', [["Pipe", '"3 inch'], ["Hose", "2"], ["Tube", ""]]),
        ('Pipe,"3 inch\nHose,2\nTube,1\n', [["Pipe", '"3 inch'], ["Hose", "2"], ["Tube", "1"]]),
        (
            'Pipe,"of steel\nand, at need, tin"\nTube,1\n',
            [["Pipe", "of steel and, at need, tin"], ["Tube", "1"]],
        ),
        ('Pipe,"of steel\nand, tin"\nTube,1\n', [["Pipe", "of steel and, tin"], ["Tube", "1"]]),
        ('Pipe,"3"" wide, 2"" high"\nTube,1\n', [["Pipe", '3" wide, 2" high'], ["Tube", "1"]]),
    ],
)
def test_a_mark_of_inches_takes_in_no_rows_and_a_cell_of_several_lines_is_one(
    rows: str, cells: list[list[str]]
) -> None:
    page = csv_html(f"part,size\n{rows}".encode(), "parts.csv")
    told = [re.findall("<td>(.*?)</td>", line) for line in page.splitlines() if "<td>" in line]
    assert [[html.unescape(cell) for cell in row] for row in told] == cells


def test_a_table_that_excel_wrote_in_windows_letters_or_utf_16_is_read() -> None:
    text = "Größe;Maß\nKlein;4 €\n"
    for encoding in ("utf-8", "cp1252", "utf-16"):
        assert "Klein | 4 €" in str(read(csv_html(text.encode(encoding), "größen.csv")))


def test_what_notion_writes_behind_a_name_is_no_part_of_the_title() -> None:
    page = csv_html(b"Name,Port\nTide,80\n", "Services 99aa88bb77cc66dd55ee44ff33001122.csv")
    assert page.startswith("<title>Services</title>")


def test_what_is_no_table_is_told_and_what_is_data_too() -> None:
    with pytest.raises(NoText, match=r"a\.csv: the table holds no text"):
        csv_html(b"1,2\n3,4\n", "1.csv".replace("1", "a"))
    with pytest.raises(SourceError, match=r"a\.csv: wanted at most 10,000 rows, found more"):
        csv_html(b"a,b\n" * (TABLE_ROWS + 1), "a.csv")
    for data in (b"PK\x03\x04 no archive", zipped({"xl/workbook.xml": "<workbook"}), zipped({"a": "b"})):
        with pytest.raises(SourceError, match=r"a\.xlsx: the workbook cannot be read"):
            xlsx_html(data, "a.xlsx")
    with pytest.raises(SourceError, match="cannot be read"):
        xlsx_html(make_xlsx({"a": '<row r="1"><c r="A1" t="s"><v>7</v></c></row>'}), "a.xlsx")


def test_a_title_above_a_table_says_nothing_of_what_separates_its_values() -> None:
    shown = csv_html(b"Price list\nname;price\nlamp, red;2,50\nrope;3,00\n", "prices.csv")
    assert "<td>lamp, red</td><td>2,50</td>" in shown
    assert "<td>a, b</td><td>2</td>" in csv_html(b"word, or two\tcount\na, b\t2\n", "words.tsv")


def test_how_long_something_took_is_no_date_and_seconds_are_shown() -> None:
    rows = row(
        1, cell("A1", 40 / 24, style=6), cell("B1", 205 / 86_400, style=6), cell("C1", 0.5000116, style=5)
    )
    shown = xlsx_html(
        make_xlsx({"hours": rows + row(2, cell("A2", "s", "str"), cell("B2", "t", "str"))}), "h.xlsx"
    )
    assert all(one in shown for one in ("40:00", "0:03:25", "12:00:01"))


def test_a_text_that_every_cell_says_has_a_bound_and_no_sheet_is_read_twice() -> None:
    text = f"<si><t>{'wide ' * 10_000}</t></si>"
    rows = "".join(row(n, *(cell(f"A{n}", 0, "s") for _ in range(200))) for n in range(1, 40))
    with pytest.raises(SourceError, match="characters, found more"):
        xlsx_html(make_xlsx({"wide": rows}, strings=text), "wide.xlsx")


def test_how_a_japanese_word_is_read_is_no_part_of_it() -> None:
    strings = "<si><t>東京</t><rPh><t>トウキョウ</t></rPh></si><si><r><t>大</t></r><r><t>阪</t></r></si>"
    shown = xlsx_html(
        make_xlsx({"towns": row(1, cell("A1", 0, "s"), cell("B1", 1, "s"))}, strings=strings), "t.xlsx"
    )
    assert "東京" in shown
    assert "大阪" in shown
    assert "トウキョウ" not in shown


def test_empty_rows_are_no_data_and_a_day_beyond_all_is_told() -> None:
    empty = "".join(row(n, f'<c r="A{n}" s="1"/>') for n in range(2, TABLE_ROWS + 9))
    shown = xlsx_html(make_xlsx({"one": row(1, cell("A1", "word", "str")) + empty}), "one.xlsx")
    assert "word" in shown
    late = make_xlsx({"late": row(1, cell("A1", 2_958_465, style=1))}, options='<workbookPr date1904="1"/>')
    with pytest.raises(SourceError, match="cannot be read"):
        xlsx_html(late, "late.xlsx")
