"""A vocabulary searched in its file, beside a dict of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.embedding.piece_table import PieceTable

PIECES = st.text(
    st.characters(exclude_categories=["C"], exclude_characters='"\\'), min_size=1
) | st.sampled_from('"\\')


@given(st.dictionaries(PIECES, st.integers(0, 99_999), min_size=1), PIECES.filter(str.isascii))
def test_a_piece_is_found_in_the_file_as_in_a_dict(pieces: dict[str, int], other: str) -> None:
    written = json.dumps(pieces, separators=(",", ":"), ensure_ascii=False)
    table = PieceTable(written[1:-1].encode())
    assert {piece: table.get(piece) for piece in pieces if piece.isascii()} == {
        piece: number for piece, number in pieces.items() if piece.isascii()
    }
    assert table.get(other) == pieces.get(other)
    assert table.read() == pieces


@pytest.mark.parametrize("text", [b"", b'"a"', b' "a":1', b'"a\\u0041":1', b'"a":"b"'])
def test_what_is_no_table_of_pieces_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="wanted entries"):
        PieceTable(text)
