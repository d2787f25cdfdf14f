"""What a reader of a PDF sees, as Markdown: headings, paragraphs, lists, code; not what leads through paper."""

from __future__ import annotations

import pytest

from quire.errors import NoText, SourceError
from quire.parsing.pdf import pdf_pages
from tests.support.pdfs import BOLD, CODE, Entry, Set, make_pdf, set_pdf

_WIDE = "The harbour master keeps a book of every ship that lies at the quay, and of her"
_REST = "draught, her flag and the day on which she is to leave."


def _pages(*pages: list[Set], outline: tuple[Entry, ...] = (), title: str = "") -> list[str]:
    return pdf_pages(set_pdf(pages, outline, title), "book.pdf")


def test_lines_of_a_paragraph_are_one_and_paragraphs_stand_apart() -> None:
    page = [Set(_WIDE, 100), Set(_REST, 114), Set("A second paragraph stands further down.", 142)]
    assert _pages(page) == [f"{_WIDE} {_REST}\n\nA second paragraph stands further down."]


def test_a_line_that_ends_early_is_kept_as_a_line() -> None:
    page = [Set(_WIDE, 86), Set("Tide: high", 100), Set("Wind: south-west", 114)]
    assert _pages(page)[0].endswith("Tide: high\\\nWind: south-west")


def test_code_keeps_how_far_it_is_set_in() -> None:
    page = [
        Set("It is written so:", 100),
        Set("def moor(ship):", 128, font=CODE, size=10),
        Set("for line in ship.lines:", 140, left=64, font=CODE, size=10),
        Set("line.tie()", 152, left=88, font=CODE, size=10),
        Set("moor(tug)", 180, font=CODE, size=10),
        Set("Then she lies fast.", 208),
    ]
    code = "def moor(ship):\n    for line in ship.lines:\n        line.tie()\n\nmoor(tug)"
    assert _pages(page) == [f"It is written so:\n\n```\n{code}\n```\n\nThen she lies fast."]


def test_the_outline_says_which_lines_are_headings_and_what_it_lacks_lies_below() -> None:
    first = [
        Set("Chapter 1", 60),
        Set("Mooring", 90, size=20),
        Set(_WIDE, 130),
        Set("Lines", 170, size=16),
        Set(_REST, 200),
    ]
    second = [Set("1.2 Anchors", 60, font=BOLD), Set("An anchor holds in sand.", 90)]
    found = _pages(first, second, outline=(Entry("1 Mooring", 0), Entry("Anchors", 1)), title="Seamanship")
    assert found == [
        f"# Seamanship\n\n## 1 Mooring\n\n{_WIDE}\n\n### Lines\n\n{_REST}",
        "## Anchors\n\nAn anchor holds in sand.",
    ]


def test_an_entry_that_no_line_says_stands_at_the_top_and_one_that_leads_a_page_too_early_on_the_next() -> (
    None
):
    pages = [[Set(_WIDE, 100)], [Set("Anchors", 60, size=18), Set(_REST, 100)]]
    found = _pages(*pages, outline=(Entry("Foreword", 0), Entry("Anchors", 0)))
    assert found == [f"## Foreword\n\n{_WIDE}", f"## Anchors\n\n{_REST}"]


def test_without_an_outline_headings_are_what_is_set_larger_or_numbered_and_bold() -> None:
    first = [
        Set("A book of harbours", 60, size=24),
        Set("Quays", 110, size=16),
        Set(_WIDE, 140),
        Set("2.1 Bollards", 180, font=BOLD),
        Set(_REST, 210),
    ]
    second = [
        Set("Cranes", 60, size=16),
        Set("A crane lifts crates.", 90),
        Set("A second sentence is here.", 104),
    ]
    assert _pages(first, second) == [
        f"# A book of harbours\n\n### Quays\n\n{_WIDE}\n\n### 2.1 Bollards\n\n{_REST}",
        "### Cranes\n\nA crane lifts crates.\\\nA second sentence is here.",
    ]


def test_a_bold_line_that_stands_alone_is_a_heading_and_bold_words_of_a_paragraph_are_none() -> None:
    page = [
        Set("Quays", 60, size=16),
        Set(_WIDE, 90),
        Set("Mooring fees", 120, font=BOLD),
        Set(_REST, 140),
        Set("Beware", 154, font=BOLD),
        Set("of the tide, which turns early here.", 168),
    ]
    assert _pages(page) == [
        f"# Quays\n\n{_WIDE}\n\n### Mooring fees\n\n{_REST} Beware\\\nof the tide, which turns early here."
    ]


def test_running_heads_page_numbers_contents_and_index_are_left_out() -> None:
    def page(number: int, *lines: Set) -> list[Set]:
        return [
            Set(f"{number} Chapter {number // 3}: Ships", 30),
            *lines,
            Set("Draft of the second edition", 780, size=8),
        ]

    contents = [Set(f"Quay {n} . . . . . . . . {n + 4}", 100 + 14 * n) for n in range(6)]
    further = [Set("V Bugs 303", 100), Set("VI Index 311", 114)]
    index = [Set(f"anchor {'abcdef'[n]}, {n + 1}, {n + 9}", 100 + 14 * n) for n in range(6)]
    body = [
        page(n, Set(f"{word} is told here, in words of its own.", 100))
        for n, word in ((3, "One"), (4, "Two"), (5, "Six"))
    ]
    found = _pages(page(1, *contents), page(2, *further), *body, page(6, *index))
    assert found == [
        "",
        "",
        *(f"{word} is told here, in words of its own." for word in ("One", "Two", "Six")),
        "",
    ]


def test_prices_behind_dots_and_names_with_numbers_that_are_in_no_order_are_kept() -> None:
    prices = [Set(f"{name} . . . . . . . . {price}", 100 + 14 * n) for n, (name, price) in enumerate(_PRICES)]
    crew = [Set(f"{name}, {price}", 100 + 14 * n) for n, (name, price) in enumerate(_PRICES)]
    menu, list_of_crew = _pages(prices, crew)
    assert all(name in menu and name in list_of_crew for name, _ in _PRICES)


_PRICES = (("Tea", 3), ("Soup", 9), ("Bread", 2), ("Herring", 12), ("Water", 1), ("Apple cake", 5))


def test_titles_that_many_pages_begin_with_are_kept_where_they_are_set_larger() -> None:
    slides = [
        [Set("Mooring", 60, size=20), Set(f"Slide of {word} things.", 100)] for word in ("one", "two", "six")
    ]
    assert [one.split("\n")[0] for one in _pages(*slides, title="Ships")[1:]] == ["## Mooring", "## Mooring"]


def test_steps_that_pages_begin_with_are_no_running_heads() -> None:
    steps = [[Set(f"Step {n}", 60), Set(_WIDE, 88)] for n in (4, 9, 2, 7)]
    assert [one.split("\n")[0] for one in _pages(*steps)] == ["Step 4", "Step 9", "Step 2", "Step 7"]


def test_a_pdf_that_needs_a_password_says_so() -> None:
    lock = "/Encrypt << /Filter /Standard /V 1 /R 2 /O <{0}> /U <{0}> /P -4 >> /ID [<00><00>]".format(
        "1f" * 32
    )
    locked = make_pdf(["Hidden"]).replace(b"/Info 3 0 R", f"/Info 3 0 R {lock}".encode())
    with pytest.raises(SourceError, match="the PDF needs a password"):
        pdf_pages(locked, "book.pdf")


def test_lists_are_lists_and_signs_of_markdown_are_shown_as_they_stand() -> None:
    page = [
        Set("Take with you:", 100),
        Set("• a rope of *hemp*", 128),
        Set("• a <lamp> & oil", 142),
        Set("1. Cast off.", 170),
        Set("2) Set sail.", 184),
        Set("# not a heading, __init__", 212),
    ]
    assert _pages(page)[0].split("\n\n") == [
        "Take with you:",
        "- a rope of \\*hemp\\*",
        "- a &lt;lamp> & oil",
        "1. Cast off.",
        "2. Set sail.",
        "\\# not a heading, \\_\\_init\\_\\_",
    ]


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - draft.docx",
        "about:blank",
        "https://example.org/print?id=7",
        "(anonymous)",
        "Untitled",
    ],
)
def test_a_title_that_is_the_name_of_a_file_or_an_address_is_none(title: str) -> None:
    assert _pages([Set(_WIDE, 100)], title=title) == [_WIDE]
    assert _pages([Set(_WIDE, 100)], title="Harbours") == [f"# Harbours\n\n{_WIDE}"]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"%PDF-1.4\nbroken", SourceError, "the PDF cannot be read"),
        (b"", SourceError, "the PDF cannot be read"),
        (make_pdf(["", " "]), NoText, "holds no text; a scan needs recognising first"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pdf_pages(data, "book.pdf")


def _up(*numbers: str, left: float = 60, step: float = 20) -> list[Set]:
    """Numbers above each other, the first one lowest, as along the upright axis of a plot."""
    return [Set(one, 200 - step * at, left, size=8) for at, one in enumerate(numbers)]


_CAPTION = Set("Figure 1: The tide at the quay over a day, in metres.", 240)


@pytest.mark.parametrize(
    "axes",
    [
        _up("0", "5", "10", "15"),
        _up("-4", "-2", "0", "2", "4", step=12.5),
        [*reversed(_up("0.0", "0.2", "0.4", "0.6"))],
        [*_up("-2.5", "0.0", "2.5"), Set("0 6 12 18 24", 212, 70, size=8)],
        [Set("0 6 12 18 24", 212, 70, size=8), *_up("0", "1", "2")],
        [*_up("0", "1", "2", "3"), *_up("0", "1", "2", "3", left=300)],
    ],
)
def test_the_numbers_along_the_axes_of_a_plot_are_left_out(axes: list[Set]) -> None:
    assert _pages([Set(_WIDE, 60), *axes, _CAPTION]) == [f"{_WIDE}\n\n{_CAPTION.text}"]


@pytest.mark.parametrize(
    "numbers",
    [
        _up("3", "2", "1"),  # what grows downwards is a list
        _up("1", "2", "3"),  # three may be a vector
        _up("1", "2", "4", "5"),
        _up("4", "3", "2", "1"),
        [
            *_up("2021", "2022", "2023", "2024"),
            *_up("13.1", "14.0", "12.2", "15.9", left=120),
        ],  # a table by columns
        [*_up("2021", "2022", "2023", "2024"), *_up("Tug", "Pilot", "Ferry", "Barge", left=120)],
    ],
)
def test_other_numbers_that_stand_below_each_other_are_kept(numbers: list[Set]) -> None:
    [page] = _pages([Set(_WIDE, 60), *numbers, _CAPTION])
    assert [one.text for one in numbers if one.text not in page.replace("\\", "").split()] == []
