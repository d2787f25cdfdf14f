"""Citation marks in generated text, in the forms that models write; citations behind them; links of sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from quire.documents import Chunk, Citation, Hit, Turn, text_sha256

CITED = re.compile(r"\[(\d{1,3})\]")
"""A mark as `read_marks` writes it."""
_LIST = r"\d{1,3}(?:(?:\s*+(?:,|;|&|and)\s*+|\s*+[-–]\s*+)(?:sources?\s)?\^?\d{1,3})*+"
_MARK = re.compile(
    rf"""
      \ ?(?<!\[)\[++\^?(?:sources?\s)?({_LIST})\]++(?:\(https?://[^\s)]{{0,500}}+\))?  # [1], [[1]], [^1], [Source 1]
    | \ ?\((?:see\s)?sources?\s\[?({_LIST})\]?\)                              # (Source 1), (see sources 1 and 2)
    | \ ?【({_LIST})(?:†[^】\n]{{0,40}})?】
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3}+)\s*+[-–]\s*+(\d{1,3})")
_NUMBER = re.compile(r"\d+")
_WORD_BEFORE = re.compile(r"[\w.)\]]+\Z")
LONGEST_CODE_SPAN = 120
CODE_SPAN = re.compile(rf"(?<!`)(`+)(?!`).{{1,{LONGEST_CODE_SPAN}}}?(?<!`)\1(?!`)")
_LINK = re.compile(r"\[([^\[\]\n]++)\]\(https?://[^\s()<>]++\)")
_OPENING = frozenset("[,0123456789")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text whose marks all name a source.

    Attributes:
        text: each mark written `[n]`; those of unknown numbers left out.
        numbers: of the marks, in order of their first use.
        dropped: how many numbers were left out.
    """

    text: str
    numbers: tuple[int, ...]
    dropped: int


def read_marks(text: str, known: Collection[int], own: str = "") -> Marked:
    """The text with its citation marks in one form; code is left as it is.

    What stands in `own` word by word, such as `items[0]`, is a source's own text and no mark.

    >>> read_marks("Steel (Source 1), light [^2], cheap [1-2][9].", range(1, 3)).text
    'Steel [1], light [2], cheap [1][2].'
    """
    reading = _MarkReading(known, own)
    parts, end = [], 0
    for span in CODE_SPAN.finditer(text):
        parts += [reading.read(text[end : span.start()]), span.group()]
        end = span.end()
    return Marked(
        "".join([*parts, reading.read(text[end:])]), tuple(dict.fromkeys(reading.used)), reading.dropped
    )


class _MarkReading:
    """What was found so far of one text."""

    def __init__(self, known: Collection[int], own: str) -> None:
        self._known = known
        self._own = own
        self.used: list[int] = []
        self.dropped = 0

    def read(self, text: str) -> str:
        return _MARK.sub(self._mark, text)

    def _mark(self, match: re.Match[str]) -> str:
        listed = match[1] or match[2] or match[3]
        numbers = _numbers(listed)
        kept = [number for number in numbers if number in self._known]
        if self._is_own(match) or (_RANGE.search(listed) and len(kept) < len(numbers)):
            return match.group()
        self.dropped += len(numbers) - len(kept)
        self.used += kept
        before = match.string[match.start() - 1 : match.start()]
        # Where a dropped mark stood inside another's brackets, what is left must not close up to a new mark.
        space = " " if (kept and match.group()[0] in " (") or (not kept and before in _OPENING) else ""
        return space * (before != " ") + "".join(f"[{number}]" for number in kept)

    def _is_own(self, match: re.Match[str]) -> bool:
        word = _WORD_BEFORE.search(match.string, max(match.start() - 80, 0), match.start())
        return bool(word and self._own and word.group() + match.group() in self._own)


def _numbers(listed: str) -> list[int]:
    """The numbers of a list such as `1, 3-5`."""
    spans = [(int(first), int(last)) for first, last in _RANGE.findall(listed)]
    within = [number for first, last in spans for number in range(first, min(last, first + 20) + 1)]
    return list(dict.fromkeys([*within, *(int(one) for one in _NUMBER.findall(_RANGE.sub(" ", listed)))]))


def cite(n: int, hit: Hit, start: int, end: int, *, answers_at: int | None = None) -> Citation:
    """The citation of `hit.chunk.text[start:end]`, chosen for what begins at `answers_at`; at `start` where None.

    Raises:
        ValueError: the offsets do not mark a passage of the stored text.
    """
    text = hit.chunk.text
    if not 0 <= start < end <= len(text):
        raise ValueError(
            f"chunk {hit.chunk.id}: wanted a passage inside 0..{len(text)}, found {start}..{end}"
        )
    quote = text[start:end]
    return Citation(
        n, hit, quote, start, end, text_sha256(quote), start if answers_at is None else answers_at
    )


def linked(text: str, chunks: Iterable[Chunk]) -> str:
    """The text of chunks with the addresses of other sites behind the words that lead there, where these stand in it
    once; see `quire.chunking.markdown`."""
    known = dict[str, str]()
    for chunk in chunks:
        links = chunk.metadata.get("links")
        for link in links if isinstance(links, tuple) else ():
            if found := _LINK.fullmatch(link):
                known.setdefault(found[1], link)
    places = [(text.find(words), words) for words in known if text.count(words) == 1]
    for start, words in sorted(places, reverse=True):
        text = text[:start] + known[words] + text[start + len(words) :]
    return text


def sections_of(chunk: Chunk) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Headings and anchors of the sections in the passage; both empty where there is but one."""
    headings, anchors = chunk.metadata.get("headings"), chunk.metadata.get("anchors")
    if isinstance(headings, tuple | list) and isinstance(anchors, tuple | list):
        return tuple(headings), tuple(anchors)
    return (), ()


def section_at(chunk: Chunk, offset: int) -> int:
    """Number of the section in which the character stands."""
    at = begun = 0
    for number, heading in enumerate(sections_of(chunk)[0]):
        found = re.compile(rf"^#+ {re.escape(heading)}$", re.MULTILINE).search(chunk.text, begun)
        if found and found.start() <= offset:
            at, begun = number, found.end()
    return at


def where_of(chunk: Chunk, section: int) -> tuple[str, str, str]:
    """Chapter, section and URL of one of the passage's sections."""
    known = chunk.metadata.get
    heading, url = str(known("heading") or ""), str(known("url") or "")
    headings, anchors = sections_of(chunk)
    if headings:
        heading, page = headings[section], url.partition("#")[0]
        if "page" not in chunk.metadata:  # viewers of a PDF open a page, and know no headings
            url = f"{page}#{anchors[section]}" if page and anchors[section] else page
    return str(known("chapter") or known("title") or ""), heading, url


def last_answer(history: Sequence[Turn]) -> str:
    """The last answer that cites, "" where none does."""
    told = (turn.text for turn in reversed(history) if turn.role == "assistant")
    return next((text for text in told if CITED.search(text)), "")
