"""What comes later in an answer than it would by its words: tests, what does little."""

from __future__ import annotations

import re
from functools import lru_cache

from quire.analysis.keywords import calls_of
from quire.analysis.symbols import fold_symbol
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.documents import Chunk

MEMBERS_CHARACTERS = 200
"""Of a question that are read for whether it asks for the members of a set."""
MESSAGE_WORDS = 3
ENTRY_NAME = 200
"""Characters of an entry that are read for its name."""
ACCESSOR_LINES = 3
"""Lines of code, without comments and brackets, that a getter or a declaration has at most."""

FIELDS = ("variable", "property", "field", "constant")
"""Kinds of code that hold values."""
_COMMENTS = ("/", "*", "#", "@", "[")
"""How lines begin that stand before a definition: comments, decorators, attributes."""
_SAMPLE = re.compile(
    r"""
    ^[ \t]*+ (?:[*#]|///?)? [ \t]*+
    (?: ```|>>>[ ]|@example\b|<pre>|(?:Example|Usage)s?(?:[ ]usage)?::?\s*$ )  # in a docstring, a comment
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_OF_TESTS = re.compile(
    r"""
    (?<!\bfor[ ])\b(?:unit)?(?: tests\b | tested\b | testing\b | fixtures?\b | test\b (?! [ ](?:  # what runs it
        runs? | runners? | suites? | clients? | servers? | databases? | modes? | environments? | harness )\b ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What is made "for tests" is no test, nor is what a test is run by."""
_OF_EXAMPLES = re.compile(
    r"""
    \b(?: examples? | samples? | snippets? | demos? )\b
    | \bhow[ ](?:do|can|to|should|would)[ ](?:(?:i|we|you|one)[ ])?use\b
    | \bshow[ ](?:me[ ])?how\b  # something is done
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(
    r"""
    ["“`] ([^"“”`\n]{1,200}) ["”`]
    | (?<![\w'])' ((?: [^'\n] | '(?=\w) ){1,200}) '(?!\w)  # an apostrophe stands inside a word
    """,
    re.VERBOSE,
)
_OF_VALUES = re.compile(r"\b(?:defaults?|defaulted|value of|constants?)\b|\bset to\W*$", re.IGNORECASE)
_OF_ERRORS = re.compile(
    r"""
    \b(?:which|what)\b [^?]{0,40}? \b(?:errors?|exceptions?)\b [^?]{0,80}?
      \b(?: rais\w+ | throws? | thrown | returns? | returned | sets? | gives? | given )\b  # by what is named
    | \bwhat\b [^?]{0,80}? \b(?:raises?|throws?)\W*$
    | \b(?:which|what)\b [^?]{1,80}? [ ]does[ ] [^?]{1,60}? [ ](?:reject|refuse|validate|forbid|disallow)\b  # by errors
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_GIVING = re.compile(r"\b(?:thrown|raised|throws?|raises?)\b", re.IGNORECASE)
_OF_WORKING = re.compile(
    r"""
    \bhow[ ](?:does|is|are|did)\b | \bwhat[ ]happens\b | \b(?:what|which)[ ]order\b
    | \bwhat[ ](?:does|do)\b [^?]{1,120}? [ ]do\b  # it, when something is so
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_MAKING = re.compile(r"\b(?:construct|instantiat|creat|initiali|built\b)", re.IGNORECASE)
_CONSTRUCTORS = frozenset(("__init__", "__construct", "constructor", "initialize"))
_OWN_CONSTRUCTORS = {"swift": "init", "rust": "new"}
_OF_MEMBERS = re.compile(
    r"""
    \b(?:which|what)\b [^?]{1,60}?
    \b(?: are[ ]there | exist | can[ ][^?]{1,40}[ ](?:have|be|take)
      | are[ ](?:\w+ly[ ])?(?:supported|possible|allowed|valid|available|known|defined) )\b  # what may be chosen
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_test(chunk: Chunk) -> bool:
    """Whether it stands in a test, which shows that something works and not how."""
    return bool(chunk.metadata.get("is_test")) or chunk.metadata.get("role") == "test"


def is_example(chunk: Chunk) -> bool:
    """Whether it stands in an example, a demonstration or a benchmark, where code is indexed."""
    return chunk.metadata.get("role") == "example"


def does_little(chunk: Chunk) -> bool:
    """Whether it is a declaration or an accessor: what is asked for is done elsewhere."""
    lines = [line.strip() for line in chunk.text.splitlines()]
    # In Ruby "@" begins no decorator but what an object holds.
    signs = _COMMENTS[:3] if chunk.metadata.get("lang") == "ruby" else _COMMENTS
    said = [line for line in lines if line.strip("{}();") and not line.startswith(signs)]
    return len(said) <= ACCESSOR_LINES and not calls_of(chunk)


def hands_on(chunk: Chunk) -> bool:
    """Whether each function in it has a line or two: what is asked how it works is done by what it calls."""
    if chunk.metadata.get("kind") not in ("function", "method"):
        return False
    names = {symbol for symbol in chunk.symbols if "." not in symbol}
    lines = [line.strip() for line in chunk.text.splitlines()]
    said = [
        line
        for line in lines
        if line.strip("{}();") not in ("", "end") and not line.startswith(_COMMENTS[:3])
    ]
    return len(said) <= ACCESSOR_LINES * max(1, len(names))


def constructs(chunk: Chunk) -> bool:
    """Whether it is a constructor: called like its class, or as its language calls them."""
    parts = fold_symbol(chunk.symbols[0]).split(".") if chunk.symbols else []
    known = {*_CONSTRUCTORS, _OWN_CONSTRUCTORS.get(str(chunk.metadata.get("lang")))}
    return len(parts) > 1 and (parts[-1] in known or parts[-1] == parts[-2])


def is_entry(chunk: Chunk) -> bool:
    """Whether it is an entry of a reference: a text that begins with the symbol which it defines."""
    if is_code_chunk(chunk) or not chunk.symbols:
        return False
    return fold_symbol(chunk.text[:ENTRY_NAME].partition("\n")[0]).startswith(fold_symbol(chunk.symbols[0]))


def shows_use(chunk: Chunk) -> bool:
    """Whether a chunk of code is an example or a test, or has an example in what documents it."""
    is_use = is_test(chunk) or is_example(chunk)
    return (is_use and bool(calls_of(chunk))) or bool(_SAMPLE.search(chunk.text))


def asks_for_tests(question: str) -> bool:
    """Whether tests may be what is asked for.

    >>> [asks_for_tests(one) for one in ("Which tests cover retry?", "a server for tests", "How is a test run ended?")]
    [True, False, False]
    """
    return bool(_OF_TESTS.search(question))


@lru_cache(maxsize=64)
def asks_for_example(question: str) -> bool:
    """Whether it asks to see something used.

    >>> asks_for_example("Show an example of a retry"), asks_for_example("How is it used?")
    (True, False)
    """
    return bool(_OF_EXAMPLES.search(question))


def asks_for_value(question: str) -> bool:
    """Whether it asks what something is set to.

    >>> asks_for_value("Which default has the limit?"), asks_for_value("What does limit() do?")
    (True, False)
    """
    return bool(_OF_VALUES.search(question))


def asks_for_members(question: str) -> bool:
    """Whether it asks which values there are.

    >>> asks_for_members("Which exit codes are there?"), asks_for_members("What is an exit code?")
    (True, False)
    """
    return bool(_OF_MEMBERS.search(question[:MEMBERS_CHARACTERS]))


def asks_for_working(question: str) -> bool:
    """Whether it asks what something does and how, and not how it is made.

    >>> asks_for_working("What does the cache do when it is full?"), asks_for_working("How is a cache created?")
    (True, False)
    >>> asks_for_working("In which order do hooks run?")
    True
    """
    read = question[:MEMBERS_CHARACTERS]
    return bool(_OF_WORKING.search(read)) and not _OF_MAKING.search(read)


def asks_for_errors(question: str) -> bool:
    """Whether it asks which errors something gives.

    >>> asks_for_errors("Which errors does push() raise?"), asks_for_errors("What is an error?")
    (True, False)
    >>> asks_for_errors("Which names does Lamp refuse?")
    True
    """
    return bool(_OF_ERRORS.search(question[:MEMBERS_CHARACTERS]))


def asks_for_giving(question: str) -> bool:
    """Whether it asks where an error comes from.

    >>> asks_for_giving("When is a KeyError raised?"), asks_for_giving("Where is it used?")
    (True, False)
    """
    return bool(_OF_GIVING.search(question[:MEMBERS_CHARACTERS]))


@lru_cache(maxsize=64)
def quoted_message(question: str) -> str:
    """What a question has between quotation marks, such as the words of an error; "" where that is a word or two.

    >>> quoted_message('What does "db is not ready" mean?'), quoted_message('What does "db" mean?')
    ('db is not ready', '')
    >>> quoted_message("Where is 'it can't be so' raised?"), quoted_message("Don't the workers' pools wait?")
    ("it can't be so", '')
    """
    quoted = (one or other for one, other in _QUOTED.findall(question))
    found = max(quoted, key=len, default="").strip(".:! ")
    return found if len(found.split()) >= MESSAGE_WORDS else ""
