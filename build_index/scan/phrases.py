"""Poison that lies in the words: orders to models, links that carry talk away, marks that pass for citations.

The patterns are in `poison_patterns.toml`. What a passage says *about* such words is let pass: its sentence, or the one
before, names the attack.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import re2

from build_index.scan.hints import NOT_ASCII, compile_sieve

PATTERNS = Path(__file__).with_name("poison_patterns.toml")
FRAGMENT = re.compile(r"\{([A-Z]+)\}")
_LOOK_AROUND = re.compile(r"\(\?<?[=!](?:\\.|[^()\\])*\)")
_COUNT = re.compile(r"(?<!\\)\{\d+(?:,\d*)?\}")
_WORD = f"0-9A-Za-z_{NOT_ASCII}"
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")
LOOK_BACK = 400
SIEVED = 27
"""Patterns of one automaton."""
_ABOUT = re.compile(
    r"""
    \b(?:
        injections? | attack(?:er|s|ed)? | malicious | adversar\w+ | jailbreak\w* | untrusted
        | red.team\w* | hostile | injected  # "red team" in any spelling
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?\n]\s")


SIGNALS = "signals"
ENOUGH = 3.0
WITHIN = 240
"""So many characters apart, signals of this sum are an order."""
NAMES_MODELS = 0
"""The first of the signals, a model's name: an order says it once or twice."""
MOST_NAMES = 4
ENOUGH_ABOUT_MODELS = 4.5
"""Documentation of models names them in every sentence, and their prompts, keys and users: of 12,000 passages of nine
such projects 24 had signals of 3.0 together; the orders of the tests have them in a page that names none elsewhere."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern as it is written; `weight` counts for signals alone, a `sample` is none in fenced code."""

    written: str
    weight: float
    sample: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first needed: most never are, and all of them cost 0.1 s."""
        return _compiled(self.written)


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with the phrases that may match it: rule -> their numbers, ascending."""

    text: str
    likely: Mapping[str, Sequence[int]]


def read_wording(text: str) -> Wording:
    """Try all phrases in a few passes: the few that may match are looked at again, one by one."""
    encoded = text.encode("utf-8", "replace")
    likely = defaultdict[str, list[int]](list)
    for sieve, names in _sieves():
        for place in sorted(sieve.Match(encoded) or ()):
            rule, number = names[place]
            likely[rule].append(number)
    return Wording(text, likely)


@cache
def read_phrases() -> Mapping[str, tuple[Phrase, ...]]:
    """The phrases of each rule."""
    tables = tomllib.loads(PATTERNS.read_text(encoding="utf-8"))
    fragments: dict[str, str] = tables.pop("fragments")
    return {
        rule: tuple(
            Phrase(_written(row["pattern"], fragments), row.get("weight", 0.0), row.get("sample", False))
            for row in rows
        )
        for rule, rows in tables.items()
    }


@cache
def _compiled(written: str) -> re.Pattern[str]:
    return re.compile(written, re.IGNORECASE)


@cache
def _sieves() -> Sequence[tuple[re2.Set, Sequence[tuple[str, int]]]]:
    """All patterns as a few automata, each pattern looser than it is, and what they are called.

    An automaton makes its states as texts lead to them: one of all 81 patterns took 0.30 s for half of Celery's tree,
    three take 0.12 s, and 0.02 s more for as much text again.
    """
    named = [
        (phrase, (rule, number))
        for rule, all_ in read_phrases().items()
        for number, phrase in enumerate(all_)
    ]
    parts = [named[first : first + SIEVED] for first in range(0, len(named), SIEVED)]
    return [
        (compile_sieve(_looser(one.written) for one, _ in part), [name for _, name in part]) for part in parts
    ]


def _looser(pattern: str) -> str:
    """The pattern in RE2's dialect: without look-around and counts, and with every letter beyond ASCII alike.

    What RE2 has to tell apart makes an automaton grow, and making it is most of what the scan of a collection costs.
    """
    plain = _COUNT.sub("*", _LOOK_AROUND.sub("", pattern))
    plain = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), plain)
    return plain.replace(r"[\w", f"[{_WORD}").replace(r"\w", f"[{_WORD}]")


def _tried(rule: str, wording: Wording) -> list[tuple[int, Phrase]]:
    phrases = read_phrases()[rule]
    return [(number, phrases[number]) for number in wording.likely.get(rule, ())]


def find_phrase(rule: str, wording: Wording, *, outright: bool = False) -> str:
    """The first phrase of the rule that speaks to a model, no sample where it has to be `outright`; "" without one."""
    for _, phrase in _tried(rule, wording):
        if outright and phrase.sample:
            continue
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
    names = sum(number == NAMES_MODELS for _, _, number, _ in seen)
    enough = ENOUGH_ABOUT_MODELS if names > MOST_NAMES else ENOUGH
    for first, (start, *_) in enumerate(seen):
        near = [one for one in seen[first:] if one[0] - start <= WITHIN]
        weights = {number: weight for _, _, number, weight in near}
        if sum(weights.values()) >= enough and not _tells_about(text, start):
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
