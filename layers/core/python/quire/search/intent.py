"""Questions for a place in code: "where is X implemented", "class X", "which function reads the file"."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_PLACE = (
    r"^\W*(?:where\b|(?:in\s+)?(?:which|what)\s+(?:\w+\s+)?(?:files?|functions?|class(?:es)?|methods?|modules?|lines?)\b"
    r"|(?:who|what)\s+(?:calls?|invokes?|imports?|instantiates?|extends?|subclasses)\b"
    r"|(?:\w+\s+){0,2}(?:callers?|usages?|call\s+sites?)\s+of\b)"
    r"(?!.*\b(?:document|describ|explain|mention|guide|manual|readme|tutorial|example|read|learn))"
)


def asks_for_place(question: str) -> bool:
    """Whether the answer is a place in code, rather than a text about it.

    >>> asks_for_place("Where are retries scheduled?"), asks_for_place("Where is it documented?")
    (True, False)
    """
    return bool(_compiled(_PLACE).match(question))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: each takes a millisecond."""
    return re.compile(pattern, re.IGNORECASE)


class WantedDefinition(NamedTuple):
    """A name as a question writes it, and the kind of thing that it calls it: `class`, `function`, or nothing."""

    name: str
    kind: str = ""


_NAME = r"(?P<name>[^\W\d]\w*(?:(?:\.|::?|->|#|\\)[^\W\d]\w*)*)(?:\(\))?"
_KIND = (
    r"(?:(?:abstract|async|public|private|static)\s+)?(?P<{0}>class|def|func|function|fn|method|struct|interface|trait|enum"
    r"|type|decorator|macro|constant|variable|procedure|event|property)"
)
_HINTS = re.compile(
    r"""
    \b(?: where | defin | implement | declar | effects?\W+of | callees )  # words of such a question
    | ^\W*+\w++\s++\S++\W*+$                                         # or two words, such as `class Task`
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RELATION_HINTS = re.compile(r"\b(?:where|who|what|which|\w+\s+of)\s", re.IGNORECASE)
_BEFORE, _AFTER = rf"(?:{_KIND.format('before')}\s+)?", rf"(?:\s+{_KIND.format('after')})?"
_DEFINED = (
    rf"\bwhere(?:\s+(?:is|are|was|were)|'s)\s+(?:the\s+)?{_BEFORE}{_NAME}{_AFTER}\s+(?:implemented|defined|declared)\b",
    rf"\bwhere\s+(?:do|does|did)\s+\w+\s+(?:implement|define|declare)\s+(?:the\s+)?{_BEFORE}{_NAME}{_AFTER}",
    rf"\b(?:definition|implementation|declaration|side[\s-]*effects?|callees)\s+of\s+(?:the\s+)?{_BEFORE}{_NAME}{_AFTER}",
    rf"^\W*{_KIND.format('before')}\s+{_NAME}\W*$",
)
_CALLS = "calls|invokes|uses|imports|instantiates|extends|subclasses"
_RELATED = (
    rf"\b(?:who|what|which\s+\w+)\s+(?:else\s+)?(?:{_CALLS})\s+{_BEFORE}{_NAME}\W*$",
    rf"\bwhere\s+(?:is|are)\s+(?:the\s+)?{_BEFORE}{_NAME}{_AFTER}\s+(?:used|called|invoked|referenced|instantiated)\b",
    rf"\b(?:usages?|callers?|call\s+sites?)\s+of\s+(?:the\s+)?{_BEFORE}{_NAME}",
)


def wanted_definition(question: str) -> WantedDefinition | None:
    """What definition is asked for, or what it does; None where neither is.

    >>> wanted_definition("Where is Task.retry implemented?"), wanted_definition("the end of time")
    (Definition(name='Task.retry', kind=''), None)
    >>> wanted_definition("class Celery"), wanted_definition("side effects of revoke")
    (Definition(name='Celery', kind='class'), Definition(name='revoke', kind=''))
    """
    if not _HINTS.search(question):
        return None
    found = _first(_DEFINED, question)
    if found is None:
        return None
    said = found.groupdict()
    return WantedDefinition(found["name"], (said.get("before") or said.get("after") or "").lower())


def related_name(question: str) -> str:
    """The name whose callers or usages are asked for, as written; "" where none is.

    >>> related_name("usages of revoke"), related_name("What calls Task.retry?"), related_name("what is it")
    ('revoke', 'Task.retry', '')
    """
    found = _first(_RELATED, question) if _RELATION_HINTS.search(question) else None
    return found["name"] if found else ""


def _first(forms: tuple[str, ...], question: str) -> re.Match[str] | None:
    return next(filter(None, (_compiled(form).search(question) for form in forms)), None)
