"""Books in EPUB, documents of Word and presentations: what a reader sees of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quire.errors import NoText, SourceError
from quire.parsing.docx import docx_html
from quire.parsing.epub import epub_html
from quire.parsing.html_page import parse_html
from quire.parsing.page import Page
from quire.parsing.pptx import pptx_slides
from tests.support.books import Slide, Styled, make_docx, make_epub, make_pptx, shape, table, zipped


def _shown(page: Page) -> list[tuple[int, str, list[str]]]:
    return [
        (one.level, one.heading, [part.text for block in one.blocks for part in block.parts])
        for one in page.sections
    ]


def test_chapters_of_a_book_come_in_the_order_in_which_they_are_read() -> None:
    book = make_epub(
        "Ropes &amp; knots",
        [
            '<main><h1 id="a">Bends</h1><p>A sheet bend joins two ropes.</p></main>',
            "<h1>Hitches</h1><h2>The clove hitch</h2><p>Two turns around a post.</p><pre>turn()\nturn()</pre>",
        ],
    )
    page = parse_html(epub_html(book, "ropes.epub"))
    assert page.title == "Ropes & knots"
    assert _shown(page) == [
        (2, "Bends", ["A sheet bend joins two ropes."]),
        (2, "Hitches", []),
        (3, "The clove hitch", ["Two turns around a post.", "```\nturn()\nturn()\n```"]),
    ]
    assert not any(one.anchor for one in page.sections)


def test_a_document_of_word_is_read_by_its_styles() -> None:
    document = make_docx(
        [
            Styled("Safety at sea", "Title"),
            Styled("Boats", "heading 1"),
            Styled("Each boat carries a lamp."),
            Styled("Lamps", "heading 2"),
            Styled("lamp --on", "Source Code"),
            Styled("lamp --off", "Source Code"),
        ],
        [[["Boat", "Lamps"], ["Tug", "2"]]],
    )
    page = parse_html(docx_html(document, "safety.docx"))
    assert page.title == "Safety at sea"
    assert _shown(page) == [
        (1, "Safety at sea", []),
        (2, "Boats", ["Each boat carries a lamp."]),
        (3, "Lamps", ["```\nlamp --on\nlamp --off\n```", "Boat | Lamps", "Tug | 2"]),
    ]


_PROTECTED = {
    "META-INF/encryption.xml": '<encryption><CipherReference URI="OPS/chapter 1.xhtml"/></encryption>'
}


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"PK\x03\x04 and nothing else", SourceError, "the book cannot be read"),
        (zipped({"mimetype": "application/epub+zip"}), SourceError, "the book cannot be read"),
        (zipped({"META-INF/container.xml": "<a><b></a>"}), SourceError, "the book cannot be read"),
        (zipped({"META-INF/container.xml": "<container/>"}), SourceError, "the book cannot be read"),
        (make_epub("Locked", ["<p>x</p>"], _PROTECTED), SourceError, "the book is protected"),
        (make_epub("Pictures", ['<img src="1.png"/>']), NoText, "the book holds no text"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(data: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"a.epub: .*{message}"):
        epub_html(data, "a.epub")


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"PK\x03\x04 and nothing else", SourceError, "the document cannot be read"),
        (
            b"\xd0\xcf\x11\xe0 what Word wrote before, or a password",
            SourceError,
            "the document cannot be read",
        ),
        (zipped({"word/document.xml": "<a><b></a>"}), SourceError, "the document cannot be read"),
        (zipped({"other.xml": "<a/>"}), SourceError, "the document cannot be read"),
        (make_docx([Styled(" ")]), NoText, "the document holds no text"),
    ],
)
def test_a_document_of_word_that_cannot_be_read_says_why(
    data: bytes, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"a.docx: .*{message}"):
        docx_html(data, "a.docx")


def test_slides_are_read_with_their_lists_tables_code_and_notes() -> None:
    presentation = make_pptx(
        [
            Slide([shape("Boats on canals", placeholder="ctrTitle"), shape("4 March", placeholder="dt")]),
            Slide(
                [
                    shape("A lock lifts a boat", "\tGates close behind it", placeholder="body"),
                    shape("Locks", placeholder="title"),
                    shape("def lift(boat):", font="Courier New"),
                    shape("Gates open inwards.", "They are of oak."),
                ],
                notes="The upper gate waits for the water.",
            ),
            Slide([f"<p:grpSp>{table(('Boat', 'Toll'), ('Canoe', 'free | always'))}</p:grpSp>"]),
        ]
    )
    assert pptx_slides(presentation, "boats.pptx") == [
        "# Boats on canals",
        (
            "## Locks\n\n- A lock lifts a boat\n  - Gates close behind it\n\n```\ndef lift(boat):\n```\n\n"
            "Gates open inwards.\n\nThey are of oak.\n\nThe upper gate waits for the water."
        ),
        "| Boat | Toll |\n| --- | --- |\n| Canoe | free \\| always |",
    ]


def test_code_on_a_slide_keeps_its_indentation_and_alternatives_are_read_once() -> None:
    shown = shape("Shown once")
    alternatives = f"<p:Alternate><p:Choice>{shown}</p:Choice><p:Fallback>{shown}</p:Fallback></p:Alternate>"
    frame = '<p:graphicFrame><d:relIds r:dm="d"/></p:graphicFrame>'
    point = "<d:pt><a:p><a:r><a:t>Lift, then sail</a:t></a:r></a:p></d:pt>"
    diagram = f'<d:data xmlns:d="d" xmlns:a="a">{point}</d:data>'
    [slide] = pptx_slides(
        make_pptx(
            [
                Slide(
                    [
                        shape("while low:", "    fill()", font="Consolas"),
                        alternatives,
                        frame,
                    ]
                )
            ],
            {"ppt/diagrams/slide1.xml": diagram},
        ),
        "a.pptx",
    )
    assert slide == "```\nwhile low:\n    fill()\n```\n\nShown once\n\n- Lift, then sail"


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"PK\x03\x04 and nothing else", SourceError, "the presentation cannot be read"),
        (b"\xd0\xcf\x11\xe0 of another age", SourceError, "the presentation cannot be read"),
        (zipped({"ppt/presentation.xml": "<a><b></a>"}), SourceError, "the presentation cannot be read"),
        (
            make_pptx([Slide([])], {"ppt/_rels/presentation.xml.rels": "<Relationships/>"}),
            SourceError,
            "the presentation cannot be read",
        ),
        (make_pptx([Slide(['<p:pic name="1"/>'])]), NoText, "the presentation holds no text"),
        (make_pptx([]), NoText, "the presentation holds no text"),
    ],
)
def test_a_presentation_that_cannot_be_read_says_why(
    data: bytes, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"a.pptx: .*{message}"):
        pptx_slides(data, "a.pptx")


# What is large is made by the one process that runs the test, not by each that collects it.
@pytest.mark.parametrize(
    ("read", "make", "message"),
    [
        (
            epub_html,
            lambda: zipped({"META-INF/container.xml": b" " * 9_000_000}),
            "is larger than 8,000,000 bytes",
        ),
        (
            epub_html,
            lambda: make_epub("Big", ["<p>x</p>" * 1_100_000]),
            "its text is larger than 8,000,000 bytes",
        ),
        (docx_html, lambda: zipped({"word/document.xml": b" " * 81_000_000}), "its text is larger than"),
        (
            pptx_slides,
            lambda: make_pptx([Slide([])], {"ppt/slides/slide1.xml": b" " * 81_000_000}),
            "its text is larger than 80,000,000 bytes",
        ),
    ],
)
def test_what_unpacks_to_more_than_is_read_says_so(
    read: Callable[[bytes, str], object], make: Callable[[], bytes], message: str
) -> None:
    with pytest.raises(SourceError, match=f"^a.book: .*{message}"):
        read(make(), "a.book")
