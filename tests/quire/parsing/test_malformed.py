from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import SourceError
from quire.parsing.markdown import dialect_of, parse_markdown

BROKEN = [
    ("Text\n\n<Tabs>\n\nnever closed\n", 3),
    ("<div>\n<p>crossed</div>\n</p>\n", 2),
    ("Text\n</Card>\n", 2),
    ("Text\n\n<Tabs\n", 3),
    ("{open\n", 1),
    ("a\n<!-- open\n", 2),
    ("---\ntitle: x\n", 1),
]


@pytest.mark.parametrize(("source", "line"), BROKEN)
def test_malformed_mdx_is_an_error_that_names_file_and_line(source: str, line: int) -> None:
    with pytest.raises(SourceError, match=rf"^book/page\.mdx:{line}: ") as raised:
        parse_markdown(source, "book/page.mdx")
    assert raised.value.path == "book/page.mdx"


@pytest.mark.parametrize("address", ["https://host/a_(b)", "my file.md", "../assets/image (1).png"])
def test_a_link_whose_address_stands_in_angle_brackets_is_no_tag(address: str) -> None:
    [section] = parse_markdown(f"See [the plan](<{address}>) of it.\n", "book/page.mdx").sections
    assert "See the plan of it." in "".join(block.text for block in section.blocks)


@pytest.mark.parametrize(("source", "_"), BROKEN[:-1])
def test_plain_markdown_takes_the_same_text_as_it_comes(source: str, _: int) -> None:
    assert parse_markdown(source, "page.md").sections


def test_an_unclosed_component_is_an_error_in_a_site_and_an_unclosed_element_is_not() -> None:
    site = dialect_of("a.md", "", site=True)
    with pytest.raises(SourceError, match=r"^a\.md:1: <Tabs> is never closed"):
        parse_markdown("<Tabs>\n", "a.md", site)
    assert parse_markdown("<ul>\n<li>one\n", "a.md", site).sections


HOSTILE = {
    "braces": "{ " * 30_000,
    "tags": "<a b={ " * 15_000,
    "comments": "<!-- " * 30_000,
    "styles": "<style>\n" * 20_000,
    "unknown tags": "".join(f"<zz{n}> " for n in range(15_000)),
    "closing tags": "</zz>" * 20_000,
    "items": "<li>" * 20_000,
    "ticks": "".join("`" * (n % 90 + 1) + " " for n in range(3_000)),
    "brackets": "[" * 20_000,
    "headings": "<h2>a\n" * 20_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_no_quadratic_time(source: str) -> None:
    started = time.process_time()
    assert parse_markdown(source, "page.md").sections is not None
    assert time.process_time() - started < 10  # the quadratic readings took minutes


FRAGMENTS = st.sampled_from(
    (
        "# H|## H2|word|`c|``|```|```lua|~~~|<b>|</b>|<Tabs>|</Tabs>|<br/>|<table>|<tr>|<td>|</table>|{|}|{'x'}"
        "|{/*|*/}|:::note|:::|- a|1. b|  |> q|| a | b |||---|---||[x](y)|![i](j)|&amp;|<!--|-->"
        "|import a from 'b'|---|\\|'|\"|*|_"
        '|export const a = 1|<img alt="z"|\t|    code|https://x.y|<h2>|</h2>|<li>|<kbd>|[^1]|\ue001|\r|<style>'
    ).split("|")
)


@given(st.lists(st.tuples(FRAGMENTS, st.sampled_from(["\n", " ", "", "\n\n"])), max_size=25))
def test_any_text_is_parsed_within_its_lines_or_named_as_malformed(pieces: list[tuple[str, str]]) -> None:
    source = "".join(piece + gap for piece, gap in pieces)
    last = source.count("\n") + 1
    for path in ("page.md", "page.mdx"):
        try:
            page = parse_markdown(source, path)
        except SourceError as error:
            assert error.path == path  # noqa: PT017
            continue
        for section in page.sections:
            assert 1 <= section.line <= last
            for part in (part for block in section.blocks for part in block.parts):
                assert 1 <= part.start_line <= part.end_line <= last
                assert part.text.strip()
