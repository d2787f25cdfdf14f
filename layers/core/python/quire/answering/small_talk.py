"""What people say to somebody who answers beside their questions: thanks, hello, "that did not work", "no, I meant …".

Each is told by its whole wording, from closed lists: a question that merely holds such a word is a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.search.intent import with_default, without_courtesy

THANKS, GREETING, ABOUT, FAREWELL, CONSENT = "thanks", "greeting", "about", "farewell", "consent"
DISSENT, DISMISSAL = "dissent", "dismissal"
FAILED, TRANSLATION = "failed", "translation"
OF_AN_ANSWER = frozenset((FAILED, TRANSLATION))
"""Of what was answered before, which a language model may have more to say about."""

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
_TRYING = frozenset(
    """
    a advice again all already also an and answer any anymore as at be before broken but did didn't do does doesn't
    don't done either else error errors even everything exactly fail failed failing fails followed for get gets
    getting gives got have here hmm i i've is isn't issue it it's just keep keeps luck me message more neither no
    none nope not nothing of ok okay problem result sadly same seem seems solution sorry steps still suggestion
    that that's the these this those though throws to too tried unfortunately was wasn't we well won't work worked
    working works your
    """.split()
)
_NEGATIONS = frozenset("not didn't doesn't don't isn't wasn't won't nothing none neither".split())
_FAILING = tuple(
    tuple(frozenset(one.split("|")) for one in words.split())
    for words in (
        "not|didn't|doesn't|don't|isn't|wasn't|won't|nothing|none|neither work|worked|working|works",
        "broken|fail|failed|failing|fails",
        "same error|errors|issue|message|problem|result",
        "get|got|gives|throws error|errors",
        "no luck",
    )
)
"""Who was not helped by an answer says a word of each group of one of these lines."""
_TONGUES = frozenset(
    """
    arabic chinese czech dutch english french german hindi italian japanese korean polish portuguese russian spanish
    swedish turkish ukrainian
    """.split()
)
_TRANSLATING = frozenset(
    """
    an and answer can can't cannot could do don't explain give i in into it know me not now ok okay please put read
    repeat reply respond say show sorry speak that the this to translate u understand will would write you
    """.split()
)
_IN_ITSELF = frozenset(
    """
    auf deutsch|ins deutsche|en español|en espanol|en français|en francais|in italiano|em português|em portugues
    |на русском|по русски|po polsku|in het nederlands|på svenska|用中文|中文|日本語で|한국어로
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_POLITE = re.compile(
    r"""
    \b (?: bitte | por[ ]favor | s['’]il[ ](?:te|vous)[ ]pla[iî]t | per[ ]favore  # please, in other languages
      | proszę | пожалуйста ) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TURNING = re.compile(
    r"""
    ^\W*+
    (?: (?: ok(?:ay)?+ | no | oh | hmm++ | well | sorry | and | now | so | but | great | alright ) \b \W*+ ){0,3}+
    (?: (?:
          # of the topic before
          never [ ]?+ mind | forget [ ] (?:about[ ])?+ (?: it | that | this )
          | (?: (?: just | a | an | one ) [ ] ){0,2}+
            (?: new | another | next | different | separate | unrelated | other | last | more ) [ ]
            (?: question | topic | subject | thing )
          | unrelated(?:ly)?+ | something [ ] else | moving [ ] on | let['’]?s [ ] move [ ] on
          | (?: let['’]?s [ ] )?+ chang(?:e|ing) [ ] (?: of [ ] | the [ ] )?+ (?: topic | subject )
          # of the answer before
          | got [ ] it | i [ ] see | understood
          | (?: that | this | it ) [ ] (?: works? | worked | helped | helps | makes [ ] sense ) (?:[ ]now)?+
          | (?: that | this | it ) [ ] (?: did | does ) (?: n['’]?t | [ ]not ) [ ] (?: work | help ) )
        \s*+ [.,!;:–—-]++ \s++
      | (?: by [ ] the [ ] way | btw | on [ ] another [ ] note ) \b [\s.,:–—-]*+ )
    (?=\w) (?! but\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before a question and belongs to what was said before."""
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
    said = _said(text)
    if not said or len(said) > MOST_WORDS or "?" in text or said[0] in _ASKING:
        return ""
    kinds = (THANKS, FAREWELL, CONSENT) if goes_on else (THANKS,)
    if not _FILLERS.union(*(_MARKS[kind] for kind in kinds)).issuperset(said):
        return ""
    return next((kind for kind in kinds if _MARKS[kind].intersection(said)), "")


def _turned_down(text: str) -> str:
    """Whether the text says no to an answer, to the question before it, that it was of no use or in which language."""
    if _DISSENT.fullmatch(text):
        return DISSENT
    if _DISMISSAL.fullmatch(text):
        return DISMISSAL
    said = _said(_POLITE.sub("", text))
    if not said or len(said) > MOST_WORDS:
        return ""
    if _wants_translation(said):
        return TRANSLATION
    return FAILED if "?" not in text and _says_it_failed(said) else ""


def _says_it_failed(said: Sequence[str]) -> bool:
    if not _TRYING.issuperset(said) or (said[0] in _ASKING and not _NEGATIONS.intersection(said)):
        return False
    return any(all(group.intersection(said) for group in groups) for groups in _FAILING)


def _wants_translation(said: Sequence[str]) -> bool:
    """Whether it asks for another language, be it in that language."""
    if " ".join(said) in _IN_ITSELF:
        return True
    tongues = _TONGUES.intersection(said)
    if not (_TRANSLATING | _TONGUES).issuperset(said) or len(said) < 2:
        return False
    return bool(tongues) or (
        "translate" in said and bool({"it", "that", "this", "answer"}.intersection(said))
    )


def _said(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def is_correction(text: str) -> bool:
    """Whether the text says what was meant by what was asked before.

    >>> is_correction("no, I meant Pressable"), is_correction("No module named tkinter")
    (True, False)
    """
    return bool(_CORRECTION.match(text))


def bare_question(text: str) -> str:
    """The question without the courtesy around it, and what it opens with about the answer or topic before it, which
    nothing is found by.

    >>> bare_question("Thanks! And on Android?"), bare_question("no, I meant Pressable")
    ('And on Android?', 'Pressable')
    >>> bare_question("ok never mind. How do I use it?"), bare_question("Hello World in Rust")
    ('How do I use it?', 'Hello World in Rust')
    """
    asked = without_courtesy(_TURNING.sub("", without_courtesy(text), count=1))
    return with_default(_CORRECTION.sub("", asked, count=1))


def reply_to(kind: str, title: str) -> str:
    """What small talk is answered with; `title` names the collection with its article."""
    if kind == THANKS:
        return "You are welcome."
    if kind == FAREWELL:
        return "Goodbye."
    if kind == DISSENT:
        return "Then please ask it in other words, with names that the sources may use."
    if kind == FAILED:
        return (
            "From here I cannot see why. What does the message say, word for word, or which step fails?"
            " That I can look up."
        )
    if kind == TRANSLATION:
        return "I cannot translate: I answer in the language of the sources."
    if kind == DISMISSAL:
        return f"Then ask your next question about {title}."
    if kind == CONSENT:
        return f"Good. Ask on whenever you want to know more from {title}."
    greeting = "Hello. " if kind == GREETING else ""
    return f"{greeting}I answer questions from {title}, and show the passage behind each answer. Ask one about it."
