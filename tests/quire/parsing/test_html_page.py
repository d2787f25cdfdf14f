"""HTML pages as a reader sees them."""

from __future__ import annotations

import pytest

from quire.parsing.html_page import parse_html


def test_a_table_in_a_table_is_text_of_its_cell_and_no_row_of_the_outer_one() -> None:
    inner = "<table><tbody><tr><td>wing</td> <td>span</td></tr></tbody></table>"
    outer = f"<table><tr><th>Bird</th><th>Size</th></tr><tr><td>Gull</td><td>{inner}</td></tr></table>"
    [table] = parse_html(f"<main><h1>Birds</h1>{outer}</main>").sections[0].blocks
    assert [one.text for one in table.parts] == ["Bird | Size", "Gull | wing span"]


def shown(body: str) -> list[str]:
    every = (block for section in parse_html(f"<main>{body}</main>").sections for block in section.blocks)
    return [part.text for block in every for part in block.parts]


def test_lists_inside_of_lists_and_their_code_keep_their_shape() -> None:
    nested = "<ol><li>Row<ul><li>left</li><li>right <code>oar</code></li></ul></li><li>Rest<pre>zzz</pre></li></ol>"
    assert shown(nested) == ["1. Row", "  - left", "  - right `oar`", "2. Rest", "```\nzzz\n```"]


@pytest.mark.parametrize(
    "code",
    [
        '<pre class="language-python">x = 1</pre>',
        '<pre><code class="hljs language-python">x = 1</code></pre>',
        '<div class="highlight-python notranslate"><div class="highlight"><pre>x = <span>1</span></pre></div></div>',
        '<div class="highlight highlight-source-python"><pre>x = 1</pre></div>',
        '<pre class="brush: python">x = 1</pre>',
    ],
)
def test_code_is_called_by_the_language_that_its_highlighter_was_told(code: str) -> None:
    assert shown(code) == ["```python\nx = 1\n```"]


def test_cells_keep_their_columns_and_code_its_ticks() -> None:
    table = "<tr><td></td><th>Free</th></tr><tr><td><code>a | b</code></td><td>1</td></tr>"
    assert shown(f"<h2>Use <code>row</code></h2><table>{table}</table>") == ["| Free", "`a \\| b` | 1"]


def test_a_forced_line_break_parts_words_and_lines_of_code() -> None:
    assert shown("<p>one<br>two</p><pre>a = 1<br/>b = 2</pre>") == ["one two", "```\na = 1\nb = 2\n```"]


def test_what_a_page_calls_its_main_part_is_read_without_the_roles_around_it() -> None:
    page = (
        "<body><div role=navigation><p>Home</p></div><div {}><h1>Locks</h1><p>Turn it twice.</p>"
        "<div role=contentinfo><p>Made by a tool</p></div></div><p>Beside</p></body>"
    )
    for named, shown in (("role=main", "Turn it twice."), ("id=main-content", "Turn it twice.")):
        read = parse_html(page.format(named))
        assert [block.text for section in read.sections for block in section.blocks] == [shown]
    around = parse_html(page.format("id=content"))
    assert [block.text for section in around.sections for block in section.blocks] == [
        "Turn it twice.",
        "Beside",
    ]


def test_words_of_blocks_that_touch_stay_apart_in_cells_and_items() -> None:
    cells = "<td><ul><li>ash</li><li>oak</li></ul></td><td><p>long</p><div>thin</div></td><td>a<br>b</td>"
    assert shown(f"<table><tr>{cells}</tr></table>") == ["ash; oak | long thin | a b"]
    assert shown("<ul><li><p>Row</p><p>on</p></li></ul>") == ["- Row on"]
    assert shown("<div><div>Row</div><div>on</div></div>") == ["Row on"]
    assert shown("<pre><div>row</div><div>on</div></pre>") == ["```\nrowon\n```"]


def test_what_confluence_writes_around_a_page_is_not_its_text() -> None:
    folded = '<div><span class="expand-control-text">{}</span></div><div><p>Oil.</p></div>'
    assert shown(
        '<div class="toc-macro"><ul><li>Oil</li></ul></div>' + folded.format("Click here to expand...")
    ) == ["Oil."]
    assert shown(folded.format("Care")) == ["Care", "Oil."]
