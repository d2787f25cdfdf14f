"""HTML as people write it inside Markdown: what is indented in it is no code, and what `<pre>` holds is."""

from __future__ import annotations

import pytest

from quire.parsing.markdown import parse_markdown


def read(text: str) -> list[tuple[str, list[tuple[str, int, int]]]]:
    page = parse_markdown(text, "page.md")
    return [
        (block.kind, [(part.text, part.start_line, part.end_line) for part in block.parts])
        for section in page.sections
        for block in section.blocks
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "<aside class='tip'>\n\tMind the step.\n\tIt is high.\n</aside>\n",
            ("Mind the step. It is high.", 2, 3),
        ),
        ("<div>\n  <p>\n    A path.\n  </p>\n</div>\n", ("A path.", 3, 3)),
        ("<Note>\n        Far in.\n</Note>\n", ("Far in.", 2, 2)),
    ],
)
def test_what_is_indented_in_an_element_is_a_paragraph(text: str, wanted: tuple[str, int, int]) -> None:
    assert read(text) == [("paragraph", [wanted])]


def test_items_of_an_indented_list_are_items_with_what_they_nest() -> None:
    text = (
        "Things:\n<ul>\n    <li>one</li>\n    <li>two\n        <ul>\n            <li>half</li>\n"
        "        </ul>\n    </li>\n    <li>three</li>\n</ul>\n"
    )
    [intro, listed] = read(text)
    assert intro == ("paragraph", [("Things:", 1, 1)])
    assert listed == ("list", [("- one", 3, 3), ("- two", 4, 4), ("  - half", 6, 6), ("- three", 9, 9)])


def test_behind_an_empty_line_indented_code_is_code_again() -> None:
    text = "<details>\n<summary>More</summary>\n\n    make all\n\n</details>\n\nOr:\n\n    make none\n"
    kinds = read(text)
    assert kinds[0] == ("paragraph", [("More", 2, 2)])
    assert [part[0] for kind, parts in kinds for part in parts if kind == "code"] == [
        "```\nmake all\n```",
        "```\nmake none\n```",
    ]


def test_a_fence_in_an_element_keeps_its_indentation() -> None:
    text = "<div>\n\n```python\ndef f():\n    return 1\n```\n\n</div>\n"
    assert read(text) == [("code", [("```python\ndef f():\n    return 1\n```", 3, 6)])]


@pytest.mark.parametrize(
    ("text", "code", "lines"),
    [
        ('<pre><code class="cmd">caddy reload</code></pre>\n', "```\ncaddy reload\n```", (1, 1)),
        (
            '<pre><code class="language-sh"><span>sudo a</span>\n<b>sudo b</b> &lt;x&gt;</code></pre>\n',
            "```sh\nsudo a\nsudo b <x>\n```",
            (1, 2),
        ),
        (
            "<pre>\n# no heading\n\n| no | table |\n</pre>\n",
            "```\n# no heading\n\n| no | table |\n```",
            (1, 5),
        ),
        ("<pre>say ```x```</pre>\n", "````\nsay ```x```\n````", (1, 1)),
    ],
)
def test_preformatted_text_is_code_with_its_lines(text: str, code: str, lines: tuple[int, int]) -> None:
    before, after = read(f"Run:\n{text}After.\n")[0], read(f"Run:\n{text}After.\n")[-1]
    assert read(f"Run:\n{text}After.\n")[1:-1] == [("code", [(code, lines[0] + 1, lines[1] + 1)])]
    assert before == ("paragraph", [("Run:", 1, 1)])
    assert after == ("paragraph", [("After.", lines[1] + 2, lines[1] + 2)])


def test_preformatted_text_behind_words_ends_their_line() -> None:
    assert read("Mid <pre>a\nb</pre> end\n") == [
        ("paragraph", [("Mid", 1, 1)]),
        ("code", [("```\na\nb\n```", 1, 2)]),
        ("paragraph", [("end", 2, 2)]),
    ]


@pytest.mark.parametrize(
    "text",
    ["<pre>open\nnever\n", "Say <pre>x</pre> now\n", "<table><tr><td><pre>a\nb</pre></td></tr></table>\n"],
)
def test_preformatted_text_that_has_no_lines_of_its_own_is_text(text: str) -> None:
    assert all("```" not in part[0] for _, parts in read(text) for part in parts)


def test_a_heading_of_an_example_that_the_page_runs_heads_no_section() -> None:
    text = "# Valves\n\n<h2>Open</h2>\n\n<div>\n  <h1 v-else>Oh no</h1>\n</div>\n\n## Shut\n\nTurn it.\n"
    assert [one.heading for one in parse_markdown(text, "page.md").sections] == ["Valves", "Open", "Shut"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "From 0 to 2<sup>8</sup> - 1, or 2<sup>n - 1</sup> of x<sup>2</sup>.",
            "From 0 to 2^8 - 1, or 2^(n - 1) of x^2.",
        ),
        (
            "Some 4 cm<sup>2</sup> in 10<sup>\u22123</sup>.",
            "Some 4 cm^2 in 10^\u22123.",
        ),
        (
            "The 1<sup>st</sup> pump<sup>1</sup> (708<sup>3</sup>)<sup>4</sup> of Acme<sup>TM</sup>, H<sub>2</sub>O.",
            "The 1st pump1 (7083)4 of AcmeTM, H2O.",
        ),
    ],
)
def test_an_exponent_stays_one_and_other_raised_text_is_read_as_before(written: str, said: str) -> None:
    [(_, parts)] = read(written)
    assert parts == [(said, 1, 1)]


def test_an_exponent_that_a_line_break_divides_begins_no_list() -> None:
    [(_, parts)] = read("From 0 to 2<sup>n \u2212\n1</sup> \u2212 1,\nall of them.")
    assert parts == [("From 0 to 2^(n \u2212 1) \u2212 1, all of them.", 1, 3)]
