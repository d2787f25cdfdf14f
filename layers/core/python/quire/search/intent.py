"""What a question asks for, read from its wording alone: a place in code, a meaning, callers, a number, a how-to.

And what it says without asking anything by it: courtesy, and the name of the product that a collection is about.

Ranking and answering ask the same `Intent`, so a question is read once. Each pattern is compiled, and each question
read for it, when somebody first wants to know: most questions need three of them, and a start needs none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from typing import NamedTuple

from quire.analysis.terms import STOP_WORDS, analyze, words

RELATION_CHARACTERS = 500
"""Of a question that are read for callers and callees: those patterns look ahead from each word."""
MEANING_CHARACTERS = 100
"""Of a question, at most, that asks for a meaning."""
ASKING_TERMS = frozenset(
    "mean meant stand refer measur repres short exact defin definit explain describ".split()
)
"""Terms of words that only ask for it."""
HAPPENS, SWITCHES = frozenset(("happen",)), frozenset(("turn", "switch"))
SHORTEST_NAME = 2
MOST_OPENINGS, MOST_CLOSINGS = 4, 3
COURTEOUS_CHARACTERS = 1_000
"""Of a text, at most, around whose question courtesies are looked for: what is longer holds more than a question."""
PRODUCT_CHARACTERS = 1_000
"""Of a question, at most, in which the name of a product is looked for."""
_GENERAL = frozenset(
    """
    docs doc documentation api apis reference code codebase repo repository src source main master wiki manual book
    guide guides site website help kb knowledge handbook textbook content pages public latest en project app my test
    tests data new old index search chat v
    """.split()
)
"""Words of a collection's name that tell what it is made of, and not what it is about."""
_LOOSE = re.compile(r" (?=[?.,;!])")
_VERSION = re.compile(r"v?\d[\d.]*")
_BESIDE = "and|or|vs|versus|than|between|like|instead"
"""What stands beside a name that is compared with another one."""
_SAYING_NOTHING = frozenset(
    analyze("use work get do does make need want like start begin tell show explain name")
)
"""What a question about the product as a whole says beside its name."""
_NAMING = frozenset(("", "does", "did"))
_ARTICLES = frozenset("a an the this that each every any no my own custom another new".split())
"""What stands before a name, and before a word that is none."""
_JOINING = re.compile(
    r"""
    \b(?: add | adding | integrat\w{1,4} | embed\w{0,4} | combin\w{1,4} | includ\w{1,4} | adopt\w{0,4} | use
      | replac\w{1,3} ) \s* $  # at the end of what stands before it
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before the name of what is brought into something else, which is what is asked about."""
_THING = (
    "class|object|constructor|instance|module|struct|type|trait|interface|function|method|macro|package|crate|gem"
    "|command|cli|binary|namespace|app|application|behavior|behaviour|protocol|middleware|plugin"
)
"""What a name is that is a symbol's or a command's, and not the product's."""
_CALLING = _ARTICLES | frozenset(_THING.split("|"))
"""What stands before the product's name where the name is asked about: "a Lamp worker", "the class Lamp"."""
_FORM = rf"""
    (?<! [\w`"'./:@\#$-] )
    (?: (?P<by>in|with|using|for|of|by|on|to|from|inside|via) \s+ (?:the\s+)? )?
    (?P<name>NAME) (?:['’]s)?
    (?! [\w`"(/@-] | [.:]+\w | \s+v?\d | \s+(?:{_THING}|{_BESIDE})\b )  # of a symbol, of a command, of two
    [ ]?:?
    """


class WantedDefinition(NamedTuple):
    """A name as a question writes it, and the kind of thing that it calls it: `class`, `function`, or nothing."""

    name: str
    kind: str = ""


class Intent:
    """What one question asks for; ask `read_intent` for it.

    Attributes:
        text: the question.

    >>> Intent("Where are retries scheduled?").is_place, Intent("Where is it documented?").is_place
    (True, False)
    >>> sorted(Intent("What changed in the examples since version 5?").roles)
    ['example', 'history']
    >>> Intent("Where is Task.retry implemented?").definition, Intent("the end of time").definition
    (WantedDefinition(name='Task.retry', kind=''), None)
    >>> Intent("class Celery").definition, Intent("side effects of revoke").definition
    (WantedDefinition(name='Celery', kind='class'), WantedDefinition(name='revoke', kind=''))
    >>> Intent("Show me the Lamp class").definition, Intent("the exit code of lamp").definition
    (WantedDefinition(name='Lamp', kind='class'), None)
    >>> Intent("Touched event").definition, Intent("What should I use instead of wait()?").definition
    (WantedDefinition(name='Touched', kind='event'), WantedDefinition(name='wait', kind=''))
    >>> Intent("usages of revoke").related, Intent("What calls Task.retry?").related, Intent("what is it").related
    ('revoke', 'Task.retry', '')
    >>> Intent("What calls Task.retry?").callers, Intent("side effects of forget()").callees
    (True, True)
    >>> sorted(Intent("How is the backoff tested?").roles), sorted(Intent("How do I test a job?").roles)
    (['test'], [])
    >>> Intent("How do I kick a player?").is_how_to, Intent("How fast does a character walk?").is_how_to
    (True, False)
    >>> Intent("How many motors has it?").kind, Intent("Who built it?").kind, Intent("Why two?").kind
    ('number', 'name', 'reason')
    >>> Intent("What replaces wait()?").is_replacement, Intent("How do I replace the lid?").is_replacement
    (True, False)
    >>> Intent("What is a lamp?").meaning, Intent("What does LED stand for?").meaning, Intent("What is it?").meaning
    ('lamp', 'LED', '')
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def is_place(self) -> bool:
        """Whether the answer is a place in code, rather than a text about it."""
        return bool(_compiled(_PLACE).match(self.text))

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles of files that it asks for beside code: `example`, `history`, `interface`, `test`, `upkeep`."""
        return frozenset(role for role, wording in _ROLES.items() if self._has(wording))

    @cached_property
    def definition(self) -> WantedDefinition | None:
        """What definition is asked for, or what it does; None where neither is."""
        if not self._has(_DEFINITION_HINTS):
            return None
        found = self._first(_DEFINED)
        if found is None:
            return None
        said = found.groupdict()
        return WantedDefinition(found["name"], (said.get("before") or said.get("after") or "").lower())

    @cached_property
    def meaning(self) -> str:
        """The term of which it asks what it is or stands for, as written; "" where it asks for nothing so."""
        found = self._first(_MEANINGS) if len(self.text) <= MEANING_CHARACTERS else None
        return found["term"] if found else ""

    @cached_property
    def related(self) -> str:
        """The name whose callers or usages are asked for, as written; "" where none is."""
        found = self._first(_RELATED) if self._has(_RELATION_HINTS) else None
        return found["name"] if found else ""

    @cached_property
    def callers(self) -> bool:
        """Whether it asks what refers to the symbols that it names."""
        return bool(_compiled(_CALLERS).search(self.text[:RELATION_CHARACTERS]))

    @cached_property
    def callees(self) -> bool:
        """Whether it asks what the symbols that it names refer to."""
        return bool(_compiled(_CALLEES).search(self.text[:RELATION_CHARACTERS]))

    @cached_property
    def is_how_to(self) -> bool:
        """Whether it asks how to do something."""
        return self._has(_HOW_TO)

    @cached_property
    def kind(self) -> str:
        """The kind of thing that is asked for, such as `number`, `version` or `reason`; "" where none is."""
        return next((kind for kind, wording in _KINDS.items() if self._has(wording)), "")

    @cached_property
    def is_code(self) -> bool:
        """Whether it is about doing or writing something."""
        return self._has(_CODE)

    @cached_property
    def is_replacement(self) -> bool:
        """Whether it asks what to use in place of something."""
        return self._has(_REPLACEMENT)

    @cached_property
    def is_alternatives(self) -> bool:
        """Whether it asks what there is beside something."""
        return self._has(_ALTERNATIVES)

    def _has(self, pattern: str) -> bool:
        return bool(_compiled(pattern).search(self.text))

    def _first(self, forms: tuple[str, ...]) -> re.Match[str] | None:
        return next(filter(None, (_compiled(form).search(self.text) for form in forms)), None)


@lru_cache(maxsize=256)
def read_intent(question: str) -> Intent:
    """What the question asks for; the same object for the same question, so that nothing is read twice."""
    return Intent(question)


def is_of_use(question: str) -> bool:
    """Whether somebody asks it who uses what the sources are of, and not a reader of its code; its first line is read.

    >>> is_of_use("How do I light it?"), is_of_use("My lamp stays dark"), is_of_use("How does the lamp burn?")
    (True, True, False)
    """
    return bool(_compiled(_USE).search(question.partition("\n")[0]))


def error_of(question: str) -> str:
    """The error that somebody gets and wants to be rid of, as written; "" where there is none.

    >>> error_of("Why do I get a LidError?"), error_of("How do I fix lamp.LidError?")
    ('LidError', 'lamp.LidError')
    >>> error_of("Why do I get wet?"), error_of("Why do I get a LidError and not an OilError?")
    ('', '')
    """
    forms = map(_compiled, _CAUSES) if len(question) <= RELATION_CHARACTERS else ()
    found = next(filter(None, (form.search(question) for form in forms)), None)
    return found["name"] if found and found["name"] != found["name"].lower() else ""


def content_terms(asked: Intent, terms: Iterable[str]) -> list[str]:
    """The question's terms without those that only ask for a meaning, what happens, or how it is turned on, in order;
    all where nothing would be left.

    >>> content_terms(Intent("What does LED stand for?"), ["led", "stand"]), content_terms(Intent("A"), ["stand"])
    (['led'], ['stand'])
    >>> content_terms(Intent("What happens if the LED breaks?"), ["happen", "led", "break"])
    ['led', 'break']
    >>> content_terms(Intent("How do I turn the LED off?"), ["turn", "led"])
    ['led']
    """
    given = list(terms)
    asking = ASKING_TERMS if asked.meaning else HAPPENS if _compiled(_WHAT_HAPPENS).search(asked.text) else ()
    asking = frozenset((*asking, *SWITCHES)) if _compiled(_SWITCHING).search(asked.text) else asking
    return [term for term in given if term not in asking] or given


def marked_names(text: str) -> list[str]:
    """What the text writes as a name beside its identifiers: `wait()`, words in back quotes, short options, and a word
    without an article that it asks what it does."""
    marked = [called or quoted for called, quoted in _compiled(_MARKED).findall(text)]
    marked += [option for option in _compiled(_SHORT_OPTION).findall(text) if option not in marked]
    acting = ["".join(found) for found in _compiled(_ACTING).findall(text)]
    return [*marked, *(name for name in acting if name.lower() not in STOP_WORDS)]


def compared(text: str) -> str:
    """The text without the words that ask for alternatives: what is compared with them.

    >>> compared("What are the alternatives to this sensor?")
    'What are the   to this sensor?'
    """
    return _compiled(_ALTERNATIVES).sub(" ", text)


def with_default(text: str) -> str:
    """The question with "by default" for a clause that says so in other words, which the sources seldom do.

    >>> with_default("How hot does it get if nothing is set?"), with_default("Unless told otherwise, who may row?")
    ('How hot does it get by default?', 'by default, who may row?')
    >>> with_default("What happens if I don't set the oil?"), with_default("What happens if nothing is given?")
    ("What happens if I don't set the oil?", 'What happens if nothing is given?')
    """
    if len(text) > COURTEOUS_CHARACTERS or _compiled(_HAS_DEFAULT).search(text):
        return text
    return _compiled(_UNSET).sub("by default", text, count=1)


@lru_cache(maxsize=64)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a collection's name that may name its product, which a question says without asking anything by it.

    Whoever asks "How do I purge the queues in Lamp?" of Lamp's own pages means "How do I purge the queues?". Nearly
    every page says the name, some in their title, and so the name alone would decide which of them come first.

    >>> words_of("react-native-docs"), words_of("docs-v2")
    (('react', 'native'), ())
    """
    return tuple(
        word
        for word in re.split(r"[^a-z0-9]+", name.casefold())
        if len(word) >= SHORTEST_NAME and word not in _GENERAL and not _VERSION.fullmatch(word)
    )


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
    if len(text) > COURTEOUS_CHARACTERS:
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
    rest = _compiled(_TELL_ABOUT).sub("explain ", rest, count=1)
    if rest.casefold().startswith("explain "):
        rest = _compiled(_TO_WHOM).sub("", rest)
    return rest if re.search(r"\w", rest) else text


def without_product(
    question: str, words: Sequence[str], is_ordinary: Callable[[str], bool] | None = None
) -> str:
    """The question without the product's name, where it asks for something beside it.

    The name stays where it is a symbol or part of one, where it is compared with another, where it tells of what kind
    something is ("a Lamp worker") or has a version, and where it is a word of the language, as `is_ordinary` knows
    them, that nothing shows to be a name.

    >>> without_product("How do I purge the queues in Lamp?", ["lamp"]), without_product("What is Lamp?", ["lamp"])
    ('How do I purge the queues?', 'What is Lamp?')
    >>> without_product("Where is Lamp.purge defined?", ["lamp"]), without_product("Where is class Lamp?", ["lamp"])
    ('Where is Lamp.purge defined?', 'Where is class Lamp?')
    """
    if not words or len(question) > PRODUCT_CHARACTERS or words[-1] not in question.casefold():
        return question
    is_word = len(words) == 1 and is_ordinary is not None and is_ordinary(words[0])

    def left(found: re.Match[str]) -> str:
        before = question[: found.start()].rstrip().rpartition(" ")[2].casefold()
        if not found["by"] and (before in _CALLING or _JOINING.search(question[: found.start()])):
            return found[0]
        is_name = found["by"] or before in _NAMING or found["name"] != found["name"].lower()
        return " " if is_name or not is_word else found[0]

    rest = " ".join(_product_form(tuple(words)).sub(left, question).split())
    rest = _LOOSE.sub("", rest)
    return rest if set(analyze(rest)) - _SAYING_NOTHING else question


def may_ask_of_product(question: str) -> bool:
    """Whether a question without courtesy may ask what something is, or what is asked of any product, as its licence.

    >>> [*map(may_ask_of_product, ("How do I install Lamp?", "what's a wick", "Who burns?"))]
    [True, True, False]
    """
    asked = question[:PRODUCT_CHARACTERS]
    return bool(_compiled(_OF_ANY_PRODUCT).search(asked) or read_intent(asked).meaning)


def of_product(question: str, words: Sequence[str]) -> str:
    """The question about the product as its sources answer it: what it is, where it is asked what it is for, which they
    say in one place; and "it" for what is to be installed or removed, as their pages seldom say the name.

    >>> of_product("What is Lamp used for?", ["lamp"]), of_product("why should I use lamp", ["lamp"])
    ('What is Lamp?', 'What is lamp?')
    >>> of_product("What is the wick for?", ["lamp"]), of_product("What does Lamp do on Sundays?", ["lamp"])
    ('What is the wick for?', 'What does Lamp do on Sundays?')
    >>> of_product("How do I install Lamp?", ["lamp"]), of_product("How do I add Lamp oil to it?", ["lamp"])
    ('How do I install it?', 'How do I add Lamp oil to it?')
    >>> of_product("How do I use Lamp?", ["lamp"])
    'How do I get started with it?'
    """
    if not words or len(question) > MEANING_CHARACTERS or words[-1] not in question.casefold():
        return question
    purpose, using, handling = _forms_of_product(tuple(words))
    if asked := purpose.match(question):
        return f"What is {next(filter(None, asked.groups()))}?"
    if using.match(question):
        return "How do I get started with it?"
    return handling.sub(r"\1 it", question, count=1)


def without_common_name(
    question: str, is_ordinary: Callable[[str], bool] | None, is_common: Callable[[str], bool]
) -> str:
    """The question without the first name in it that nearly all of its collection says, as `is_common` knows words.

    A word that is no word of the language may be a name, or one that few use: it is left out where it stands as names
    do, "in lamp" or "does lamp".

    >>> without_common_name("Who founded Oily Lamp in 1801?", lambda _: True, {"Oily", "Lamp"}.__contains__)
    'Who founded in 1801?'
    """
    said = words(question[:PRODUCT_CHARACTERS])
    strange = [not (is_ordinary is None or is_ordinary(word.casefold())) for word in said]
    named = (
        at for at, word in enumerate(said) if (bool(at), word[:1].isupper(), strange[at]).count(True) > 1
    )
    first = next((at for at in named if is_common(said[at].removesuffix("'s"))), None)
    if first is None:
        return question
    further = takewhile(lambda word: word[:1].isupper() and is_common(word), said[first + 1 :])
    name = [said[first], *(further if said[first][:1].isupper() else ())]
    return without_product(question, [word.casefold() for word in name], lambda _: True)


@lru_cache(maxsize=64)
def _product_form(words: tuple[str, ...]) -> re.Pattern[str]:
    form = _FORM.replace("NAME", r"[\s_-]?".join(map(re.escape, words)))
    return re.compile(form, re.IGNORECASE | re.VERBOSE)


def about_product(question: str, words: Sequence[str]) -> bool:
    """Whether the question is about the product as a whole, by its name.

    >>> about_product("What is Lamp?", ["lamp"]), about_product("What is Lamp oil?", ["lamp"]), about_product("?", [])
    (True, False, False)
    """
    meant = of_product(question, words)
    term = read_intent(question).meaning.casefold()
    return bool(words) and (meant != question or re.split(r"[\s_-]+", term) == [*words])


@lru_cache(maxsize=64)
def _forms_of_product(words: tuple[str, ...]) -> list[re.Pattern[str]]:
    name = "({})".format(r"[\s_-]?".join(map(re.escape, words)))
    forms = (form.replace("NAME", name) for form in (_PURPOSE, _USING, _HANDLING))
    return [re.compile(form, re.IGNORECASE | re.VERBOSE) for form in forms]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: each takes a millisecond. By its name this function has it kept for later."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_PLACE = r"""
    ^\W*
    (?: where\b
      | (?:in\s+)? (?:which|what) \s+ (?:\w+\s+)?  # "in which helper functions"
        (?: files? | functions? | class(?:es)? | methods? | modules? | lines? ) \b
      | (?:who|what) \s+ (?: calls? | invokes? | imports? | instantiates? | extends? | subclasses ) \b
      | (?:\w+\s+){0,2} (?: callers? | usages? | call\s+sites? ) \s+ of\b
    )
    # what asks for a text about it, and not for the place
    (?! .*\b(?: document | describ | explain | mention | guide | manual | readme | tutorial | example | learn
      | (?:i|we|you|one|to)[ ]read\b | read[ ](?:about|more|up)\b ) )
"""
_ROLES = {
    "interface": r"\b(?: variables? | inputs? | outputs? | settings? | options? | parameters? | defaults? )\b",
    "example": r"\b(?: examples? | samples? | demos? | playgrounds? | tutorials? | benchmarks? )\b",
    "history": r"""
        \b(?:  # what notes of releases and upgrades tell
          changelogs? | chang(?:es|ed) | releases? | released | versions? | history | news | authors | contributors
          | upgrad(?:e[sd]?|ing) | migrat(?:e[sd]?|ing|ions?) | deprecat(?:ed?|ions?) | removed | breaking | backwards?
          | since )\b
    """,
    "upkeep": r"""
        \b(?: workflows? | ci | github | gitlab | actions? | migrat(?:ed?|es|ing|ions?)
          | schemas? | columns? | tables? )\b
    """,
    "legacy": r"\b(?: legacy | deprecat(?:ed?|ions?) | obsolete | old(?:er)? | former(?:ly)? | previous(?:ly)? )\b",
    "test": r"""
        \b(?: is | are | gets? | was | were )\b [^?]{1,80}? \b(?: tested | covered[ ]by )\b  # how, where it is
        | \b(?: which | what | where )\b [^?]{0,60}? [ ]
          (?:unit)?(?: tests\b | specs\b | test[ ](?: cases? | files? )\b )
        | \b(?:unit)?(?: tests? | specs? )[ ](?: for | of | covers? | covering )\b        # of something
        | \b(?: which | what )[ ](?:unit[ ])?(?: test | spec )[ ](?: checks | verifies | exercises | tests | ensures )\b
    """,
}
"""The wording that asks for files of a role."""
_NAME = r"(?P<name> [^\W\d]\w* (?: (?:\.|::?|->|\#|\\) [^\W\d]\w* )* ) (?:\(\))?"
_KIND = r"""
    (?: (?:abstract|async|public|private|static) \s+ )?
    (?P<{0}> class | def | func | function | fn | method | struct | interface | trait | enum | type | decorator
      | macro | constant | variable | procedure | event | property )
"""
_BEFORE, _AFTER = rf"(?: {_KIND.format('before')} \s+ )?", rf"(?: \s+ {_KIND.format('after')} )?"
_DEFINITION_HINTS = r"""
    \b(?: where | show | find | open | contains | has\b | code | source | body  # words of such a question
      | defin | implement | declar | effects?\W+of | callees
      | replac | alternativ | successor | instead | deprecat | obsolete )
    | ^\W*+\w++\s++\S++\W*+$                                         # or two words, such as `class Task`
"""
_SHOWING = r"""
    \b(?: where (?:\s+is|'s | \s+can\s+(?:i|we|you)\s+(?:find|see) ) | show(?:\s+me)? | find | open )
    \s+ (?:the\s+)?
"""
_ITS_CODE = r"(?: \s+ (?: definition | implementation | declaration | code | source (?:\s+code)? ) )?"
_DEFINED = (
    rf"""\bwhere (?:\s+(?:is|are|was|were)|'s) \s+ (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \s+
    (?: implemented | defined | declared )\b""",
    rf"\bwhere \s+ (?:do|does|did) \s+\w+\s+ (?:implement|define|declare) \s+ (?:the\s+)? {_BEFORE}{_NAME}{_AFTER}",
    rf"""\b(?: definition | implementation | declaration | source(?:\s+code)? | body
    | (?<! error\s ) (?<! exit\s ) (?<! status\s ) (?<! return\s ) code | side[\s-]*effects? | callees ) \s+of\s+
    (?:the\s+)? {_BEFORE}{_NAME}{_AFTER}""",
    # "Show me the Lamp class", "Where can I find the class Lamp?"
    rf"{_SHOWING} {_NAME} \s+ {_KIND.format('after')} {_ITS_CODE} \W*$",
    rf"{_SHOWING} {_KIND.format('before')} \s+ {_NAME} {_ITS_CODE} \W*$",
    rf"""\b(?:which|what) \s+ (?:file|module|package|class) \s+ (?:defines|declares|implements|contains|has) \s+
    (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \W*$""",
    rf"^\W* {_KIND.format('before')} \s+ {_NAME} \W*$",
    rf"^\W* {_NAME} \s+ {_KIND.format('after')} \W*$",
    # of what is deprecated: it says what to use in its place
    rf"""^\W* {_NAME} \s+ (?:is\s+)? (?: (?:deprecated|obsolete) (?:\s+(?:replacement|alternative|instead))?
    | replacement | alternative | successor ) \W*$""",
    rf"""\b(?: (?:what|which\s+\w+) \s+ replace[sd] | replacements?\s+(?:for|of) | alternatives?\s+(?:to|for)
    | successors?\s+(?:to|of) | instead\s+of ) \s+ (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \W*$""",
)
_SHORT_OPTION = r"(?<![\w./-])-[A-Za-z]\b(?![\w-])"
"""Of one letter; longer ones are identifiers where they have two dashes."""
_MARKED = r"\b([^\W\d]\w*)\(\)|`([^\W\d]\w*)`"
_ACTING = r"""
    \b(?:what|when|which\s+\w+)\s+(?:does|can|will)\s+  # without an article: a name, though it is written like a word
    ([^\W\d]\w{2,})\s+
    (?: do\W*$ | (?:return|raise|throw)s?\b )         # "what does Celery do when ..." is about all of it
    | \b(?:what|which)\s+(?:errors?|exceptions?)\s+(?:does|can|will|may|might)\s+
    ([^\W\d]\w{2,})\s+ (?:return|raise|throw)s?\W*$
    | \b(?:values?|fields|members|properties|variants|parameters|arguments)\s+  # of what has a capital letter
    (?:of|has|have|does|in)\s+ (?:the\s+)?(?:(?:enum|struct|class|interface|type|trait|record|constant)\s+)?
    ((?-i:[A-Z])\w{2,})
"""
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
_MEANINGS = (
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
_RELATION_HINTS = r"\b(?: where | when | who | what | which | how\s+often | \w+\s+of ) \s"
_RELATED = (
    rf"""\b(?: who | what | which\s+\w+ ) \s+ (?:else\s+)?
    (?: calls? | invokes? | uses? | imports? | instantiates? | extends? | subclass(?:es)? ) \s+
    (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \W*$""",
    rf"""\bwhere \s+ (?:do|does) \s+\w+\s+ (?: call | invoke | use | import | instantiate ) \s+
    (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \W*$""",
    rf"""\bwhere \s+ (?:is|are) \s+ (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \s+
    (?: used | called | invoked | referenced | instantiated | read ) \b""",
    rf"\b(?: usages? | callers? | call\s+sites? ) \s+of\s+ (?:the\s+)? {_BEFORE}{_NAME}",
    rf"""\b(?: when | how\s+often ) \s+ (?:is|are|does|will) \s+ (?:the\s+)? {_BEFORE}{_NAME}{_AFTER} \s+
    (?:get\s+|be\s+)? (?: called | invoked | triggered | executed ) \W*$""",
    # of an error
    rf"""\b(?:when|where) \s+ (?:is|are|will) \s+ (?:an?\s+|the\s+)? {_BEFORE}{_NAME}{_AFTER} \s+ (?:be\s+)?
    (?: thrown | raised ) \b""",
    rf"""\b(?: who | what | which\s+\w+ ) \s+ (?: throws? | raises? ) \s+ (?:an?\s+|the\s+)?
    {_BEFORE}{_NAME}{_AFTER} \W*$""",
)
_AN_ERROR = rf"(?:(?:an?|the|this|my)\s+)? {_NAME} (?:\s+(?:error|exception|warning)s?)? \W*$"
_CAUSES = (
    rf"""\b(?: why\b [^?]{{1,60}} \s
      (?: gets? | getting | got | see | seeing | receive | hit | hitting | raises? | throws? | with )
    | (?:i|we) (?:\s+(?:keep|am|are)|['’](?:m|re))? \s+ (?: get | getting | got | see | seeing ) )
    \s+ {_AN_ERROR}""",
    rf"""\bwhy \s+ (?:is|was|does|do) \s+ (?:(?:an?|the|this)\s+)? {_NAME} \s+ (?:being\s+)?
    (?: raised | thrown | happen(?:ing)? | occur(?:ring)? )""",
    rf"\bwhat (?:\s+is|\s+are)? \s+ caus(?:es?|ed|ing) \s+ {_AN_ERROR}",
    rf"""\bhow \s+ (?: (?:do|can|should|would) \s+ (?:i|we|you|one) | to ) \s+
    (?: fix | solve | resolve | avoid | prevent | debug | get\s+rid\s+of ) \s+ {_AN_ERROR}""",
)
_ABOUT = r"(?:is|are|gets?|was|were|does|do|did)"
_CALLERS = rf"""
    \b(?: who | what | which(?:\s+\w+)? )\s+(?:else\s+)?(?:  # what calls it
      calls? | uses? | invokes? | references? | depends?\s+on | imports? | extends?
    | inherits?\s+from | subclasses | instantiates? | triggers? )\b
    | \b(?: where | when | how\s+often )\s+{_ABOUT}\b.+   # where it is used
      \b(?: used | called | invoked | referenced | instantiated | applied | triggered | thrown | raised )\b
    | \b(?: usages? | callers? | references? | call\s+sites? )\s+(?: of | to | for )\b
    | \bfind\s+(?:all\s+)?(?: usages? | callers? )\b
"""
_CALLEES = rf"""
    \bside[\s-]*effects?\b
    | \bwhat\s+(?: does | do | did )\b.+  # what it does
      \b(?: call | do | touch | change | depend\s+on | use | invoke | trigger )\b
    | \bwhat\s+happens\b
    | \bcallees?\b
    | \bwhat\s+{_ABOUT}\s+called\s+by\b
    | \bdependenc(?:y|ies)\s+of\b
"""
_WHAT_HAPPENS = r"\bwhat\s+happens\b"
_SWITCHING = r"\b(?:turn|switch)(?:s|es|ed|ing)?\s+(?:(?!\w{3,}ed\b)[\w-]++\s+){0,3}?(?:on|off)\b"
_HOW_TO = r"\bhow[ ](?:do|can|to|should|would)\b"
_USE = r"""
    \b(?: i | my | me | we | our )\b
    | ^\W* (?: how[ ](?:to|do|can|should|would) | can | is[ ]it[ ]possible ) \b
"""
_PURPOSE = r"""
    ^\W*+ (?: what (?:['’]s|[ ]is) [ ] NAME [ ] (?:(?:used|good|useful|meant|made|intended)[ ])?+ for
      | what [ ] (?:does|can) [ ] NAME [ ] (?: do | offer | give[ ]me )
      | what [ ] (?:do|can|would|should) [ ] (?:i|we|you|people) [ ] (?: use[ ]NAME[ ]for | do[ ]with[ ]NAME )
      | why [ ] (?: (?:should|would|do|does) [ ] (?:i|we|you|one|people|anyone|anybody) [ ] )?+ use [ ] NAME
      | what (?:['’]s|[ ]is) [ ] the [ ] (?:purpose|point|goal|use) [ ] of [ ] (?:using[ ])?+ NAME ) \W*+ $
"""
_USING = r"""
    ^\W*+ how [ ] (?:do|can|to|should|would) (?:[ ](?:i|we|you|one))?+ [ ]
    (?: use | begin[ ](?:with|using) | start[ ]using ) [ ] (?:the[ ])?+ NAME \W*+ $  # and no more
"""
_HANDLING = r"""
    (^\W*+ (?: how [ ] (?:do|can|to|should|would) (?:[ ](?:i|we|you|one))?+ [ ] )?+
      (?: install | uninstall | upgrade | update | remove | add | include | get[ ]started[ ]with
        | contribute[ ]to ))
    [ ] (?:the[ ])?+ NAME (?= \W*+ $ | [ ](?:to|on|in|into|from|with|using|via|for|completely)[ ] )
"""
_KINDS = {
    "variable": r"\b(?:which|what)\b [^?\n]{0,30} \b env(?:ironment)? [ ] var(?:iable)?s? \b  # of a process",
    "version": r"\b(?:which|what)\b [^?\n]{0,30} \b versions? \b (?![ ]control)  # a number with points",
    "path": r"\b(?:which|what)\b [^?\n]{0,25} \b(?: urls? | endpoints? | routes? | uris? )\b  # of a request",
    "number": r"""
        \bhow[ ](?: many | much | long | far | fast | big | large | high | heavy | often | old | wide | tall | deep )\b
        | \b(?: percent(?:age)? | number | fraction | rate | range | amount | size | price | cost | budget | limit
          | default | frequency | maximum | minimum )\b  # of what is a quantity by its name
    """,
    "date": r"""
        \bwhen\b
        | \b(?:what|which)[ ](?: year | century | decade | month | day | date | time )\b
        | \byear\b
    """,
    "name": r"""
        \b(?: who | whom | whose | where )\b
        | \b(?:which|what)[ ](?:\w+[ ])?  # "which large city"
          (?: country | city | company | person | king | group | team | state | place | people | school | language
          | region | organization | name | title | book | type )\b
        | \bnamed?\b | \bcalled\b
    """,
    "reason": r"\bwhy\b | \breason\b | \bcauses?\b",
}
"""What is wanted, and how it is asked for; of several the first counts."""
_CODE = r"""
    \bhow[ ](?: do | can | should | to | would )\b
    | \b(?: example | code | command | snippet | syntax | install | run | set[ ]?up | write | create | build | configure
      | enable | launch | add | show[ ]me | implement | call | use )\b
"""
_REPLACEMENT = r"""
    \b(?: instead[ ]of
      | (?:what|which)\b.{0,40}\breplace[sd]?  # "which class replaced it"
      | replaced[ ]by[ ](?:what|which)
      | replacements?[ ](?:for|of) | alternatives?[ ](?:to|for) | successors?[ ](?:to|of)
      | deprecated | obsolete | superseded | outdated )\b
"""
_ALTERNATIVES = r"""
    \balternatives?\b
    | \b(?: instead | in[ ]place )[ ]of[ ](?: this | that | it )\b
    | \bother[ ]than[ ](?: this | that | it )\b
    | \bwhat[ ]else[ ](?: can | could | may | might | should )[ ](?: i | we | one | be )\b
"""
_WH = r"""
    (?= (?: (?:at|by|for|from|in|of|on|since|to|under|until|with) \s+ )?+
        (?:how|what|why|when|where|which|who|whose|whom|is|are|do|does|did|can|could|should|will|would)\b )
"""
"""The question itself, behind what asks for it."""
_IF = r"(?: (?:if|whether) \s+ (?=\w) (?! (?:statement|expression|condition|clause|block|else|let)s?\b ) )"
_POLITELY = r"(?: (?:please|kindly|just|maybe|also|perhaps) \s+ )?+"
_TO_ME = r"(?: \s+ to \s+ (?:me|us) )?+"
_SOME_MORE = r"(?: \s+ (?:more|something|a\s+(?:bit|little)(?:\s+more)?) )?+"
_SET_OFF = r"[ ]*+ (?: [,!?;]++ \s*+ | [.:–—-]++ \s++ )"
"""Behind a word that is no part of the question; in `help.txt` and `question-answering` it is one."""
_GREETINGS = rf"""
    (?: hi(?:[ ]there)?+ | hello(?:[ ]there)?+ | hey(?:[ ]there)?+ | good[ ](?:morning|afternoon|evening|day)
      | (?:ok(?:ay)?,?[ ])?+ (?:great|perfect|nice|cool)?+ [, ]*+
        (?: thanks(?:[ ](?:a[ ]lot|so[ ]much|very[ ]much))?+ | thank[ ]you(?:[ ](?:so|very)[ ]much)?+ | thx )
      | sorry | excuse[ ]me | great | perfect | cool | nice | awesome )
    (?: {_SET_OFF} (?! world\b ) | \s++ (?=but\b|and\b) )   # a word before the question, not its first one
"""
_SENTENCES = rf"""
    # whole sentences before the question, and words with a mark behind them
    (?: i (?:['’]m|[ ]am) [ ] (?: (?:very|quite|pretty|completely)[ ] )?+ (?: new | a[ ]beginner | stuck | lost )
        (?: [ ](?:to|at|with|in)[ ]\w[\w+\#]*+ (?:[ ]\w[\w+\#]*+){{0,2}}+ | [ ]here )?+
      | i [ ] (?:need|want|could[ ]use) [ ] (?:some[ ]|your[ ])?+ help
      | (?:can|could)[ ](?:you|someone|anyone|somebody|anybody)[ ](?:please[ ])?+ help (?:[ ](?:me|us|out|me[ ]out))?+
      | (?: i [ ] have [ ] )?+ (?: (?:a|one|just[ ]a)[ ] )?+ (?: quick | short | simple | dumb | stupid )?+ [ ]?+
        question
      | (?: my [ ] question [ ] is | here [ ] is [ ] my [ ] question ) | please | pls | kindly | help )
    {_SET_OFF}
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
_OPENINGS = rf"^[\s¿¡]*+ (?: {_GREETINGS} | {_SENTENCES} | {_ASKED_FOR} ) (?=\S)"
_HAS_DEFAULT = (
    r"\bdefault | ^\W* (?: what \s+ (?:happens|is\s+done) | why | how \s+ (?:do|can|to|should|would) ) \b"
)
"""Who asks what happens, why or how-to asks for no default."""
_CHOSEN = "set|given|configured|specified|passed|chosen|changed|provided|supplied|told|said|stated|defined"
_CHOOSE = "set|give|configure|specify|pass|choose|change|provide|say|tell|define"
_UNSET = rf"""
    \b(?: (?:if|when|while) \s+ (?:
          (?:nothing|none|it\s+is\s+not|it\s+isn['’]t|(?:this|that)\s+is\s+not) (?:\s+is|\s+was|\s+else\s+is)?
            \s+ (?:{_CHOSEN})
        | (?:i|you|we|one|nobody|no\s+one) (?: \s+ (?:do|does|did) (?:\s+not|n['’]t) )? \s+ (?:{_CHOOSE})s?
            (?: \s+ (?:it|one|this|that|so|otherwise|any(?:thing)?|nothing|a\s+value|any\s+value) )?
        | (?:left|kept) \s+ (?:out|empty|unset|alone) | omitted | unset | unconfigured )
      | unless \s+ (?: (?:i|you|we) \s+ (?:{_CHOOSE}) (?:\s+(?:it|so|otherwise|anything))?
        | (?:otherwise\s+)? (?:it\s+is\s+|it['’]s\s+)? (?:{_CHOSEN}) (?:\s+otherwise)? )
      | without \s+ (?: (?:any\s+)?configuration
        | (?:setting|changing|configuring|specifying|saying) \s+ (?:it|anything|one) )
      | out \s+ of \s+ the \s+ box )
    (?= \s*+ (?: [,?.!;] | $ ) )
"""
_OF_ANY_PRODUCT = r"""
    \b (?: (?:un)?install\w* | set[ ]?up | (?:get(?:ting)?[ ])?started | quick[ -]?start | first[ ]steps | begin
      | add | include | remove | delete | rid[ ]of | upgrade | update | contribut\w+ | used? | purpose
      | licen[cs]ed? | open[ -]source | free[ ]software | version | release | new ) \b
"""
"""What such a question says at least; most that say so ask something else."""
_TELL_ABOUT = rf"""
    ^\s*+ (?: (?:tell|teach) \s+ (?:me|us) {_SOME_MORE} \s+ about
      | i (?:['’]d | \s+would)?+ \s+ (?:really\s+)?+ (?:like|love|want|need) \s+ to \s+
        (?: (?:know|learn|find\s+out) {_SOME_MORE} \s+ about | understand )
      | help \s+ (?:me|us) \s+ (?:to\s+)?+ understand | explain \s+ to \s+ (?:me|us) ) \s+ (?=\w)
"""
"""What asks for an explanation of a thing; "explain" asks the same in one word."""
_TO_WHOM = r"(?<= \w ) \s+ to \s+ (?:me|us|a\s+beginner) \s*+ [.!?]*+ $"
_CLOSINGS = r"""
    (?: (?<=\w) [ ] (?: please | pls ) | [,.!?;)–—] \s*+ (?: please (?:[ ]help(?:[ ]me)?+)?+ | pls | kindly | help ) )
    [.!?]*+ \s*+ $
    | (?: [,.!?;)–—] \s*+ | (?<=\w) [ ] (?= \w{2,6} (?:[ ]you)?+ [ ] in [ ] advance ) )
    (?: many [ ] )?+ (?: thanks | thank [ ] you | thx | (?<= [.!?][ ] ) ty | cheers )
    (?: [ ] (?: a[ ]lot | in[ ]advance | so[ ]much | very[ ]much | for[ ](?:your|the|any)[ ]help ) )*+ [.!?]*+ \s*+ $
    | [.!?] \s*+ any [ ] (?: help | hints? | advice | ideas?+ )
      (?: [ ] (?: is | would[ ]be ) [ ] (?:much[ ]|very[ ]|greatly[ ])?+ (?: appreciated | welcome ) )?+ [.!?]*+ \s*+ $
"""
