"""What people ask of the conversation itself: what they asked first, what last, and what all along.

Like small talk it is told by its whole wording, from closed forms, and it is answered from the turns before: looked up,
such words find passages about questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from quire.answering.about_answers import bare_request
from quire.answering.small_talk import small_talk
from quire.documents import Turn

FIRST, LAST, ALL = "first", "last", "all"
QUOTED_CHARACTERS = 300
"""Of a question that is told back: who asked it knows the rest."""
NONE_BEFORE = "I have no question of yours before this one."
MOST_LISTED = 20
LEFT_OUT = "Those before them are left out."

_SAID = frozenset(
    """
    ask asked chat conversation dialog dialogue discuss discussed discussion know message question questions said say
    talk talked wanted write wrote
    """.split()
)
"""Words of which every form has one: what has none is not given to the patterns, which take 13 ms to compile."""
_SO_FAR = "(?: [ ] (?: so[ ]far | until[ ]now | up[ ]to[ ]now | today | before | already | earlier ) )?"
_TO_YOU = "(?: [ ]you )?"
_TALKED = "(?: talk(?:ed)?[ ]about | discuss(?:ed)? )"


def _of_one(which: str, just: str, when: str) -> str:
    """The forms that ask for one question; `which` stands before its noun, `just` and `when` around the verb."""
    message = "(?: question | message )"
    said = "(?: asked | said | wrote | wanted[ ]to[ ]know )"
    one = rf"""
        (?: my[ ]{which}{message} | the[ ]{which} (?: {message} | thing )[ ] (?: that[ ] )? i[ ]{said} {_TO_YOU} )
    """
    return rf"""
      # what was my first question, what did I ask before
      what[ ]was[ ]{one} | what (?: ['’]s | [ ]is )[ ]my[ ]{which}question
      | what[ ]did[ ]i[ ]{just} (?: ask | say | write ) {_TO_YOU} {when}
      # do you remember it
      | (?: do[ ]you[ ] )? (?: still[ ] )? (?: know | remember | recall | repeat | tell[ ]me | remind[ ]me[ ]of )[ ]
        (?: {one} | what[ ]{one}[ ] (?: is | was ) | what[ ]i[ ]{just}{said} {_TO_YOU} {when} )
    """


_FORMS = {
    FIRST: _of_one(
        "(?: very[ ] )? first[ ]", "", "[ ] (?: first | at[ ]first | (?: in | at )[ ]the[ ]beginning )"
    ),
    ALL: rf"""
      # what was asked and talked about
      what[ ] (?: have | did )[ ]i[ ] (?: already[ ] )? ask(?:ed)? {_TO_YOU}
        [ ] (?: so[ ]far | until[ ]now | up[ ]to[ ]now | today )
      | what[ ] (?: have | did )[ ]we[ ] {_TALKED} {_SO_FAR}
      | (?: what | which )[ ]questions[ ] (?: have | did )[ ]i[ ]ask(?:ed)? {_TO_YOU} {_SO_FAR}
      # to list and to sum up
      | (?: list | show (?: [ ]me )? | repeat | what (?: [ ]are | [ ]were ) )[ ] (?: all[ ] (?: of[ ] )? )?
        my[ ] (?: previous[ ] | earlier[ ] | last[ ] )? questions {_SO_FAR}
      | (?: summari[sz]e | recap | sum[ ]up | (?: give[ ]me[ ] )? a[ ] (?: summary | recap )[ ]of )[ ]
        (?: our | this )[ ] (?: whole[ ] | entire[ ] )? (?: conversation | chat | discussion | dialog(?:ue)? ) {_SO_FAR}
    """,
    LAST: _of_one(
        "(?: (?: last | latest | previous | prior | earlier )[ ] )?",
        "(?: just[ ] )?",
        "(?: [ ] (?: last | before | previously | earlier | just[ ]now ) )?",
    ),
}


@cache
def _compiled() -> dict[str, re.Pattern[str]]:
    """The forms, compiled for the first text that may be one."""
    return {kind: re.compile(form, re.VERBOSE) for kind, form in _FORMS.items()}


def recalled(text: str) -> str:
    """Which of the questions before it the text asks for; "" for a question of its own.

    >>> recalled("And what was my first question?"), recalled("what did I just ask?"), recalled("Recap our chat please")
    ('first', 'last', 'all')
    >>> recalled("What was the first release?"), recalled("How do I ask a question?")
    ('', '')
    """
    bare = bare_request(text)
    if _SAID.isdisjoint(bare.split()):
        return ""
    return next((kind for kind, form in _compiled().items() if form.fullmatch(bare)), "")


def tell_back(kind: str, history: Sequence[Turn]) -> str:
    """The questions of the conversation that are asked for, as the user wrote them.

    >>> tell_back(FIRST, [Turn("user", "hi"), Turn("user", "What is a hub?"), Turn("user", "Recap our chat")])
    'The first question of this conversation that I have is:\\n\\n> What is a hub?'
    """
    said = [turn.text for turn in history if turn.role == "user"]
    asked = [_shortened(text) for text in said if not (small_talk(text, goes_on=True) or recalled(text))]
    if not asked:
        return NONE_BEFORE
    if kind == LAST:
        return f"Your question before this one is:\n\n> {asked[-1]}"
    if kind == FIRST:
        return f"The first question of this conversation that I have is:\n\n> {asked[0]}"
    listed = "\n".join(
        f"{number}. {one}" for number, one in enumerate(asked, 1) if number > len(asked) - MOST_LISTED
    )
    more = f"\n\n{LEFT_OUT}" if len(asked) > MOST_LISTED else ""
    return f"You asked, as far as I have this conversation:\n\n{listed}{more}"


def _shortened(text: str) -> str:
    """One line of it."""
    line = " ".join(text.split())
    return line if len(line) <= QUOTED_CHARACTERS else f"{line[:QUOTED_CHARACTERS].rstrip()} …"
