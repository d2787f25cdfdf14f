"""Whether sources say what a sentence says: its terms and their neighbours, its numbers, names and symbols."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import TypeAlias

from quire.analysis.terms import STOP_WORDS, analyze, identifiers, words
from quire.answering.citations import CODE_SPAN
from quire.answering.extractive.passages import sentences
from quire.answering.extractive.weighing import Lexicon, weigh
from quire.answering.generative.context import PromptSource

THRESHOLD = 0.6
"""The strictest that keeps .95 of what is said, on the replies over one handbook of `tests/support/model_replies`."""
CLAUSE_SHARE = 0.3
"""Of a clause's terms that a source must hold: half of a sentence may be true."""
SAME = 0.75
"""A sentence of a source that holds so much of another speaks of the same, and must affirm or deny it alike."""
TOUCHED = 0.4
"""One that denies something and holds so much of it may be what a denial comes from."""
PAIR_THRESHOLD = 0.8
"""Two sources that the model did not name together hold a sentence by chance more easily than one."""
TERM_SHARE = 0.75
"""Of the score, for terms; the rest is for terms that stand near each other in a source as in the sentence."""
NEAR = 5
"""Terms apart that still count as neighbours in a source."""
ASKED_SHARE = 0.4
"""Weight of a term that the question says itself."""
_NUMBER = re.compile(
    r"""
    (?<![\w.])v?(\d++(?:[.,:]\d++)*+)(?![\w])           # 3, v5.3.1, 1,000, 12:30
    | (?<![\w.])(\d++(?:\.\d++)?)(?=[a-zA-Z%°]{1,3}\b)  # 20ms, 5%
    """,
    re.VERBOSE,
)
_SPELLED = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
    "twice": "2",
}
_UNITS = {
    form: forms.split()[0]
    for forms in (
        "second seconds sec secs s",
        "minute minutes min mins",
        "hour hours hr hrs h",
        "day days",
        "week weeks",
        "month months",
        "year years",
        "millisecond milliseconds ms",
        "percent % per_cent",
        "byte bytes",
        "kilobyte kilobytes kb kib",
        "megabyte megabytes mb mib",
        "gigabyte gigabytes gb gib",
        "litre litres liter liters l",
        "metre metres meter meters m",
        "centimetre centimetres centimeter centimeters cm",
        "millimetre millimetres millimeter millimeters mm",
        "kilometre kilometres kilometer kilometers km",
        "gram grams g",
        "kilogram kilograms kg",
        "watt watts w",
        "volt volts v",
        "degree degrees °",
        "hertz hz",
        "pixel pixels px",
        "stud studs",
        "dollar dollars",
        "euro euros",
        "time times",
    )
    for form in forms.split()
}
_RATE = re.compile(r"\b(?:per|/)\s*([a-z]+)\b", re.I)
PER = "per"
_MEASURE = re.compile(
    r"""
    ( (?<!\d)\d++(?:[.,]\d++){0,6}+ | \b[a-z]++\b )  # 2, or any word: `two` is one
    (?= [\s-]*+([a-z°%]++) )                         # which may be the number of the next match
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMMON = frozenset(
    "use call set run show pass make get do work need want have happen allow let give take put keep go see way also"
    " then first again default onli must should may".split()
)
"""Stems of words that carry a sentence rather than say something."""
_NAME = re.compile(r"[A-Z][\w'’-]*")
_NEGATION = re.compile(
    r"""
    \b(?:
        not | never | no | cannot | without | nor | neither | none | nothing
        | forbid\w* | prohibit\w* | avoid\w*  # what says no by its meaning
        | out[ ]of | outside
        | \w+n['’]t
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSE = re.compile(
    r"""
    [,;:]\s | \s[–—]\s
    | \b(?:and|but|or|because|since|so|then|which|who|that|while|when|if|as|until)\b  # begins another
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PAUSE = re.compile(r"[.!?:]\s+|\n|^\W*")


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a text is right or wrong to the letter.

    Attributes:
        numbers: as digits, `2` for `two` where a unit follows.
        measures: pairs of number and unit.
        symbols: identifiers and what stands in code spans, lower-case.
        names: capitalised words inside sentences, lower-case and stemmed.
    """

    numbers: frozenset[str]
    measures: frozenset[tuple[str, str]]
    symbols: frozenset[str]
    names: frozenset[str]


Said: TypeAlias = tuple[frozenset[str], bool]


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """What one source, or several together, say.

    Attributes:
        sentences, clauses: terms of each, and whether it denies something.
    """

    text: str
    terms: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    measures: frozenset[tuple[str, str]]
    sentences: tuple[Said, ...]
    clauses: tuple[Said, ...]

    def joined(self, other: KnownFacts) -> KnownFacts:
        """What both say."""
        return KnownFacts(
            f"{self.text}\n{other.text}",
            self.terms | other.terms,
            self.pairs | other.pairs,
            self.numbers | other.numbers,
            self.measures | other.measures,
            self.sentences + other.sentences,
            self.clauses + other.clauses,
        )


@dataclass(frozen=True, slots=True)
class ModelClaim:
    """A sentence as it is judged.

    Attributes:
        weights: term -> how much it counts.
        pairs: of neighbouring terms.
        facts: what must stand in a source as it is.
    """

    weights: Mapping[str, float]
    pairs: tuple[tuple[str, str], ...]
    facts: Facts
    clauses: tuple[frozenset[str], ...]
    denies: bool

    def is_said(self, known: KnownFacts, threshold: float = THRESHOLD) -> bool:
        """Whether the sources say it: enough of it, something of each clause, all its facts, and no denial of it."""
        return (
            self.score(known) >= threshold
            and all(self._held(clause, known.terms) >= CLAUSE_SHARE for clause in self.clauses)
            and not self.unknown(known)
            and not self.is_denied(known)
        )

    def is_denied(self, known: KnownFacts) -> bool:
        """Whether the sources affirm what this denies, or deny what this affirms, and nowhere say the same."""
        every = frozenset(self.weights)
        parts = known.sentences if self.denies else known.clauses
        alike = [denies for terms, denies in parts if self._held(every, terms) >= SAME]
        if self.denies:
            alike += [True for terms, denies in parts if denies and self._held(every, terms) >= TOUCHED]
        return bool(alike) and self.denies not in alike

    def _held(self, terms: frozenset[str], held: frozenset[str]) -> float:
        total = sum(self.weights[term] for term in terms if term in self.weights)
        return (
            sum(self.weights[term] for term in terms & held if term in self.weights) / total if total else 1.0
        )

    def score(self, known: KnownFacts) -> float:
        """How much of it is known, 0 to 1."""
        total = sum(self.weights.values())
        if not total:
            return 1.0
        held = self._held(frozenset(self.weights), known.terms)
        if not self.pairs:
            return held
        near = sum(pair in known.pairs for pair in self.pairs) / len(self.pairs)
        return TERM_SHARE * held + (1 - TERM_SHARE) * near

    def unknown(self, known: KnownFacts) -> tuple[str, ...]:
        """Numbers, measures, symbols and names that are not known, as a reader is told of them."""
        facts = self.facts
        missing = sorted(facts.numbers - known.numbers)
        units = {number for number, _ in known.measures}
        missing += [
            f"{number} {unit}"
            for number, unit in sorted(facts.measures - known.measures)
            if number in units and number not in missing
        ]
        missing += [one for one in sorted(facts.symbols) if one not in known.text]
        missing += [one for one in sorted(facts.names) if one not in known.terms]
        return tuple(dict.fromkeys(missing))


def claim_of(sentence: str, question: str, lexicon: Lexicon) -> ModelClaim:
    """A sentence, without its marks, as what it claims.

    A term of no chunk may be a synonym: it counts no more than one of a single chunk.
    """
    asked = set(analyze(question))
    weighed = weigh(sentence, lexicon)
    rarest = math.log(1 + (lexicon.chunk_count - 0.5) / 1.5)
    weights = {
        term: min(weight, rarest) * (ASKED_SHARE if term in asked or term in _COMMON else 1.0)
        for term, weight in weighed.idf.items()
    }
    terms = analyze(sentence)
    pairs = [(one, other) for one, other in pairwise(terms) if one != other]
    clauses = (frozenset(analyze(clause)) for clause in _CLAUSE.split(sentence))
    return ModelClaim(
        weights,
        tuple(dict.fromkeys(_ordered(pairs))),
        facts_of(sentence),
        tuple(clause for clause in clauses if len(clause - asked) > 1),
        negates(sentence),
    )


def known_of(source: PromptSource, title: str = "") -> KnownFacts:
    """What a source says, with where it stands and what the collection is called."""
    chunks = [hit.chunk for hit in source.hits]
    symbols = " ".join(symbol for chunk in chunks for symbol in chunk.symbols)
    text = (
        f"{source.text}\n{source.label}\n{' '.join(chunk.breadcrumb for chunk in chunks)}\n{symbols}\n{title}"
    )
    terms = analyze(text)
    pairs = [(one, other) for place, one in enumerate(terms) for other in terms[place + 1 : place + 1 + NEAR]]
    facts = facts_of(text)
    said = [source.text[start:end] for start, end in sentences(source.text, 0, len(source.text))]
    return KnownFacts(
        text.lower(),
        frozenset(terms),
        frozenset(_ordered(pairs)),
        facts.numbers | {_SPELLED[word] for word in re.findall("[a-z]+", text.lower()) if word in _SPELLED},
        facts.measures,
        tuple(map(_said, said)),
        tuple(_said(clause) for one in said for clause in _CLAUSE.split(one)),
    )


def _said(text: str) -> Said:
    return frozenset(analyze(text)), negates(text)


def together(known: Sequence[KnownFacts]) -> KnownFacts:
    """What all of them say; there must be one."""
    return reduce(KnownFacts.joined, known)


def facts_of(text: str) -> Facts:
    """The text's numbers, measures, symbols and names.

    >>> sorted(facts_of("Wait two minutes, then call `api.start()` from version 5.3.").numbers)
    ['2', '5.3']
    """
    measures = frozenset(_measures(text))
    numbers = {found[1] or found[2] for found in _NUMBER.finditer(text)}
    numbers |= {number for number, _ in measures if number != PER}
    return Facts(
        frozenset(number.replace(",", "") for number in numbers),
        measures,
        frozenset(_symbols(text)),
        frozenset(_names(text)),
    )


def _measures(text: str) -> Iterable[tuple[str, str]]:
    for found in _MEASURE.finditer(text):
        number, unit = found[1].lower().replace(",", ""), _UNITS.get(found[2].lower())
        number = _SPELLED.get(number, number)
        if unit and number[0].isdigit():
            yield number, unit
    for rate in _RATE.findall(text):
        if unit := _UNITS.get(rate.lower()):
            yield PER, unit


def _symbols(text: str) -> Iterable[str]:
    spans = [span.group().strip("`").strip() for span in CODE_SPAN.finditer(text)]
    for name in [*identifiers(text), *spans]:
        bare = (name.partition("(")[0] if name.endswith(")") else name).lower()
        if bare and bare not in STOP_WORDS:
            yield bare


def _names(text: str) -> Iterable[str]:
    plain = CODE_SPAN.sub(" ", text)
    for sentence in _PAUSE.split(plain):
        for place, word in enumerate(words(sentence)):
            if place and _NAME.fullmatch(word) and word.lower() not in STOP_WORDS:
                yield from analyze(word)[-1:]


def _ordered(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each pair with the smaller term first: word order differs between active and passive."""
    return [(one, other) if one < other else (other, one) for one, other in pairs]


def negates(text: str) -> bool:
    """Whether it says that something is not so."""
    return bool(_NEGATION.search(text))
