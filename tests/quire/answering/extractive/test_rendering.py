from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest

from quire.answering.citations import cite
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import best_lines
from quire.answering.extractive.passages import split_passages, torn_fence_end
from quire.answering.extractive.plain_words import plain_words
from quire.answering.extractive.rendering import quoted_part, shown, title_above
from quire.answering.extractive.rst_text import grid_rows, plain_roles, plain_rst
from quire.answering.extractive.weighing import Weighed
from quire.answering.request import Answer, Usage
from quire.chunking import chunk_document
from quire.documents import Chunk, Document
from quire.parsing.line_maps import LINE_MAP
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, hit_of

METHOD = '''\
    def stop(self, slowly=True):
        """Stop the pump.

        It takes two seconds.
        """
        # the valve first,
        # then the motor
        self.valve.close()
        self.motor.stop(
            slowly=slowly,
        )
'''


def code_chunk(text: str, lang: str = "python") -> Chunk:
    made = chunk("pump/app.py", text, lang=lang, start_line=40, symbol="Pump.stop")
    return made._replace(symbols=("Pump.stop", "stop"))


def show(one: Chunk, start: int = 0, end: int | None = None) -> str:
    return shown(cite(1, hit_of(one), start, len(one.text) if end is None else end))


def test_code_is_fenced_and_dedented_below_its_symbol_and_place() -> None:
    text = show(code_chunk(METHOD))
    assert text.startswith(
        '`Pump.stop`, pump/app.py:40-50 [1]\n\n```python\ndef stop(self, slowly=True):\n    """'
    )
    assert text.endswith("    )\n```")


def test_what_stands_between_two_code_spans_of_a_markdown_page_is_no_link_of_rst() -> None:
    said = "Append a suffix such as `u8`, or split digits by `_` for readers."
    assert show(chunk("numbers.md", said, path="numbers.md")) == f"{said} [1]"


def test_code_names_what_the_shown_lines_define_without_members() -> None:
    text = "WIDE = 1\n\n\nclass Pump:\n    def stop(self): ...\n\n\nNARROW = 2\n"
    made = chunk("pump/app.py", text, lang="python", start_line=40, symbol="WIDE")
    made = made._replace(symbols=("WIDE", "pump.WIDE", "Pump", "Pump.stop", "stop", "NARROW", "_"))
    assert show(made).startswith("`WIDE`, `Pump`, `NARROW`, pump/app.py:40-47 [1]")
    assert show(made, text.index("NARROW")).startswith("`NARROW`, pump/app.py:47 [1]")


def test_names_of_ruby_that_end_in_a_sign_are_told() -> None:
    text = "def full?\n  @level > 9\nend\n\ndef drain!\n  @level = 0\nend\n"
    made = chunk("pump.rb", text, lang="ruby", start_line=4, symbol="full?")
    made = made._replace(symbols=("Pump.full?", "full?", "Pump.drain!", "drain!"))
    assert show(made).startswith("`Pump#full?`, `Pump#drain!`, pump.rb:4-10 [1]")


HEAD = '''\
"""The pump: moves water."""

WIDE = 1
'''
TWO = """\
class Valve:
    size = 1


class Pump:
    def stop(self):
        self.motor.stop()
"""


def head_of_file() -> Chunk:
    made = chunk("pump/app.py", HEAD, lang="python", kind="module", symbol="", start_line=1, end_line=4)
    return made._replace(symbols=("WIDE", "pump.WIDE"), breadcrumb="pump/app.py")


def two_classes() -> Chunk:
    made = chunk("pump/app.py", TWO, lang="python", kind="class", symbol="Valve", start_line=8, end_line=15)
    return made._replace(symbols=("Valve", "Valve.size", "size", "Pump", "Pump.stop", "stop"))


@pytest.mark.parametrize(
    ("made", "quoted", "symbol", "lines"),
    [
        (head_of_file(), '"""The pump: moves water."""', "", (1, 1)),
        (head_of_file(), "WIDE = 1\n", "WIDE", (3, 3)),
        (two_classes(), "class Pump:\n    def stop(self):\n", "Pump", (12, 13)),
        (two_classes(), "        self.motor.stop()", "Pump.stop", (14, 14)),
    ],
)
def test_a_citation_of_code_is_headed_by_what_it_quotes_and_has_its_lines(
    made: Chunk, quoted: str, symbol: str, lines: tuple[int, int]
) -> None:
    start = made.text.index(quoted)
    cited = cite(1, hit_of(made), start, start + len(quoted))
    known = quoted_part(cited).metadata
    assert (known["heading"], known["start_line"], known["end_line"]) == (symbol, *lines)
    span = f"{lines[0]}-{lines[1]}" if lines[1] > lines[0] else str(lines[0])
    assert shown(cited).startswith(
        f"`{symbol}`, pump/app.py:{span} [1]" if symbol else f"pump/app.py:{span} [1]"
    )


WRAPPED = """# Pump

It moves water
and stops. Then
it rests.

- Oil it
  daily.
- Wipe it.

```sh
pump start
pump stop
```
"""
IN_ASCIIDOC = WRAPPED.replace("# Pump", "= Pump").replace("- ", "* ").replace("```sh", "[source,sh]\n----")


@pytest.mark.parametrize(
    ("path", "text", "quoted", "lines"),
    [
        ("a.md", WRAPPED, "It moves water and stops.", (3, 4)),
        ("a.md", WRAPPED, "Then it rests.", (4, 5)),
        ("a.md", WRAPPED, "Wipe it.", (9, 9)),
        ("a.md", WRAPPED, "pump stop\n", (13, 13)),
        ("a.adoc", IN_ASCIIDOC.replace("```", "----"), "Wipe it.", (9, 9)),
        ("a.adoc", IN_ASCIIDOC.replace("```", "----"), "pump stop\n", (14, 14)),
    ],
)
def test_a_citation_of_a_page_that_is_written_anew_has_the_lines_of_its_quote(
    path: str, text: str, quoted: str, lines: tuple[int, int]
) -> None:
    [made] = chunk_document(Document(path, text, "docs"))
    start = made.text.index(quoted)
    known = quoted_part(cite(1, hit_of(made), start, start + len(quoted))).metadata
    assert (known["start_line"], known["end_line"]) == lines
    assert LINE_MAP not in known


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("It pumps\nand stops.\n\nIt\nrests.", "It pumps and stops.\n\nIt rests."),
        ("* Oil it\n  daily.\n* Wipe\n  it.", "* Oil it daily.\n* Wipe it."),
        (":param size: How\n    wide.\n:returns: All.", "- `size`: How wide.\n- Returns: All."),
        ("Pump\n    What\n    pumps.", "**Pump**  \n    What pumps."),
        ("Two\nlines\n    set in.", "Two lines\n    set in."),
        ("-q   Less\n     of it.", "-q   Less\n     of it."),
        ("| One\n| Two", "One  \nTwo"),
        ("Oil\n---\nIt is\nneeded.", "**Oil**\nIt is\nneeded."),
        ("==  ==\na   b\nc   d\n==  ==", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        (">>> pump()\n2", ">>> pump()\n2"),
        (".. note:: It\n   leaks\n   oil.", "Note: It leaks oil."),
        (".. versionadded:: 1.4 It leaks\n   and\n   stops.", "New in version 1.4: It leaks and stops."),
        (
            ".. versionchanged:: 2.0.18 - It\n   leaks.\n\n   Oil it.",
            "Changed in version 2.0.18: It leaks.\n\nOil it.",
        ),
        (".. versionadded:: 2.0\n\n   It leaks.", "New in version 2.0: It leaks."),
        (".. deprecated:: 3.1, use\n   oil.", "Deprecated since version 3.1: use oil."),
        (".. versionadded:: Development version", "New in version Development version."),
    ],
)
def test_restructured_text_is_shown_without_the_line_breaks_of_its_source(source: str, read: str) -> None:
    assert plain_rst(source) == read


@pytest.mark.parametrize("name", ["container", "rst-class", "cssclass"])
def test_classes_of_restructured_text_are_not_shown(name: str) -> None:
    assert plain_rst(f".. {name}:: orm-header, core-header\n\n   It pumps.") == "It pumps."
    assert plain_rst(f".. {name}:: orm-header\n\nIt pumps.") == "It pumps."


def test_a_symbol_is_named_though_its_file_is_called_alike() -> None:
    made = chunk("pump/_stop.py", "def stop(): ...\n", lang="python", start_line=1, symbol="stop")
    assert show(made._replace(symbols=("stop",))).startswith("`stop`, pump/_stop.py:1 [1]")


def test_a_place_with_underscores_keeps_them() -> None:
    made = code_chunk("x = 1\n")
    made = made._replace(metadata={**made.metadata, "path": "pump/__init__.py"})
    assert show(made).startswith("`Pump.stop`, `pump/__init__.py:40` [1]")


@pytest.mark.parametrize("room", [60, 90, 140])
def test_code_is_cut_at_statements_never_inside_a_docstring_or_comment(room: int) -> None:
    asked = Weighed("stop motor", {"motor": 1.0}, (), wants_code=True)
    start, end = best_lines(asked, METHOD, METHOD.index("self.motor"), room)
    cut = METHOD[start:end]
    assert cut.count('"""') % 2 == 0
    assert cut.count("(") == cut.count(")")
    assert ("valve first" in cut) == ("then the motor" in cut)
    assert "self.motor.stop(" in cut


def test_the_source_of_a_page_is_shown_as_code() -> None:
    assert "```html\n<form>\n" in show(code_chunk("<form>\n  <input name='a[0]'>\n</form>\n", "html"))
    template = "{% import 'parts.html' as parts %}\n{{ parts.menu }}\n"
    assert show(chunk("menu.html", template, lang="html")).endswith("```html\n" + template + "```")


def test_a_fence_without_a_language_is_given_none() -> None:
    text = "Run it:\n\n```\nStop the server.\n```\n"
    assert "```\nStop the server.\n```" in show(chunk("a.md", text))


def test_a_row_is_shown_below_the_head_of_its_table() -> None:
    one = chunk("parts.md", "# Parts\n\nPart | Price\nLid | 9\nSeal | 4\n")
    text = show(one, one.text.index("Seal"), len(one.text) - 1)
    assert text == "| Part | Price |\n| --- | --- |\n| Seal | 4 |\n\n[1]"


def test_the_rest_of_a_torn_table_takes_no_row_for_its_head() -> None:
    one = chunk("parts.md", "Seal | 4\nBase | 7\n", 1)
    assert show(one, 0, len(one.text) - 1) == "|  |  |\n| --- | --- |\n| Seal | 4 |\n| Base | 7 |\n\n[1]"


def test_comments_that_light_up_lines_and_spaces_alone_are_not_shown() -> None:
    code = "// highlight-next-line\nrow()\n/* highlight-end */\nrest() // [!code focus]\n# [!code]\n"
    made = chunk("a.md", f"&nbsp;\n\nRow:\n\n```js\n{code}```\n", lang="markdown")
    assert (
        shown(cite(1, hit_of(made), 0, len(made.text))) == "Row:\n\n```js\nrow()\nrest()\n# [!code]\n```\n[1]"
    )


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ('    "Boat" means what floats, and is rowed (or sailed)\n    by those who sign below.', False),
        ("    row --far --fast  # on and on and on, until it is dark", True),
        ("    Boat      Rowed by     Sailed by    Owned by none", True),
    ],
)
def test_prose_of_a_plain_text_that_is_set_in_is_no_code(text: str, *, is_code: bool) -> None:
    made = chunk("a.txt", text, lang="text")
    assert ("```" in shown(cite(1, hit_of(made), 0, len(text)))) is is_code


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (":orphan:\n\nRow.", "Row."),
        (".. [#oil] Of linseed.\n.. [Row2020] Row, *Oars*.", "Note: Of linseed.\n\n[Row2020] Row, *Oars*."),
        (
            "Oil [#oil]_ of [Row2020]_ as Flask_ and `b_ c`, not class_.",
            "Oil of [Row2020] as Flask and `b_ c`, not class_.",
        ),
        (".. math:: a_b = \\frac{c}{d}\n   :label: oar", "$$\na_b = \\frac{c}{d}\n$$"),
        (".. math::\n\n   a_b\n   c", "$$\na_b\nc\n$$"),
        (
            "Is :math:`x_1` in :guilabel:`&File`, :octicon:`oar` H\\ :sub:`2`\\ O, :issue:`9`?",
            "Is $x_1$ in `File`,  H2O, issue 9?",
        ),
        (".. figure:: oar.png\n   :alt: x\n\n   An oar.\n\n   Of ash.", "An oar.\n\nOf ash."),
        (
            ".. grid:: 1 2 2 2\n\n   .. grid-item-card:: Oars\n      :link: oars\n\n      Of ash.",
            "Oars:\n\nOf ash.",
        ),
        (".. rubric:: Sails\n\nOf cotton.", "**Sails**\n\nOf cotton."),
        (".. literalinclude:: row.py\n   :lines: 1-2", "`row.py`"),
        (".. csv-table:: Oars\n   :file: oars.csv", "Oars\n\n`oars.csv`"),
        (".. module:: oars\n   :synopsis: x\n\n   All oars.", "All oars."),
    ],
)
def test_what_restructured_text_tells_beside_its_paragraphs_is_shown(source: str, read: str) -> None:
    assert plain_rst(source) == read


def test_lines_that_are_kept_are_no_table_and_pages_that_are_made_are_not_told() -> None:
    text = "| Row on.\n| Row far.\n\nIndices and tables\n==================\n\n* :ref:`genindex`\n* :ref:`search`\n"
    made = chunk("a.rst", text, lang="rst")
    assert shown(cite(1, hit_of(made), 0, len(text))) == "Row on.  \nRow far. [1]"


def test_lines_of_nothing_but_names_of_pictures_are_not_shown() -> None:
    text = "|Logo|\n\nOars\n====\n\n|Build-Status| |Version|\n\nRow on.\n"
    made = chunk("a.rst", text, lang="rst", titles=("|Build-Status|=", "|Version|="))
    assert shown(cite(1, hit_of(made), 0, len(text))) == "**Oars**\n\nRow on. [1]"


def test_restructured_text_loses_its_markup() -> None:
    one = chunk(
        "pump.rst",
        "Mode\n====\n\nUse :setting:`pump_mode` or ``None``, see :ref:`the guide <guide>`::\n\n    mode = 1\n\n"
        ".. warning::\n\n    Never run it dry.\n",
        lang="rst",
    )
    assert show(one) == (
        "**Mode**\n\nUse `pump_mode` or `None`, see the guide:\n\n```\nmode = 1\n```\n\nWarning: Never run it dry. [1]"
    )


def test_a_note_that_is_a_reference_alone_keeps_it_and_names_of_pictures_are_not_shown() -> None:
    source = (
        ".. seealso::\n\n    :ref:`valve-care`\n\n.. image:: valve.png\n    :width: 90\n\n"
        "#. Open the valve.\n\n   |Picture of the valve|\n#. Wait.\n\n|A pump|\n"
    )
    assert plain_rst(source) == "See also: valve care\n\n1. Open the valve.\n\n1. Wait."
    one = chunk(
        "pump.rst", "Close the valve.\n\n|Picture of the valve|\n\n#. Wait.\n#. Rinse it.\n", lang="rst"
    )
    assert show(one) == "Close the valve.\n\n1. Wait.\n1. Rinse it.\n[1]"


def test_drawings_are_not_shown_and_what_a_directive_says_over_two_lines_is_read_as_one() -> None:
    drawing = '.. graphviz::\n\n    digraph g {\n        valve -> pump [label="oil"]\n    }\n'
    assert plain_rst(f"It flows so:\n\n{drawing}\nThen it stops.") == "It flows so:\n\nThen it stops."
    source = ".. seealso:: :ref:`valves <valve-care>`, :ref:`the oil of\n   pumps <oil>`.\n"
    assert plain_rst(source) == "See also: valves, the oil of pumps."
    source = ".. function:: oil(pump, *, \\\n              grade=5)\n   :canonical: pump.oil\n\n   Oils it.\n"
    assert plain_rst(source) == "`oil(pump, *, grade=5)`\n\nOils it."


def test_data_that_goes_on_from_the_chunk_before_is_fenced() -> None:
    rest = '  "state": "open",\n  "valve": {\n    "name": "oil"\n  },\n  "sure": true,\n}\n\nIt is closed at night.'
    assert show(chunk("pump.rst", rest, lang="rst")).startswith('```\n"state": "open",\n"valve": {\n')


def test_two_colons_on_a_line_of_their_own_leave_nothing_beside_the_code_that_they_announce() -> None:
    one = chunk("pump.rst", "Run it:\n\n::\n\n    pump --start\n", lang="rst")
    assert show(one) == "Run it:\n\n```\npump --start\n```\n[1]"


def test_debris_of_mdx_and_check_lists_is_not_shown() -> None:
    page = "import X from 'y';\n\n<Tabs>\n\n:::tip Care\n\n- [ ] Rinse it.<br/>Twice.\n\n:::\n\n</Tabs>\n"
    assert show(chunk("a.mdx", page, lang="markdown")) == "Tip: Care\n\n- Rinse it.\nTwice. [1]"


def test_blocks_of_pages_that_are_stored_as_they_are_written_are_shown_by_their_titles() -> None:
    source = (
        'Fill the tank.\n{: .subtitle }\n\n!!! warning "Hot oil"\n    Wait for an hour.\n\n    Then open it.\n\n'
        '!!! note\n\n    It is loud.\n\n??? tip "Filters"\n    - paper\n    - steel\n\n=== "Linux"\n    Run it.\n\n'
        '{% include-markdown "more.md" %}\n\n> [!NOTE]\n> It leaks.\n'
    )
    assert show(chunk("a.md", source, lang="markdown")) == (
        "Fill the tank.\n\n> Hot oil:\n> Wait for an hour.\n>\n> Then open it.\n\n> Note: It is loud.\n\n"
        "> Filters:\n> - paper\n> - steel\n\nLinux:\nRun it.\n\n> Note:\n> It leaks.\n\n[1]"
    )


def test_a_title_above_a_quote_is_shown_as_its_page_shows_it() -> None:
    one = chunk("a.md", "Row far.", lang="markdown", heading="{{% new %}} Oars <Badge>v2</Badge>")
    assert title_above(one, 0) == "**Oars v2**"
    assert (
        title_above(chunk("a.adoc", "Row.", lang="asciidoc", heading="{fast-boat}s"), 0) == "**{fast-boat}s**"
    )
    assert title_above(chunk("a.md", "## Oars {{< new >}}\n\nRow.", lang="markdown"), 20) == "**Oars**"


def test_roles_of_pages_that_are_stored_as_they_are_written_are_shown_by_their_words() -> None:
    source = (
        "Read the {ref}`guide <pump-guide>`, {doc}`oil` and {py:class}`~pumps.Pump`, not `{x}` or `{a}` alone.\n\n"
        "- Write it so:\n\n  ```\n  {ref}`guide <pump-guide>`\n  ```\n"
    )
    assert show(chunk("a.md", source, lang="markdown")) == (
        "Read the guide, oil and `pumps.Pump`, not `{x}` or `{a}` alone.\n\n"
        "- Write it so:\n\n  ```\n  {ref}`guide <pump-guide>`\n  ```\n[1]"
    )


@pytest.mark.parametrize(
    "mark", ["{#oil}", "{ #oil .wide }", "{: #oil}", "{.wide}", "{/* #oil */}", "\\{#oil}"]
)
def test_a_heading_is_shown_without_its_fragment_and_class(mark: str) -> None:
    assert show(chunk("a.md", f"## Oil the `pump` {mark}\n\nTwice.")) == "**Oil the pump**\n\nTwice. [1]"
    assert show(chunk("a.md", "## Oil {id}\n\nTwice.")) == "**Oil {id}**\n\nTwice. [1]"


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("## Oil ##", "Oil"),
        ("### In C ###  ", "In C"),
        ("## In C#", "In C#"),
        ("## When a `Box<T>` and `<Image />` help", "When a `Box<T>` and `<Image />` help"),
        ("Changing oil\n---", "Changing oil"),
    ],
)
def test_a_heading_is_shown_without_what_closes_or_underlines_it(title: str, read: str) -> None:
    assert show(chunk("a.md", f"{title}\n\nTwice.")).startswith(f"**{read}**\n\nTwice.")


def test_code_in_an_item_that_is_less_far_in_than_its_fence_stays_in_it() -> None:
    text = "- Case B: another type\n\n    ```diff\n-    return [pump]\n+    return (pump)\n    ```\n\n- Case C: none\n"
    found = show(chunk("cases.md", text))
    assert "    ```diff\n    -    return [pump]\n    +    return (pump)\n    ```" in found


def test_stars_behind_a_heading_that_point_at_a_note_do_not_break_its_emphasis() -> None:
    assert show(chunk("a.md", "## `pump()` **\n\nTwice.")) == r"**pump() \*\***" + "\n\nTwice. [1]"
    assert show(chunk("a.md", r"## `pump()` \*\*" + "\n\nTwice.")) == r"**pump() \*\***" + "\n\nTwice. [1]"


def test_words_of_two_elements_that_touch_are_set_apart() -> None:
    text = 'Pass it to the <span class="new">`pump()` call</span><span class="old">`pump` option</span>.'
    assert plain_words(text) == "Pass it to the `pump()` call `pump` option."


def test_code_that_begins_with_a_row_is_shown_whole() -> None:
    code = "```astro\n---\nconst lamp = 1;\n---\n<p>{lamp}</p>\n```"
    page = chunk("lamp.mdx", f"# Lamp\n\nWrite:\n\n{code}\n\nIt is lit.")
    assert (
        shown(cite(1, hit_of(page), 0, len(page.text))) == f"**Lamp**\n\nWrite:\n\n{code}\n\nIt is lit. [1]"
    )


def test_a_picture_in_inline_code_is_kept() -> None:
    assert plain_words("Write `![]()` or `![alt](a.png)`, ![a lamp](b.png).") == (
        "Write `![]()` or `![alt](a.png)`, a lamp."
    )


def test_what_a_chunk_repeats_of_the_section_before_is_told_as_that_sections() -> None:
    page = chunk(
        "light.md",
        "It is pressed twice.\n\n## Lamps\n\nThey burn it.",
        headings=("Oil", "Lamps"),
        anchors=("", ""),
    )
    assert [title_above(page, 0), title_above(page, page.text.index("They"))] == ["**Oil**", "**Lamps**"]


def test_links_of_notes_among_code_are_shown_by_their_words() -> None:
    note = chunk(
        "notes/boat.md", "# Boat\n\nRow [[Boats|a boat]] or `[[a]]`.\n\n```ts\n[[a|b]]\n```", lang="markdown"
    )
    assert show(note) == "**Boat**\n\nRow a boat or `[[a]]`.\n\n```ts\n[[a|b]]\n```\n[1]"


def test_a_comment_in_a_heading_is_not_shown() -> None:
    assert (
        show(chunk("a.md", "## Release v<!-- put the version here -->\n\nPack it."))
        == "**Release v**\n\nPack it. [1]"
    )


def test_an_interval_in_a_formula_stays_one_and_is_no_mark() -> None:
    text = show(
        chunk("a.md", "Take $x \\in [0, 1]$, [2] for $5 or $6, and $$y[1] = __z__$$ of __main__ here.")
    )
    assert text.startswith(
        r"Take $x \in {[}0, 1]$, \[2] for $5 or $6, and $$y{[}1] = __z__$$ of `__main__` here."
    )


def test_what_looks_like_a_mark_in_the_source_is_escaped_outside_code() -> None:
    one = chunk("a.md", "Take items[0] or [99], but `items[2]` and [a link](x) stay.")
    text = show(one)
    assert text == r"Take items\[0] or \[99], but `items[2]` and [a link](x) stay. [1]"
    given = Answer(text, True, (cite(1, hit_of(one), 0, len(one.text)),), (), (), "", (), Usage(), "v")
    assert problems(given) == []


def test_the_citation_keeps_the_exact_bytes() -> None:
    one = chunk("a.rst", "Set :setting:`x`.", lang="rst")
    assert cite(1, hit_of(one), 0, len(one.text)).quote == one.text


def test_the_checker_finds_what_it_is_there_for() -> None:
    one = chunk("a.md", "- one\n- two\n- three\n")
    cut = cite(1, hit_of(one), 0, 11)
    bad = "See items[3]\n\n    def stop():\n        return 1\n\na | b\nc | d\n\n```\nopen"
    found = problems(Answer(bad, True, (cut,), (), (), "", (), Usage(), "v"))
    assert set(found) == {
        "broken fence",
        "unfenced code",
        "table without head",
        "cut list",
        "dead mark",
        "source without mark",
    }


def test_the_checker_finds_code_that_begins_in_its_midst() -> None:
    one = chunk("a.md", "Stop it:\n\n```py\ndef stop():\n    return 1\n```\n")
    late, early = (cite(1, hit_of(one), one.text.index(at), len(one.text)) for at in ("    return", "```py"))
    shown = Answer("It stops. [1]", True, (late,), (), (), "", (), Usage(), "v")
    assert problems(shown) == ["cut code"]
    assert problems(replace(shown, citations=(early,))) == []


def test_the_checker_finds_repeated_ends_and_signs_alone() -> None:
    ends = "It is closed by its lid, which is turned to the left until the spring below it holds it tight."
    first, second = chunk("a.md", f"Open it.\n\n{ends}"), chunk("a.md", f"{ends}\n\nThen go on.", 1)
    cites = (cite(1, hit_of(first), 0, len(first.text)), cite(2, hit_of(second), 0, len(second.text)))
    text = "![a](b.png) [1] [2]\n\n```cs\n#endif\n```\n"
    assert set(problems(Answer(text, True, cites, (), (), "", (), Usage(), "v"))) == {
        "said twice",
        "markup left",
        "frame of code",
    }


def test_markup_of_restructured_text_goes_whatever_the_file_is_called() -> None:
    one = chunk("moved.html", "It has moved.\n\nSee :ref:`guide-debugging`.", lang="html")
    assert show(one) == "It has moved.\n\nSee guide debugging. [1]"


def test_restructured_text_shows_labels_as_words_links_by_name_and_symbols_without_how_they_are_looked_up() -> (
    None
):
    text = (
        "Light :data:`.lamp` with :meth:`~.Desk.on`, say so in :file:`.env`; see `a guide <our guide_>`_.\n\n"
        ".. tabs::\n\n   .. group-tab:: ``dim`` (desk)\n\n      .. code-block:: sh\n\n         dim 3\n\n"
        ".. admonition:: Warm Bulbs\n\n   They glow.\n"
    )
    assert show(chunk("lamp.rst", text, lang="rst")) == (
        "Light `lamp` with `on`, say so in `.env`; see a guide.\n\n"
        "`dim` (desk):\n\n```sh\ndim 3\n```\n\nWarm Bulbs:\n\nThey glow. [1]"
    )


def test_elements_of_html_are_not_shown_and_what_stands_between_them_is() -> None:
    source = (
        'Serve it. <span id="root"/>See <a href="/docs/root">the root</a> of <path> and `<b>`.\n\n'
        '<aside class="tip">\n\nFiles need a reader.\n\n</aside>\n\nThen reload.'
    )
    shown = "Serve it. See the root of <path> and `<b>`.\n\nFiles need a reader.\n\nThen reload."
    assert plain_words(source) == shown
    assert plain_words("a\n\n\n\nb < c and c > d") == "a\n\n\n\nb < c and c > d"


def test_code_and_entities_of_html_are_shown_as_markdown() -> None:
    source = (
        "Reload it&mdash;soon&#8230; &lt;now&#62;:\n\n"
        '<pre><code class="cmd">caddy reload &amp;</code></pre>\n\nor <code>a&lt;b</code>.'
    )
    assert plain_words(source) == "Reload it—soon… &lt;now&#62;:\n\n```\ncaddy reload &\n```\n\nor `a<b`."


def test_a_heading_keeps_the_underscores_of_its_names() -> None:
    assert "**What `__DEV__` says**" in show(chunk("dev.md", "## What `__DEV__` says\n\nIt is true.\n"))


def test_rows_below_an_item_of_a_list_are_shown_as_a_table() -> None:
    text = "1. Open the menu.\n2. Choose a mode:\nMode | Key\nSlow | `S`\nFast | `F`\n3. Close it.\n"
    text += "\n    ```bash\n    ls | wc\n    ps | wc\n    ```\n"
    found = show(chunk("menu.md", text))
    assert "2. Choose a mode:\n\n| Mode | Key |\n| --- | --- |\n| Slow | `S` |" in found
    assert "\n\n3. Close it.\n\n    ```bash\n    ls | wc\n" in found


def rst(text: str) -> str:
    return show(chunk("docs/pump.rst", text, lang="rst"))


def test_a_directive_is_read_without_a_blank_behind_its_colons() -> None:
    assert rst("It can wait.\n\n.. versionadded::4.2\n") == "It can wait.\n\nNew in version 4.2. [1]"


def test_a_field_that_is_named_in_code_loses_its_colon_and_stands_beside_what_it_says() -> None:
    assert rst(":``pump[oil]``:\n    for oil (with ``oil``)\n") == "`pump[oil]`: for oil (with `oil`) [1]"


def test_a_quote_of_layout_alone_is_shown_as_it_stands() -> None:
    text = ".. contents::\n    :local:\n\n.. automodule:: pump.states\n    :members:"
    assert rst(text) == f"```rst\n{text}\n```\n[1]"


def test_a_fence_that_a_quote_cuts_is_closed_before_its_mark() -> None:
    one = chunk("notes.md", "- The change:\n\n  ```diff\n  -a\n  +b\n  ```\n")
    given = show(one, 0, one.text.index("\n  +b"))
    assert given.endswith("  ```diff\n  -a\n  ```\n[1]")


def test_a_template_is_code_although_no_grammar_reads_it() -> None:
    text = '{{- define "pump.name" -}}\n{{- .Values.name | trunc 63 }}\n{{- end }}'
    for lang in ("text", "html"):
        assert show(chunk("chart/_helpers.tpl", text, lang=lang)).endswith(f"```{lang}\n{text}\n```")
    assert "```" not in show(chunk("NOTICE", "Made in a small town.", lang="text"))


def test_two_colons_comments_and_raw_html_of_restructured_text_are_not_shown() -> None:
    source = (
        "Examples\n~~~~~~~~\n::\n\n    $ moor --all\n\n.. Made by a program, do not edit.\n\n"
        "Tie it ::\n\n    $ tie\n\n.. only:: html\n\n    Seen.\n\n    .. raw:: html\n\n        <script>x()</script>\n"
    )
    assert plain_rst(source) == (
        "**Examples**\n\n```\n$ moor --all\n```\n\nTie it\n\n```\n$ tie\n```\n\nSeen."
    )


@pytest.mark.parametrize(
    ("path", "text", "is_code"),
    [
        ("a/pump.nim", "proc tie(n: int): int =\n  result = n + total(knots[0])\n", True),
        ("notes.txt", "Tie the rope (twice); then wait.\n", False),
        ("guide.org", "* Tying\nf(x) = {a; b; c}\n", False),
        ("NEWS.old", "The rope is tied twice now, which keeps the boat where it was left.\n", False),
        ("README", "f(x); g(y);\n", False),
    ],
)
def test_a_file_of_no_known_kind_is_code_by_its_name_and_signs(path: str, text: str, is_code: bool) -> None:
    assert is_code_chunk(chunk(path, text, lang="text")) == is_code


def test_code_of_no_known_kind_is_fenced() -> None:
    text = "proc tie(n: int): int =\n  result = n + total(knots[0])\n"
    assert show(chunk("a/pump.nim", text, lang="text")).endswith(f"```nim\n{text.rstrip()}\n```")


@pytest.mark.parametrize(
    ("path", "name"), [("a/pump.y", "yacc"), ("a.props", "xml"), ("pump.old", ""), ("a.supp", "")]
)
def test_a_fence_names_no_language_that_does_not_exist(path: str, name: str) -> None:
    text = "proc tie(n: int): int =\n  result = n + total(knots[0])\n"
    assert show(chunk(path, text, lang="text")).endswith(f"\n```{name}\n{text.rstrip()}\n```")


def test_a_list_table_of_restructured_text_is_shown_as_a_table() -> None:
    text = (
        ".. list-table:: Bulbs\n   :header-rows: 1\n   :widths: 20 80\n\n"
        "   * - Name\n     - Fits\n   * - ``E14``\n     - | the lamp,\n       | and the oven\n   * - E27\n     -\n"
    )
    assert plain_rst(text) == (
        "Bulbs\n\n| Name | Fits |\n| --- | --- |\n| `E14` | the lamp, and the oven |\n| E27 |  |"
    )


def test_a_table_whose_columns_blanks_part_is_shown_as_one_and_read_by_rows() -> None:
    line = "=========  ==========="
    head, rows = (
        f"{line}\nKey        Does\n{line}\n",
        ":kbd:`n`   lights a\n           lamp\n:kbd:`o`   opens it\n",
    )
    text = f"Keys\n----\nAt night:\n\n{head}{rows}{line}\n\nNext."
    assert show(chunk("keys.rst", text, lang="rst")) == (
        "**Keys**\n\nAt night:\n\n"
        "| Key | Does |\n| --- | --- |\n| `n` | lights a lamp |\n| `o` | opens it |\n\nNext. [1]"
    )
    assert [text[one.start : one.end] for one in split_passages(text)][2] == ":kbd:`o`   opens it"
    start = text.index(":kbd:`o`")
    assert "Key | Does |\n| --- | --- |\n| `o` | opens it |" in show(
        chunk("keys.rst", text, lang="rst"), start
    )
    torn = show(chunk("keys.rst", rows + line, lang="rst"))  # its head stands in the chunk before
    assert torn.startswith("|  |  |\n| --- | --- |\n| `n` | lights a lamp |")
    nested = textwrap.indent(f"{head}{rows}{line}", "   ")
    assert "| `n` | lights a lamp |" in plain_rst(f".. note::\n\n{nested}")


def test_a_table_of_comma_separated_values_is_shown_as_one_from_its_midst_too() -> None:
    row = '   "``n``", "lights |br|\\ ""a lamp"""\n'
    text = f'.. csv-table:: Keys\n   :header: "Key", "Does"\n   :widths: 1, 2\n\n{row}   "o", "opens it"\n'
    assert plain_rst(text) == (
        'Keys\n\n| Key | Does |\n| --- | --- |\n| `n` | lights "a lamp" |\n| o | opens it |'
    )
    shown_text = show(chunk("keys.rst", f"{row}{row}\nThe end.", lang="rst"))
    assert shown_text.startswith('|  |  |\n| --- | --- |\n| `n` | lights "a lamp" |')


@pytest.mark.parametrize("rule", ["-", "="])
def test_a_table_that_is_drawn_is_shown_as_one_and_fenced_where_cells_span_others(rule: str) -> None:
    line = "+------+--------+"
    text = (
        f"{line}\n| Name | Does   |\n{line.replace('-', rule)}\n| TERM | waits, |\n|      | ends   |\n{line}"
    )
    rows, has_head = grid_rows(text)
    assert (rows, has_head) == ([["Name", "Does"], ["TERM", "waits, ends"]], rule == "=")
    torn = f"| RULE | rests  |\n{line}\n| TERM | oars_  |\n{line}"  # goes on from the chunk before
    assert show(chunk("bulbs.rst", torn, lang="rst")).startswith(
        "|  |  |\n| --- | --- |\n| RULE | rests |\n| TERM | oars |"
    )
    spanning = f"{line}\n| all of it     |\n{line}\n| TERM | waits  |\n{line}"
    assert show(chunk("bulbs.rst", spanning, lang="rst")).startswith("```\n+------")


def test_code_whose_announcement_stands_in_the_chunk_before_is_fenced() -> None:
    text = "    @app.post('/tie')\n    def tie(rope):\n        rope.tie()\n\n    tie(rope[0])\n\nThe rope is tied.\n"
    shown_text = show(chunk("ropes.rst", text, lang="rst"))
    assert (
        shown_text
        == f"```\n{textwrap.dedent(text[: text.index('The')]).rstrip()}\n```\n\nThe rope is tied. [1]"
    )
    prose = "   The rope lies on the quay.\n\nIt is tied.\n"
    assert "```" not in show(chunk("ropes.rst", prose, lang="rst"))


API = """\
.. py:class:: Pump(size, *, slow=False)
              Pump()
    :module: well

    Lifts water out of the well.

    :param int size: Liters that one stroke lifts.
        More of them need a stronger motor.
    :returns: The pump, stopped.
    :raises ValueError: There is no water.

    .. py:method:: stop()

        Ends the stroke.
"""


def test_what_a_directive_defines_is_named_above_what_is_said_of_it() -> None:
    made = chunk("well.rst", API, lang="rst")
    assert show(made) == (
        "**`Pump(size, *, slow=False)`, `Pump()`**\n\nLifts water out of the well.\n\n"
        "- `size` (int): Liters that one stroke lifts. More of them need a stronger motor.\n"
        "- Returns: The pump, stopped.\n- Raises `ValueError`: There is no water.\n\n"
        "**`stop()`**\n\nEnds the stroke. [1]"
    )


def test_what_a_directive_defines_has_its_type_and_default_beside_its_name() -> None:
    head = ".. confval:: pump_mode\n   :type: :code-py:`str`\n   :default: :code-py:`'slow'`\n   :no-index:\n"
    made = chunk("well.rst", f"{head}\n   How it lifts.\n", lang="rst")
    assert show(made) == "**`pump_mode`**\n\nType: `str` · Default: `'slow'`\n\nHow it lifts. [1]"
    nested = f"The well has one setting.\n\n{textwrap.indent(head, '  ')}\n     How it lifts.\n"
    assert "`pump_mode`\n\n  Type: `str` · Default: `'slow'`" in plain_rst(nested)


def test_what_a_directive_names_by_an_option_has_that_name_and_its_default_above_it() -> None:
    head = ".. knob::\n    :keys: pump_mode, mode\n    :default: slow\n    :version_added: 2.1\n"
    made = chunk(
        "well.rst",
        f"{head}\n    How it lifts.\n\n{head.replace('mode', 'rate')}\n    How fast.\n",
        lang="rst",
    )
    shown = "**`{0}`, `{1}`**\n\nDefault: slow · Version added: 2.1\n\n{2}"
    assert show(made) == "\n\n".join(
        (
            shown.format("pump_mode", "mode", "How it lifts."),
            shown.format("pump_rate", "rate", "How fast. [1]"),
        )
    )
    assert (
        plain_roles(":PEP:`517`, :pep:`660`, :rfc:`9110`, :pep:`the one <8>`")
        == "PEP 517, PEP 660, RFC 9110, the one"
    )


def test_a_body_that_is_all_indented_is_no_code() -> None:
    made = chunk(
        "well.rst",
        "    It stops at once:\n\n    .. code-block:: python\n\n        pump = Pump(3)\n",
        lang="rst",
    )
    assert show(made).startswith("It stops at once:\n\n```python\npump = Pump(3)\n```")
    torn = chunk(
        "well.rst", "        pump = Pump(3)\n        pump[0] = {}\n\n    Then it runs.\n", lang="rst"
    )
    assert show(torn) == "```\npump = Pump(3)\npump[0] = {}\n```\n\nThen it runs. [1]"


TORN_DOCSTRING = '''\
        It closes the valve first.

        Raises:
            Dry: no water is left.
        """
        self.valve.close()
        self.motor.stop()
'''


def test_code_does_not_begin_with_the_end_of_a_docstring_that_stands_in_another_chunk() -> None:
    asked = Weighed("stop motor", {"motor": 1.0}, (), wants_code=True)
    start, end = best_lines(asked, TORN_DOCSTRING, TORN_DOCSTRING.index("self.motor"), 900)
    assert TORN_DOCSTRING[start:end].split() == ["self.valve.close()", "self.motor.stop()"]
    start, end = best_lines(asked, TORN_DOCSTRING, TORN_DOCSTRING.index("Dry"), 900)
    assert show(code_chunk(TORN_DOCSTRING), start, end).endswith(
        "```text\nIt closes the valve first.\n\nRaises:\n    Dry: no water is left.\n```"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```js\nimport {Pump} from 'pump';\n[]\n```", "```js\nimport {Pump} from 'pump';\n[]\n```"),
        ("<!-- {\n  args: -- one\n} -->\nPump it.", "Pump it."),
        ("- [ ] Pump\n- [ ] Rinse", "- Pump\n- Rinse"),
        ("- [ ] Pump\n- [x] Rinse", "- ☐ Pump\n- ☑ Rinse"),
    ],
)
def test_debris_is_left_out_of_prose_and_never_of_code(text: str, said: str) -> None:
    assert plain_words(text) == said


def test_a_label_that_leads_elsewhere_is_shown_as_words() -> None:
    assert plain_rst("See :ref:`setting_max_rows`.") == "See setting max rows."


def test_a_signature_over_several_lines_is_named_whole_and_is_no_passage() -> None:
    text = ".. class:: Pump(size, *, \\\n                slow=False)\n   :canonical: well.Pump\n\n   Lifts water.\n"
    assert show(chunk("well.rst", text, lang="rst")) == "**`Pump(size, *, slow=False)`**\n\nLifts water. [1]"
    assert [text[one.start : one.end] for one in split_passages(text)] == ["Lifts water."]


def test_a_dump_of_an_api_in_a_plain_text_is_fenced_and_prose_is_not() -> None:
    dump = "func Stop()\n    Stop ends the stroke.\n\nfunc Start() error\n    Start begins one.\n"
    path = {"path": "api.txt", "lang": "text"}
    shown_dump = show(chunk("api.txt", dump, lang="text")._replace(metadata={**path, "start_line": 3}))
    assert shown_dump == f"api.txt:3-7 [1]\n\n```txt\n{dump.rstrip()}\n```"
    prose = "To stop:\n\n    pump --stop\n\nTo start, take the lever.\n"
    shown_prose = show(chunk("read.txt", prose, lang="text")._replace(metadata=path))
    assert shown_prose == "To stop:\n\n```\npump --stop\n```\n\nTo start, take the lever. [1]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".. Not shown,\n\n   nor is this.\n\nIt pumps.", "It pumps. [1]"),
        (
            ":param dict[str, int] sizes: Of pumps.\n:param collections.abc.Callable *stops: Who stops it.",
            "- `sizes` (dict[str, int]): Of pumps.\n- `*stops` (collections.abc.Callable): Who stops it.\n[1]",
        ),
        ("    token = 'a long one that no sign of code stands in'\n    place = 'well'\n", None),
    ],
    ids=["comment", "types", "code"],
)
def test_restructuredtext_is_shown_without_its_comments_and_with_its_types(
    text: str, said: str | None
) -> None:
    fenced = f"```\n{textwrap.dedent(text).rstrip()}\n```\n[1]"
    assert show(chunk("well.rst", text, lang="rst")) == (said or fenced)


def test_a_comment_of_html_is_left_out_though_blank_lines_part_it() -> None:
    text = "It pumps.\n\n<!-- Say\n\nwhy. -->\n\nIt stops."
    assert show(chunk("well.md", text)) == "It pumps.\n\nIt stops. [1]"


def test_the_midst_of_a_page_s_source_is_code() -> None:
    page = chunk("page.html", "  .x { color: red }\n</style>\n<div>Hi</div>", lang="html")
    assert is_code_chunk(page)
    assert not is_code_chunk(chunk("page.html", "The words that are left of a page.", lang="html"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ask the keeper <!-- a name --> first.", "Ask the keeper  first. [1]"),
        ("[![Build](https://a.b/c.svg)](https://a.b)\n\nIt pumps ![fast](quick.png).", "It pumps fast. [1]"),
        ("Pumps\n===\n\nIt pumps.", "**Pumps**\n\nIt pumps. [1]"),
        (
            "Install:\n\n    pump install\n\nThen start.",
            "Install:\n\n```\npump install\n```\n\nThen start. [1]",
        ),
        ("!!! note\n    Mind it.\n\n    Twice.", "> Note: Mind it.\n>\n> Twice.\n\n[1]"),
        ("See:\n\n$ pump --list\n-> lid", "See:\n\n```\n$ pump --list\n-> lid\n```\n[1]"),
        ("```\n```\n\nIt pumps.", "It pumps. [1]"),
    ],
)
def test_what_a_readme_draws_is_shown_as_it_reads(text: str, said: str) -> None:
    assert show(chunk("README.md", text, lang="markdown")) == said


TORN_FENCE = "lid = 1\n    ```\n\nThen the seal:\n\n    ```python\n    seal = 2\n    ```\n\nClose it."


def test_code_whose_fence_begins_in_the_chunk_before_is_fenced_and_what_follows_is_not() -> None:
    text = show(chunk("pump.md", TORN_FENCE, lang="markdown"))
    assert text.startswith("```\nlid = 1\n```\n\nThen the seal:")
    assert text.endswith("Close it. [1]")
    kinds = [passage.kind for passage in split_passages(TORN_FENCE)]
    assert kinds[0] == "code"
    assert torn_fence_end("```\nlid = 1\n```\n\nIt is closed.") == 0


def test_code_with_line_ends_of_windows_is_dedented() -> None:
    one = code_chunk("    def stop():\r\n\r\n        pass\r\n")
    assert show(one).endswith("```python\ndef stop():\n\n    pass\n```")


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("{\n    def stop():\n        pass\n}\n#endif", "    def stop():\n        pass"),
        ("    def stop() {\n        pass\n    }\n  }\n}", "    def stop() {\n        pass\n    }"),
        ("#if LID\nstop()\n#endif", "#if LID\nstop()\n#endif"),
        ("#endif", "#endif"),
    ],
)
def test_signs_of_what_stands_around_code_are_left_out(code: str, kept: str) -> None:
    asked = Weighed("stop", {"stop": 1.0}, (), wants_code=True)
    assert code[slice(*best_lines(asked, code, 0, 900))] == kept


def test_words_that_lead_to_another_site_are_shown_with_its_address() -> None:
    text = "Report faults in the tracker, as said in the docs. The tracker's docs are short."
    links = ("[the docs](https://docs.example.org/the tracker)", "[the tracker](https://t.example.org/docs)")
    made = chunk("guide.md", text)
    made = made._replace(metadata={**made.metadata, "links": (links[1], "no link", links[0])})
    assert show(made, 0, text.index(" The")) == (
        "Report faults in [the tracker](https://t.example.org/docs), as said in the docs. [1]"
    )
    assert show(made, text.index("The")).startswith("The tracker's docs are short.")


def test_metadata_of_a_callers_own_that_are_called_links_leave_the_text_as_it_is() -> None:
    made = chunk("guide.md", "Mind the gap.")
    for links in ("the gap", ("the gap",), 3):
        assert show(made._replace(metadata={**made.metadata, "links": links})) == "Mind the gap. [1]"


def test_lines_from_the_midst_of_a_docstring_are_shown_in_one() -> None:
    head = 'def cancel(job):\n    """Cancel a job.\n\n'
    text = f'{head}    Raises:\n        Gone: twice.\n    """\n    if gone(job):\n        raise Gone\n'
    said = show(code_chunk(text), len(head))
    assert said.endswith(
        '```python\n"""...\nRaises:\n    Gone: twice.\n"""\nif gone(job):\n    raise Gone\n```'
    )


def test_signatures_that_a_plain_text_lists_are_code() -> None:
    listed = (
        "static Pump.Oil.Fill(this Pump! pump, int? litres = null) -> System.Task<Oil!>!\n"
        "static Pump.Oil.Level.get -> int\nstatic Pump.Oil.Drain(this Pump! pump) -> void\n"
    )
    assert is_code_chunk(chunk("api.txt", listed, lang="text"))
    told = "The pump (of 1998) takes oil.\nIt is filled (see above) by hand.\nThen it is <on>.\n"
    assert not is_code_chunk(chunk("notes.txt", told, lang="text"))


def test_a_mark_stands_below_a_block_quote_and_not_in_it() -> None:
    assert show(chunk("pump.md", "> Mind the valve.\n> It is hot.\n")) == (
        "> Mind the valve.\n> It is hot.\n\n[1]"
    )


def test_what_stands_for_a_picture_is_no_sentence() -> None:
    text = 'It pumps.\n\n<a href="https://p.example"><img width="9" alt="The pump" src="p.png" /></a>\n'
    assert show(chunk("pump.md", text, lang="markdown")) == "It pumps. [1]"


def test_the_source_of_a_manual_page_under_another_suffix_is_code() -> None:
    source = '.\n.SS "Oil"\nFill it\\. Then wait\\.\n.\n.P\nDrain it\\.\n'
    assert show(chunk("pump.1.prebuilt", source, lang="text", start_line=1)).startswith(
        "pump.1.prebuilt:1-6 [1]\n\n```\n.\n.SS"
    )


def test_the_head_of_a_class_whose_members_stand_elsewhere_says_that_there_are_some() -> None:
    head = "    /** Moves water. */\n    public class Pump : Machine\n    {"
    assert show(code_chunk(head, "c_sharp")).endswith("public class Pump : Machine\n{\n    // ...\n```")


def test_code_with_a_string_whose_lines_are_not_set_in_is_set_out() -> None:
    text = '    say(f"""\nOil it.\n    """)\n    return 1\n'
    assert show(code_chunk(text)).endswith('```python\nsay(f"""\nOil it.\n""")\nreturn 1\n```')
    torn = "        a();\n    }\n    void f() {\n        b();\n"
    assert show(code_chunk(torn, "java")).endswith("```java\n    a();\n}\nvoid f() {\n    b();\n```")


def test_no_two_lines_are_left_out_of_code_for_a_line_that_says_so() -> None:
    asked = Weighed("fill", {"fill": 1.0}, (), wants_code=True)
    lines = [f"    fill(tank_{number}, with_oil, until_full)\n" for number in range(8)]
    text = "".join(["def fill_all():\n", *lines, "    wait()\n", "    log()\n"])
    cut = [best_lines(asked, text, 0, room) for room in range(200, len(text), 9)]
    left = [text.count("\n", end) - 1 for _, end in cut if end < len(text) - 1]
    assert left
    assert min(left) > 2


def test_bold_words_of_a_title_are_not_set_in_bold_twice() -> None:
    shown = show(chunk("pump.md", "### 5. **Oil** for the pump\n\nIt is new."))
    assert shown == "**5. Oil for the pump**\n\nIt is new. [1]"


@pytest.mark.parametrize(
    ("info", "said"),
    [
        ('ini title="/etc/pump.conf"', "`/etc/pump.conf`:"),
        ("ini {2} filename='pump.conf' numbers", "`pump.conf`:"),
        ('ini title="By hand"', "By hand:"),
    ],
)
def test_code_is_shown_below_what_it_is_called(info: str, said: str) -> None:
    text = f"Set the pace.\n\n```{info}\npace = 9\n```"
    assert show(chunk("a.md", text), 0, len(text)) == f"Set the pace.\n\n{said}\n\n```ini\npace = 9\n```\n[1]"
