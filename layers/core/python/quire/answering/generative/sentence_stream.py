"""Cuts a model's text, while it arrives, into what can be judged and shown: sentences, and lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_UNIT = 2_000
"""Characters without the end of a sentence after which a unit ends anyway."""
_FENCE = re.compile(r" {0,3}(```|~~~)")
_END = re.compile(
    r"""[.!?…]["'”’)*_]*                                          # the end of a sentence, closing quotes
    (?:\s?(?:\[[^\]\n]{1,24}\]|\([Ss]ources?\s[^)\n]{1,24}\)|【[^】\n]{1,48}】))*   # marks that stand behind it
    \s+(?=[^\s\[(【a-z])""",
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"""
    (?:
        \b(?:e\.g|i\.e|cf|vs|etc|approx|fig|eq|no|vol|pp?        # of texts
            |dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|u\.s|u\.k)     # of names
        | \b[A-Z]
        | ^\s*\d+  # the number of a list's item
    )\.$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHOLE = re.compile(r"(?:[.!?…:][\"'”’)*_]*|\])\s*\Z")
LONGEST_TAIL = 40
_OPEN_TAG = re.compile(r"[<!]\w{0,10}$")


@dataclass(frozen=True, slots=True)
class StreamUnit:
    """A sentence with the blanks behind it, or a line of code; the units joined are the text.

    Attributes:
        is_code: it stands in a fence, or is one.
        begins_line: nothing of its line stands before it.
    """

    text: str
    is_code: bool
    begins_line: bool


def is_torn(unit: StreamUnit) -> bool:
    """Whether a sentence breaks off, as the last one does of a text that was cut.

    >>> [is_torn(StreamUnit(text, False, True)) for text in ("Then you sho", "It is heavy [2].", "- steel [1]")]
    [True, False, False]
    """
    return not (unit.is_code or _WHOLE.search(unit.text, max(len(unit.text) - LONGEST_TAIL, 0)))


class SentenceStream:
    """Takes pieces and gives units as soon as they are whole. How the text is cut into pieces changes nothing."""

    def __init__(self) -> None:
        self._line = ""
        self._begins = True
        self._fence = ""

    def feed(self, piece: str) -> list[StreamUnit]:
        """Take the next piece and return the units that are whole by it."""
        *whole, rest = (self._line + piece).split("\n")
        units: list[StreamUnit] = []
        for line in whole:
            self._line = line + "\n"
            units += [*self._settled(), *self._end_line()]
        self._line = rest
        return [*units, *self._settled()]

    def finish(self) -> list[StreamUnit]:
        """The rest, once the model has ended."""
        return self._end_line() if self._line else []

    @property
    def open_fence(self) -> str:
        """What closes the fence that is open; "" where none is."""
        return self._fence

    def _end_line(self) -> list[StreamUnit]:
        line, self._line = self._line, ""
        fence = _FENCE.match(line) if self._begins else None
        unit = StreamUnit(line, bool(self._fence or fence), self._begins)
        if fence and self._fence in ("", fence[1]):
            self._fence = "" if self._fence else fence[1]
        self._begins = True
        return [unit]

    def _settled(self) -> Iterator[StreamUnit]:
        """Units of the current line that nothing behind them changes any more."""
        while not self._is_raw() and (end := _first_end(self._line)):
            text, self._line = self._line[:end], self._line[end:]
            yield StreamUnit(text, False, self._begins)
            self._begins = False

    def _is_raw(self) -> bool:
        return bool(self._fence or (self._begins and _FENCE.match(self._line)))


def _first_end(line: str) -> int:
    """Where the line's first sentence ends; 0 where it has not ended, or the next one has not begun."""
    for match in _END.finditer(line[:LONGEST_UNIT]):
        before = line[: match.start() + 1]
        if before.count("`") % 2 == 0 and not _ABBREVIATION.search(before[-14:]):
            return match.end()
    if len(line) < LONGEST_UNIT:
        return 0
    blank = line.rfind(" ", LONGEST_UNIT // 2, LONGEST_UNIT)
    # A tag that is cut in two would not be seen as one.
    return blank + 1 if blank > 0 else len(_OPEN_TAG.sub("", line[:LONGEST_UNIT]))
