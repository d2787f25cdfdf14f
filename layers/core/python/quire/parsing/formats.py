"""What a file is by its name and first bytes, and its text: Markdown, HTML, plain text, notebooks, PDF, office."""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from quire.documents import Chunk
from quire.errors import NoText, SourceError

PART = "\f"
"""Stands between pages, cells and slides: a form feed, which no page's own text holds."""
UNITS = {".pdf": "page", ".ipynb": "cell", ".pptx": "slide"}
"""What the parts of such a file are called."""
TABLES = (".csv", ".tsv")
"""Text that is a table, of which a code base holds data and a folder of documents what people look up."""
BOOKS = (".epub", ".docx", ".xlsx", ".eml", ".canvas", *TABLES)
"""What a reader makes HTML of."""
CONVERTED = (*UNITS, *BOOKS)
"""What `read_converted` makes text of: their bytes are none."""
HTML = (".html", ".htm")
TEXT = (".txt", ".text")
_REWRITTEN = re.compile(
    r"""
    \.(?:
        tex | ltx | adoc | asciidoc | asc
        | (?: [1-9][a-z]{0,4} | [ln] )(?:\.in)?  # manual pages
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How the names of files end that become pages of Markdown whose lines are others."""
_REWRITTEN_KINDS = ("man", "yaml_text")
"""Words of `lang` for files that become such pages by what they hold."""
READABLE = (
    "Markdown (.md, .mdx), HTML (.html), plain text (.txt), notebooks (.ipynb), PDF (.pdf), books (.epub), "
    "Word (.docx), PowerPoint (.pptx), Excel (.xlsx), tables (.csv, .tsv), mail (.eml) and canvases (.canvas)"
)
_MAGIC = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a PNG image",
    b"GIF8": "a GIF image",
    b"\xff\xd8\xff": "a JPEG image",
    b"\x1f\x8b": "gzip data",
    b"\xd0\xcf\x11\xe0": "an old office document",
    b"\x7fELF": "a program",
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
SNIFFED = 8_192


class RawFile(NamedTuple):
    """A file as it came."""

    path: str
    data: bytes


def suffix_of(path: str) -> str:
    """How its name ends, in lower case. A path of a repository is asked seven times, so that pathlib would take .03 s.

    >>> suffix_of("a/B.PDF"), suffix_of("a.b/.env"), suffix_of("a.b/c.")
    ('.pdf', '', '')
    """
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def first_line(chunk: Chunk) -> int | None:
    """The file's line on which a stored text begins whose lines are the file's one to one; None where they are not.

    Of a page that is written anew as many lines may be stored as it has, and be others all the same.

    >>> lines = {"path": "a.tex", "start_line": 3, "end_line": 4}
    >>> first_line(Chunk("", "a.tex", "x\\ny", "", lines)), first_line(Chunk("", "a.tex", "x", "", lines))
    (3, None)
    >>> first_line(Chunk("", "a.tex", "x\\ny", "", lines | {"content_hash": "0f"}))
    """
    known = chunk.metadata
    first, last = known.get("start_line"), known.get("end_line")
    if not isinstance(first, int) or not isinstance(last, int) or chunk.text.count("\n") != last - first:
        return None
    is_page = "content_hash" in known  # and no code, whose lines stay as they are
    path = str(known.get("path") or chunk.document_id)
    return None if is_page and (known.get("lang") in _REWRITTEN_KINDS or _REWRITTEN.search(path)) else first


_FENCED_ALIKE = {
    "xml": "csproj fsproj vbproj props targets config slnx dbml xsd xsl xslt plist rss wsdl resw nuspec",
    "yacc": "y yy ypp",
    "lex": "l ll",
    "ini": "service socket timer desktop editorconfig",
    "jinja": "jinja2",
    "lisp": "el lsp",
    "fortran": "f for f90 f95",
    "pascal": "pas pp",
    "asm": "s",
    "fsharp": "fs fsx fsi",
    "vbnet": "vb",
    "coffeescript": "coffee",
}
_FENCE_OF = {ending: name for name, endings in _FENCED_ALIKE.items() for ending in endings.split()} | {
    name: name
    for name in """
        ada asm awk bicep cobol crystal cue d diff elm fish gleam glsl hlsl http jq just ld lisp m4 nim nix nu
        objc pug puppet purescript racket rego sas sass scheme sed smt solidity starlark stylus sv tcl tex thrift txt
        typst v vala verilog vhdl vim wgsl wast wat wit xml xquery zsh
    """.split()
}


def fence_of(suffix: str) -> str:
    """What a fence says around lines of a file whose language is not read; "" where its name tells no language.

    >>> fence_of(".nim"), fence_of(".csproj"), fence_of(".y"), fence_of(".prebuilt"), fence_of("")
    ('nim', 'xml', 'yacc', '', '')
    """
    return _FENCE_OF.get(suffix.lstrip("."), "")


def fenced(code: str, language: str = "") -> str:
    """A block of code in Markdown, in a fence that is longer than any in it.

    >>> fenced("x = 1", "python")
    '```python\\nx = 1\\n```'
    """
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def kind_of(path: str) -> str:
    """Which chunker reads it: Markdown is what no other name says."""
    suffix = suffix_of(path)
    if suffix in UNITS:
        return f"{UNITS[suffix]}s"
    return {**dict.fromkeys((*HTML, *BOOKS), "html"), **dict.fromkeys(TEXT, "prose")}.get(suffix, "docs")


def title_of(path: str, text: str) -> str:
    """The title that a file gives itself; "" where it gives none.

    Raises:
        SourceError: its front matter is malformed.
    """
    kind = kind_of(path)
    if kind == "html":
        from quire.parsing.html_page import parse_html

        return parse_html(text).title
    if kind not in ("docs", *(f"{unit}s" for unit in UNITS.values())):
        return ""
    # With its parser, which who asks for names alone has no use for.
    from quire.parsing.markdown import page_title

    return page_title(text.replace(PART, "\n\n"), path)


def read_converted(file: RawFile) -> str:
    """The text of a file whose bytes are none: Markdown, its pages, cells or slides parted by `PART`, or HTML.

    Runs where it can be ended.

    Raises:
        SourceError: it is damaged, or not what its name says.
        NoText: it holds no word.
    """
    suffix = suffix_of(file.path)
    if not file.data:
        raise NoText(f"{file.path}: the file is empty", path=file.path)
    if suffix in BOOKS:
        return _html(file, suffix)
    if suffix == ".pdf":
        from quire.parsing.pdf import pdf_pages

        parts = pdf_pages(file.data, file.path)
    elif suffix == ".pptx":
        from quire.parsing.pptx import pptx_slides

        parts = pptx_slides(file.data, file.path)
    else:
        from quire.parsing.notebook import notebook_cells

        parts = notebook_cells(decoded(file), file.path)
    return PART.join(part.replace(PART, "\n") for part in parts)


def _html(file: RawFile, suffix: str) -> str:
    """A file that a reader makes HTML of; each imports what nobody else should pay for."""
    if suffix == ".epub":
        from quire.parsing.epub import epub_html

        return epub_html(file.data, file.path)
    if suffix == ".docx":
        from quire.parsing.docx import docx_html

        return docx_html(file.data, file.path)
    if suffix == ".eml":
        from quire.parsing.mail import eml_html

        return eml_html(file.data, file.path)
    if suffix == ".canvas":
        from quire.parsing.canvas import canvas_html

        return canvas_html(decoded(file), file.path)
    from quire.parsing.tables import csv_html, xlsx_html

    return xlsx_html(file.data, file.path) if suffix == ".xlsx" else csv_html(file.data, file.path)


def decoded(file: RawFile) -> str:
    """The text of a file that is one.

    Raises:
        SourceError: it is a binary, or neither UTF-8 nor UTF-16 with its mark.
    """
    if not _is_utf_16(file.data):
        refuse_binary(file.path, file.data[:SNIFFED])
    return text_of(file)


def text_of(file: RawFile) -> str:
    r"""A file's bytes as UTF-8, or as the UTF-16 that Windows's editors call Unicode, which begins with a mark.

    Lines that end as on old Macs end in line feeds.

    Raises:
        SourceError: they are neither; the message names the line.

    >>> text_of(RawFile("a.md", b"\xff\xfeh\x00i\x00"))
    'hi'
    """
    try:
        return with_line_feeds(file.data.decode("utf-16" if _is_utf_16(file.data) else "utf-8"))
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        where = f"{file.path}:{line}: byte 0x{file.data[error.start]:02x}"
        raise SourceError(f"{where} is not {error.encoding.upper()}", path=file.path) from error


def with_line_feeds(text: str) -> str:
    r"""The text with line feeds where it ends its lines in carriage returns alone, as Macs did until 2001.

    >>> with_line_feeds("a\rb"), with_line_feeds("a\r\nb\r")
    ('a\nb', 'a\r\nb\r')
    """
    return text if "\n" in text else text.replace("\r", "\n")


def _is_utf_16(data: bytes) -> bool:
    return data.startswith(_UTF_16) and len(data) > len(_UTF_16[0])


def _known_binary(beginning: bytes) -> str:
    """What kind of file begins so; "" where none that is known does."""
    return next((name for magic, name in _MAGIC.items() if beginning.startswith(magic)), "")


def _decoded(beginning: bytes) -> bytes:
    """The bytes that a base64 begins with; b"" where it is none. Four characters stand for three bytes."""
    try:
        return base64.b64decode(beginning[:16], validate=True)
    except ValueError:
        return b""


def refuse_binary(path: str, beginning: bytes, hint: str = "") -> None:
    """Refuse what is no text by its first bytes.

    Raises:
        SourceError: it is none; the message says what it looks like, and what is read.
    """
    known = _known_binary(beginning)
    encoded = "" if known else _known_binary(_decoded(beginning))
    if known or encoded or b"\0" in beginning:
        what = known or (f"the base64 of {encoded}" if encoded else "binary")
        raise SourceError(f"{path}: looks like {what}, not text{hint}; read are {READABLE}", path=path)
