"""A vocabulary that is searched where it lies in its file.

A process that embeds one question asks for some twenty of 30,522 pieces. Making a dict of them all takes five times the
CPU of finding those with numpy.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_QUOTE, _COLON, _COMMA = b'":,'
_ESCAPED = re.compile(rb'\\(["\\])')
_NAMES = {b"\\": b"\x01", b'"': b"\x02"}
"""What stands here for the two marks that JSON escapes: bytes that no JSON text holds."""


class PieceTable:
    """Pieces with their ids, as the text of a JSON object without blanks.

    Attributes:
        text: the object's entries, from the first key's quote to the last digit.

    Raises:
        ValueError: the text is another.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._plain = _ESCAPED.sub(lambda escape: _NAMES[escape[1]], text)
        self._bytes = np.frombuffer(self._plain, np.uint8)
        quotes = np.flatnonzero(self._bytes == _QUOTE)
        self._begins, self._ends = quotes[0::2] + 1, quotes[1::2]
        self._check()
        self._of_length: dict[int, tuple[NDArray[np.intp], NDArray[np.bytes_]]] = {}

    def _check(self) -> None:
        begins, ends = self._begins, self._ends
        is_table = (
            b"\\" not in self._plain
            and len(begins) == len(ends) > 0
            and int(begins[0]) == 1
            and bool((self._bytes[begins[1:] - 2] == _COMMA).all())
            and bool((self._bytes[np.minimum(ends + 1, len(self._bytes) - 1)] == _COLON).all())
        )
        if not is_table:
            raise ValueError('wanted entries such as "a":0,"b":1')

    def get(self, piece: str) -> int | None:
        """The id of a piece, ASCII letters and digits or one mark; None where the vocabulary lacks it."""
        written = piece.encode("ascii")
        wanted = _NAMES.get(written, written)
        begins, keys = self._keys(len(wanted))
        places = np.flatnonzero(keys == wanted)
        if not len(places):
            return None
        number = int(begins[places[0]]) + len(wanted) + 2
        end = self._plain.find(b",", number)
        return int(self._plain[number:] if end < 0 else self._plain[number:end])

    def read(self) -> dict[str, int]:
        """All of it."""
        pieces: dict[str, Any] = json.loads(b"{" + self.text + b"}")
        return pieces

    def _keys(self, length: int) -> tuple[NDArray[np.intp], NDArray[np.bytes_]]:
        """The keys of so many bytes, shape (n,), and where each begins."""
        found = self._of_length.get(length)
        if found is None:
            begins = self._begins[self._ends - self._begins == length]
            letters = self._bytes[begins[:, None] + np.arange(length)]
            found = self._of_length[length] = begins, letters.view(f"S{length}").reshape(-1)
        return found
