from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.answering.extractive.blocks import CODE, LIST, TABLE, split_blocks, split_pieces
from quire.answering.extractive.passages import split_passages

STEPS = """\
## Install

The pump runs in one of two modes:

- Steady, which is quiet.
- Pulsed, which is strong.

Note that pulses wear the seal.

1. Close the valve.

```bash
pumpctl stop
```

2. Open the lid.

Part | Price
--- | ---
Seal | 4 euros
"""

RST = """\
.. setting:: pump_mode

``pump_mode``
~~~~~~~~~~~~~

Default: steady. Set it like this::

    pump_mode = "pulsed"

.. note::

    Restart the pump.
"""


def pieces(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in split_pieces(text)]


def test_a_table_of_html_is_one_block_though_blank_lines_part_its_rows_and_chunks_it() -> None:
    rows = "  <tr>\n    <td>Seal</td>\n  </tr>\n\n  <tr>\n    <td>Lid</td>\n  </tr>\n"
    for table in (f"<table>\n{rows}</table>", rows.rstrip(), f"<table>\n{rows.rstrip()}"):
        text = f"{table}\n\n## Below\n\nAfter.\n"
        blocks = split_blocks(text)
        assert (blocks[0].kind, text[blocks[0].start : blocks[0].end]) == (TABLE, table)
        assert len(blocks) == 3


def test_a_list_keeps_the_sentence_that_leads_it_in() -> None:
    assert pieces(STEPS)[0].startswith("The pump runs in one of two modes:\n\n- Steady")
    assert pieces(STEPS)[0].endswith("strong.")


def test_steps_with_code_between_them_are_one_list() -> None:
    steps = next(one for one in pieces(STEPS) if one.startswith("1."))
    assert "pumpctl stop" in steps
    assert steps.endswith("2. Open the lid.")


def test_a_paragraph_that_points_back_says_so() -> None:
    assert [piece.follows for piece in split_pieces(STEPS)] == [False, True, False, False]


def test_a_table_is_one_piece_with_its_head() -> None:
    last = split_pieces(STEPS)[-1]
    assert last.kind == TABLE
    assert STEPS[last.start : last.end].startswith("Part | Price")


def test_of_restructured_text_code_stays_with_its_sentence_and_labels_are_no_pieces() -> None:
    found = pieces(RST)
    assert found[0].startswith("Default: steady.")
    assert found[0].endswith('pump_mode = "pulsed"')
    assert found[1].endswith("Restart the pump.")
    assert len(found) == 2


def test_code_that_the_last_item_announces_belongs_to_its_list() -> None:
    text = "- Stop it:\n```sh\npumpctl stop\n```\n\n- Start it:\n\n```sh\npumpctl start\n```\n\nDone."
    assert pieces(text) == [
        "- Stop it:\n```sh\npumpctl stop\n```",
        "- Start it:\n\n```sh\npumpctl start\n```",
        "Done.",
    ]


def test_a_fence_at_the_end_of_the_text_is_code() -> None:
    assert split_blocks("```\nx\n```")[0].kind == CODE
    assert split_blocks("1. One\n2. Two")[0].kind == LIST


@given(
    st.lists(
        st.sampled_from(
            ["# T", "- item", "  more", "a sentence.", "lead:", "", "```", "a | b", "1. x", ".. note::"]
        )
    )
)
def test_pieces_stand_in_order_and_overlap_nowhere(lines: list[str]) -> None:
    text = "\n".join(lines)
    end = 0
    for piece in split_pieces(text):
        assert end <= piece.start < piece.end <= len(text)
        end = piece.end


EXCEPTIONS = {"Dry": "No water is left.", "Hot": "It boils."}


def test_what_a_directive_defines_heads_its_body_and_a_bare_label_does_not() -> None:
    dry, hot = (f".. py:exception:: {name}\n\n    {said}\n\n" for name, said in EXCEPTIONS.items())
    text = f"{dry}{hot}.. setting:: pump\n"
    assert [text[one.start : one.end].strip() for one in split_pieces(text)] == [
        "No water is left.",
        "It boils.",
    ]
    assert [one.section for one in split_pieces(text)] == [1, 2]
    second = split_passages(text)[1]
    assert second.heading is not None
    assert text[slice(*second.heading)] == "Hot"
