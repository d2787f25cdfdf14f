"""Pages of MkDocs sites: their admonitions, tabs and blocks are text, not indented code."""

from __future__ import annotations

import pytest

from quire.documents import AnchorRules
from quire.parsing.markdown import dialect_of, parse_markdown
from quire.parsing.page import Page

MKDOCS = AnchorRules("mkdocs", attributes=True)


def read(source: str, anchors: AnchorRules = MKDOCS) -> Page:
    return parse_markdown(source, "page.md", dialect_of("page.md", source), anchors=anchors)


def parts(page: Page) -> list[tuple[str, int]]:
    return [
        (part.text, part.start_line)
        for section in page.sections
        for block in section.blocks
        for part in block.parts
    ]


ADMONITION = """\
!!! warning "Mind the tide"
    It comes twice a day.

    - high

    ```sh
    ls

    !!! note
    ```

Afterwards.
"""


@pytest.mark.parametrize("anchors", [MKDOCS, AnchorRules()], ids=["its own site", "a site that nobody knows"])
def test_text_below_an_admonition_is_read_as_text(anchors: AnchorRules) -> None:
    assert parts(read(ADMONITION, anchors)) == [
        ("Warning: Mind the tide\nIt comes twice a day.", 1),
        ("- high", 4),
        ("```sh\nls\n\n!!! note\n```", 6),
        ("Afterwards.", 12),
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("!!! tip\n    Fold it.\n", ["Tip: Fold it."]),
        ('!!! tip ""\n    Fold it.\n', ["Fold it."]),
        ("???+ note\n    - one\n    - two\n", ["Note:", "- one", "- two"]),
        ('!!!info "Side"\n    At the side.\n', ["Info: Side\nAt the side."]),
        ('!!! note inline end "Side"\n    At the side.\n', ["Note: Side\nAt the side."]),
        ("!!! a\n    !!! b\n        Deep.\n\n    Back.\n\nOut.\n", ["A:", "B: Deep.", "Back.", "Out."]),
        ("/// tip | Tides\n\nThey turn.\n\n///\n\nOut.\n", ["Tip: Tides", "They turn.", "Out."]),
        ("/// tip\n\nThey turn.\n\n///\n", ["Tip: They turn."]),
        (
            "//// tab | Linux\n\n/// note\n\nHere.\n\n///\n\nThere.\n\n////\n",
            ["Linux:", "Note: Here.", "There."],
        ),
        ('=== "Linux"\n\n    Run it.\n\n=== "Mac"\n    Start it.\n', ["Linux:", "Run it.", "Mac: Start it."]),
        (
            "- item\n\n    !!! note\n        Below it.\n\n    More.\n",
            ["- item", "  Note: Below it.", "  More."],
        ),
    ],
)
def test_blocks_are_read_below_what_they_are_called(source: str, said: list[str]) -> None:
    assert [text for text, _ in parts(read(source))] == said


def test_other_marks_of_a_mkdocs_site_are_not_shown() -> None:
    source = (
        "Press ++ctrl+c++ :material-check: or [go](a.md){ .button }.\n\n"
        "`oar`\n\n:   It moves boats.\n\n    And rafts.\n\n"
        "::: boats.oars\n    options:\n        members: true\n\n*[HTML]: a language\n"
    )
    assert [text for text, _ in parts(read(source))] == [
        "Press ctrl+c or go.", "`oar`", "- It moves boats.", "  And rafts.", "boats.oars",
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["{ #small }", "{#small}", "{: #small .wide }", "{ .wide #small }"])
def test_a_heading_loses_its_attributes_and_keeps_its_anchor(written: str) -> None:
    (section,) = read(f"## Small boats {written}\n\nText.\n").sections
    assert (section.heading, section.anchor) == ("Small boats", "small")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "    code();\n\nUse ++x++ and a [link](a){ .b }.\n",
            ["```\ncode();\n```", "Use ++x++ and a link{ .b }."],
        ),
        ("Is it true???\n\n    yes()\n", ["Is it true???", "```\nyes()\n```"]),
        ("A === B\n\n/// A comment of Rust.\n", ["A === B", "/// A comment of Rust."]),
        ("Term\n\n:   no list\n", ["Term", ": no list"]),
    ],
)
def test_other_markdown_is_read_as_it_was(source: str, said: list[str]) -> None:
    assert [text for text, _ in parts(read(source, AnchorRules()))] == said
