"""How texts in other alphabets were written before UTF-8: in pairs of bytes in East Asia, Cyrillic in single ones.

Western texts have a letter in ten beyond ASCII at most, so what has many more is tried as one of these. The texts tell
them apart: which bytes may stand behind one another, and which letters a language cannot do without.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

READ_BYTES = 50_000
LEAST_HIGH, FEWEST_HIGH = 0.25, 12
"""Share of bytes beyond ASCII among those that are no blanks, and how many there are at least."""
DAMAGED = 0.6
"""Share of those bytes that are UTF-8 from which on it is a damaged one; of Chinese a quarter are."""
KANA, NARROW = 0.1, 0.1
"""Least share of Hiragana among the signs of Japanese; most of narrow Katakana, which other encodings look like."""
LOW_TRAILS = 0.1
"""Least share of pairs of Big5 that end below 0x80, where about half of them do; those of GB 2312 never do."""
LAST_OF_HANGUL, BEYOND = 0xC8, 0.02
"""Syllables of Korean begin up to this byte, a fifth of Chinese signs behind it."""
COMMON = 0.45
"""Least share of the ten commonest letters of Russian and Ukrainian among those of a text."""
_COMMON_LETTERS = frozenset("оеаинтсрвл")
_HIGH = bytes(range(0x80, 0x100))
_PAIR = re.compile(rb"[\xa1-\xfe][\x40-\x7e\xa1-\xfe]")


class OlderEncoding(NamedTuple):
    """An encoding: what Python calls it, and what people do."""

    codec: str
    name: str


SHIFT_JIS, EUC_JP = OlderEncoding("cp932", "Shift_JIS"), OlderEncoding("euc_jp", "EUC-JP")
GB, BIG5 = OlderEncoding("gb18030", "GB 18030"), OlderEncoding("cp950", "Big5")
EUC_KR = OlderEncoding("cp949", "EUC-KR")
CP1251, KOI8 = OlderEncoding("cp1251", "Windows-1251"), OlderEncoding("koi8_r", "KOI8-R")
WESTERN = OlderEncoding("cp1252", "Windows-1252")


def older_encoding(data: bytes) -> OlderEncoding | None:
    """The encoding of a text that is no UTF-8 and mostly in another alphabet; None where none is told.

    >>> older_encoding("Ключ от склада хранится у дежурного.".encode("koi8_r")).name
    'KOI8-R'
    """
    head = data[:READ_BYTES]
    high = len(head) - len(head.translate(None, _HIGH))
    if high < FEWEST_HIGH or high < LEAST_HIGH * len(b"".join(head.split())):
        return None
    valid = "".join(letter for letter in head.decode(errors="ignore") if not letter.isascii())
    if len(valid.encode()) > DAMAGED * high:
        return None
    if _is_japanese(_read(head, SHIFT_JIS)):
        return SHIFT_JIS
    if _is_japanese(_read(head, EUC_JP)):
        return EUC_JP
    return next((one for one in (CP1251, KOI8) if _is_cyrillic(_read(head, one))), None) or _in_pairs(head)


def _read(head: bytes, encoding: OlderEncoding) -> str:
    """The text, whose last sign may be torn; "" where it is not in the encoding."""
    try:
        return codecs.getincrementaldecoder(encoding.codec)("strict").decode(head)
    except UnicodeDecodeError:
        return ""


def _is_japanese(text: str) -> bool:
    signs = [letter for letter in text if letter > "\u2fff"]
    kana = sum("\u3040" <= letter <= "\u309f" for letter in signs)
    narrow = sum("\uff61" <= letter <= "\uff9f" for letter in signs)
    return bool(signs) and kana >= KANA * len(signs) and narrow <= NARROW * len(signs)


def _in_pairs(head: bytes) -> OlderEncoding | None:
    """Chinese or Korean, by the bytes that signs begin and end with."""
    pairs = _PAIR.findall(head)
    if sum(pair[1] < 0x80 for pair in pairs) >= LOW_TRAILS * len(pairs) and _read(head, BIG5):
        return BIG5
    begins = [pair[0] for pair in pairs if pair[0] >= 0xB0]  # below are signs of punctuation
    is_korean = sum(one > LAST_OF_HANGUL for one in begins) <= BEYOND * len(begins)
    told = EUC_KR if is_korean else GB
    return told if _read(head, told) else None


def _is_cyrillic(text: str) -> bool:
    """Whether its letters are as frequent as in Russian, and small ones more frequent than capitals."""
    letters = [letter for letter in text if letter.isalpha() and not letter.isascii()]
    common = sum(letter.lower() in _COMMON_LETTERS for letter in letters)
    return common >= COMMON * len(letters) > 0 and 2 * sum(map(str.islower, letters)) > len(letters)
