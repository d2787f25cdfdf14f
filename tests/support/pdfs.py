"""Small PDF files of our own words, written by hand: a page a text."""

from __future__ import annotations

from collections.abc import Sequence


def make_pdf(pages: Sequence[str]) -> bytes:
    """A PDF with a page for each text, whose lines stand below each other."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        shown = "\n".join(
            f"({line}) Tj T*" for line in text.replace("(", r"\(").replace(")", r"\)").split("\n")
        )
        stream = f"BT /F1 12 Tf 14 TL 40 760 Td\n{shown}\nET"
        resources = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {resources} "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    written, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(written)
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return written + f"{tail}startxref\n{start}\n%%EOF\n".encode()
