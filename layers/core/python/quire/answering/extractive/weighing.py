"""What a question asks for: its terms with weights from the collection, its names, and the kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from quire.analysis.language import capitals_are_names, is_ending, small_terms
from quire.analysis.terms import STOP_WORDS, analyze, identifiers, words
from quire.analysis.word_forms import readings
from quire.index.bm25 import idf
from quire.ports import WordList
from quire.search.intent import content_terms, read_intent

_NUMBER = re.compile(
    r"""
    \d
    | \b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty
        |hundred|thousand|million|billion
        |half|dozen|several|twice|third|quarter)\b  # what counts without being a number
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DATE = re.compile(
    r"""
    \b(?:1\d{3}|20\d\d)s?\b  # a year, or the 1980s
    | \b(?:century|centuries
        |january|february|march|april|may|june|july|august|september|october|november|december
        |bc|ad
        |monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'-]+")
_REASON = re.compile(
    r"""
    \b(?:
        because | since | due[ ]to
        | so[ ]that | in[ ]order  # a purpose
        | as[ ]a[ ]result | therefore | thus | reasons? | caused? | avoid | led[ ]to
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WRITTEN = {
    "variable": re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"),
    "version": re.compile(r"\bv?\d+\.(?:\d+|x)"),
    "path": re.compile(r"(?<![\w./])/[a-z{:][\w{}/:.-]*"),
}
"""Kinds of things that are written in a form of their own: a title may be one, and few passages hold one by chance."""
_GIVEN = {"number": _NUMBER, "date": _DATE, "name": _NAME, "reason": _REASON, **_WRITTEN}
"""What finds a thing of a kind that a question may want, see `quire.search.intent.Intent.kind`."""
_REPLACED = re.compile(
    r"""
    \binstead\b | \bin[ ]favou?r[ ]of\b
    | \bsuperseded\b | \breplaced[ ](?:by|with)\b | \breplacement\b | \bsuccessor\b
    | \bshould[ ]be[ ]used\b  # as in "X should be used"
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DEPRECATED, _USE = re.compile(r"\bdeprecated\b", re.I), re.compile(r"\buse\b", re.I)
_DERIVED = re.compile(
    r"""
    (?P<prefix>re|un|dis|de|mis|pre|non|sub|auto|multi|inter|over)?
    (?P<base>[a-z]{4,}?)
    (?:
        i[sz](?:ations?|ed|es|ers?|ing|e)  # initialisation, initialized
        | ations? | [eo]rs? | ings? | ed | able | ness | ly
    )?
    """,
    re.VERBOSE,
)
"""English's productive endings and beginnings around a word of four letters or more."""
EARLIER = 0.4
LONG_WORD = 9
SHORTEST_PART = 4
FEW_CHUNKS = 30
"""In a collection of fewer chunks a word that none of them holds says less, by its share of so many: five pages do not
have all words that may be used to ask for them. Over ten collections of 5 to 56 chunks, which all took part in the
choice (120 answerable questions, 80 near ones, 132 that another page of the same site answers) .775 to .858 are
answered with this and `CLEAR`, .925 and .659 refused as before, of everyday ones .998 to .997; over one of 4 chunks
that took no part 6 and 10 of 19, with all of 7 near ones refused."""
COMMON = 0.5
"""A word that more than this share of the chunks hold is the name of what they are all about, or says as little."""


class Lexicon(Protocol):
    """What weighing asks of an index; `quire.index.opened.OpenedIndex` fulfils it."""

    @property
    def chunk_count(self) -> int:
        """Chunks that can be found."""

    def document_frequency(self, term: str) -> int:
        """Chunks that hold the term."""


@dataclass(frozen=True)
class Weighed:
    """A question as its answers are judged by.

    Attributes:
        text: the question.
        idf: term -> inverse document frequency in the collection, in the order of the question.
        names: words written as names or identifiers, first words of sentences apart; lower-case.
        wants_code: the question is about doing or writing something.
        symbols: what of the collection it names, as that spells it, as far as it was looked up.
    """

    text: str
    idf: Mapping[str, float]
    names: tuple[str, ...]
    wants_code: bool
    symbols: tuple[str, ...] = ()

    @cached_property
    def total(self) -> float:
        """Sum of the weights; 1 for a question without terms."""
        return sum(self.idf.values()) or 1.0

    @cached_property
    def wants_kind(self) -> re.Pattern[str] | None:
        """What finds the kind of thing that is asked for; None where no kind is."""
        return _GIVEN.get(read_intent(self.text).kind)

    def leaning_to(self, follow_up: str) -> Weighed:
        """The same with what a follow-up does not say itself at `EARLIER` of its weight.

        "And for Android?" asks for what is said of Android; the question before only tells what about it.
        """
        new = set(analyze(follow_up))
        idf = {term: weight if term in new else EARLIER * weight for term, weight in self.idf.items()}
        return replace(self, idf=idf)

    def coverage(self, terms: Set[str]) -> float:
        """Share of the question's weight that the terms hold, 0 to 1."""
        return sum(weight for term, weight in self.idf.items() if term in terms) / self.total


KINDS = frozenset(
    analyze(
        "shortcut hotkey keybinding keystroke key flag switch option parameter argument setting property attribute "
        "field command function method keyword syntax snippet"
    )
)
"""What a question calls a thing beside its name, where the sources may call it otherwise or by its name alone."""


SAID_OF = frozenset(analyze("work happen need want support occur"))
"""What a question says of a thing beside its name, in words that the sources need not have."""


def weigh(question: str, lexicon: Lexicon, *, as_written: bool = False) -> Weighed:
    """Weigh a question's terms by how rare they are in the collection (BM25's idf).

    Words that only ask for a meaning ("stand for") count where it is taken `as_written` alone, and so do those that
    call by its kind what the collection calls otherwise, or say of it that it works.
    """
    asked, terms = read_intent(question), analyze(question)
    count = lexicon.chunk_count
    said = terms if as_written else content_terms(asked, terms)
    held = {term: lexicon.document_frequency(term) for term in dict.fromkeys(said)}
    small = small_terms(question)
    if not as_written and any(held.values()):
        held = {
            term: chunks
            for term, chunks in held.items()
            if term not in small and (chunks or not (term in KINDS | SAID_OF or is_ending(term)))
        } or held
    # In another language a word that no chunk holds may be a form of one that some do.
    weights = {term: idf(count, max(chunks, 1) if small else chunks) for term, chunks in held.items()}
    return Weighed(question, weights, _names(question), asked.is_code)


def _names(question: str) -> tuple[str, ...]:
    """Capitalised words inside sentences, acronyms, words with digits, and identifiers.

    >>> _names("How do I scan NFC tags with React? Is MoveIt needed?")
    ('nfc', 'react', 'moveit')
    """
    found: dict[str, None] = {}
    for sentence in re.split(r"[.!?:]\s+|\n", question):
        for place, word in enumerate(words(sentence)):
            inner = word[1:]
            marked = any(letter.isupper() or letter.isdigit() for letter in inner) and not word.isdigit()
            is_capital = place > 0 and word[:1].isupper() and capitals_are_names(question)
            if word.lower() not in STOP_WORDS and (marked or is_capital):
                found.setdefault(word.lower())
    found.update(dict.fromkeys(name.lower() for name in identifiers(question)))
    return tuple(found)


def strange_words(question: str, lexicon: Lexicon, ordinary: WordList | None) -> tuple[str, ...]:
    """Words that neither a chunk of the collection holds nor the language at large: names of things of elsewhere."""
    if ordinary is None or _is_known(question, lexicon):
        return ()
    found: dict[str, None] = {}
    for written in words(question):
        word = written.removesuffix("'s").removesuffix("’s")
        whole, *parts = analyze(word) or ("",)
        if not whole or lexicon.document_frequency(whole):
            continue
        if parts and all(map(lexicon.document_frequency, parts)):  # `part.Touched:Once`, "for-each"
            continue
        # The stem too: an inflected word is several pieces where its stem is one.
        if not any(map(ordinary.has_word, (word, whole, *_bases(word.lower())))) and not _is_compound(
            word.removesuffix("s"), ordinary
        ):
            found.setdefault(written)
    return tuple(found)


def _is_known(question: str, lexicon: Lexicon) -> bool:
    """Whether it is in another language, of whose words nothing is known here, and the sources have most of them.

    Half is enough where they have few chunks, and so few of the forms of a word.
    """
    small = small_terms(question)
    own = set(analyze(question)) - small
    held = sum(lexicon.document_frequency(term) > 0 for term in own)
    return bool(small) and 2 * held + (lexicon.chunk_count < FEW_CHUNKS) > len(own)


def _is_compound(word: str, ordinary: WordList) -> bool:
    """Whether it is written small, as names are not, and made of two words of the language: `bookkeeping`."""
    ends = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1) if word.isalpha() and word.islower() else ()
    return any(ordinary.has_word(word[:end]) and ordinary.has_word(word[end:]) for end in ends)


def without_common(question: str, lexicon: Lexicon) -> str:
    """The question without the words that most chunks hold; "" where those are none of it, or all that it says."""
    said, most = question.split(), COMMON * lexicon.chunk_count
    terms = {word: analyze(word) for word in said}
    rest = [
        word for word in said if not terms[word] or min(map(lexicon.document_frequency, terms[word])) <= most
    ]
    return " ".join(rest) if len(rest) < len(said) and any(map(terms.get, rest)) else ""


def is_slip(written: str, known: str) -> bool:
    """Whether a word was meant that was read in place of the one that was written: letters are swapped or left out,
    or its end is another. In a long word any slip is one; a short one may be the name of something else.

    >>> is_slip("stroe", "store"), is_slip("brokr", "broker"), is_slip("stricter", "strict"), is_slip("nixos", "nxos")
    (True, True, True, False)
    """
    one, other = written.casefold(), known.casefold()
    left = iter(other)
    return (
        len(one) >= LONG_WORD
        or sorted(one) == sorted(other)
        or one.startswith(other[:-1])
        or all(letter in left for letter in one)
        or other in readings(one)
    )


def _bases(word: str) -> list[str]:
    """What a derived word may come from, so that `initialized` is no stranger than `initial`.

    >>> _bases("caching"), _bases("multithreading"), _bases("sofa")
    (['cach', 'cache'], ['multithread', 'multithreade', 'thread', 'threade'], [])
    """
    derived = _DERIVED.fullmatch(word)
    if not derived:
        return []
    before, base = derived.group("prefix", "base")
    stems = dict.fromkeys(((before or "") + base, base))
    return [form for stem in stems if stem != word for form in (stem, f"{stem}e")]


def tells_replacement(passage: str) -> bool:
    """Whether it says what to use in place of something.

    >>> tells_replacement("This is deprecated. Use `task.wait()` instead.")
    True
    """
    if _REPLACED.search(passage):
        return True
    said = _DEPRECATED.search(passage)
    return bool(said and _USE.search(passage, said.end()))


def cue(question: Weighed, passage: str, title: str = "") -> float:
    """Whether the passage holds the kind of thing that is asked for, and that the question has not said itself.

    1 and -1 for a number, date or name that is there or missing, half of that for a reason, twice for what has a form
    of its own, which its title may be; 0 where no kind is asked.
    """
    asked, given = question.text.lower(), question.wants_kind
    if given is None:
        return 0.0
    has_form = given in _WRITTEN.values()
    size = 2.0 if has_form else 0.5 if given is _REASON else 1.0
    said = f"{title}\n{passage}" if given is _WRITTEN["variable"] else passage
    return size if any(found.group().lower() not in asked for found in given.finditer(said)) else -size
