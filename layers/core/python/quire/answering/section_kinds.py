"""What many pages have a section of: options, limits, an example. Such a word names nothing by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import cache, lru_cache
from itertools import chain

from quire.analysis.terms import analyze

_ALIKE = (
    "option setting configuration configure config customize flag switch",
    "parameter param argument arg input option",
    "property prop attribute field member",
    "limit limitation restriction caveat constraint drawback disadvantage downside",
    "advantage benefit",
    "requirement prerequisite dependency",
    "return result output",
    "response reply output",
    "error exception failure",
    "function method",
    "event hook callback",
    "permission role privilege scope authorization",
    "authentication authenticate credential",
    "example sample snippet",
    "installation install setup",
    "usage use",
    "upgrade update migration migrate",
    "removal remove uninstall deletion delete",
    "disable deactivate",
    "enable activate",
    "troubleshooting debug",
    "type kind variant",
    "performance speed",
    "security secure",
    "test",
    "command subcommand",
    "format syntax",
    "metric",
    "default",
    "variable",
    "environment",
    "value",
    "step",
    "case",
    "alternative",
    "cost price pricing",
    "log logging",
    "side effect",
    "signature",
)
"""Words that sections are called by, those of a row alike."""
_MEANT = (
    (
        r"(?:before you (?:begin|start)|what (?:do i|do you|you|you'll|will i|else do i) need)\b.*",
        "requirement",
    ),
    (r"known issues|gotchas", "limitation"),
    (r"when (?:to|(?:should|do|would) (?:i|you|one|we)) use\b.*", "use case"),
    (r"how (?:it|this|that|they) works?|how (?:does|do) (?:it|this|that|they) work", "working"),
    (r".*\b(?:turn|switch) (?:it|this|that|them) off", "disable"),
    (r".*\b(?:turn|switch) (?:it|this|that|them) on", "enable"),
    (r"what (?:does|do|would|will) (?:the|its|an?|their) (\w+) look like", r"\1"),
)
"""Whole titles and questions, without their last signs, that say such a word in others."""
LONGEST = 300
"""Characters of a title or a question that are looked at."""
_FILLERS = frozenset(
    analyze(
        "available basic simple full common other further possible supported list overview known detailed"
        " show give tell see look like want exist"
    )
)
"""What a title or a question may say beside."""


@cache
def _meant() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(said, re.IGNORECASE), meant) for said, meant in _MEANT)


@cache
def _rows() -> dict[str, frozenset[int]]:
    """Term -> the rows of `_ALIKE` that it stands in."""
    found: dict[str, set[int]] = {}
    for number, row in enumerate(_ALIKE):
        for term in analyze(row):
            found.setdefault(term, set()).add(number)
    return {term: frozenset(numbers) for term, numbers in found.items()}


def names_kinds_alone(content: Iterable[str]) -> bool:
    """Whether the words of content name nothing but what many pages have a section of.

    >>> names_kinds_alone(["limitations"]), names_kinds_alone(["environment", "variables"])
    (True, True)
    >>> names_kinds_alone(["DDS", "options"])
    False
    """
    return all(term in _rows() for word in content for term in analyze(word))


def kinds_said(text: str) -> frozenset[str]:
    """The terms of a title or a question by which it is compared; what it says in a phrase as its one word.

    >>> sorted(kinds_said("When should I use it?")), sorted(kinds_said("Basic options"))
    (['case', 'use'], ['option'])
    """
    return _kinds_said(text[:LONGEST])


@lru_cache(maxsize=4096)
def _kinds_said(text: str) -> frozenset[str]:
    bare = text.strip().rstrip("?!.: ").replace("’", "'")
    for said, meant in _meant():
        if found := said.fullmatch(bare):
            bare = found.expand(meant)
    return frozenset(analyze(bare)) - _FILLERS


def shares_a_kind(one: Set[str], other: Set[str]) -> bool:
    """Whether a term of one stands in the other, itself or one like it.

    >>> shares_a_kind({"limit", "rate"}, {"restrict"}), shares_a_kind({"limit"}, {"option"})
    (True, False)
    """
    return not one.isdisjoint(other) or not _rows_of(one).isdisjoint(_rows_of(other))


def is_alike(one: Set[str], other: Set[str]) -> bool:
    """Whether each term of either stands in the other, itself or one like it.

    >>> is_alike({"limit"}, kinds_said("Known limitations")), is_alike({"limit"}, kinds_said("Rate limit"))
    (True, False)
    """
    return bool(one and other) and _covers(one, other) and _covers(other, one)


def _covers(terms: Set[str], others: Set[str]) -> bool:
    rows = _rows_of(terms)
    return all(term in terms or not rows.isdisjoint(_rows_of((term,))) for term in others)


def _rows_of(terms: Iterable[str]) -> frozenset[int]:
    return frozenset(chain.from_iterable(_rows().get(term, ()) for term in terms))
