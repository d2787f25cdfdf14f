"""Poison that lies in the words: orders to models, links that carry talk away, marks that pass for citations.

The patterns are in `poison_patterns.toml`. What a passage says *about* such words is let pass: its sentence, or the one
before, names the attack.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

PATTERNS = Path(__file__).with_name("poison_patterns.toml")
FRAGMENT = re.compile(r"\{([A-Z]+)\}")
MODEL = "{MODEL}"
_WORD = re.compile(r"\w+")
_MODEL_WORDS = frozenset(
    "ai ais llm llms gpt chatgpt claude gemini copilot chat chatbot chatbots bots language code coding virtual digital"
    " summarizing summarising retrieval assistant assistants".split()
)
"""Words of which one at least stands in whatever the fragment MODEL matches, but for A.I."""
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
    """A pattern, tried only on text that has one of `needs` in it, and a model's name where the pattern wants one.

    `weight` counts for signals alone.
    """

    needs: frozenset[str]
    names_model: bool
    pattern: re.Pattern[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with what decides which phrases are tried on it: the needs that it has, and whether it names a model."""

    text: str
    needs: frozenset[str]
    names_model: bool


def read_wording(text: str) -> Wording:
    """Look once for what all phrases need, word by word: words recur, and what they hold is remembered."""
    lowered = text.lower()
    words = set(_WORD.findall(lowered))
    likely = _needs_of("").union(*map(_needs_of, words))
    named = not _MODEL_WORDS.isdisjoint(words) or "a.i." in lowered
    return Wording(text, frozenset([need for need in likely if need in lowered]), named)


@cache
def read_phrases() -> Mapping[str, tuple[Phrase, ...]]:
    """The phrases of each rule."""
    tables = tomllib.loads(PATTERNS.read_text(encoding="utf-8"))
    fragments: dict[str, str] = tables.pop("fragments")
    return {
        rule: tuple(
            Phrase(
                frozenset(row["needs"]),
                MODEL in "".join(row["pattern"]),
                re.compile(_written(row["pattern"], fragments), re.IGNORECASE),
                row.get("weight", 0.0),
            )
            for row in rows
        )
        for rule, rows in tables.items()
    }


@cache
def _needs_by_word() -> tuple[tuple[str, str], ...]:
    """Every need behind the longest word in it, "" where it has none."""
    needs = {need for phrases in read_phrases().values() for phrase in phrases for need in phrase.needs}
    return tuple((max(_WORD.findall(need), key=len, default=""), need) for need in sorted(needs))


@lru_cache(maxsize=1 << 16)
def _needs_of(word: str) -> frozenset[str]:
    """Needs that a text with this word may have; for "" those without a word, which any text may have."""
    return frozenset(need for part, need in _needs_by_word() if part in word and (part or not word))


@cache
def _phrases_by_need(rule: str) -> Mapping[str, tuple[int, ...]]:
    numbers = defaultdict[str, list[int]](list)
    for number, phrase in enumerate(read_phrases()[rule]):
        for need in phrase.needs:
            numbers[need].append(number)
    return {need: tuple(found) for need, found in numbers.items()}


def _tried(rule: str, wording: Wording) -> list[tuple[int, Phrase]]:
    """The phrases of the rule that may match, with their numbers, in order."""
    phrases, by_need = read_phrases()[rule], _phrases_by_need(rule)
    numbers = {number for need in wording.needs for number in by_need.get(need, ())}
    tried = [(number, phrases[number]) for number in sorted(numbers)]
    return [one for one in tried if wording.names_model or not one[1].names_model]


def find_phrase(rule: str, wording: Wording) -> str:
    """The first phrase of the rule that speaks to a model; "" where there is none."""
    for _, phrase in _tried(rule, wording):
        for match in phrase.pattern.finditer(wording.text):
            if not _tells_about(wording.text, match.start()):
                return match.group()
    return ""


def find_signals(wording: Wording) -> str:
    """The first place where enough signals of an order to a model stand together; "" where there is none."""
    text, tried = wording.text, _tried(SIGNALS, wording)
    if sum(phrase.weight for _, phrase in tried) < ENOUGH:
        return ""
    seen = [
        (one.start(), one.end(), number, phrase.weight)
        for number, phrase in tried
        for one in phrase.pattern.finditer(text)
    ]
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
