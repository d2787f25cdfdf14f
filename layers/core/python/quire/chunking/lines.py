"""A file as lines: counted from 1 and ended by line feeds alone, as in editors, git and tree-sitter."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Lines:
    """A file's lines.

    Attributes:
        texts: each with its line feed, so that joining them gives the file back.
        offsets: characters before each line, and last those of all.
    """

    texts: tuple[str, ...]
    offsets: tuple[int, ...]

    def size(self, start: int, end: int) -> int:
        """Characters of the lines `start` to `end`, inclusive."""
        return self.offsets[end] - self.offsets[start - 1]

    def text(self, start: int, end: int) -> str:
        """The lines `start` to `end`, without the last one's line feed."""
        return "".join(self.texts[start - 1 : end]).removesuffix("\n")

    def last_within(self, start: int, size: int) -> int:
        """The last line up to which lines from `start` hold at most `size` characters; `start` at least."""
        return max(start, bisect_right(self.offsets, self.offsets[start - 1] + size) - 1)

    def is_blank(self, line: int) -> bool:
        """Whether the line holds nothing but white space."""
        return not self.texts[line - 1].strip()


def read_lines(text: str) -> Lines:
    r"""Cut a file's text at its line feeds.

    >>> read_lines("a\n\nb").texts
    ('a\n', '\n', 'b')
    """
    parts = text.split("\n")
    texts = tuple([part + "\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1]))
    return Lines(texts, (0, *accumulate(map(len, texts))))
