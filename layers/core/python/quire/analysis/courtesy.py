"""What people say around a question and ask nothing by: hello, "could you please tell me", "thanks in advance"."""

from __future__ import annotations

import re
from functools import cache

MOST_OPENINGS, MOST_CLOSINGS = 4, 3
CHARACTERS = 1_000
"""Of a text, at most, around whose question courtesies are looked for: what is longer holds more than a question."""

_WH = r"""
    (?= (?: (?:at|by|for|from|in|of|on|since|to|under|until|with) \s+ )?+
        (?:how|what|why|when|where|which|who|whose|whom|is|are|do|does|did|can|could|should|will|would)\b )
"""
"""The question itself, behind what asks for it."""
_IF = r"(?: (?:if|whether) \s+ (?=\w) )"
_POLITELY = r"(?: (?:please|kindly|just|maybe|also|perhaps) \s+ )?+"
_TO_ME = r"(?: \s+ to \s+ (?:me|us) )?+"
_MORE = r"(?: \s+ (?:more|something|a\s+(?:bit|little)(?:\s+more)?) )?+"
_GREETINGS = r"""
    (?: hi(?:[ ]there)?+ | hello(?:[ ]there)?+ | hey(?:[ ]there)?+ | good[ ](?:morning|afternoon|evening|day)
      | (?:ok(?:ay)?,?[ ])?+ (?:great|perfect|nice|cool)?+ [, ]*+
        (?: thanks(?:[ ](?:a[ ]lot|so[ ]much|very[ ]much))?+ | thank[ ]you(?:[ ](?:so|very)[ ]much)?+ | thx )
      | sorry | excuse[ ]me | great | perfect | cool | nice | awesome )
    (?: [ ]*+ [,.!;:–—-]++ \s*+ | \s++ (?=but\b|and\b) )   # a word before the question, not its first one
"""
_SENTENCES = r"""
    # whole sentences before the question, and words with a mark behind them
    (?: i (?:['’]m|[ ]am) [ ] (?: (?:very|quite|pretty|completely)[ ] )?+ (?: new | a[ ]beginner | stuck | lost )
        (?: [ ](?:to|at|with|in)[ ]\w[\w+\#]*+ (?:[ ]\w[\w+\#]*+){0,2}+ | [ ]here )?+
      | i [ ] (?:need|want|could[ ]use) [ ] (?:some[ ]|your[ ])?+ help
      | (?:can|could)[ ](?:you|someone|anyone|somebody|anybody)[ ](?:please[ ])?+ help (?:[ ](?:me|us|out|me[ ]out))?+
      | (?: i [ ] have [ ] )?+ (?: (?:a|one|just[ ]a)[ ] )?+ (?: quick | short | simple | dumb | stupid )?+ [ ]?+
        question
      | (?: my [ ] question [ ] is | here [ ] is [ ] my [ ] question ) | please | pls | kindly | help )
    (?: [ ]*+ [.!?:;,–—-]++ \s*+ )
"""
_ASKED_FOR = rf"""
    # what asks somebody to say it
    (?: (?:please|pls|kindly) \s+
        # of a text that begins so, such as an error's, the verb is no question
        (?= (?:can|could|would|will|tell|explain|show|describe|help|give|list|compare|summari[sz]e|i|how|what|why|when
          |where|which|who)\b )
      | (?:can|could|would|will) \s+ (?:you|u|someone|anyone|somebody|anybody) \s+ {_POLITELY}
        (?= (?: (?:tell|show|give|help|let) \s+ (?:me|us) | explain | describe | clarify | list | name ) \b )
      | (?: (?:do|does) \s+ )?+ (?:you|anyone|anybody|someone|somebody) \s+ (?:happen\s+to\s+)?+ knows? \s*+ [,:]?+ \s*+
        (?: {_IF} | {_WH} )
      | (?: any \s+ idea | i (?:\s+ (?:do\s+not|don['’]?t) \s+ know | \s+ have\s+no\s+idea) ) \s*+ [,:]?+ \s*+ {_WH}
      | i (?:['’]m | \s+am | \s+was | ['’]ve\s+been)?+ \s+ (?:just\s+)?+ (?:wonder(?:ing)?|curious) \s*+ [,:]?+ \s*+
        (?: {_IF} | {_WH} )
      | i (?:['’]d | \s+would)?+ \s+ (?:really\s+)?+ (?:like|love|want|need) \s+ to \s+
        (?:know|understand|learn|find\s+out|ask)\b \s*+ [,:]?+ \s*+ (?: {_IF} | {_WH} )
      | (?:tell|let) \s+ (?:me|us) (?:\s+know)?+ \s*+ [,:]?+ \s*+ (?: {_IF} | {_WH} )
      | tell \s+ (?:me|us) \s+ (?= (?:the|an?|all)\b )
      | help \s+ (?:me|us) \s+ (?:to\s+)?+ understand \s*+ [,:]?+ \s*+ {_WH}
      | explain {_TO_ME} \s*+ [,:]?+ \s*+ {_WH}
      | show \s+ (?:me|us) \s+ (?= how\b ) )
"""
_OPENINGS = rf"^\W*+ (?: {_GREETINGS} | {_SENTENCES} | {_ASKED_FOR} ) (?=\S)"
_ABOUT = rf"""
    ^\W*+ (?: (?:tell|teach) \s+ (?:me|us) {_MORE} \s+ about
      | i (?:['’]d | \s+would)?+ \s+ (?:really\s+)?+ (?:like|love|want|need) \s+ to \s+
        (?: (?:know|learn|find\s+out) {_MORE} \s+ about | understand )
      | help \s+ (?:me|us) \s+ (?:to\s+)?+ understand | explain \s+ to \s+ (?:me|us) ) \s+ (?=\w)
"""
"""What asks for an explanation of a thing; "explain" asks the same in one word."""
_TO_WHOM = r"(?<= \w ) \s+ to \s+ (?:me|us|a\s+beginner) \s*+ [.!?]*+ $"
_CLOSINGS = r"""
    (?: (?<=\w) [ ] (?: please | pls ) | [,.!?;:)–—] \s*+ (?: please (?:[ ]help(?:[ ]me)?+)?+ | pls | kindly | help ) )
    [.!?]*+ \s*+ $
    | (?: [,.!?;:)–—] \s*+ | (?<=\w) [ ] (?= \w{2,6} (?:[ ]you)?+ [ ] in [ ] advance ) )
    (?: many [ ] )?+ (?: thanks | thank [ ] you | thx | ty | cheers )
    (?: [ ] (?: a[ ]lot | in[ ]advance | so[ ]much | very[ ]much | for[ ](?:your|the|any)[ ]help ) )*+ [.!?]*+ \s*+ $
    | [.!?] \s*+ any [ ] (?: help | hints? | advice | ideas?+ )
      (?: [ ] (?: is | would[ ]be ) [ ] (?:much[ ]|very[ ]|greatly[ ])?+ (?: appreciated | welcome ) )?+ [.!?]*+ \s*+ $
"""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def without_courtesy(text: str) -> str:
    """The question without the courtesy around it, which nothing is found by; the text itself where it is all that.

    >>> without_courtesy("Hi, could you please tell me how lamps are lit? Thanks in advance!")
    'how lamps are lit?'
    >>> without_courtesy("Can you tell me more about lamps, please?"), without_courtesy("Please explain lamps to me")
    ('explain lamps?', 'explain lamps')
    >>> without_courtesy("I was wondering if a lamp burns oil"), without_courtesy("I'm new here. What burns?")
    ('a lamp burns oil', 'What burns?')
    >>> without_courtesy("Hello World in Rust"), without_courtesy("Please specify a broker")
    ('Hello World in Rust', 'Please specify a broker')
    >>> without_courtesy("Thank you"), without_courtesy("What does lamp --help print?")
    ('Thank you', 'What does lamp --help print?')
    """
    if len(text) > CHARACTERS:
        return text
    rest = text
    for _ in range(MOST_OPENINGS):
        begun = _compiled(_OPENINGS).match(rest)
        if begun is None:
            break
        rest = rest[begun.end() :]
    for _ in range(MOST_CLOSINGS):
        ended = _compiled(_CLOSINGS).search(rest)
        if ended is None or not ended.start():
            break
        rest = rest[: ended.start()].rstrip(" ,;:") + ("?" if "?" in ended[0] else "")
    rest = _compiled(_ABOUT).sub("explain ", rest, count=1)
    if rest.casefold().startswith("explain "):
        rest = _compiled(_TO_WHOM).sub("", rest)
    return rest if re.search(r"\w", rest) else text
