"""Messages as a program gives them, with values in them, and the strings of code that they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quire.analysis.terms import analyze
from quire.answering.extractive.precedence import MESSAGE_WORDS, quoted_message

MESSAGE_CHARACTERS = 400
"""Of a question that are read for a message."""
TELLING_WORDS = 2
"""Words of a string that must tell something: beside them any number of small ones."""
HELD = 0.75
"""Share of a string's words that a message must hold: its end may be cut off, or lie in another line."""
SAID = 0.5
"""Share of the words of what is no question, values left out, that a string must have to be where it comes from."""
_CUE = re.compile(
    r"""
    # what is said of one
    \b(?: errors? | exceptions? | fail(?:s|ed|ure|ing)? | warnings? | messages? | panic\w* | traceback
      | crash\w* | complain\w* )\b
    # what who has it does
    | \b(?:get|gets|getting|got|see|seeing|saw|says|said|saying|prints?|printed|throws?|raises?)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = re.compile(
    r"""
    \W*
    (?: (?: what | which | who | whose | where | when | why | how | show | list | explain | describe | find | give
        | tell | compare | write )\b
      | (?: is | are | was | were | does | do | did | can | could | should | will | would | may )\b
        (?! \s+not\b | ['’]t\b )  # which tells and does not ask
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WANTING = re.compile(
    r"""
    ^\W* how\b  # something is done, and not what is wrong
    (?! .{0,40} \b(?:fix|solve|resolve|avoid|prevent|debug|get[ ]rid[ ]of|come)\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE = re.compile(
    r"""
    ^[^\n]{0,80}? \b(?:error|exception|message|warning|says?|got|get)\b \W{0,3}? : \s+  # what leads to the message
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RAISED = re.compile(
    r"""
    \W*+ (?:Caused[ ]by:[ ])?
    (?: [\w.:\\]{0,100}(?:Error|Exception|Panic) | panic | fatal | error )\b  # a class, or how tools begin
    [^:\n]{0,60} : \s*+ \S
    """,
    re.VERBOSE,
)
"""A line with which a language or a tool tells an error."""
_OF_VALUES = re.compile(r"[\d/\\@=]")
"""What a word has that is a value: a number, a path, an address."""
_WORD = re.compile(r"[^\W_]+")
_LITERAL = re.compile(
    r"""
    # in double quotation marks, in single ones, in backticks
    " (?P<double> (?:[^"\\\n]|\\.)*+ ) "
    | ' (?P<single> (?:[^'\\\n]|\\.)*+ ) '
    | ` (?P<back> (?:[^`\\]|\\.)*+ ) `
    """,
    re.VERBOSE,
)
_JOINED = re.compile(r"\s*+\\?\s*+(?:[+.]|\|\||<>|\.\.|\+\+)?\s*+[fFrRbBuU]?\Z")
"""What stands between strings that are one."""
_BETWEEN = re.compile(
    r"""
    \s*+ (?:[+.,&]|<<|\.\.|<>|\+\+)
    [^\n"'`;]{1,80}  # the value
    (?:[+.,&]|<<|\.\.|<>|\+\+) \s*+ \Z
    """,
    re.VERBOSE,
)
"""And between those with a value between them."""
_PLACEHOLDER = re.compile(
    r"""
    %[-+#0-9.*]*(?:hh?|ll?|[zjtL])?[a-zA-Z@] | %\(\w+\)[a-z] | %\{[^{}]{0,80}\} | %<\w+>\w?  # of C and its heirs
    | [$\#]?\{[^{}]{0,120}\} | \$\w+(?:(?:->|\.)\w+)*+ | \\\([^()\n]{0,120}\)  # with what is put in by its name
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\.")
_VALUE_OF = "\0"
"""What stands in a template for a value."""


class Message(NamedTuple):
    """A message that a question gives: its words, folded, and what of it is searched for, values left out."""

    words: tuple[str, ...]
    searched: str
    is_bare: bool
    """Whether nothing but how it reads says that it is one."""


@lru_cache(maxsize=64)
def message_of(question: str) -> Message | None:
    """The message that the question gives between quotation marks, behind a colon, or that it is as a whole.

    >>> message_of('I get "no route to 10.0.0.1", why?').searched
    'no route to'
    >>> message_of("How do I find a route to it?") is None
    True
    """
    line = _line_of(question)[:MESSAGE_CHARACTERS]
    quoted, is_asking = quoted_message(line), bool(_ASKING.match(line))
    if _WANTING.match(line) or (is_asking and not quoted and not _CUE.search(line)):
        return None
    said = quoted or line
    words = tuple(map(str.casefold, _WORD.findall(said)))
    if len(words) < MESSAGE_WORDS or " " not in said.strip():
        return None
    searched = " ".join(word for word in _BEFORE.sub("", said).split() if not _OF_VALUES.search(word))
    return Message(words, searched, is_bare=not quoted and not is_asking)


def _line_of(question: str) -> str:
    r"""The last line that names an error, of what was pasted with its trace; all of it where none does.

    >>> _line_of("Traceback (most recent call last):\n  File 'a.py'\nValueError: no lamp")
    'ValueError: no lamp'
    """
    lines = (
        [line.strip() for line in question.splitlines() if _RAISED.match(line)] if "\n" in question else []
    )
    return lines[-1] if lines else question


class Origin(NamedTuple):
    """Where in code the string begins that a message is made of, what it is, and how many of its words are said."""

    at: int
    template: str
    said: int


def place_of(text: str, message: Message) -> Origin | None:
    """Where code has the string that the message is made of, the first of the longest; None where none says it."""
    found = (Origin(at, template, words_said(template, message)) for at, template in templates_in(text))
    return max((one for one in found if one.said), key=lambda one: (one.said, -one.at), default=None)


def words_said(template: str, message: Message) -> int:
    """How many words of a string, with `_VALUE_OF` for values, stand in the message in the same order; 0 where those
    are too few to tell that it is made of it."""
    parts = [tuple(map(str.casefold, _WORD.findall(part))) for part in template.split(_VALUE_OF)]
    total, (held, end) = sum(map(len, parts)), _held(parts, message.words)
    if held < max(MESSAGE_WORDS, HELD * total) or " " not in template:
        return 0
    # A value at the end may be a message itself, as long as any.
    said = message.words[:end] if template.rstrip(" .!)").endswith(_VALUE_OF) else message.words
    given = min(len(said), len(_WORD.findall(message.searched)))
    is_all = held == total and held + template.count(_VALUE_OF) + 1 >= given
    telling = set(analyze(template.replace(_VALUE_OF, " ")))
    is_from_it = held >= SAID * given or not message.is_bare
    return held if is_from_it and len(telling) >= (1 if is_all else TELLING_WORDS) else 0


def tells_of(text: str, message: Message) -> bool:
    """Whether a text has the message word for word."""
    return _find(tuple(map(str.casefold, _WORD.findall(text))), message.words, 0) is not None


def _held(parts: Sequence[Sequence[str]], words: Sequence[str]) -> tuple[int, int]:
    """How many words of the parts stand among the words, each part whole and behind the one before it, and where the
    last one ends."""
    held = at = 0
    for part in parts:
        place = _find(words, part, at)
        if place is not None:
            held, at = held + len(part), place + len(part)
    return held, at


def _find(words: Sequence[str], part: Sequence[str], start: int) -> int | None:
    """Where the part stands in the words, at `start` or behind it."""
    last = len(words) - len(part)
    return next((at for at in range(start, last + 1) if words[at : at + len(part)] == part), None)


def templates_in(text: str) -> Iterator[tuple[int, str]]:
    r"""The strings of code with their places, values as `_VALUE_OF`, those that are joined as one.

    >>> list(templates_in('raise E(f"no {kind} in " + place + " today")'))
    [(9, 'no \x00 in \x00 today')]
    """
    start, said, end = 0, "", 0
    for found in _LITERAL.finditer(text):
        between = text[end : found.start()]
        written = found[found.lastgroup or 0]
        if said and len(between) < 200 and _JOINED.match(between):
            said += written
        elif said and len(between) < 100 and _BETWEEN.match(between):
            said += _VALUE_OF + written
        else:
            if said:
                yield start, _with_values(said)
            start, said = found.start(), written
        end = found.end()
    if said:
        yield start, _with_values(said)


def _with_values(written: str) -> str:
    return _ESCAPE.sub(" ", _PLACEHOLDER.sub(_VALUE_OF, written))
