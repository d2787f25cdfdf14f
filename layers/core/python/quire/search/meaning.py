"""The meaning that a question asks for: its term in "What is X?", "What does X stand for?" or "Define X"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

MEANING_CHARACTERS = 100
ASKING_TERMS = frozenset(
    "mean meant stand refer measur repres short exact defin definit explain describ".split()
)
"""Terms of words that only ask for it."""

_TERM = r"""
    (?! (?: how | why | what | where | when | who | which | whether | if | to | it | this | that | these | those
          | new )\b )
    (?P<term> [\w`][\w.+\#/`-]*
      (?: \s+ (?! (?: in | within | inside | for | of | on | when | if | used | with | by | between | and | or | vs
                    | than | from | to | is | are | short | mean | stand )\b ) [\w`][\w.+\#/`-]* ){0,3} )
"""
"""Up to four words, without those that make a clause of them."""
_ARTICLE = r"(?: (?:an?|the)\s+ )?"
_WITHIN = r"(?: \s+ (?:in|within|inside) \s+ [\w.+\# -]{1,40} )?"
_FORMS = (
    # "What is a lamp?", "So what are lamps in a house?"
    rf"""^\W* (?:[\w' ]{{0,30}}\b)?? (?: what(?:'s|\s+(?:is|are|was|were)) (?:\s+exactly)? (?:\s+meant\s+by)?
      | explain | define | describe ) \s+ {_ARTICLE} {_TERM} {_WITHIN} \W*$""",
    # "Explain what a lamp is"
    rf"\bwhat \s+ {_ARTICLE} {_TERM} \s+ (?:is|are) {_WITHIN} \W*$",
    # "What does LED stand for?", "What is LED short for?"
    rf"""\bwhat (?: \s+(?:do|does|is|are) | 's ) \s+ {_ARTICLE} {_TERM} {_WITHIN}
    \s+ (?: mean | stand\s+for | refer\s+to | measure | represent | short\s+for ) \W*$""",
    rf"\b(?: meaning | definition ) \s+of\s+ {_ARTICLE} {_TERM} {_WITHIN} \W*$",
    rf"^\W* {_TERM} \s+ (?: meaning | definition ) \W*$",
)


@lru_cache(maxsize=64)
def asked_meaning(question: str) -> str:
    """The term of which it asks what it is or stands for, as written; "" where it asks for nothing so.

    >>> asked_meaning("What is a lamp?"), asked_meaning("What does LED stand for?"), asked_meaning("What is it?")
    ('lamp', 'LED', '')
    """
    if len(question) > MEANING_CHARACTERS:
        return ""
    found = next(filter(None, (form.search(question) for form in _forms())), None)
    return found["term"] if found else ""


def content_terms(question: str, terms: Iterable[str]) -> list[str]:
    """The question's terms without those that only ask for a meaning, in order; all where nothing would be left.

    >>> content_terms("What does LED stand for?", ["led", "stand"]), content_terms("the stand", ["stand"])
    (['led'], ['stand'])
    """
    given = list(terms)
    if not asked_meaning(question):
        return given
    return [term for term in given if term not in ASKING_TERMS] or given


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """Compiled when the first question is read: a start needs none."""
    return tuple(re.compile(form, re.IGNORECASE | re.VERBOSE) for form in _FORMS)
