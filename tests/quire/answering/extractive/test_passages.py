from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.answering.extractive.passages import CODE, ITEM, ROW, SENTENCE, sentences, split_passages
from tests.support.shelves import KETTLE, SAFETY

LINES = st.sampled_from(
    "# Title|## Sub|Plain text here. And more!|- item one|- item two:|1. first|  indented|a | b | c|1 | 2 | 3"
    "|---|| |```py|x = [1]|```|~~~|~~~~~~~~~~|======|.. _label:"
    "|.. note:: Take care.|It needs:|Title line|e.g. this is one. Dr. Who is two.|> quote|日本語。次。".split(
        "|"
    )
)
TEXTS = st.lists(LINES, max_size=25).map("\n".join)


def texts(text: str, kind: str) -> list[str]:
    return [text[one.start : one.end] for one in split_passages(text) if one.kind == kind]


def test_a_manual_falls_into_sentences_items_rows_and_code() -> None:
    assert texts(KETTLE, SENTENCE) == [
        "Descale the kettle every two months.",
        "Citric acid removes the scale within 20 minutes.",
        "Rinse it twice afterwards.",
        "It needs no oil.",
    ]
    assert texts(KETTLE, ITEM) == ["Press both latches.", "Lift the lid straight up.", "Wash it by hand."]
    assert texts(KETTLE, ROW) == ["Lid | 9 euros | 10 years", "Filter | 4 euros | 1 year"]
    assert texts(SAFETY, CODE)[0].startswith("```bash\n")
    assert texts(SAFETY, CODE)[0].endswith("\n```")


HTML_TABLE = (
    "The kettles differ:\n\n<table>\n  <tr>\n    <th>Kettle</th>\n    <th>Lid</th>\n  </tr>\n\n"
    "  <tr><td>Camp</td><td>none</td></tr>\n\n  <tr>\n    <td>Home</td>\n    <td>hinged</td>\n  </tr>\n</table>\n"
    "\nAfter.\n"
)


def test_rows_of_a_table_of_html_are_rows_below_its_head_whatever_lines_they_stand_on() -> None:
    assert [row.strip() for row in texts(HTML_TABLE, ROW)] == [
        "<tr><td>Camp</td><td>none</td></tr>",
        "<tr>\n    <td>Home</td>\n    <td>hinged</td>\n  </tr>",
    ]
    rows = [one for one in split_passages(HTML_TABLE) if one.kind == ROW]
    assert all("Lid" in HTML_TABLE[slice(*one.lead)] for one in rows if one.lead)
    assert texts(HTML_TABLE, SENTENCE)[-1] == "After."


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        ("<td>The lid is hinged.</td>\n</tr>\n</table>", ["<td>The lid is hinged.</td>\n</tr>"], []),
        ("<table>\n<td>a lid</td>\n</table>\n\nBelow it.", ["<td>a lid</td>\n</table>"], ["Below it."]),
        ("<table> is a tag.\n\nUse grids.", [], ["<table> is a tag.", "Use grids."]),
        (
            "<table>\n<tr><td>1</td></tr>\n\nBehind it.\n\nIt is red.",
            ["<tr><td>1</td></tr>"],
            ["Behind it.", "It is red."],
        ),
    ],
)
def test_what_a_torn_table_of_html_says_is_a_passage(text: str, rows: list[str], said: list[str]) -> None:
    assert (texts(text, ROW), texts(text, SENTENCE)) == (rows, said)


def test_what_introduces_a_list_or_table_is_its_lead_and_no_passage() -> None:
    leads = {KETTLE[slice(*one.lead)] for one in split_passages(KETTLE) if one.lead}
    assert leads == {"The lid can be taken off:", "Part | Price | Life"}


def test_every_passage_knows_its_heading() -> None:
    assert {KETTLE[slice(*one.heading)] for one in split_passages(KETTLE) if one.heading} == {"Care"}


GARDEN = """\
======
Garden
======

.. _watering:

Watering
~~~~~~~~

Default: at dawn.

Water the beds once a day. Trees need less.

.. code-block:: shell

    water --beds=all.

Pruning
^^^^^^^
.. versionadded:: 2.0 Shears are sharpened first.

Prune in winter.
"""


@pytest.mark.parametrize("rule", ["| --- | --- |", "|:---|:---:| ---:|", "--- | ---"])
def test_the_first_row_of_a_table_is_a_passage_and_its_header_the_lead_of_all(rule: str) -> None:
    text = f"| Key | What |\n{rule}\n| a | opens it |\n| b | shuts it |\n\nMore.\n"
    rows = [one for one in split_passages(text) if one.kind == "row"]
    assert [text[one.start : one.end] for one in rows] == ["| a | opens it |", "| b | shuts it |"]
    assert [text[slice(*one.lead)] for one in rows if one.lead] == ["| Key | What |"] * 2


def test_titles_with_a_row_of_signs_below_are_headings_and_begin_no_code() -> None:
    found = [
        (GARDEN[slice(*one.heading or (0, 0))], GARDEN[one.start : one.end]) for one in split_passages(GARDEN)
    ]
    assert found == [
        ("Watering", "Default: at dawn."),
        ("Watering", "Water the beds once a day."),
        ("Watering", "Trees need less."),
        ("Watering", "water --beds=all."),
        ("Pruning", ".. versionadded:: 2.0 Shears are sharpened first."),
        ("Pruning", "Prune in winter."),
    ]


def test_a_fence_of_tildes_right_below_a_line_begins_code() -> None:
    text = "Run\n~~~\nwater --beds\n~~~\nThen wait."
    assert texts(text, CODE) == ["~~~\nwater --beds\n~~~"]
    assert texts(text, SENTENCE) == ["Then wait."]


def test_abbreviations_and_decimals_end_no_sentence() -> None:
    text = "Dr. Who paid 3.5 euros, e.g. for tea. It was cheap, i.e. fair. Really?"
    spans = sentences(text, 0, len(text))
    assert [text[start:end] for start, end in spans] == [
        "Dr. Who paid 3.5 euros, e.g. for tea.",
        "It was cheap, i.e. fair.",
        "Really?",
    ]


def test_a_command_set_in_below_what_announces_it_is_a_passage_that_it_leads_into() -> None:
    text = "Fedora\n======\n\nIt is a package of its own:\n\n.. code-block:: console\n\n    $ dnf install kettle\n\n"
    text += "Arch Linux\n==========\n\nOn Arch Linux:\n\n::\n\n    $ pacman -S kettle\n    $ kettle --fill\n"
    found = [
        (text[one.start : one.end], text[slice(*(one.lead or (0, 0)))], text[slice(*(one.heading or (0, 0)))])
        for one in split_passages(text)
    ]
    assert found == [
        ("$ dnf install kettle", "It is a package of its own:", "Fedora"),
        ("$ pacman -S kettle\n    $ kettle --fill", "On Arch Linux:", "Arch Linux"),
    ]


def test_a_lone_title_is_a_passage_where_there_is_nothing_else() -> None:
    assert texts("Part.Anchored", SENTENCE) == ["Part.Anchored"]


@given(TEXTS)
def test_passages_stand_in_order_inside_the_text_and_hold_something(text: str) -> None:
    passages = split_passages(text)
    assert all(
        0 <= one.start < one.end <= len(text) and text[one.start : one.end].strip() for one in passages
    )
    assert all(one.end <= other.start for one, other in pairwise(passages))
    assert [one.block for one in passages] == sorted(one.block for one in passages)


@given(st.text(alphabet="ab. \n?!A1日。", max_size=80))
def test_sentences_lose_nothing_but_the_blanks_between_them(text: str) -> None:
    spans = sentences(text, 0, len(text))
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
