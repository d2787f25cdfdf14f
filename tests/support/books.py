"""Small books in EPUB, documents of Word and presentations of PowerPoint, of our own words."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_ROOT = (
    f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_RELATION}/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_RELATION}/styles" '
    'Target="styles.xml"/></Relationships>'
)


class Styled(NamedTuple):
    """A paragraph of a document of Word: its text, and the name of its style."""

    text: str
    style: str = "Normal"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_epub(title: str, chapters: Sequence[str], further: Mapping[str, str] | None = None) -> bytes:
    """A book with a file for each chapter's body, named against their order, and with a table of contents."""
    names = [f"chapter {len(chapters) - number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="c{at}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(names)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{title}</dc:title></metadata><manifest>{items}"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body class="b">{}</body></html>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "OPS/book.opf": package,
            "OPS/nav.xhtml": page.format("<nav><ol><li>Contents of the book</li></ol></nav>"),
            **{f"OPS/{name}": page.format(body) for name, body in zip(names, chapters, strict=True)},
            **(further or {}),
        }
    )


def make_docx(paragraphs: Sequence[Styled], tables: Sequence[Sequence[Sequence[str]]] = ()) -> bytes:
    """A document of these paragraphs, and of tables of rows of cells below them."""
    styles = {one.style: f"s{at}" for at, one in enumerate(paragraphs)}
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{styles[one.style]}"/></w:pPr><w:r><w:t xml:space="preserve">{one.text}</w:t>'
        "</w:r></w:p>"
        for one in paragraphs
    )
    for table in tables:
        rows = (
            "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in row) for row in table
        )
        body += f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for name, key in styles.items()
    )
    return zipped(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _ROOT,
            "word/_rels/document.xml.rels": _RELATIONS,
            "word/styles.xml": f'<w:styles xmlns:w="{_W}">{named}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>',
        }
    )


class Slide(NamedTuple):
    """A slide's shapes, as `shape` and `frame` write them, and what its speaker notes."""

    shapes: Sequence[str]
    notes: str = ""


def shape(*lines: str, placeholder: str = "", font: str = "") -> str:
    """A shape with a paragraph for each line; a tab before a line sets it one level deeper."""
    latin = f'<a:rPr><a:latin typeface="{font}"/></a:rPr>' if font else ""
    paragraphs = ""
    for line in lines:
        text = line.lstrip("\t")
        paragraphs += f'<a:p><a:pPr lvl="{len(line) - len(text)}"/><a:r>{latin}<a:t>{text}</a:t></a:r></a:p>'
    place = f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>' if placeholder else "<p:nvPr/>"
    return f"<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def table(*rows: Sequence[str]) -> str:
    """A frame with a table."""
    cells = (
        "".join(f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in row)
        for row in rows
    )
    return (
        f"<p:graphicFrame><a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in cells)}</a:tbl></p:graphicFrame>"
    )


def make_pptx(slides: Sequence[Slide], further: Mapping[str, str | bytes] | None = None) -> bytes:
    """A presentation of these slides, whose files are named against their order."""
    spaces = f'xmlns:p="p" xmlns:a="a" xmlns:r="{_RELATION}" xmlns:d="d"'
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
    names = [f"slide{len(slides) - at}.xml" for at in range(len(slides))]
    listed = "".join(f'<p:sldId id="{256 + at}" r:id="r{at}"/>' for at in range(len(slides)))
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations.format(
            "".join(
                f'<Relationship Id="r{at}" Type="{_RELATION}/slide" Target="slides/{name}"/>'
                for at, name in enumerate(names)
            )
        ),
    }
    for name, slide in zip(names, slides, strict=True):
        tree = f"<p:cSld><p:spTree>{''.join(slide.shapes)}</p:spTree></p:cSld>"
        parts[f"ppt/slides/{name}"] = f"<p:sld {spaces}>{tree}</p:sld>"
        parts[f"ppt/slides/_rels/{name}.rels"] = relations.format(
            f'<Relationship Id="n" Type="{_RELATION}/notesSlide" Target="../notes/{name}"/>'
            f'<Relationship Id="d" Type="{_RELATION}/diagramData" Target="../diagrams/{name}"/>'
        )
        notes = shape(slide.notes, placeholder="body") + shape("7", placeholder="sldNum")
        parts[f"ppt/notes/{name}"] = f"<p:notes {spaces}>{notes}</p:notes>"
    return zipped({**parts, **(further or {})})
