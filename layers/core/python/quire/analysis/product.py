"""The product that a collection is about, which a question names without asking anything by it.

Whoever asks "How do I purge the queues in Lamp?" of Lamp's own pages means "How do I purge the queues?". Nearly every
page says the name, some in their title, and so the name alone would decide which of them come first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from quire.analysis.terms import analyze

SHORTEST = 2
ASKED_CHARACTERS = 1_000
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
    "|command|cli|binary|namespace|app|application|behaviou?r|protocol|middleware|plugin"
)
"""What a name is that is a symbol's or a command's, and not the product's."""

_FORM = rf"""
    (?<! [\w`"'./:@\#$-] )
    (?: (?P<by>in|with|using|for|of|by|on|to|from|inside|via) \s+ (?:the\s+)? )?
    (?P<name>NAME) (?:['’]s)?
    (?! [\w`"(/@-] | [.:]+\w | \s+v?\d | \s+(?:{_THING}|{_BESIDE})\b )  # of a symbol, of a command, of two
    [ ]?:?
    """


def words_of(name: str) -> tuple[str, ...]:
    """The words of a collection's name that may name its product.

    >>> words_of("react-native-docs"), words_of("docs-v2")
    (('react', 'native'), ())
    """
    return tuple(
        word
        for word in re.split(r"[^a-z0-9]+", name.casefold())
        if len(word) >= SHORTEST and word not in _GENERAL and not _VERSION.fullmatch(word)
    )


def without_product(
    question: str, words: Sequence[str], is_ordinary: Callable[[str], bool] | None = None
) -> str:
    """The question without the product's name, where it asks for something beside it.

    The name stays where it is a symbol or part of one, where it is compared with another, where it tells of what kind
    something is ("a Lamp worker") or has a version, and where it is a word of the language, as `is_ordinary` knows
    them, that nothing shows to be a name.

    >>> without_product("How do I purge the queues in Lamp?", ["lamp"]), without_product("What is Lamp?", ["lamp"])
    ('How do I purge the queues?', 'What is Lamp?')
    >>> without_product("Where is Lamp.purge defined?", ["lamp"])
    'Where is Lamp.purge defined?'
    """
    if not words or len(question) > ASKED_CHARACTERS or words[-1] not in question.casefold():
        return question
    is_word = len(words) == 1 and is_ordinary is not None and is_ordinary(words[0])

    def left(found: re.Match[str]) -> str:
        before = question[: found.start()].rstrip().rpartition(" ")[2].casefold()
        if not found["by"] and (before in _ARTICLES or _JOINING.search(question[: found.start()])):
            return found[0]
        is_name = found["by"] or before in _NAMING or found["name"] != found["name"].lower()
        return " " if is_name or not is_word else found[0]

    rest = " ".join(_pattern(tuple(words)).sub(left, question).split())
    rest = _LOOSE.sub("", rest)
    return rest if set(analyze(rest)) - _SAYING_NOTHING else question


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    form = _FORM.replace("NAME", r"[\s_-]?".join(map(re.escape, words)))
    return re.compile(form, re.IGNORECASE | re.VERBOSE)
