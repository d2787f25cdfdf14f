"""Inline Markdown read without tokens, against the parser that makes them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quire.parsing.inline import make_part, read_plainly, readable

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

_WORDS = (
    "word",
    "Part",
    "a",
    "2",
    " ",
    " ",
    "\n",
    "  \n",
    "\t",
    "(",
    ")",
    ".",
    ",",
    ":",
    "!",
    "é",
    "“",
    "\ue003",
    "\ue002",
)
_MARKS = (
    "*",
    "**",
    "***",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "[",
    "]",
    "](",
    "![",
    "<",
    ">",
    "&",
    "\\",
    "\\*",
    "\\\n",
    "\0",
)
_SPANS = (
    "`code`",
    "`a b`",
    "` a `",
    "`[x]`",
    "**bold**",
    "*it*",
    "snake_case",
    "_it_",
    "&amp;",
    "& co",
    "a@b.cd",
)
_LINKS = (
    "[l](p.md)",
    "[a_b](x)",
    '[`Part`](p "t")',
    "[x](javascript:y)",
    "![alt](x)",
    "[x]",
    "[x][y]",
    "<https://a.bc>",
)


def parsed(text: str) -> str:
    """What Markdown's own parser reads."""
    return readable(_PARSER.parseInline(text)[0].children)


@given(st.lists(st.sampled_from(_WORDS + _MARKS + _SPANS + _LINKS), max_size=12).map("".join))
@example("a\ue002 \nb")
@example("**`a`** and **[b](c)**: *d*.")
@example("[**bold**](x)")
@example("**a [b** c](d)")
@example("a**b c** d")
@example("*a **b** c*")
def test_what_is_read_without_tokens_reads_as_with_them(text: str) -> None:
    plain = read_plainly(text)
    if plain is not None:
        assert make_part(plain, 1) == make_part(parsed(text), 1)


@pytest.mark.parametrize(
    "text",
    [
        "Words alone.",
        "Set `Part.Size` to **2 studs**, see [the guide](size.md#units).",
        "**`Touched`**: fires on *every* contact (see ![a part](part.png)).",
        "WORKER_POOL and `x` at 2 & 3",
        "Zoom &rarr; **Fit&nbsp;all**",
        "Costs \\$5 \\* 2, [sic] though!",
    ],
)
def test_common_texts_need_no_tokens(text: str) -> None:
    assert read_plainly(text) == parsed(text)


@pytest.mark.parametrize(
    "text",
    ["a *b", "&#160;", "&co;", "_so_", "~~gone~~", "``a`b``", "one  \ntwo", "three \nfour", "<https://a.bc>"],
)
def test_what_needs_the_whole_grammar_is_left_to_the_parser(text: str) -> None:
    assert read_plainly(text) is None
