"""Patterns that tell which of the slower looks at a text can find something; most chunks need none of them.

They let through more than what those looks find, never less, and are tried in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import re2

SIEVE_BYTES = 256 << 20
UNUSUAL = "unusual"
"""Characters that may read otherwise than they look; dashes, quotes and the breadcrumb's own mark do not."""
MARKUP = "markup"
"""What hides markup from a reader."""
APART = "apart"
"""Letters that stand apart from each other."""
BROKEN = "broken"
"""Words of an order with a hyphen between their syllables."""
SPELT = "spelt"
"""Digits in the place of letters."""

NOT_ASCII = "\x80-\U0010ffff"
_LETTER = f"[A-Za-z{NOT_ASCII}]"
_WORD = f"[0-9A-Za-z_{NOT_ASCII}]"
_BLANK = "[^!-~]"
_HIDING = "display|visibility|font-size|opacity|background|hidden|<!--|[{]/[*]"
_BREAKS = "ig-no|no-re|in-struc|struc-ti|ti-on|pre-vi|vi-ous|dis-re|re-gard|for-get|over-ride|sys-tem|"
_BREAKS += "as-sis|sis-tant|prom-pt"
_BOTH_I = "[i\u0131]"  # Python takes them for one letter, RE2 does not
_HINTS: Mapping[str, str] = {
    UNUSUAL: "[^\x00-\x7f\u00b7\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u203a]",
    MARKUP: _HIDING.replace("i", _BOTH_I),
    APART: rf"(?:\A|{_BLANK})(?:{_WORD} ){{3,}}{_WORD}(?:{_BLANK}|\z)",
    BROKEN: _BREAKS.replace("i", _BOTH_I),
    SPELT: rf"{_LETTER}[013457@$]+{_LETTER}|{_LETTER}[013457@$]{{2}}(?:[^0-9A-Za-z]|\z)",
}
_NAMES = tuple(_HINTS)


def read_hints(text: str) -> frozenset[str]:
    """The hints that a text gives."""
    return _named(tuple(_sieve().Match(text.encode("utf-8", "replace")) or ()))


def compile_sieve(patterns: Iterable[str]) -> re2.Set:
    """RE2 patterns as one automaton that tells which of them match somewhere, without regard to case."""
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = SIEVE_BYTES
    sieve = re2.Set.SearchSet(options)
    for pattern in patterns:
        sieve.Add(pattern)
    sieve.Compile()
    return sieve


@cache
def _sieve() -> re2.Set:
    return compile_sieve(_HINTS.values())


@cache
def _named(places: tuple[int, ...]) -> frozenset[str]:
    return frozenset(_NAMES[place] for place in places)
