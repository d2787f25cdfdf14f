"""Small PDF files of our own words, written by hand: lines where they are wanted, in the font that is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 600, 800
_FONTS = {"F1": "Helvetica", "F2": "Courier", "F3": "Helvetica-Bold"}
TEXT, CODE, BOLD = _FONTS


class Set(NamedTuple):
    """A line as it is set: its text, where it begins in points from the left and the top, its font and size."""

    text: str
    top: float
    left: float = 40
    font: str = TEXT
    size: float = 12


class Entry(NamedTuple):
    """An entry of the outline: its title and the number of its page, from 0."""

    title: str
    page: int


def make_pdf(pages: Sequence[str]) -> bytes:
    """A PDF with a page for each text, whose lines stand below each other."""
    return set_pdf([[Set(line, 40 + 14 * n) for n, line in enumerate(text.split("\n"))] for text in pages])


def set_pdf(pages: Sequence[Iterable[Set]], outline: Sequence[Entry] = (), title: str = "") -> bytes:
    """A PDF with these lines on its pages, and with an outline of one level."""
    first = 4 + len(_FONTS)
    place = [first + 2 * number for number in range(len(pages))]
    outlines = first + 2 * len(pages)
    fonts = " ".join(f"/{name} {4 + at} 0 R" for at, name in enumerate(_FONTS))
    root = f"<< /Type /Catalog /Pages 2 0 R /Outlines {outlines} 0 R >>"
    objects = [
        root if outline else "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{one} 0 R' for one in place)}] /Count {len(pages)} >>",
        f"<< /Title ({title}) >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for name in _FONTS.values()
        ),
    ]
    for number, lines in enumerate(pages):
        stream = "\n".join(
            f"BT /{line.font} {line.size} Tf {line.left} {HEIGHT - line.top} Td ({_literal(line.text)}) Tj ET"
            for line in lines
        )
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Resources << /Font << {fonts} >> >> "
            f"/Contents {place[number] + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects += _outline(outline, outlines, place)
    return _written(objects)


def _outline(outline: Sequence[Entry], number: int, place: Sequence[int]) -> Iterable[str]:
    if not outline:
        return
    last = number + len(outline)
    yield f"<< /Type /Outlines /First {number + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>"
    for at, entry in enumerate(outline, number + 1):
        around = f"/Prev {at - 1} 0 R " * (at > number + 1) + f"/Next {at + 1} 0 R " * (at < last)
        leads = f"/Dest [{place[entry.page]} 0 R /Fit]"
        yield f"<< /Title ({_literal(entry.title)}) /Parent {number} 0 R {around}{leads} >>"


def _literal(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _written(objects: Sequence[str]) -> bytes:
    written, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{one:010d} 00000 n \n" for one in places)
    size, start = len(objects) + 1, len(written)
    tail = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R /Info 3 0 R >>\n"
    )
    return written + f"{tail}startxref\n{start}\n%%EOF\n".encode()
