"""Citation marks in generated text, checked while it streams; and the citations behind them."""

from __future__ import annotations

import re
from collections.abc import Collection

from quire.documents import Citation, Hit, text_sha256

CITED = re.compile(r"\[(\d{1,3})\]")
"""A mark as `CitationFilter` passes it."""
_NUMBERS = r"\d{1,3}(?:,\s*+\d{1,3})*+"
_MARK = re.compile(rf" ?(?<!\[)\[++({_NUMBERS})\]++| ?【({_NUMBERS})(?:†[^】\n]{{0,40}})?】")
_UNSETTLED = re.compile(r" ?(?:(?<!\[)\[++(?:\d{1,3}(?:,\s*+\d{1,3})*,?\s*+)?\]*+|【[^】\n]{0,48}| )$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_PERHAPS_FENCE = re.compile(r" {0,3}(?:`{0,2}|~{0,2})")
LONGEST_CODE_SPAN = 120
"""A backtick that finds no partner within so many characters is not waited for."""
_CODE_SPAN = re.compile(rf"(?<!`)(`+)(?!`).{{1,{LONGEST_CODE_SPAN}}}?(?<!`)\1(?!`)")
_SETTLED_SPAN = re.compile(rf"(?<!`)(`+)(?!`).{{1,{LONGEST_CODE_SPAN}}}?(?<!`)\1(?=[^`])")
_OPENING = frozenset("[,0123456789")
_TICKS = re.compile(r"`+")


class CitationFilter:
    """Passes a model's text on, piece by piece, without marks that name no source.

    `[1, 9]` becomes `[1]` where 9 is unknown; code is left as it is. Held back is only what might still become a
    mark, a fence or a code span, so a stream flows with a delay of a few characters.

    Attributes:
        used: numbers of the marks that were passed on, in order of their first use.
        dropped: how many numbers were left out.
    """

    def __init__(self, known: Collection[int]) -> None:
        self.used: dict[int, None] = {}
        self.dropped = 0
        self._known = frozenset(known)
        self._line = ""
        self._done = 0
        self._before = ""
        self._fence = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return what is settled of the text so far."""
        *whole, self._line = (self._line + piece).split("\n")
        passed = [self._end_line(line + "\n") for line in whole]
        if not self._fence and _PERHAPS_FENCE.fullmatch(self._line):
            return "".join(passed)
        settled = len(self._line) - (0 if self._is_raw(self._line) else self._unsettled())
        passed.append(self._advance(self._line, max(settled, self._done)))
        return "".join(passed)

    def finish(self) -> str:
        """The rest, once the model has ended."""
        line, self._line = self._line, ""
        return self._end_line(line)

    def _end_line(self, line: str) -> str:
        passed = self._advance(line, len(line))
        fence = _FENCE.match(line)
        if fence and self._fence in ("", fence[1]):
            self._fence = "" if self._fence else fence[1]
        self._done = 0
        return passed

    def _advance(self, line: str, settled: int) -> str:
        text, self._before = line[self._done : settled], line[self._done - 1 : self._done]
        self._done = settled
        return text if self._is_raw(line) else self._checked(text)

    def _is_raw(self, line: str) -> bool:
        return bool(self._fence or _FENCE.match(line))

    def _unsettled(self) -> int:
        """Length of the current line's suffix that the next piece may still turn into something else."""
        # What stands in a whole code span begins nothing.
        text = _SETTLED_SPAN.sub(lambda span: "x" * len(span.group()), self._line[self._done :])
        mark = _UNSETTLED.search(text)
        waits = (len(text) - ticks.start() for ticks in _TICKS.finditer(text))
        longest = LONGEST_CODE_SPAN + 4
        span = max((wait for wait in waits if wait <= longest), default=0)
        return max(len(mark.group()) if mark else 0, span)

    def _checked(self, text: str) -> str:
        parts, end = [], 0
        for span in _CODE_SPAN.finditer(text):
            parts += [_MARK.sub(self._mark, text[end : span.start()]), span.group()]
            end, self._before = span.end(), "`"
        return "".join([*parts, _MARK.sub(self._mark, text[end:])])

    def _mark(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.split(r",\s*", match[1] or match[2])]
        kept = [number for number in numbers if number in self._known]
        self.dropped += len(numbers) - len(kept)
        self.used.update(dict.fromkeys(kept))
        before = match.string[match.start() - 1 : match.start()] or self._before
        # Where a dropped mark stood inside another's brackets, what is left must not close up to a new mark.
        space = " " if (kept and match.group().startswith(" ")) or (not kept and before in _OPENING) else ""
        return space + "".join(f"[{number}]" for number in kept)


def cite(n: int, hit: Hit, start: int, end: int) -> Citation:
    """The citation of `hit.chunk.text[start:end]`.

    Raises:
        ValueError: the offsets do not mark a passage of the stored text.
    """
    text = hit.chunk.text
    if not 0 <= start < end <= len(text):
        raise ValueError(
            f"chunk {hit.chunk.id}: wanted a passage inside 0..{len(text)}, found {start}..{end}"
        )
    quote = text[start:end]
    return Citation(n, hit, quote, start, end, text_sha256(quote))
