"""HTML pages as a reader sees them."""

from __future__ import annotations

from quire.parsing.html_page import parse_html


def test_a_table_in_a_table_is_text_of_its_cell_and_no_row_of_the_outer_one() -> None:
    inner = "<table><tbody><tr><td>wing</td> <td>span</td></tr></tbody></table>"
    outer = f"<table><tr><th>Bird</th><th>Size</th></tr><tr><td>Gull</td><td>{inner}</td></tr></table>"
    [table] = parse_html(f"<main><h1>Birds</h1>{outer}</main>").sections[0].blocks
    assert [one.text for one in table.parts] == ["Bird | Size", "Gull | wing span"]
