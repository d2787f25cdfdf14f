"""A page's own table of contents is no passage: it repeats every title and answers nothing."""

from __future__ import annotations

import pytest

from quire.chunking.markdown import chunk_docs
from quire.chunking.source_code import chunk_source_code
from quire.documents import Document
from quire.parsing.contents import contents_lines, without_contents

PAGE = """# Bilge pump

It empties the bilge.

## Table of contents

- [Use](#use)
  * [By hand](#by-hand)
1. [**Care** of the `valve`](#care-of-the-valve)

## Use

Turn the crank.

### By hand

Press the lever.

## Care of the valve

Oil it in spring.
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (PAGE, [(5, 9)]),
        ("# T\n- [a](#a)\n\n- [b](#b)\n- [c](#c)\n\ntext", [(2, 5)]),
        ("# T\n* [ ] 1.2 [a (b)](#a-(b))\n* [b](#b)\n* **[c](#c)**", [(2, 4)]),
        ("## Methods\n- [a](#a)\n- [b](#b)\n- [c](#c)\n\n### a", [(2, 4)]),
        ("## Methods\n- [a](#a)\n- [b](#b)\n- [c](#c)\n\nAll are quick.\n\n## a", [(2, 4)]),
        ("To prime it:\n\n1. [a](#a)\n1. [b](#b)\n1. [c](#c)\n", []),
        ("- [a](#a)\n- [b](#b)\n\nTwo are a sentence's.", []),
        ("- [a](#a) pumps\n- [b](#b) turns\n- [c](#c) ends", []),
        ("- [a](a.md#a)\n- [b](b.md)\n- [c](/c)", []),
        ("```md\n- [a](#a)\n- [b](#b)\n- [c](#c)\n```", []),
        ("- [a](#a)\n- [b](#b)\nSee:\n- [c](#c)\n- [d](#d)", []),
    ],
)
def test_only_lists_of_links_within_the_page_are_contents(text: str, lines: list[tuple[int, int]]) -> None:
    assert contents_lines(text) == lines
    assert without_contents(text).count("\n") == text.count("\n")


def test_documentation_is_cut_without_its_contents() -> None:
    (chunk,) = chunk_docs(Document("pump.md", PAGE, "docs", {"path": "pump.md"}))
    assert "](#" not in chunk.text
    assert "Table of contents" not in chunk.text
    assert "It empties the bilge." in chunk.text
    assert "Oil it in spring." in chunk.text


def test_a_code_base_keeps_the_lines_around_them_as_they_are() -> None:
    found = list(
        chunk_source_code(Document("pump.md", PAGE, "code", {"path": "pump.md", "lang": "markdown"}))
    )
    lines = PAGE.split("\n")
    for chunk in found:
        start, end = chunk.metadata["start_line"], chunk.metadata["end_line"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert chunk.text == "\n".join(lines[start - 1 : end])
    assert [(one.metadata["start_line"], one.metadata["end_line"]) for one in found] == [(1, 3), (11, 21)]
    assert len({one.id for one in found}) == len(found)


def test_a_heading_above_the_sections_that_its_list_names_stays_above_them() -> None:
    text = (
        "# Pump\n\n## Methods\n\n- [prime](#prime)\n- [run](#run)\n- [stop](#stop)\n\n### prime\n\n"
        + "It fills. " * 90
    )
    (chunk,) = chunk_docs(Document("pump.md", text, "docs", {"path": "pump.md"}))
    assert chunk.metadata["headings"] == ("Pump", "Methods", "prime")
    assert "](#" not in chunk.text


def test_a_page_of_contents_alone_is_still_found() -> None:
    text = "# Index\n\n- [a](#a)\n- [b](#b)\n- [c](#c)\n"
    for chunker in (chunk_docs, chunk_source_code):
        (chunk,) = chunker(Document("i.md", text, "x", {"path": "i.md", "lang": "markdown"}))
        assert "Index" in chunk.text
