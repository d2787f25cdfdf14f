from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.tags import read_tag


def test_attributes_are_read_with_their_offsets() -> None:
    text = "<Tab label=\"A 'b'\" value='c' on style={{x: '>'}} {...rest} n=5 />"
    tag = read_tag(text, 0)
    assert tag is not None
    assert (tag.name, tag.end, tag.empty, tag.closes) == ("Tab", len(text), True, False)
    assert {name: value for name, (_, value) in tag.strings.items()} == {
        "label": "A 'b'",
        "value": "c",
        "n": "5",
    }
    assert all(
        text[at:].startswith(value) for at, value in [*tag.strings.values(), *tag.expressions.values()]
    )
    assert tag.expressions["style"][1] == "{x: '>'}"


@pytest.mark.parametrize(
    "text", ["<Tabs", "<5%", "< b>", "<a href=>x", "<a {x", "<https://example.org>", "<me@x.org>", "<A,B>"]
)
def test_what_is_no_complete_tag_is_not_read_as_one(text: str) -> None:
    assert read_tag(text, 0) is None


@pytest.mark.parametrize(
    ("text", "name"), [("</p>", "p"), ("<>", ""), ("</>", ""), ("<A.B>", "A.B"), ("<br>", "br")]
)
def test_short_tags_are_read(text: str, name: str) -> None:
    tag = read_tag(text, 0)
    assert tag is not None
    assert tag.name == name
    assert tag.end == len(text)


@given(st.text(alphabet="<>/ab =\"'{}\n", max_size=40))
def test_reading_a_tag_never_runs_past_the_text(text: str) -> None:
    tag = read_tag("<a " + text, 0)
    assert tag is None or tag.end <= len(text) + 3
