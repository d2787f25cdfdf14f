"""Questions that say too little: asked back without a history, completed from it where there is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from quire.analysis.language import is_foreign
from quire.analysis.terms import STOP_WORDS, identifiers, words
from quire.answering.small_talk import bare_question, is_correction, small_talk
from quire.documents import Turn

MOST_TURNS = 10
"""Turns of the history that are looked at: the fifth question about one thing still finds what it is about."""

_EMPTY = frozenset(
    """
    tell please continue go ahead explain describe elaborate expand clarify help understand mean means meant know see
    say said show give example examples detail details information info thing things stuff something anything
    everything one ones another else way ways better worse best same different similar faster slower easier simpler
    again also too really actually just still even maybe ok okay yes no yeah sure thanks thank hi hello hey
    work works working worked broken wrong problem problems issue issues error fix fail fails failed failing happen
    happens happened happening does done do make makes get got can could would should want need try tried use used
    question questions answer answers step steps next first last previous part point idea
    summarize summarise overview option options not hmm why how what when where which who possible sense mind lot
    bit little much many
    """.split()
)
_PRONOUNS = frozenset("it its it's they them their he she his her one ones former latter".split())
_DEMONSTRATIVES = frozenset("this that these those".split())
_CONJUNCTIONS = frozenset("and or but because when if while so where".split())
_EXPLETIVE = frozenset(
    "said possible true necessary important best better worth common allowed required".split()
)
_OPENERS = re.compile(
    r"""
    ^\s*(?:and|but|so|then|or|also|ok(?:ay)?,?)\b
    | ^\s*(?:what|how)[ ]about\b
    | ^\s*why(?:[ ]not)?\s*+\?*+\s*+$  # nothing but the word
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_vague(question: str) -> bool:
    """Whether the question names nothing that could be looked up.

    >>> is_vague("Please tell me more about it"), is_vague("How does it work?"), is_vague("How does DDS work?")
    (True, True, False)
    """
    if identifiers(question):
        return False
    content = _content(question)
    if not content:
        return True
    return len(content) == 1 and bool(_OPENERS.match(question)) and len(words(question)) <= 6


def says_something(question: str) -> bool:
    """Whether the question has words of its own, if only one: "And on Linux?" has, "Tell me more" has none."""
    return bool(_content(question) or identifiers(question))


def is_follow_up(question: str) -> bool:
    """Whether the question leans on an earlier one: vague, begins with "and", or points with a pronoun.

    >>> is_follow_up("And how heavy is it?"), is_follow_up("What is the mass of a part?")
    (True, False)
    """
    if is_correction(question):
        return True
    question = bare_question(question)
    if is_vague(question) or _OPENERS.match(question):
        return True
    listed = [word.lower() for word in words(question)]
    said = accumulate(map(_is_content, listed), initial=0)
    joined = next(
        (place for place, word in enumerate(listed) if place and word in _CONJUNCTIONS), len(listed)
    )
    return any(
        _points_back(listed, place, before, joined=place > joined)
        for place, before in zip(range(len(listed)), said, strict=False)
    )


def _points_back(listed: Sequence[str], place: int, before: int, *, joined: bool) -> bool:
    """Whether the word refers to something that was named before this question.

    Behind content and a conjunction, or behind two words of content, it more likely refers to one of them, unless it is
    the question's last word ("How many people have installed it?"); `that` inside a sentence joins clauses, and "it is
    possible" refers to nothing. `before` counts the words of content that stand before it, and `joined` says whether
    a conjunction does.
    """
    word, following = listed[place], listed[place + 1 : place + 2]
    if word in _PRONOUNS:
        near = before <= 1 or not following
        return not _EXPLETIVE.intersection(following) and (not before or (near and not joined))
    joins = bool(_EXPLETIVE.intersection(listed[place - 1 : place]))
    return word in _DEMONSTRATIVES and not joins and (not before or place == len(listed) - 1)


def complete(question: str, history: Sequence[Turn]) -> str:
    """What to search for: the question, and for a follow-up the last user turn that said what it is about.

    Where that turn is a follow-up itself, so do those before it, back to one that stands by itself: a third question
    about one thing says "it" as well. What stands by itself, or has no history, comes back as it is: a change
    of topic must not drag the old topic along. What is not searched for is left out: thanks before a question, "no, I
    meant" before what was meant, turns in another language than the question's.

    >>> complete("And its range?", [Turn("user", "What does the lidar cost?"), Turn("assistant", "249 dollars.")])
    'And its range?\\nWhat does the lidar cost?'
    """
    bare = bare_question(question)
    return join(bare, history) if is_follow_up(question) else bare


def join(question: str, history: Sequence[Turn]) -> str:
    """The question with what the user said before, as if it followed that; as it is where nobody said anything.

    >>> join("With how many rotors?", [Turn("user", "Which drone is it?"), Turn("assistant", "The X4.")])
    'With how many rotors?\\nWhich drone is it?'
    """
    followed = [question]
    is_read = is_foreign(question)  # then the sources may be in that language
    for turn in reversed(history[-MOST_TURNS:]):
        if turn.role == "user" and _says_a_topic(turn.text) and (is_read or not is_foreign(turn.text)):
            followed.append(bare_question(turn.text))
            if not is_follow_up(turn.text):
                break
    return "\n".join(followed)


def _says_a_topic(text: str) -> bool:
    return not (is_vague(text) or small_talk(text, goes_on=True))


def _content(question: str) -> list[str]:
    return [word for word in words(question) if _is_content(word.lower())]


def _is_content(word: str) -> bool:
    word = word.replace("’", "'")
    return word not in STOP_WORDS and word not in _EMPTY
