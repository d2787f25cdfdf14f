"""Books in EPUB, documents of Word and presentations: what a reader sees of them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from quire.errors import NoText, SourceError
from quire.parsing.docx import docx_html
from quire.parsing.epub import epub_html
from quire.parsing.html_page import parse_html
from quire.parsing.markdown import parse_markdown
from quire.parsing.page import Page
from quire.parsing.pptx import pptx_slides
from tests.support.books import Slide, Styled, make_docx, make_epub, make_pptx, shape, table, zipped
from tests.support.pace import takes_cpu_within


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


_R = "<m:r><m:rPr><m:sty m:val='p'/></m:rPr><m:t>{}</m:t></m:r>"
_SUM = (
    "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup/><m:e>"
    "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:e></m:nary>"
)
_ROOT = "<m:rad><m:deg/><m:e><m:f><m:num>{}</m:num><m:den>{}</m:den></m:f></m:e></m:rad>"
_PARTS = "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e><m:m>{}</m:m></m:e></m:d>"
_ROW = "<m:mr><m:e><m:r><m:t>{}</m:t></m:r></m:e><m:e><m:r><m:t>{}</m:t></m:r></m:e></m:mr>"
_OFFICE_FORMULA = (
    "<m:oMath xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'>"
    f"{_SUM}{_R.format('≤')}{_ROOT.format(_R.format('a'), _R.format('b'))}"
    f"{_PARTS.format(_ROW.format(1, 2) + _ROW.format(3, 4))}</m:oMath>"
)
_AS_TEX = r"$∑_{i=1} x^{2}≤\sqrt{\frac{a}{b}}[\begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}]$"


@pytest.mark.parametrize("around", ["{}", "<m:oMathPara xmlns:m='m'><m:oMathParaPr/>{}</m:oMathPara>"])
def test_formulas_of_a_document_of_word_stand_in_its_text(around: str) -> None:
    formula = around.format(_OFFICE_FORMULA)
    text = f"The bound is </w:t></w:r>{formula}<w:r><w:t xml:space='preserve'> for all."
    page = parse_html(
        docx_html(make_docx([Styled(text), Styled(f"</w:t></w:r>{formula}<w:r><w:t>")]), "s.docx")
    )
    assert _shown(page) == [(0, "", [f"The bound is {_AS_TEX} for all.", _AS_TEX])]


def test_formulas_of_a_slide_stand_in_its_text() -> None:
    text = f"The bound is </a:t></a:r><n:m xmlns:n='n'>{_OFFICE_FORMULA}</n:m><a:r><a:t> for all."
    [slide] = pptx_slides(make_pptx([Slide([shape("Bounds", placeholder="title"), shape(text)])]), "s.pptx")
    assert slide == f"# Bounds\n\nThe bound is {_AS_TEX} for all."
    assert parse_markdown(slide).sections[0].blocks[0].text == f"The bound is {_AS_TEX} for all."


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        (
            "<mrow><msub><mi>x</mi><mn>1</mn></msub><mo>≤</mo><msqrt><mi>y</mi></msqrt></mrow>",
            r"$x_{1}≤\sqrt{y}$",
        ),
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac><mi>sin</mi><mi>t</mi>", r"$\frac{a}{b}sin t$"),
        (
            "<semantics><mi>E</mi><annotation encoding='application/x-tex'>E=mc^2</annotation></semantics>",
            "$E=mc^2$",
        ),
        ("<mi>a</mi>&nbsp;<mo>&lt;</mo><mi>b</mi>", "$a<b$"),
        ("<mi xlink:href='#e'>a</mi>", "a"),
        ("<mrow>" * 300 + "<mi>a</mi>" + "</mrow>" * 300, "$a$"),
        ("<mfrac><mi>a</mi></mfrac>", r"$\frac{a}{}$"),
        ("", ""),
    ],
)
def test_a_formula_of_a_book_or_page_is_read_once(inside: str, shown: str) -> None:
    katex = f"<span class=katex><math>{inside}</math><span aria-hidden=true>E=mc2</span></span>"
    page = parse_html(f"<main><h1>Bounds</h1><p>So {katex} holds.</p></main>")
    assert _shown(page) == [(1, "Bounds", [" ".join(f"So {shown} holds.".split())])]


def test_formulas_in_each_other_are_read_once() -> None:
    assert [part for *_, (part,) in _shown(parse_html("<p>So " + "<math>" * 3 + "<mi>a</mi>"))] == ["So $a$"]
    began = time.process_time()
    parse_html("<p>So " + "<math>" * 4_000)  # 4 s where each was read with all inside it
    assert takes_cpu_within(time.process_time() - began, 1.0)


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
