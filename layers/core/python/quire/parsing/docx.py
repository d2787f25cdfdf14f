"""Documents of Word to a page of HTML, on mammoth: headings, lists, tables and code by their styles."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

import mammoth

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.formulas import formula_text
from quire.parsing.zipped_xml import holds_words, local_name

_TEXT = "word/document.xml"
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='heading 1'] => h2:fresh
p[style-name='heading 2'] => h3:fresh
p[style-name='heading 3'] => h4:fresh
p[style-name='heading 4'] => h5:fresh
p[style-name='heading 5'] => h6:fresh
p[style-name='heading 6'] => h6:fresh
p[style-name='Code'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Plain Text'] => pre:separator('\\n')
"""


def docx_html(data: bytes, path: str) -> str:
    """The document as HTML, its title one level above its headings; without its pictures.

    Raises:
        SourceError: it is damaged, needs a password, or is larger than a document may be.
        NoText: it holds no word.
    """
    logging.getLogger("mammoth").setLevel(logging.ERROR)
    try:
        with ZipFile(io.BytesIO(data)) as parts:
            if parts.getinfo(_TEXT).file_size > DOCUMENT_FILE_BYTES * 10:
                raise SourceError(
                    f"{path}: its text is larger than {DOCUMENT_FILE_BYTES * 10:,} bytes", path=path
                )
            document = io.BytesIO(_with_formulas(parts, data))
        shown = mammoth.convert_to_html(
            document, style_map=_STYLES, convert_image=lambda _: [], external_file_access=False
        ).value
    except (
        BadZipFile,
        KeyError,
        ExpatError,
        ElementTree.ParseError,
        ValueError,
        AttributeError,
        IndexError,
    ) as error:
        raise SourceError(f"{path}: the document cannot be read: {error}", path=path) from error
    if not holds_words(shown):
        raise NoText(f"{path}: the document holds no text", path=path)
    return str(shown)


def _with_formulas(parts: ZipFile, data: bytes) -> bytes:
    """The document without its pictures, a run of TeX in place of each formula: mammoth knows none and drops them."""
    text = parts.read(_TEXT)
    if b"oMath" not in text:
        return data
    root = ElementTree.fromstring(text)  # noqa: S314
    word = root.tag.partition("}")[0] + "}"
    for above, at, formula in [*_formulas(root)]:
        run = ElementTree.Element(f"{word}r")
        ElementTree.SubElement(run, f"{word}t").text = formula_text(formula)
        above[at] = run
    written = io.BytesIO()
    with ZipFile(written, "w") as archive:
        for name in (one for one in parts.namelist() if one.endswith((".xml", ".rels"))):
            archive.writestr(name, ElementTree.tostring(root) if name == _TEXT else parts.read(name))
    return written.getvalue()


def _formulas(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, int, ElementTree.Element]]:
    """Each formula with what it stands in and its place there; one on a line of its own is found as a whole."""
    for above in root.iter():
        for at, one in enumerate(above):
            if local_name(one) == "oMathPara" or (
                local_name(one) == "oMath" and local_name(above) != "oMathPara"
            ):
                yield above, at, one
