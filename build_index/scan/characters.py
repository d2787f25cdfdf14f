"""Poison that lies in the characters: what nobody sees, what reads backwards, what repeats; and what models read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice

from build_index.scan.hints import APART, BROKEN, SPELT, UNUSUAL, read_hints

LONGEST = 60_000
"""Characters of a chunk; the longest honest one seen, an enum with all its items, has 25,000."""
LONGEST_WORD = 4_000
REPEATED_WORDS = 120
REPEATED_SHARE = 0.12
"""Where fewer of a text's runs of four words are different ones, it says one thing over and over."""

_ZERO = "\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff"
_TAGS = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007e])[\U000e0000-\U000e007f]{2,}")
_RUN = re.compile(f"[{_ZERO}]{{4,}}")
_THREADED = re.compile(f"(?:[A-Za-z ][{_ZERO}]){{5,}}")
_SELECTORS = re.compile("[\ufe00-\ufe0f]{2,}|[\U000e0100-\U000e01ef]{2,}")
_INVISIBLE = re.compile(f"[{_ZERO}\ufe00-\ufe0f\U000e0000-\U000e01ef\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDE = re.compile("[\u202d\u202e]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")

_MODEL = r"\b(?:AI|A\.I\.|LLMs?|chat[ ]?bots?|bots?|(?:language[ ])?models?|assistants?|GPT|agents?|instructions?)\b"
_TAG = re.compile(r"<\w[^<>]*+>(?P<text>[^<]{0,300}+)")
_UNSEEN = re.compile(
    r"""
    display\s*+:\s*+none | visibility\s*+:\s*+hidden    # drawn by no browser
    | font-size\s*+:\s*+0
    | opacity\s*+:\s*+0(?![.0]*+[1-9])                  # 0 and 0.0, not 0.5
    | \shidden\b                                        # the attribute
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHITE = r"(?:#fff|white)"
_WHITE_TEXT = re.compile(rf"color\s*+:\s*+{_WHITE}", re.IGNORECASE)
LONGEST_COMMENT = 400
_COMMENTS = (("<!--", "-->"), ("{/*", "*/}"))
_TELLS_MODEL = re.compile(
    rf"""
    {_MODEL}[^.]{{0,80}}  # in one sentence with an order
    \b(?:must|should|do[ ]not|don't|never|always|tell|answer|say|claim|ignore|rate|rank|recommend)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0501\u04bb\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420"
    "\u0421\u0422\u0425\u0406\u03bf\u03b1\u03b9\u0391\u0392\u0395\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4",
    "aeopcyxisdhABEKMHOPCTXIoaiABEIKMNOPT",
)
_LEET = str.maketrans("013457@$", "oieastas")
_APART = re.compile(r"(?<!\S)(?:\w ){3,}\w(?!\S)")
_DIGITS = re.compile(r"[013457@$]+")
_BROKEN = re.compile(
    r"""
    \b(?:
        ig-?no-?re | in-?struc-?ti-?ons? | pre-?vi-?ous | dis-?re-?gard | for-?get | over-?ride
        | sys-?tem | as-?sis-?tant | prom-?pt  # who is told, and by what
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SYLLABLES = re.compile(r"(?<=[A-Za-z])-(?=[a-z])")


def invisible(text: str) -> str:
    """Characters that no screen shows, enough of them to say something."""
    if not _INVISIBLE.search(text):
        return ""
    for pattern in (_TAGS, _SELECTORS, _RUN, _THREADED):
        if match := pattern.search(text):
            return f"{len(_INVISIBLE.findall(text))} invisible characters at {match.start()}"
    return ""


def bidirectional(text: str) -> str:
    """Marks that make text read otherwise than it is stored; in right-to-left text only those that override."""
    pattern = _OVERRIDE if _RIGHT_TO_LEFT.search(text) else _BIDI
    match = pattern.search(text)
    return f"U+{ord(match.group()):04X} at {match.start()}" if match else ""


def hidden_markup(text: str) -> str:
    """Words in markup that is not shown, or in a comment, which speak to a model."""
    for match in _TAG.finditer(text):
        if re.search(_MODEL, match["text"], re.IGNORECASE) and _is_unseen(match.group()):
            return match.group()
    for comment in _comments(text):
        if _TELLS_MODEL.search(comment):
            return comment
    return ""


def _is_unseen(tag: str) -> bool:
    """Whether a tag's style hides what stands in it, white on white too."""
    if _UNSEEN.search(tag):
        return True
    text = _WHITE_TEXT.search(tag)
    _, below, colors = tag[text.end() :].lower().partition("background") if text else ("", "", "")
    return bool(below) and re.search(_WHITE, colors) is not None


def _comments(text: str) -> Iterator[str]:
    """Comments that are not long; what closes one is looked for once, however many openings stand before it."""
    for opening, closing in _COMMENTS:
        begin, end = text.find(opening), -1
        while begin >= 0:
            inside = begin + len(opening)
            end = text.find(closing, inside) if end < inside else end
            if end < 0:
                break
            if end - inside <= LONGEST_COMMENT:
                yield text[begin : end + len(closing)]
                inside = end
            begin = text.find(opening, inside)


def flood(text: str) -> str:
    """Text that is too long, has a word without end, or repeats itself."""
    if len(text) > LONGEST:
        return f"{len(text):,} characters"
    if len(text) < 2 * REPEATED_WORDS:
        return ""
    words = text.split()
    if len(text) > LONGEST_WORD and (longest := max(map(len, words), default=0)) > LONGEST_WORD:
        return f"a word of {longest:,} characters"
    if len(words) - 3 < REPEATED_WORDS or _has_many_words(words):
        return ""
    spoken = list(filter(_is_spoken, words))
    runs = len(spoken) - 3
    if runs < REPEATED_WORDS:
        return ""
    share = len({tuple(spoken[place : place + 4]) for place in range(runs)}) / runs
    return f"{share:.0%} of its phrases are different" if share < REPEATED_SHARE else ""


def _is_spoken(word: str) -> bool:
    return sum(map(str.isalpha, word)) >= 2


def _has_many_words(words: list[str]) -> bool:
    """Whether there are so many different words that the runs of four, of which each begins one, cannot be few."""
    different = [word for word in set(words) if len(word) > 1 and word[:2].isalpha()]
    return len(different) - 3 >= REPEATED_SHARE * len(words)


def readings(text: str, hints: Collection[str]) -> Iterator[str]:
    """The text as a model may read it: plain, with letters or syllables joined, with digits read as letters."""
    plain = text
    if UNUSUAL in hints:
        plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_ALIKE)
        hints = read_hints(plain)
    yield plain
    if APART in hints and _APART.search(plain):
        yield _joined(plain)
    if BROKEN in hints and any("-" in word for word in _BROKEN.findall(plain)):
        yield _SYLLABLES.sub("", plain)
    if SPELT in hints and len(list(islice(_spelt(plain), 2))) == 2:
        yield plain.translate(_LEET)


def _spelt(text: str) -> Iterator[re.Match[str]]:
    """Where digits stand for letters inside a word, or for its last two."""
    for match in _DIGITS.finditer(text):
        begin, end = match.span()
        if begin and text[begin - 1].isalpha():
            after = text[end : end + 1]
            if after.isalpha() or (end - begin == 2 and not after.isalnum()):
                yield match


def _joined(text: str) -> str:
    """Letters that stand apart put together; two spaces stay a space."""
    lines = []
    for line in text.split("\n"):
        words = re.split(r" {2,}", line)
        lines.append(
            " ".join(_APART.sub(lambda match: match.group().replace(" ", ""), word) for word in words)
        )
    return "\n".join(lines)
