from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.asciidoc import parse_asciidoc, readable_asciidoc
from tests.support.outlines import assert_apart, sections

PAGE = """
= Guide

Words.

[[limits]]
== `task_limit`

[source,ini]
----
== No heading
----

=== Deeper

== Second
"""


def test_a_title_has_no_anchor_in_it() -> None:
    [title] = parse_asciidoc("= Oars [[oars]]\n\nRow.\n").definitions
    assert title.names == ("Oars",)


def test_sections_nest_by_their_marks_and_blocks_are_whole() -> None:
    assert list(sections(parse_asciidoc(PAGE.lstrip()).definitions)) == [
        (0, "Guide", 1, 15),
        (1, "task_limit", 5, 14),
        (2, "Deeper", 13, 14),
        (1, "Second", 15, 15),
    ]


def test_titles_may_be_underlined() -> None:
    text = "row(1)\n======\n\nNAME\n----\nrow - moves boats\n\nRun:\n\n----\nHull\n----\n\nOPTIONS\n-------\nNone.\n"
    assert list(sections(parse_asciidoc(text).definitions)) == [
        (0, "row(1)", 1, 16),
        (1, "NAME", 4, 13),
        (1, "OPTIONS", 14, 16),
    ]


def test_a_title_written_as_code_is_defined() -> None:
    [guide] = parse_asciidoc(PAGE.lstrip()).definitions
    assert guide.members[0].names == ("task_limit", "task_limit")


def test_what_one_reads_has_no_markup() -> None:
    source = ":toc:\n\n[NOTE]\n====\nSee <<limits,the limits>> and https://example.org[this *page*].\n====\n"
    assert readable_asciidoc(source) == "See the limits and this page."


@given(st.text(st.sampled_from("ab =-\n\n[].*`"), max_size=200))
def test_sections_of_any_text_lie_in_the_file_and_in_one_another(text: str) -> None:
    assert_apart(parse_asciidoc(text).definitions, 1, len(text.split("\n")))
    readable_asciidoc(text)
