"""Which stored texts have the lines of their files."""

from __future__ import annotations

import pytest

from quire.documents import Chunk, Value
from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.formats import first_line
from quire.parsing.latex_markdown import LATEX

LINES: dict[str, Value] = {"start_line": 3, "end_line": 5}
PAGE: dict[str, Value] = {**LINES, "content_hash": "0f"}


@pytest.mark.parametrize("suffix", [*LATEX, *ASCIIDOC, ".1", ".3pm", ".n.in"])
def test_a_page_that_was_written_anew_has_other_lines_than_its_file(suffix: str) -> None:
    assert first_line(Chunk("", f"a{suffix}", "## Ropes\n\nCoil them.", "", PAGE)) is None
    assert first_line(Chunk("", f"a{suffix}", "= Ropes\n\nCoil them.", "", LINES)) == 3


def test_a_manual_page_of_another_name_has_other_lines_than_its_file() -> None:
    assert first_line(Chunk("", "a.1.made", "## Ropes\n\nCoil them.", "", {**PAGE, "lang": "man"})) is None


def test_a_page_of_markdown_has_the_lines_of_its_file_where_as_many_are_stored() -> None:
    assert first_line(Chunk("", "a.md", "## Ropes\n\nCoil them.", "", PAGE)) == 3
    assert first_line(Chunk("", "a.md", "## Ropes\nCoil them.", "", PAGE)) is None
    assert first_line(Chunk("", "a.md", "## Ropes\n\nCoil them.")) is None
