from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.chunking.packing import (
    Sizes,
    Unit,
    estimate_tokens,
    join_units,
    section_units,
    split_part,
    split_section,
)
from quire.embedding.wordpiece import open_tokenizer
from quire.parsing.page import Block, Part, Section
from tests.support.pace import takes_cpu_within
from tests.support.shared import shared_path

SIZES = Sizes(least=60, most=120, overlap=30)
SENTENCE = st.builds(
    lambda start, count: (
        " ".join(f"w{n * 7919 % 10 ** (n % 9 + 1)}" for n in range(start, start + count)).capitalize() + "."
    ),
    st.integers(0, 999),
    st.integers(1, 25),
)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=6).map(" ".join)


@st.composite
def sections(draw: st.DrawFn) -> Section:
    blocks, line = [], 3
    for kind in draw(st.lists(st.sampled_from(["paragraph", "list", "code", "label", "table"]), max_size=8)):
        texts = draw(st.lists(PARAGRAPH, min_size=1, max_size=5 if kind in ("list", "table") else 1))
        rows = []
        for text in texts:
            rows.append(
                Part(f"```\n{text}\n```" if kind == "code" else text, line, line + 2, code=kind == "code")
            )
            line += 3
        blocks.append(Block(kind, tuple(rows), header=rows[0].text if kind == "table" else ""))
    return Section("A heading", 2, 1, blocks=tuple(blocks))


def own_words(units: tuple[Unit, ...]) -> list[str]:
    return [word for unit in units if not unit.repeated for word in unit.part.text.split()]


@given(sections())
def test_pieces_hold_every_word_once_and_in_order(section: Section) -> None:
    units = section_units(section)
    pieces = list(split_section(units, 0, SIZES))
    assert [word for piece in pieces for word in own_words(piece.units)] == join_units(units).split()


@given(sections())
def test_no_piece_is_too_large_but_for_whole_code(section: Section) -> None:
    for piece in split_section(section_units(section), 0, SIZES):
        longest = max((len(unit.part.text) for unit in piece.units if unit.part.code), default=0)
        assert len(piece.text) <= longest + SIZES.most


@given(sections())
def test_code_is_never_split(section: Section) -> None:
    code = [part.text for block in section.blocks for part in block.parts if part.code]
    texts = [piece.text for piece in split_section(section_units(section), 0, SIZES)]
    assert all(any(block in text for text in texts) for block in code)


@given(sections())
def test_an_overlap_repeats_the_end_of_the_piece_before(section: Section) -> None:
    pieces = list(split_section(section_units(section), 0, SIZES))
    for before, after in pairwise(pieces):
        repeated = [unit.part.text for unit in after.units if unit.repeated]
        assert sum(map(len, repeated)) <= SIZES.overlap
        assert [text for unit in before.units for text in [unit.part.text]][-1].endswith(
            tuple(repeated[-1:]) or ""
        )


def test_an_overlap_repeats_whole_rows_of_a_table() -> None:
    rows = ["name | says | default"] + [
        f"basket{n} | Holds what is bought. Full after {n}. | {n}" for n in range(9)
    ]
    block = Block("table", tuple(Part(row, n, n) for n, row in enumerate(rows, 1)), header=rows[0])
    sizes = Sizes(least=60, most=160, overlap=50)
    pieces = list(split_section(section_units(Section("", 0, 1, blocks=(block,))), 0, sizes))
    repeated = [unit.part.text for piece in pieces for unit in piece.units if unit.repeated]
    assert repeated
    assert set(repeated) <= set(rows)
    assert all(line in rows for piece in pieces for line in piece.text.split("\n"))


def test_an_overlap_repeats_an_entry_whole_or_not_at_all() -> None:
    entries = [f"oar{n}\nIt weighs {n} stone. It bends in wind." for n in range(9)]
    parts = (
        Block("paragraph", (Part(entry, 2 * n, 2 * n + 1, breaks=(5,)),))
        for n, entry in enumerate(entries, 1)
    )
    sizes = Sizes(least=60, most=160, overlap=50)
    pieces = list(split_section(section_units(Section("", 0, 1, blocks=tuple(parts))), 0, sizes))
    assert len(pieces) > 1
    assert all(piece.text.split("\n\n") == [one for one in entries if one in piece.text] for piece in pieces)
    assert any(unit.repeated for piece in pieces for unit in piece.units)


def test_an_item_that_leads_in_stays_with_what_it_announces() -> None:
    items = (Part("- Row past the buoys, as far as they go.", 3, 3), Part("- To turn, say this:", 4, 4))
    blocks = (Block("list", items), Block("code", (Part(f"```\n{'row left ' * 7}\n```", 5, 7, code=True),)))
    pieces = list(split_section(section_units(Section("", 0, 1, blocks=blocks)), 0, SIZES))
    assert [piece.text.split("\n")[0] for piece in pieces] == [one.text for one in items]


def test_a_line_that_leads_in_stays_with_code_that_is_longer_than_an_even_share() -> None:
    """A share of this section has up to 106 characters, the line and its code have 119, a piece may have 120."""
    parts = [
        Part("Two oars are carried aboard and laid down.", 3, 3),
        Part("Turn her like this:", 5, 5),
        Part(f"```\n{'row left ' * 10}\n```", 7, 9, code=True),
    ]
    blocks = tuple(Block("code" if part.code else "paragraph", (part,)) for part in parts)
    pieces = list(split_section(section_units(Section("", 0, 1, blocks=blocks)), 0, SIZES))
    assert [piece.text.split("\n")[0] for piece in pieces] == [parts[0].text, parts[1].text]


def test_a_label_stays_with_what_it_names() -> None:
    filler = Part("Word " * 18, 1, 1)
    blocks = (
        Block("paragraph", (filler,)),
        Block("label", (Part("macOS:", 3, 3),)),
        Block("paragraph", (filler,)),
    )
    pieces = list(split_section(section_units(Section("", 0, 1, blocks=blocks)), 0, SIZES))
    assert [piece.units[0].part.text for piece in pieces if piece.units[0].part.text == "macOS:"] == [
        "macOS:"
    ]


@given(st.lists(SENTENCE, min_size=1, max_size=8), st.integers(1, 200))
def test_a_split_part_keeps_its_words_and_their_lines(sentences: list[str], most: int) -> None:
    text = " ".join(sentences)
    breaks = tuple(match.end() for match in re.finditer(r"\. ", text))
    part = Part(text, 10, 10 + len(breaks), breaks=breaks)
    pieces = list(split_part(part, most))
    assert " ".join(piece.text for piece in pieces).split() == text.split()
    assert [line for piece in pieces for line in (piece.start_line, piece.end_line)] == sorted(
        line for piece in pieces for line in (piece.start_line, piece.end_line)
    )
    at = 0
    for piece in pieces:
        at = text.index(piece.text, at)
        assert piece.start_line == part.line_at(at)
        assert [piece.line_at(offset) for offset in range(len(piece.text))] == [
            part.line_at(at + offset) for offset in range(len(piece.text))
        ]
        at += len(piece.text)


@pytest.mark.shared
def test_estimated_tokens_are_close_to_the_models(model_folder: Path) -> None:
    tokenizer = open_tokenizer(model_folder)
    ratios = sorted(
        estimate_tokens(passage) / len(tokenizer.ids(passage))
        for file in sorted(shared_path("data/textbook/split-layout/frontend/docs").rglob("*.mdx"))
        for passage in re.findall(r"(?:[^\n]*\n){25}", file.read_text(encoding="utf-8"))
    )
    count = len(ratios)
    assert count > 100
    assert 0.95 < ratios[count // 2] < 1.05
    assert ratios[count // 20] > 0.85
    assert ratios[-count // 20] < 1.15


def test_pieces_of_a_part_know_where_its_source_lines_begin() -> None:
    text = "|a|b|\n".replace("\n", " ") * 20_000
    breaks = tuple(range(6, len(text), 6))
    began = time.process_time()
    pieces = list(split_part(Part(text.strip(), 1, len(breaks) + 1, breaks=breaks), 100))
    assert takes_cpu_within(time.process_time() - began, 1.0)
    assert [one.start_line for one in pieces[1:]] == [one.end_line + 1 for one in pieces[:-1]]
    for piece in pieces:
        assert [piece.line_at(at) for at in range(0, len(piece.text), 6)] == list(
            range(piece.start_line, piece.end_line + 1)
        )
