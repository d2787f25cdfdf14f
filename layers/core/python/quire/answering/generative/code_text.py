"""Tells code from prose."""

from __future__ import annotations

import re

_SIGNS = re.compile(
    r"^\s*(?:def |class |import |from \w+ import|function\b|const |let |var |local |return\b|if\s*\(|for\s*\(|#include"
    r"|public |private |async |await |export |sudo |\$ |@\w+|SELECT )"
    r"|[;{}]\s*$|\w+\([^)]*\)\s*(?:[:;{]|->|$)|[=!<>]=|\+=|=>|->|::|</?\w+[^>]*/?>|^\s*(?://|--|#!)|\b\w+\.\w+\(|\w+\[\w+\]"
    r"|^\s*[\w.\[\]]+\s*=\s*\S|\s--?[a-z]{1,2}\b.*$",
    re.M,
)
_PROSE = re.compile(r"\b(?:the|is|are|of|to|and|that|this|which|with|for)\b", re.I)


def is_code(text: str) -> bool:
    """Whether a marked passage is code rather than prose about it.

    >>> is_code("self.timer = self.create_timer(0.1, self.tick)"), is_code("The timer calls tick() ten times a second.")
    (True, False)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return False
    signs = sum(bool(_SIGNS.search(line)) for line in lines)
    small_words = len(_PROSE.findall(text))
    return signs / len(lines) >= 0.5 and small_words <= max(1, len(text.split()) // 8)
