from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.readable import readable_markdown, readable_part


def lines(text: str, path: str = "boats.mdx") -> list[str]:
    return [line for line in readable_markdown(text, path).text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('import {Card} from "cards";\nexport const row = 1;\n\nRow.', ["Row."]),
        (
            '<Card\n  title="Oars"\n  href="/oars"\n  wide={true}\n>\n  Of ash.\n</Card>',
            ["Oars", "  Of ash."],
        ),
        ('  title="Oars"\n  href="/oars"\n/>\n\nRow.', ["Oars", "Row."]),
        ('Row.\n\n<LinkCard\n  title="Oars"\n  href="/oars"', ["Row.", "Oars"]),
        (
            'See:\n\n<Preview\n  list={[\n    { label: "Oars of ash", link: "" },\n    { label: "Sails of hemp"',
            ["See:", "Oars of ash", "Sails of hemp"],
        ),
        ("</Step>\n<Step>\nRow.\n", ["Row."]),
        ("Row <Badge>hard</Badge>, <Icon name='oar' /> twice.", ["Row hard,  twice."]),
        ("<Badge>New</Badge> Row.\n\nRow <Card>\nfar\n</Card>", ["New Row.", "Row ", "far"]),
        ("> quoted\n\n> [!WARNING]\n> Mind it.", ["> quoted", "> Warning:", "> Mind it."]),
        (
            '<Table\n  columns={["Oar", "Price"]}\n  rows={[["ash", "$3"]]}\n/>\n<Box rows="4" />',
            ["Oar", "Price", "ash", "$3"],
        ),
        (":::note\nMind them.\n:::", ["Note", "Mind them."]),
        (":::note[Tides]\nMind them.\n:::", ["Note: Tides", "Mind them."]),
        ('title: Oars\ndescription: "Of ash."\nicon: oar', ["Oars", "Of ash."]),
        (
            "title: Oars\ndescription: >-\n  Of ash\n  or oak.\nicon: oar\n  pair",
            ["Oars", "Of ash", "or oak."],
        ),
    ],
)
def test_a_part_of_a_page_of_components_says_what_its_reader_sees(text: str, said: list[str]) -> None:
    assert lines(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A `List<Boat>` or List<Boat>, {x}.", ["A `List<Boat>` or List<Boat>, {x}."]),
        ("<table>\n<tr><th>Part</th><th>Of</th></tr>\n<tr><td>Oar</td><td>ash | oak</td></tr>\n</table>", [
            "| Part | Of |", "| Oar | ash \\| oak |",
        ]),
        ("| Oar | Of |\n| --- | --- |\n| long<br/>  wide | ash<br>oak |", [
            "| Oar | Of |", "| --- | --- |", "| long wide | ash oak |",
        ]),
        ("Oar | Of\n--- | ---\nlong<br>wide | ash", ["Oar | Of", "--- | ---", "long wide | ash"]),
        ("long<br>wide | ash\nshort | oak\n\nRow<br>on, `a|b`.", [
            "long wide | ash", "short | oak", "Row", "on, `a|b`.",
        ]),
        ("<tr><td>Oar</td>\n<td>ash</td></tr>\n</table>\n\nRow.", ["| Oar | ash |", "Row."]),
        ("Row:\n<table><tr><td>Oar</td><td>ash</td></tr>\n", ["Row:", "| Oar | ash |"]),
        ("<pre><code class=\"language-c\">a &lt; b;\n</code></pre>", ["```c", "a < b;", "```"]),
        ('{{< tab header="Oars" >}}\nRow {{< param far >}}.\n{{< /tab >}}', ["Oars:", "Row ."]),
        ("{/* prettier-ignore */}\nRow {/* far */}on.", ["Row on."]),
        ('!!! tip "Oars"\n    Of ash.\n\nRow.', ["> Oars:", "> Of ash.", "Row."]),
        ("Hit ++ctrl+o++ for [`row()`][boat.Oar.row], not [it][1]: C++.", [
            "Hit ctrl+o for `row()`, not [it][1]: C++.",
        ]),
        ('=== "row.py"\n\n    ```python hl_lines="2"\n    --8<-- "docs/row.py"\n    ```\n\n    1. Row.', [
            "row.py:", "`docs/row.py`", "1. Row.",
        ]),
        ('Row:\n\n--8<-- "docs/oar.svg"\n\n::: boat.Oar\n    options:\n      level: 1\n', ["Row:", "boat.Oar"]),
    ],
)  # fmt: skip
def test_a_part_of_a_page_of_markdown_does_too(text: str, said: list[str]) -> None:
    assert lines(text, "boats.md") == said


def test_a_part_of_a_page_of_asciidoc_becomes_markdown() -> None:
    text = "[NOTE]\n====\nSee xref:oars.adoc[the oars].\n====\n\n[source,sh]\n----\nrow\n----\n"
    assert lines(text, "boats.adoc") == ["> Note:", "> See the oars.", "```sh", "row", "```"]


def test_a_quote_is_shown_by_the_lines_that_it_stands_on() -> None:
    text = '# A\n\n<Card\n  title="Oars"\n>\n\nOf ash. And oak.\n\n</Card>\n\nRow <b>far</b>. Row fast.\n'

    def of(quote: str) -> str:
        start = text.index(quote)
        part = readable_part(text, "boats.mdx", start, start + len(quote))
        return part.text[part.start : part.end].strip()

    assert of("Of ash. And oak.") == "Of ash. And oak."
    assert of("And oak.") == "And oak."
    assert of("Row fast.") == "Row fast."  # the line is shown otherwise: the quote is read alone
    assert of(text[text.index("<Card") : text.index("</Card>")]) == "Oars\n\n\nOf ash. And oak."


def test_rows_from_the_midst_of_a_table_of_html_are_shown() -> None:
    rows = "  <tr>\n    <td>Ash</td>\n    <td>4</td>\n  </tr>\n\n  <tr>\n    <td>Oak</td>\n    <td>2</td>\n  </tr>\n"
    text = f"Oars:\n\n<table>\n  <tr>\n    <th>Of</th>\n    <th>Left</th>\n  </tr>\n\n{rows}"
    part = readable_part(text, "boats.md", text.index(rows), len(text))
    assert part.text[part.start : part.end].split("\n")[1:3] == ["  | Ash | 4 |", "  | Oak | 2 |"]


@given(
    st.lists(st.sampled_from(["Row.", "", "- an oar", "  - of ash", "`<a>`", "| a | b |"]), max_size=9),
    st.data(),
)
def test_what_needs_no_reading_stays_to_the_letter(told: list[str], data: st.DataObject) -> None:
    text = "\n".join(told)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert readable_part(text, "boats.md", start, end) == (text, start, end)


@given(st.text('<>{}%/ab="`\n|:!-~[]*', max_size=60), st.sampled_from(["a.md", "a.mdx", "a.adoc", "a.qmd"]))
def test_any_text_is_read_and_knows_its_lines(text: str, path: str) -> None:
    shown = readable_markdown(text, path)
    assert len(shown.numbers) == len(shown.text.split("\n"))
    assert list(shown.numbers) == sorted(shown.numbers)
    part = readable_part(text, path, 0, len(text))
    assert 0 <= part.start <= part.end <= len(part.text)
