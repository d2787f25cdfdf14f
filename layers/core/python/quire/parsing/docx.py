"""Documents of Word to a page of HTML, on mammoth: headings, lists, tables and code by their styles."""

from __future__ import annotations

import io
import logging
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

import mammoth

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.zipped_xml import holds_words

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
        shown = mammoth.convert_to_html(
            io.BytesIO(data), style_map=_STYLES, convert_image=lambda _: [], external_file_access=False
        ).value
    except (BadZipFile, KeyError, ExpatError, ValueError, AttributeError, IndexError) as error:
        raise SourceError(f"{path}: the document cannot be read: {error}", path=path) from error
    if not holds_words(shown):
        raise NoText(f"{path}: the document holds no text", path=path)
    return str(shown)
