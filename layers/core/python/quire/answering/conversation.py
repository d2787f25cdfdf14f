"""Questions that say too little: asked back without a history, completed from it where there is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from quire.analysis.language import is_foreign
from quire.analysis.terms import STOP_WORDS, identifiers, words
from quire.answering.about_answers import (
    ALSO,
    OF_THE_SAME,
    ORDINAL,
    PLACE,
    SOURCE,
    TESTS,
    UNDO,
    USES,
    AboutAnswer,
    about_answer,
)
from quire.answering.citations import last_answer
from quire.answering.recalling import recalled
from quire.answering.section_kinds import names_kinds_alone
from quire.answering.small_talk import bare_question, is_correction, small_talk
from quire.answering.substituting import done_otherwise, opposed, substituted
from quire.documents import Turn
from quire.search.query import written_names

MOST_FOLLOWED = 4
"""Follow-ups that are searched for with what they all follow, the last ones."""

MOST_WORDS, ELLIPTICAL = 8, 2
"""Of a question that asks for what anything may have; and words of content of one that does not say of what."""
FRAGMENT = 4
"""Words of what is no sentence."""

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
_ARTICLES = frozenset(("a", "an"))
_CONJUNCTIONS = frozenset("and or but because when if while so where".split())
_PARTICLES = frozenset("off on out up down in over away back for with from".split())
"""Behind "turn that", "set this": a noun would follow where the word belonged to one."""
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


_SENTENCE = re.compile(
    r"""
    \s* (?:
        how[ ] (?: do | can | could | should | would | to )
      | what[ ] (?: does | do )
      | what[ ] (?: is | are )[ ] (?! the\b | its\b | their\b )  # which belong to something
      | why[ ] (?: is | are | does | do )[ ] (?! the\b | i\b | its\b )
    ) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Beginnings of questions that mostly stand by themselves."""
_IS = re.compile(r"what (?:is|are) \w+(?<!ed)\W*", re.IGNORECASE)
"""What asks for the meaning of its one word: "What is caching?", but not "What is collected?"."""
_SWITCHES_IT = re.compile(
    r"""
    (?: how[ ](?:do|can|could|should|would)[ ](?:i|we|you|one)[ ] | how[ ]to[ ] )?
    (?:turn|switch)[ ](?: (?:it|this|that|them|these)[ ](?:on|off) | (?:on|off)[ ](?:it|this|that|them|these) )
    \W*  # no more
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEW_NOUN = re.compile(r"\b(?:an?|some)[ ]\w", re.IGNORECASE)

_OF_SOMETHING = re.compile(
    r"""
    (?: what | which | where | who | how[ ]many )[ ] (?: is | are | was | were )[ ] (?: the | its | their )[ ]
    # which of them
    (?: (?: main | possible | other | most[ ]important | biggest | minimum | default | required | exact )[ ] )*+
    (?: (?: dis)?advantages? | benefits? | drawbacks? | downsides? | pros[ ]and[ ]cons | limits? | limitations? | risks?
      | (?: pre )?requirements? | prerequisites? | options? | alternatives? | parameters? | arguments? | differences?
      | exceptions? | side[ ]effects? | costs? | defaults? | syntax | consequences? | exit[ ]codes? | return[ ]values?
      | values? | units? | formats? | names? )
    \W*+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What is a part or a side of something that the question does not name."""


def is_vague(question: str) -> bool:
    """Whether the question names nothing that could be looked up.

    >>> is_vague("Please tell me more about it"), is_vague("How does it work?"), is_vague("How does DDS work?")
    (True, True, False)
    """
    if identifiers(question):
        return False
    if (about := about_answer(question)) and about.kind in OF_THE_SAME:
        return True
    content = _content(question)
    if not content:
        return True
    return len(content) == 1 and bool(_OPENERS.match(question)) and len(words(question)) <= 6


def may_name(question: str) -> list[str]:
    """Words that name something where the collection defines what is called so, however common they are: with a
    capital within the question, or behind "a".

    >>> may_name("What is a Part?"), may_name("How do I make a part?"), may_name("Part"), may_name("What is next?")
    (['Part'], ['part'], ['Part'], [])
    """
    said = words(question)
    return [
        word
        for before, word in zip(["", *said], said, strict=False)
        if word.lower() not in STOP_WORDS
        and (before.lower() in _ARTICLES or (word[:1].isupper() and (before or len(said) == 1)))
    ]


def switches_nothing(question: str) -> bool:
    """Whether it asks how something is turned on or off that it does not name.

    >>> switches_nothing("How do I turn it off?"), switches_nothing("How do I turn it off in the dark?")
    (True, False)
    """
    return bool(_SWITCHES_IT.fullmatch(question.strip()))


def says_something(question: str) -> bool:
    """Whether the question has words of its own, if only one: "And on Linux?" has, "Tell me more" has none."""
    return bool(_content(question) or identifiers(question))


def is_follow_up(question: str) -> bool:
    """Whether the question leans on an earlier one: vague, begins with "and", points with a pronoun, or asks for what
    only something else has.

    >>> is_follow_up("And how heavy is it?"), is_follow_up("What is the mass of a part?")
    (True, False)
    >>> is_follow_up("What are the drawbacks?"), is_follow_up("What are the drawbacks of a hub?")
    (True, False)
    """
    if is_correction(question):
        return True
    question = bare_question(question)
    if is_vague(question) or _OPENERS.match(question) or _OF_SOMETHING.fullmatch(question.strip()):
        return True
    if is_elliptical(question):
        return True
    listed = [word.lower() for word in words(question)]
    said = accumulate(map(_is_content, listed), initial=0)
    opening = 1 if listed[:2] == ["what", "if"] else 0  # which joins nothing
    joined = next(
        (place for place, word in enumerate(listed) if place > opening and word in _CONJUNCTIONS), len(listed)
    )
    return any(
        _points_back(listed, place, before, joined=place > joined)
        for place, before in zip(range(len(listed)), said, strict=False)
    )


def is_elliptical(question: str) -> bool:
    """Whether the question says what it asks for and not of what: "which port?", "what if the key doesn't exist?".

    It has few words of content and no name. What makes a sentence of two of them by itself, as "How do I define
    synonyms?" does, or tells of something that was not mentioned before ("a task"), names its topic.

    >>> [is_elliptical(one) for one in ("which hash?", "max length?", "can I change the message?")]
    [True, True, True]
    >>> [is_elliptical(one) for one in ("How do I define synonyms?", "Can a task fail?", "What is caching?")]
    [False, False, False]
    """
    content, said = _content(question), len(words(question))
    if is_foreign(question):
        return False  # which words of other languages are content is not known
    names_other = _OPENERS.match(question) or _has_name(question) or _NEW_NOUN.search(question)
    if not content or names_other or _IS.fullmatch(question.strip()):
        return False
    if _SENTENCE.match(question):
        return len(content) == 1 and (
            not names_kinds_alone(content) or "the" in map(str.lower, words(question))
        )
    if said <= FRAGMENT:
        return len(content) <= ELLIPTICAL + ("?" in question)
    return len(content) <= ELLIPTICAL or (names_kinds_alone(content) and said <= MOST_WORDS)


def may_change_topic(question: str) -> bool:
    """Whether the few words may as well be a topic of their own: a whole sentence, or what is typed to look it up.

    >>> [may_change_topic(one) for one in ("How do I deploy?", "rate limits", "rate limits?", "which port?")]
    [True, True, False, False]
    """
    if not is_elliptical(question):
        return False
    first = words(question)[0].lower()
    return bool(_SENTENCE.match(question)) or ("?" not in question and _is_content(first))


def points_nowhere(question: str) -> bool:
    """Whether few words that may follow another question name something and point at nothing: mostly a new topic.

    >>> [points_nowhere(one) for one in ("where are the logs?", "where is it?", "what is the default?")]
    [True, False, False]
    """
    said = [word.lower() for word in words(question)]
    if not is_elliptical(question) or (_PRONOUNS | _DEMONSTRATIVES).intersection(said):
        return False
    return said[0] == "where" or not names_kinds_alone(_content(question))  # "which options?" has any topic


def _has_name(question: str) -> bool:
    """Whether a word is written as a name: within the sentence with a capital, or as code."""
    return bool(identifiers(question)) or any(
        word[1:] != word[1:].lower() or (place and word[:1].isupper() and word != "I")
        for place, word in enumerate(words(question))
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
    ends = place == len(listed) - 1 or (
        before == 1 and not joined and bool(_PARTICLES.intersection(following))
    )
    return word in _DEMONSTRATIVES and not joins and (not before or ends)


class Reading(NamedTuple):
    """A message as it is looked up.

    Attributes:
        question: what it asks, whole by itself where it can be made so: of "shorter please" what that is to be of.
        searched: the question with what it follows.
        about: what it asks of the answer before it; None for a question of its own.
    """

    question: str
    searched: str
    about: AboutAnswer | None = None


def read_message(text: str, history: Sequence[Turn], has_symbol: Callable[[str], bool]) -> Reading:
    """What a message asks, by what was said before it. `has_symbol` says what the collection defines.

    >>> talk = [Turn("user", "What is the difference between a hub and a switch?"), Turn("assistant", "Many [1].")]
    >>> read_message("tl;dr", talk, bool).question, read_message("and the second one?", talk, bool).question
    ('What is the difference between a hub and a switch?', 'What is a switch?')
    """
    history, about = _with_wholes(history), about_answer(text)
    at = _last_question(history) if about else None
    if not about or at is None:
        return _of_its_own(text, history, has_symbol)
    before = read_message(history[at].text, history[:at], has_symbol)
    said = last_answer(history)
    if about.kind in OF_THE_SAME:
        return before._replace(about=about)
    if about.kind == UNDO:
        whole = opposed(before.question)
        return Reading(whole, f"{whole}\n{before.searched}") if whole else before._replace(about=about)
    if about.kind == ALSO:
        return _added(f"What about {about.subject}?", before)._replace(about=about)
    if about.kind == ORDINAL:
        return _read_ordinal(about.number, before, said)
    names = written_names(before.question) + (_PLACED.findall(said) if about.kind == USES else [])
    symbol = next(filter(has_symbol, names), "")
    if symbol or about.kind == TESTS:
        whole = WHOLE[about.kind].format(symbol or f"this: {before.question}")
        return Reading(whole, whole, about if about.kind == TESTS else None)
    if about.kind == PLACE:
        return before._replace(about=AboutAnswer(SOURCE))
    return Reading(bare_question(text), _followed(text, history))


def _of_its_own(text: str, history: Sequence[Turn], has_symbol: Callable[[str], bool]) -> Reading:
    """What asks nothing of the answer before: a few words may put something in the place of what was asked about."""
    bare, at = bare_question(text), _last_question(history)
    before = bare_question(history[at].text) if at is not None else ""
    # "no, I meant on Windows" may follow a "why?" that names no platform.
    wholes = (
        substituted(bare, one) or done_otherwise(bare, one) for one in (before, *_questions_back(history))
    )
    if whole := next(filter(None, wholes), ""):
        return Reading(whole, whole)
    return _named(Reading(bare, _followed(text, history)), history, has_symbol)


def _with_wholes(history: Sequence[Turn]) -> list[Turn]:
    """The turns, with what "and on Windows?" asked in place of these words: what follows it is asked of Windows."""
    turns, before = list(history), ""
    for place, turn in enumerate(turns):
        if turn.role == "user":
            whole = substituted(bare_question(turn.text), before)
            turns[place] = Turn("user", whole) if whole else turn
            before = bare_question(turns[place].text) if _says_a_topic(turns[place].text) else before
    return turns


def _named(reading: Reading, history: Sequence[Turn], has_symbol: Callable[[str], bool]) -> Reading:
    """The reading, with the name of the one symbol that it is about in place of the pronoun: "When is it called?" asks
    for the callers of what has a name. So does "which parameters?" for those of what has one."""
    at = _last_question(history)
    if at is None or reading.searched == reading.question:
        return reading
    asked = history[at].text
    capital = [word for word in words(asked)[1:] if word[:1].isupper() and word != "I"]
    names = [name for name in dict.fromkeys([*written_names(asked), *capital]) if has_symbol(name)]
    if len(names) != 1 or names[0] in reading.question:
        return reading
    whole = _PRONOUN.sub(lambda _: names[0], reading.question, count=1)
    if whole == reading.question and names_kinds_alone(_content(whole)) and not _OWNED.search(whole):
        whole = f"{whole.rstrip(' ?!.')} of {names[0]}?"
    return Reading(whole, whole + reading.searched.removeprefix(reading.question))


def _read_ordinal(number: int, before: Reading, said: str) -> Reading:
    """One of two things that the question sets beside each other, of the answer's list, or of its sources."""
    if option := _nth(options_of(before.question), number):
        return Reading(f"What is {option}?", f"What is {option}?")
    if item := _nth(items_of(said), number):
        return _added(item, before)
    return before._replace(about=AboutAnswer(SOURCE, max(number, 0)))


_PRONOUN = re.compile(r"\b(?:it|they|them)\b(?!['’])", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
WHOLE = {PLACE: "Where is {} defined?", USES: "Where is {} used?", TESTS: "Which tests cover {}?"}
_PLACED = re.compile(r"^`([^`\n]{1,100}+)`,[^\n\[]*+\[\d{1,3}\]$", re.MULTILINE)
"""The symbol that stands above code in an answer, with its place."""
_SETTING = re.compile(r"\b(?:between|compare|prefer|choose|use) ", re.IGNORECASE)
_BESIDE = re.compile(r" (?:and|or|to|with|over|vs\.?|versus) ", re.IGNORECASE)
_ITEM = re.compile(r"^(?:\d{1,3}[.)]|[-*+])[ ]+(\S.*)$")
ITEM_CHARACTERS = 200


def options_of(question: str) -> list[str]:
    """The two things that a question sets beside each other.

    >>> options_of("What is the difference between a hub and a switch?"), options_of("Redis or RabbitMQ?")
    (['a hub', 'a switch'], ['Redis', 'RabbitMQ'])
    """
    set_at, told = _SETTING.search(question), question.rstrip(" ?.!")
    if set_at:
        one, *rest = _BESIDE.split(told[set_at.end() :], maxsplit=1)
        return [one, rest[0].partition(",")[0]] if rest and rest[0] else []
    one, *rest = re.split(r" (?:or|vs\.?|versus) ", told, maxsplit=1)
    return [one.split()[-1], rest[0].split()[0]] if rest and one.split() and rest[0].split() else []


def items_of(answer: str) -> list[str]:
    """The items of the first list of an answer, as far as their first line says.

    >>> items_of("There are two:\\n\\n- **Hubs** repeat.\\n- Switches learn. [1]\\n\\nSee also:\\n\\n- Routers")
    ['Hubs repeat.', 'Switches learn.']
    """
    items: list[str] = []
    is_code = False
    for line in answer.splitlines():
        is_code ^= line.lstrip().startswith("```")
        found = None if is_code else _ITEM.match(line)
        if found:
            items.append(_MARKUP.sub("", found[1]).strip()[:ITEM_CHARACTERS])
        elif len(items) > 1 and line.strip() and not line.startswith(" "):
            break
    return items if len(items) > 1 else []


_MARKUP = re.compile(r"\*\*|`|\[\d{1,3}\]")


def _nth(listed: Sequence[str], number: int) -> str:
    """The item of that number, from 1 or `LAST`; "" where there is none."""
    if not listed or number > len(listed):
        return ""
    return listed[number - 1 if number > 0 else -1]


def _added(question: str, before: Reading) -> Reading:
    return Reading(question, f"{question}\n{before.searched}")


def _last_question(history: Sequence[Turn]) -> int | None:
    """The place of the last turn that asked something by itself, or about something named before.

    Of follow-ups that found no answer none is meant, but the one before them that did.
    """
    for at in range(len(history) - 1, -1, -1):
        turn = history[at]
        if turn.role != "user":
            continue
        about = about_answer(turn.text)
        if about.kind in OF_THE_SAME if about else not _says_a_topic(turn.text):
            continue
        is_answered = bool(last_answer(history[at : at + 2]))
        if is_answered or not (about or is_follow_up(turn.text)):
            return at
    return None


def complete(question: str, history: Sequence[Turn]) -> str:
    """What to search for; of what is asked of the answer before, what that was found by.

    >>> talk = [Turn("user", "What does the lidar cost?"), Turn("assistant", "249 dollars [1].")]
    >>> complete("Summarise that", talk)
    'What does the lidar cost?'
    """
    return read_message(question, history, lambda _: False).searched


def _followed(question: str, history: Sequence[Turn]) -> str:
    """The question, and for a follow-up the last user turn that said what it is about.

    Where that turn is a follow-up itself, so do those before it, back to one that stands by itself: a third question
    about one thing says "it" as well. What stands by itself, or has no history, comes back as it is: a change
    of topic must not drag the old topic along. What is not searched for is left out: thanks before a question, "no, I
    meant" before what was meant, turns in another language than the question's.

    >>> _followed("And its range?", [Turn("user", "What does the lidar cost?"), Turn("assistant", "249 dollars.")])
    'And its range?\\nWhat does the lidar cost?'
    """
    bare = bare_question(question)
    return join(bare, history) if is_follow_up(question) else bare


def join(question: str, history: Sequence[Turn], most: int = MOST_FOLLOWED) -> str:
    """The question with what the user said before, as if it followed that; as it is where nobody said anything.

    It follows the last `most` questions, and, where there is more than one, what they all follow.

    >>> join("With how many rotors?", [Turn("user", "Which drone is it?"), Turn("assistant", "The X4.")])
    'With how many rotors?\\nWhich drone is it?'
    """
    # Sources may be in the question's own language.
    back = [one for one in _questions_back(history, foreign=is_foreign(question)) if one != question]
    topic = back[max(len(back) - 1, most) :] if most > 1 else []
    return "\n".join([question, *back[:most], *topic])


def _questions_back(history: Sequence[Turn], *, foreign: bool = False) -> Iterator[str]:
    """The questions that the next one may follow, the last first, back to one that stands by itself."""
    for turn in reversed(history):
        if turn.role == "user" and _says_a_topic(turn.text) and (foreign or not is_foreign(turn.text)):
            yield bare_question(turn.text)
            if not is_follow_up(turn.text):
                return


def _says_a_topic(text: str) -> bool:
    return not (is_vague(text) or small_talk(text, goes_on=True) or about_answer(text) or recalled(text))


def _content(question: str) -> list[str]:
    return [word for word in words(question) if _is_content(word.lower())]


def _is_content(word: str) -> bool:
    word = word.replace("’", "'")
    return word not in STOP_WORDS and word not in _EMPTY
