"""The Snowball English stemmer (Porter2), as revised up to Snowball 3.

Source: https://snowballstem.org/algorithms/english/stemmer.html. `y` stands for the vowel and `Y` for the consonant
while a word is being worked on; R1 and R2 are the regions after the first and second vowel-consonant pair.
"""

from __future__ import annotations

import re
from functools import lru_cache

_VOWELS = "aeiouy"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_REGION = re.compile(r"[aeiouy][^aeiouy]")
_R1_PREFIXES = ("gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter")
_SHORT_TAIL = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|^past)$")
_HAS_VOWEL = re.compile(r"[aeiouy]")
_CONSONANT_Y = re.compile(r"([aeiouy])y")
_WHOLE = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_ING_KEPT = frozenset(("inn", "out", "cann", "herr", "earr", "even"))
_EED_KEPT = frozenset(("proc", "exc", "succ"))
_STEP2 = (
    ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"), ("ousness", "ous"),
    ("biliti", "ble"), ("lessli", "less"), ("tional", "tion"), ("alism", "al"), ("aliti", "al"),
    ("ation", "ate"), ("entli", "ent"), ("fulli", "ful"), ("iviti", "ive"), ("ousli", "ous"), ("abli", "able"),
    ("alli", "al"), ("anci", "ance"), ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("ogist", "og"),
    ("bli", "ble"), ("ogi", "og"), ("li", ""),
)  # fmt: skip
_STEP3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("ative", ""), ("icate", "ic"), ("iciti", "ic"),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP4 = (
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize",
    "ous", "al", "er", "ic",
)  # fmt: skip
# Whether a word ends in one of many is one look in C, where a loop over them is as many.
_STEP2_ENDINGS = tuple(suffix for suffix, _ in _STEP2)
_STEP3_ENDINGS = tuple(suffix for suffix, _ in _STEP3)
_ENDINGS = ("s", "ed", "ing", "y", "e", "l", *_STEP2_ENDINGS, *_STEP3_ENDINGS, *_STEP4)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Stem one lower-case English word; words of one or two letters are their own stem.

    >>> [stem(word) for word in ("walking", "replication", "parts", "happily")]
    ['walk', 'replic', 'part', 'happili']
    """
    if len(word) <= 2 or not word.endswith(_ENDINGS):
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    word = _step_1b(_step_1a(word), r1)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _step_4(_step_3(_step_2(word, r1), r1, r2), r2)
    return _step_5(word, r1, r2).lower()


def _mark_consonant_y(word: str) -> str:
    if word[0] == "y":
        word = "Y" + word[1:]
    return _CONSONANT_Y.sub(r"\1Y", word) if "y" in word else word


def _regions(word: str) -> tuple[int, int]:
    if word.startswith(_R1_PREFIXES):
        r1 = len(next(filter(word.startswith, _R1_PREFIXES)))
    else:
        found = _REGION.search(word)
        r1 = found.end() if found else len(word)
    found = _REGION.search(word, r1)
    return r1, found.end() if found else len(word)


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _HAS_VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    if not word.endswith(("ed", "ing", "ly")):
        return word
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + "ee" if len(base) >= r1 and base not in _EED_KEPT else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            return _strip_participle(word, word[: -len(suffix)], suffix, r1)
    return word


def _strip_participle(word: str, base: str, suffix: str, r1: int) -> str:
    if suffix == "ing":
        if len(base) == 2 and base[1] in "yY" and base[0] not in _VOWELS:
            return base[0] + "ie"
        if base in _ING_KEPT:
            return word
    if not _HAS_VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base.endswith(_DOUBLES):
        return base if len(base) == 3 and base[0] in "aeo" else base[:-1]
    return base + "e" if len(base) <= r1 and _SHORT_TAIL.search(base) else base


def _step_2(word: str, r1: int) -> str:
    if not word.endswith(_STEP2_ENDINGS):
        return word
    for suffix, new in _STEP2:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            if len(base) < r1:
                return word
            if suffix == "li":
                return base if base[-1:] in tuple("cdeghkmnrt") else word
            if suffix == "ogi":
                return base + new if base.endswith("l") else word
            return base + new
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    if not word.endswith(_STEP3_ENDINGS):
        return word
    for suffix, new in _STEP3:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + new if len(base) >= (r2 if suffix == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    if not word.endswith(_STEP4):
        return word
    for suffix in _STEP4:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            if len(base) < r2 or (suffix == "ion" and not base.endswith(("s", "t"))):
                return word
            return base
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    base = word[:-1]
    if word.endswith("e") and (len(base) >= r2 or (len(base) >= r1 and not _SHORT_TAIL.search(base))):
        return base
    if word.endswith("l") and len(base) >= r2 and base.endswith("l"):
        return base
    return word
