"""AsciiDoc as a reader sees it: its blocks, lists, tables and links are no plain text with signs between."""

from __future__ import annotations

import pytest

from quire.parsing.asciidoc_markdown import as_markdown
from quire.parsing.markdown import dialect_of, page_title, parse_markdown
from quire.parsing.page import Page


def read(source: str) -> Page:
    return parse_markdown(source, "page.adoc", dialect_of("page.adoc", source))


def parts(source: str) -> list[tuple[str, int]]:
    every = (block for section in read(source).sections for block in section.blocks)
    return [(part.text, part.start_line) for block in every for part in block.parts]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("NOTE: Mind the *tide*.\n", ["Note: Mind the tide."]),
        ("[TIP]\nUse two oars.\nAlways.\n", ["Tip: Use two oars. Always."]),
        ("[WARNING]\n====\nMind.\n\n* a\n* b\n====\n\nOut.\n", ["Warning: Mind.", "- a", "- b", "Out."]),
        ("[source,sh]\n----\nrow <1>\n\n== no heading\n----\n<1> Twice.\n", [
            "```sh\nrow <1>\n\n== no heading\n```", "1. Twice.",
        ]),
        ("....\nas it is\n....\n", ["```\nas it is\n```"]),
        (".The knot\n[source]\n----\ntie\n----\n", ["The knot:", "```\ntie\n```"]),
        ("* a\n** b\n* c\n", ["- a", "  - b", "- c"]),
        (". one\n+\n[source,sh]\n----\nrow\n----\n. two\n", ["1. one", "```sh\nrow\n```", "2. two"]),
        ("Oar:: It moves boats.\nSail::\nIt is quicker.\n", ["- Oar: It moves boats.", "- Sail: It is quicker."]),
        ("[cols=\"1,2\"]\n|===\n|Boat |Oars\n\n|Skiff\n|two\n\n|Gig |`a \\| b`\n|===\n", [
            "Boat | Oars", "Skiff | two", "Gig | `a \\| b`",
        ]),
        ("////\nnobody\n////\n// nor this\nText.\n\n++++\n<br>\n++++\n", ["Text."]),
        ("ifdef::web[]\nText.\nendif::[]\n", ["Text."]),
        (":boat: skiff\n\nRow the {boat}, not {this}.\n", ["Row the skiff, not {this}."]),
        ("See <<knots,the knots>>, xref:a.adoc#b[more], link:x.html[here^], https://a.b[A] and kbd:[Ctrl+C].\n", [
            "See the knots, more, here, A and Ctrl+C.",
        ]),
        ("See {docs}/oars[the oars] and `{a}/b[c]`, or {this}.\n", ["See the oars and `{a}/b[c]`, or {this}."]),
        ("The \"`soft`\" and '`hard`' lands, <<sea#_rocks_and_reefs>> and <<sea#tides>>.\n", [
            "The “soft” and ‘hard’ lands, rocks and reefs and tides.",
        ]),
        ("Write `<<a,b>>` or menu:File[Save > As], [.path]#x#, image:a.png[] ((knot)).\n", [
            "Write `<<a,b>>` or File > Save > As, x, knot.",
        ]),
        ("Row the boat:\n------------\n\n[verse]\nrow [-n] boat\nrow all\n\nRows.\n", [
            "```\nrow [-n] boat\nrow all\n```", "Rows.",
        ]),
        ("`-n`::\n\tDo not row.\n\n\tThe default\n\tis yes.\n\nEnd.\n", [
            "- `-n`: Do not row.", "The default is yes.", "End.",
        ]),
        ("`-n <x>`::\n`--none`::\n\tDo not row.\n`-q`::\n\nQuiet.\nNo bell.\n\nEnd.\n", [
            "- `-n <x>`, `--none`: Do not row.", "- `-q`:", "Quiet. No bell.", "End.",
        ]),
        ("Words\n  go on.\n\n  as it is\n  too\n", ["Words go on.", "```\n  as it is\n  too\n```"]),
        ("See linkgit:row-boat[1], man:sail[5p] and row:x[0].\n", ["See row-boat(1), sail(5p) and row:x[0]."]),
        ("```c++\n  row();\n```\n", ["```c++\n  row();\n```"]),
    ],
)  # fmt: skip
def test_blocks_say_what_they_show(source: str, said: list[str]) -> None:
    assert [text.strip() for text, _ in parts(source)] == [one.strip() for one in said]


def test_steps_keep_their_numbers_behind_the_code_that_one_holds() -> None:
    source = ". Row.\n+\n----\nrow\n----\n. Rest.\n.. Drink.\n. Row on.\n\nThen:\n\n. Land.\n"
    items = [line for line in as_markdown(source)[0].split("\n") if ". " in line]
    assert items == ["1. Row.", "2. Rest.", "   1. Drink.", "3. Row on.", "1. Land."]


def test_a_title_in_two_lines_is_one_and_a_block_below_a_paragraph_is_none() -> None:
    source = "row(1)\n======\n\nNAME\n----\nrow - moves boats\n\n[[opts]]\nOPTIONS\n-------\nNone.\n\n"
    source += "Run this:\n----\nrow\n----\n"
    page = read(source)
    assert [(one.heading, one.line) for one in page.sections] == [
        ("row(1)", 1),
        ("NAME", 4),
        ("OPTIONS", 9),
    ]
    assert parts(source)[-1] == ("```\nrow\n```", 14)


def test_what_a_block_behind_a_term_holds_is_set_in_once() -> None:
    assert as_markdown("Java::\n+\n--\nBuild.\n\nRun.\n--\n")[0].split("\n")[2:5] == [
        "   Build.",
        "",
        "   Run.",
    ]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("= Boats\n\n*{fast-boat}*\n\n{a-b}, {c}.", "# Boats"),
        ("`+++false+++`, `++'a'+b++` and `+C+++`", "`false`, `'a'+b` and `C++`"),
        ("`/routes/\\{id}` and \\{sub}.org", "`/routes/{id}` and {sub}.org"),
    ],
)
def test_names_that_nobody_sets_say_nothing_alone_and_literals_lose_their_marks(
    source: str, read: str
) -> None:
    assert as_markdown(source)[0].strip() == read


def test_names_say_what_the_site_sets_and_else_stay_as_they_are_written() -> None:
    source = "Row the {fast-boat} in {cpp}, `{fast-boat}` or ${this-one}.\n"
    assert as_markdown(source)[0].strip() == "Row the {fast-boat} in C++, `{fast-boat}` or ${this-one}."
    assert as_markdown(source, {"fast-boat": "skiff"})[0].startswith("Row the skiff in C++, `skiff`")


def test_a_link_whose_words_go_on_in_the_next_line_says_them() -> None:
    source = "Mind xref:{v}@lock:a.adoc#b[the\nlock keeper], then row.\n\nSee https://a.b/c[what\n"
    assert [text for text, _ in parts(source)] == [
        "Mind the lock keeper, then row.",
        "See https://a.b/c[what",
    ]


def test_code_and_looks_of_a_cell_stay_in_its_row() -> None:
    code = "[source,sh]\n----\nrow --fast\n  --far\n----\n+\nIt."
    source = f"|===\n|[align=left]Call |Says\n\na|\n{code}\n|nothing\n|===\n"
    assert [text for text, _ in parts(source)] == ["Call | Says", "`row --fast --far` It. | nothing"]


def test_sections_keep_their_lines_and_named_anchors() -> None:
    source = (
        "= Boats\n:toc:\n\nAll of them.\n\n[#small]\n== Small ones\n\nOars.\n\n"
        "=== Skiffs ===\n\n|===\n|a |b\n|===\n\nEnd.\n"
    )
    page = read(source)
    assert (page.title, page_title(source, "boats.adoc")) == ("Boats", "Boats")
    assert [(one.heading, one.level, one.line, one.anchor) for one in page.sections] == [
        ("Boats", 1, 1, "boats"), ("Small ones", 2, 7, "small"), ("Skiffs", 3, 11, "skiffs"),
    ]  # fmt: skip
    assert [line for _, line in parts(source)] == [4, 9, 14, 17]


@pytest.mark.parametrize(
    "source", ["----\ncode", "|===\n|a", "====\n", "[NOTE]", "* ", "+", "[[", "|===\n|===\n", "--\n"]
)
def test_what_is_never_closed_ends_with_its_page(source: str) -> None:
    text, numbers = as_markdown(source)
    assert len(text.split("\n")) == len(numbers)
    read(source)


def test_a_cell_of_several_columns_or_rows_stands_in_each_row_of_its_own() -> None:
    table = (
        "|===\n| *Syntax* 3+| `row(a, b)`\n.3+| *Given* | *Name* | *Type* | *Says*\n| `a` | `INT` | The first.\n"
        "| `b` | `INT` | The last.\n| *Gives* 3+| `INT`\n|==="
    )
    assert table_rows(table) == [
        "| *Syntax* | `row(a, b)` |  |  |",
        "| --- | --- | --- | --- |",
        "| *Given* | *Name* | *Type* | *Says* |",
        "| *Given* | `a` | `INT` | The first. |",
        "| *Given* | `b` | `INT` | The last. |",
        "| *Gives* | `INT` |  |  |",
    ]
    high = "|===\n.2+| a .2+| b\n| c | d\n|==="  # nothing is left of a row that both go on into
    assert table_rows(high) == ["| a | b |", "| --- | --- |", "| a | b |", "| c | d |"]


def test_the_first_line_of_a_table_has_as_many_cells_as_each_row() -> None:
    assert table_rows("|===\n\n| One oar.\n| Two oars.\n|===") == ["| One oar. |", "| --- |", "| Two oars. |"]
    assert table_rows("|===\n|Name|Value\n|sea|salt\n|===") == [
        "| Name | Value |",
        "| --- | --- |",
        "| sea | salt |",
    ]


def table_rows(text: str) -> list[str]:
    return [line for line in as_markdown(text)[0].split("\n") if line]


def test_what_a_sites_own_macros_and_literals_say_is_shown() -> None:
    said = (
        "label:new[Introduced in 5.15] label:deprecated[] a:b x:y[0] C++ and D++ `++`^n`++` {own-x-2} a::b[i]"
    )
    shown = "Introduced in 5.15 deprecated a:b x:y[0] C++ and D++ ``` `^n` ``` {own-x-2} a::b[i]"
    assert as_markdown(said)[0] == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (',===\nOar,Wood\n"long, thin",ash\n,===', "| Oar | Wood |\n| --- | --- |\n| long, thin | ash |"),
        ("[%header,format=dsv]\n|===\nOar:Wood\nlong\n|===", "| Oar | Wood |\n| --- | --- |\n| long |  |"),
        ("[separator=;]\n|===\na;b\n|===", "| a | b |\n| --- | --- |"),
        ("[quote, Ann Row]\n____\nRow *on*.\n____", "> Row *on*.\n>\n> — Ann Row"),
        (':v: 3\n[source,sh,subs="attributes+"]\n----\nrow {v}\n----', "```sh\nrow 3\n```"),
        (":v: 3\n----\nrow {v}\n----", "```\nrow {v}\n```"),
        ("----\ninclude::src/Oar.java[tags=row]\n----", "```\nsrc/Oar.java\n```"),
    ],
)
def test_tables_of_values_quotes_and_code_are_shown_as_pages_show_them(source: str, shown: str) -> None:
    assert as_markdown(source)[0].strip() == shown


def test_attributes_that_a_site_sets_have_their_values() -> None:
    assert as_markdown("= {boat} of {oars}", {"boat": "Gig"})[0] == "# Gig of {oars}"
