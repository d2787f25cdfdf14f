"""Questions for a place in code: "where is X implemented", "class X", "which function reads the file"."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_PLACE = re.compile(
    r"^\W*(?:where\b|(?:in\s+)?(?:which|what)\s+(?:\w+\s+)?(?:files?|functions?|class(?:es)?|methods?|modules?|lines?)\b"
    r"|(?:who|what)\s+(?:calls?|invokes?|imports?|instantiates?|extends?|subclasses)\b)"
    r"(?!.*\b(?:document|describ|explain|mention|guide|manual|readme|tutorial|example|read|learn))",
    re.IGNORECASE,
)


def asks_for_place(question: str) -> bool:
    """Whether the answer is a place in code, rather than a text about it.

    >>> asks_for_place("Where are retries scheduled?"), asks_for_place("Where is it documented?")
    (True, False)
    """
    return bool(_PLACE.match(question))


class Definition(NamedTuple):
    """A name as a question writes it, and the kind of thing that it calls it: `class`, `function`, or nothing."""

    name: str
    kind: str = ""


_NAME = r"(?P<name>[^\W\d]\w*(?:(?:\.|::?|->|#|\\)[^\W\d]\w*)*)(?:\(\))?"
_KIND = (
    r"(?:(?:abstract|async|public|private|static)\s+)?(?P<{0}>class|def|func|function|fn|method|struct|interface|trait|enum"
    r"|type|decorator|macro|constant|variable|procedure|event|property)"
)
_HINTS = re.compile(r"\b(?:where|defin|implement|declar)|^\W*\w+\W+\S+\W*$", re.IGNORECASE)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compiled where a question first hints at a definition: 2 ms that others have not got."""
    before, after = rf"(?:{_KIND.format('before')}\s+)?", rf"(?:\s+{_KIND.format('after')})?"
    forms = (
        rf"\bwhere(?:\s+(?:is|are|was|were)|'s)\s+(?:the\s+)?{before}{_NAME}{after}\s+(?:implemented|defined|declared)\b",
        rf"\bwhere\s+(?:do|does|did)\s+\w+\s+(?:implement|define|declare)\s+(?:the\s+)?{before}{_NAME}{after}",
        rf"\b(?:definition|implementation|declaration)\s+of\s+(?:the\s+)?{before}{_NAME}{after}",
        rf"^\W*{_KIND.format('before')}\s+{_NAME}\W*$",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def wanted_definition(question: str) -> Definition | None:
    """What definition is asked for; None where none is.

    >>> wanted_definition("Where is Task.retry implemented?"), wanted_definition("the end of time")
    (Definition(name='Task.retry', kind=''), None)
    >>> wanted_definition("class Celery")
    Definition(name='Celery', kind='class')
    """
    if not _HINTS.search(question):
        return None
    found = next(filter(None, (form.search(question) for form in _patterns())), None)
    if found is None:
        return None
    said = found.groupdict()
    return Definition(found["name"], (said.get("before") or said.get("after") or "").lower())
