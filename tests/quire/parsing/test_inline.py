"""Inline Markdown as its own parser reads it."""

from __future__ import annotations

import random
import time

import pytest
from markdown_it import MarkdownIt

from quire.parsing.inline import readable, without_open_brackets
from tests.support.pace import takes_cpu_within

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Set `Part.Size` to **2 studs**, see [the guide](size.md#units).",
            "Set `Part.Size` to 2 studs, see the guide.",
        ),
        ("fires on *every* contact (see ![a part](part.png)).", "fires on every contact (see a part)."),
        ("Zoom &rarr; **Fit&nbsp;all**", "Zoom \u2192 Fit\u00a0all"),
        ("Costs \\$5 \\* 2, [sic] though!", "Costs $5 * 2, [sic] though!"),
        (
            "It says `` `Rc` is not `Send` ``, see ``a`b``.",
            "It says `` `Rc` is not `Send` ``, see `` a`b ``.",
        ),
        ("snake_case and a *b", "snake_case and a *b"),
        ("[x](javascript:y)", "[x](javascript:y)"),
    ],
)
def test_marks_of_links_code_and_emphasis_are_read_away(text: str, shown: str) -> None:
    assert readable(_PARSER.parseInline(text)[0].children) == shown


def test_brackets_that_nothing_closes_are_read_as_before_but_at_once() -> None:
    quick = without_open_brackets(
        MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    )
    drawn = random.Random(16)
    for _ in range(1_500):
        text = "".join(
            drawn.choices(["[", "[", "![", "]", "](b)", "!", "a", " c", "`", "*", "\\", "<", "&amp;"], k=7)
        )
        shown = readable(_PARSER.parseInline(text)[0].children)
        assert readable(quick.parseInline(text)[0].children) == shown, text


def test_a_megabyte_of_open_brackets_is_text_at_once() -> None:
    quick = without_open_brackets(MarkdownIt("commonmark"))
    text = "[" * 300_000 + "![" * 300_000
    began = time.process_time()
    assert readable(quick.parseInline(text)[0].children) == text
    assert takes_cpu_within(time.process_time() - began, 1.0)
