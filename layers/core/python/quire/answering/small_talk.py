"""What people say to somebody who answers beside their questions: thanks, hello, "who are you?", "no, I meant …".

Each is told by its whole wording, from closed lists: a question that merely holds such a word is a question.
"""

from __future__ import annotations

import re

from quire.search.intent import with_default, without_courtesy

THANKS, GREETING, ABOUT, FAREWELL, CONSENT = "thanks", "greeting", "about", "farewell", "consent"
DISSENT, DISMISSAL = "dissent", "dismissal"

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_FILLERS = frozenset(
    """
    a again all already and appreciated appreciate awesome big brilliant bunch cool excellent fine for good got great
    help helped helpful helping helps i it lot lots loads makes many much nice now of oh ok okay perfect please quick
    quickly really right see sense so solved super sweet team that that's the there this time to understand understood
    very was were will wonderful works worked wow yeah yes you your
    """.split()
)
_MARKS = {
    THANKS: frozenset("thanks thank thx thankyou cheers ty tysm appreciated".split()),
    FAREWELL: frozenset("bye goodbye ciao".split()),
    CONSENT: frozenset(
        "awesome brilliant cool excellent fine good got great helped helpful nice okay ok perfect right see sense sweet"
        " sure understand understood wonderful works worked wow yeah yep yes".split()
    ),
}
_ASKING = frozenset(
    "can could do does did is are was were will would should how what why when where which".split()
)
MOST_WORDS = 12
_GREETED = re.compile(
    r"""
    \W*+ (?: hi | hello | hey | hiya | howdy | greetings | good[ ](?:morning|afternoon|evening|day) )
    # who is greeted, and how they are
    (?: [ ,]+ (?: there | all | everyone | everybody | again | bot | friend | team ) )?+ \W*+
    (?: how [ ] are [ ] you (?:[ ](?:doing|today))?+ \W*+ )?+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT_ONESELF = re.compile(
    r"""
    \W*+
    # what it is
    (?: (?: who | what ) (?: [ ]are | ['’]re ) [ ] (?: you | u )
      | who [ ] (?: made | built | created | wrote | trained ) [ ] you
      | are [ ] you [ ] (?:an?[ ])?+ (?:real[ ])?+
        (?: bot | robot | human | person | ai | machine | program | model | real | there | alive | chatgpt )
      | what (?: [ ]is | ['’]?s ) [ ] your [ ] name
      # what it does
      | what [ ] can [ ] you [ ] (?: do | help [ ] (?:me[ ])?+ with | answer | tell [ ] me ) (?:[ ]for[ ]me)?+
      | what [ ] (?: can | may | should | could ) [ ] i [ ] ask (?:[ ]you)?+ (?:[ ](?:about|here))?+
      | what [ ] do [ ] you [ ] (?: do | know (?:[ ]about)?+ )
      | how [ ] can [ ] you [ ] help (?:[ ]me)?+
      | (?: can | could ) [ ] you [ ] (?: please [ ] )?+ help (?:[ ]me)?+ (?:[ ]please)?+
      | how [ ] are [ ] you (?:[ ](?:doing|today))?+ )
    \W*+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DISSENT = re.compile(
    r"""
    \W*+ (?: no (?:pe)?+ | nah ) \W*+  # and no more
    | \W*+ (?: (?: no | sorry | but | hmm++ | well | ok(?:ay)?+ | unfortunately ) \b \W*+ ){0,2}+
    # what it is, and what it did not do
    (?: (?: that | this | it ) (?: [ ]is | ['’]?s ) [ ]
        (?: (?: all [ ] | completely [ ] )?+ (?: wrong | incorrect | nonsense | useless )
          | not [ ] (?: right | true | correct | helpful | it
            | what [ ] i [ ] (?: asked | meant | wanted ) (?:[ ]for)?+ ) )
      | (?: that | this | it ) [ ] (?: did | does ) (?: n['’]?t | [ ]not ) [ ]
        (?: help | answer [ ] my [ ] question )
      | wrong [ ] answer )
    \W*+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DISMISSAL = re.compile(
    r"""
    \W*+ (?: (?: ok(?:ay)?+ | no | oh | hmm++ | well | sorry ) \b \W*+ ){0,2}+
    # of the question, of the conversation
    (?: never [ ]?+ mind | forget [ ] (?:about[ ])?+ (?: it | that | this )
      | (?: let['’]?s [ ] )?+ start [ ] (?: over | anew | again | from [ ] scratch )
      | (?: a [ ] )?+ (?: new | another | next | different ) [ ] (?: question | topic ) )
    \W*+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CORRECTION = re.compile(
    r"""
    ^\W*+
    (?: (?: no(?:pe)?+ | sorry | wait | oh | hmm | well | actually | not[ ]that(?:[ ]one)?+ ) \b [\s,.!;:–—-]*+ ){0,3}
    # said, or told by a word before a comma
    (?: (?:what[ ])?+ i [ ] (?:actually[ ])?+ (?: meant | mean ) \b [\s,:]*+ (?: is\b | was\b | to[ ]ask\b )?+
      | (?<=no[,.!;]\s) | (?<=nope[,.!;]\s) | (?<=that[,.!;]\s) )
    \s*+ (?=\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def small_talk(text: str, *, goes_on: bool) -> str:
    """What kind of small talk the text is, "" for a question. `goes_on` says that something was said before it.

    Praise, blame and farewells are such only behind an answer: "nice" may be looked up.

    >>> small_talk("ok great, thanks a lot!", goes_on=True), small_talk("Who are you?", goes_on=False)
    ('thanks', 'about')
    >>> small_talk("nice", goes_on=False), small_talk("How do I thank a donor?", goes_on=True)
    ('', '')
    """
    if _GREETED.fullmatch(text):
        return GREETING
    if _ABOUT_ONESELF.fullmatch(text):
        return ABOUT
    if goes_on and (which := _turned_down(text)):
        return which
    said = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    if not said or len(said) > MOST_WORDS or "?" in text or said[0] in _ASKING:
        return ""
    kinds = (THANKS, FAREWELL, CONSENT) if goes_on else (THANKS,)
    if not _FILLERS.union(*(_MARKS[kind] for kind in kinds)).issuperset(said):
        return ""
    return next((kind for kind in kinds if _MARKS[kind].intersection(said)), "")


def _turned_down(text: str) -> str:
    """Whether the text says no to an answer, or to the question before it."""
    return DISSENT if _DISSENT.fullmatch(text) else DISMISSAL if _DISMISSAL.fullmatch(text) else ""


def is_correction(text: str) -> bool:
    """Whether the text says what was meant by what was asked before.

    >>> is_correction("no, I meant Pressable"), is_correction("No module named tkinter")
    (True, False)
    """
    return bool(_CORRECTION.match(text))


def bare_question(text: str) -> str:
    """The question without the courtesy around it or the correction that it opens with, which nothing is found by.

    >>> bare_question("Thanks! And on Android?"), bare_question("no, I meant Pressable")
    ('And on Android?', 'Pressable')
    >>> bare_question("Hello World in Rust")
    'Hello World in Rust'
    """
    return with_default(_CORRECTION.sub("", without_courtesy(text), count=1))


def reply_to(kind: str, title: str) -> str:
    """What small talk is answered with; `title` names the collection with its article."""
    if kind == THANKS:
        return "You are welcome."
    if kind == FAREWELL:
        return "Goodbye."
    if kind == DISSENT:
        return "Then please ask it in other words, with names that the sources may use."
    if kind == DISMISSAL:
        return f"Then ask your next question about {title}."
    if kind == CONSENT:
        return f"Good. Ask on whenever you want to know more from {title}."
    greeting = "Hello. " if kind == GREETING else ""
    return f"{greeting}I answer questions from {title}, and show the passage behind each answer. Ask one about it."
