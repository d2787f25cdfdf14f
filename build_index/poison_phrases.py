"""Poison that lies in the words: orders to models, links that carry talk away, marks that pass for citations.

The patterns are in `poison_patterns.toml`. What a passage says *about* such words is let pass: its sentence, or the one
before, names the attack.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATTERNS = Path(__file__).with_name("poison_patterns.toml")
FRAGMENT = re.compile(r"\{([A-Z]+)\}")
LOOK_BACK = 400
_ABOUT = re.compile(
    r"\b(?:injections?|attack(?:er|s|ed)?|malicious|adversar\w+|jailbreak\w*|untrusted|red.team\w*|hostile|injected)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?\n]\s")


SIGNALS = "signals"
ENOUGH = 3.0
WITHIN = 240
"""So many characters apart, signals of this sum are an order."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern, tried only on text that has one of `needs` in it; `weight` counts for signals alone."""

    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: float


@cache
def read_phrases() -> Mapping[str, tuple[Phrase, ...]]:
    """The phrases of each rule."""
    tables = tomllib.loads(PATTERNS.read_text(encoding="utf-8"))
    fragments: dict[str, str] = tables.pop("fragments")
    return {
        rule: tuple(
            Phrase(
                tuple(row["needs"]),
                re.compile(_written(row["pattern"], fragments), re.IGNORECASE),
                row.get("weight", 0.0),
            )
            for row in rows
        )
        for rule, rows in tables.items()
    }


def find_phrase(rule: str, text: str) -> str:
    """The first phrase of the rule that speaks to a model; "" where there is none."""
    lowered = text.lower()
    for phrase in read_phrases()[rule]:
        if any(need in lowered for need in phrase.needs):
            for match in phrase.pattern.finditer(text):
                if not _tells_about(text, match.start()):
                    return match.group()
    return ""


def find_signals(text: str) -> str:
    """The first place where enough signals of an order to a model stand together; "" where there is none."""
    lowered = text.lower()
    seen: list[tuple[int, int, int, float]] = []
    for number, phrase in enumerate(read_phrases()[SIGNALS]):
        if any(need in lowered for need in phrase.needs):
            seen += [(one.start(), one.end(), number, phrase.weight) for one in phrase.pattern.finditer(text)]
    seen.sort()
    for first, (start, *_) in enumerate(seen):
        near = [one for one in seen[first:] if one[0] - start <= WITHIN]
        weights = {number: weight for _, _, number, weight in near}
        if sum(weights.values()) >= ENOUGH and not _tells_about(text, start):
            return text[start : max(end for _, end, *_ in near)]
    return ""


def _written(pattern: str | list[str], fragments: Mapping[str, str]) -> str:
    whole = pattern if isinstance(pattern, str) else "".join(pattern)
    return FRAGMENT.sub(lambda name: fragments[name[1]], whole)


def _tells_about(text: str, place: int) -> bool:
    """Whether the sentence that begins before a place, or the one before it, names the attack."""
    start = max(place - LOOK_BACK, 0)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, place)]
    return bool(_ABOUT.search(text, ends[-2] if len(ends) > 1 else start, place + 1))
