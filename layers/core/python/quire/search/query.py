"""Reads a question against the collection's own vocabulary: search terms, named symbols, mended spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, permutations
from types import MappingProxyType
from typing import NamedTuple, Protocol

from quire.analysis.entries import KEY, ROW_MARK, SECTION_MARK, asked_entries
from quire.analysis.language import small_terms
from quire.analysis.symbols import fold_symbol
from quire.analysis.terms import (
    HEADING_MARK,
    STOP_WORDS,
    VERSION,
    analyze,
    identifiers,
    possible_commands,
    words,
)
from quire.analysis.word_forms import OTHER_FORM, forms_of, inflections, readings
from quire.index.bm25 import idf
from quire.search.intent import Intent, WantedDefinition, content_terms, is_of_use, marked_names, read_intent

MOST_NAMES, MOST_JOINED = 64, 6
"""Names that a question is read for; each may cost a walk through the hierarchy of an API. And those of which each two
are tried as a member and what holds it."""
MOST_COMMANDS = 8
"""Commands that a question is taken to write: for each the index is searched."""
EXACT_WEIGHT = 5.0
"""Of a command that the question writes, beside 1 of a word. Chosen on Laravel's documentation and React Native's."""
_OF_ENTRIES = frozenset(
    analyze(
        "set mean use configure enable disable change value default fix resolve ignore error warning code rule option "
        "setting parameter argument flag field key property variable environment "
        "version release date note changelog history new add remove deprecate break support upgrade"
    )
)
"""What is asked about a key, a code or a version itself."""
LITTLE, MUCH = 0.3, 0.9
SHORTEST_UNFINISHED = 10
SHORTEST_MENDED, LONGEST_MENDED = 4, 40
MOST_MENDED = 6
MOST_STRANGE = 24
"""Words whose spelling is looked for; each costs half a millisecond."""
LEAST_TELLING = 7
"""Letters of a word of another language than English that tell what it is a slip of."""
SHORTEST_QUESTION = 3
"""Words from which on a question is a sentence, whose ordinary words mean themselves."""
_PART = re.compile(r"\w+")
_SPELLED = re.compile(
    rf"(?<!\w) (?!\d+(?!\w)) [A-Za-z0-9_]{{{SHORTEST_MENDED},{LONGEST_MENDED}}} (?!\w)", re.VERBOSE
)
"""A word that may be misspelt: no number, in Latin letters."""
NOTHING_ELSE: Mapping[str, float] = MappingProxyType({})


class KnownWords(Protocol):
    """Words in the order of their letters; `quire.index.tables.WordTable` fulfils it."""

    def beginning(self, letters: str) -> Iterable[str]:
        """Those that begin with the letters."""


class Vocabulary(Protocol):
    """What the collection knows of words and symbols; `quire.index.opened.OpenedIndex` fulfils it."""

    @property
    def chunk_count(self) -> int:
        """Chunks that can be found."""

    @property
    def expect(self) -> Callable[[Iterable[str]], object]:
        """Is told of which terms `document_frequency` will be asked: what asks elsewhere does so once."""

    def document_frequency(self, term: str) -> int:
        """Chunks that hold the term."""

    def near(self, word: str, limit: int) -> Sequence[str]:
        """Known words that share most letters with `word`, likeliest first."""

    @property
    def words(self) -> KnownWords:
        """Lower-case words that it knows."""

    def has_symbol(self, name: str) -> bool:
        """Whether a chunk defines the symbol, compared by `fold_symbol`."""


class Question(NamedTuple):
    """A question as the indexes are asked it.

    Attributes:
        text: what is embedded: the question with its spelling mended.
        terms: search terms with weights; marked heading terms included.
        names: symbols that the collection defines and the question writes as identifiers or asks what they do, in
            order.
        whole: the question is one symbol and nothing else.
        defined: the one of `names` whose definition is asked for.
        subject: the one of `names` whose callers or usages are asked for; "" for most questions.
        mended: words as written, each with what it was read as.
        intent: what it asks for by its wording, with its spelling mended.
        unmended: the same by its wording as written.
        known_share: share of the question's information (summed idf) in terms that the collection holds, 0 to 1; a
            word whose spelling was mended counts only where it became a symbol's name.
        foreign: it writes an identifier that the collection neither defines nor mentions.
        focus: 1 where it says next to nothing beside `names`, `commands` and `entries`, so that it is about them; 0
            where it says much.
        forms: terms for other forms of its words, with weights, that the collection holds; marked ones included.
        commands: marked terms of the commands that it writes and the collection shows, in order.
        entries: marked names that it writes and sections, rows or items of the collection are called by, in order;
            versions are among them.
        writes_option: it writes an option of a command, `--dry-run`.
        is_of_use: somebody asks it who uses what the sources are of, see `quire.search.intent.is_of_use`, and it names
            nothing that decides by itself what is meant.
    """

    text: str
    terms: Mapping[str, float]
    names: tuple[str, ...]
    whole: bool
    mended: Mapping[str, str]
    intent: Intent
    unmended: Intent
    known_share: float = 1.0
    foreign: bool = False
    defined: WantedDefinition | None = None
    subject: str = ""
    focus: float = 0.0
    forms: Mapping[str, float] = NOTHING_ELSE
    commands: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    writes_option: bool = False
    is_of_use: bool = False

    @property
    def exact(self) -> tuple[str, ...]:
        """What chunks are named by: its commands and entries; where an option is asked for, that alone."""
        has_option = any(name[1:].startswith("-") for name in self.entries)
        return self.entries if has_option else (*self.commands, *self.entries)

    @property
    def searched(self) -> dict[str, float]:
        """What keywords are searched by: its terms, the other forms of its words, its commands and entries."""
        return {
            **self.terms,
            **self.forms,
            **dict.fromkeys(self.commands, EXACT_WEIGHT),
            **dict.fromkeys(self.entries, EXACT_WEIGHT * self.focus),
        }


def read_question(
    text: str,
    vocabulary: Vocabulary,
    *,
    heading_weight: float,
    resolve: Callable[[str], str | None] = lambda _: None,
    is_ordinary: Callable[[str], bool] | None = None,
    word_forms: bool = False,
) -> Question:
    """Mend the spelling, find named symbols, and weigh the terms.

    `resolve` turns a name that no chunk defines into one that is (an inherited member into its declaring class's).
    `is_ordinary` knows the words of the language, which are no misspellings of the collection's. With `word_forms`
    other forms of its words are searched for too, unless it is a name.
    """
    wording = written = _take_apart(text, (), word_forms=word_forms)
    vocabulary.expect(_expected(wording))
    inflected = inflections(text, vocabulary.words.beginning)
    meant = _mend(wording, vocabulary, is_ordinary)
    small = small_terms(text)
    if small:  # what a short word of another language is a slip of is chance
        meant = {
            word: known
            for word, known in meant.items()
            if len(word) >= LEAST_TELLING or _is_sure(word, known)
        }
        meant |= _unheld(inflected, vocabulary)
    if meant:
        guesses = [
            word
            for said, word in meant.items()
            if not (said in inflected or vocabulary.has_symbol(word) or _is_sure(said, word))
        ]
        wording = _take_apart(mended(text, meant), guesses, word_forms=word_forms)
    if inflected:
        others = dict.fromkeys(
            (term for forms in inflected.values() for word in forms for term in analyze(word)), OTHER_FORM
        )
        wording = wording._replace(forms={**others, **wording.forms})
    intent = wording.intent
    said = _without_unknown_options(wording, vocabulary)
    frequencies = {
        term: 0 if term in wording.guessed else vocabulary.document_frequency(term)
        for term in dict.fromkeys(said)
        if term not in small
    }
    wanted, subject = intent.definition, intent.related
    asked = [name for name in (wanted.name if wanted else "", subject) if name]
    names, whole = _names(wording, asked, vocabulary, resolve)
    terms = _weighed(said, heading_weight)
    commands = _known_commands(written.commands, vocabulary)
    # A symbol is told by its definition.
    told = [name for name in wording.named if not vocabulary.has_symbol(name)]
    entries = tuple(asked_entries(told, vocabulary.document_frequency))
    return Question(
        text=wording.text,
        terms=terms,
        names=names,
        whole=whole,
        mended=meant,
        intent=intent,
        unmended=written.intent,
        known_share=_known_share(frequencies, vocabulary.chunk_count),
        foreign=_is_foreign(wording, vocabulary, resolve),
        defined=wanted if wanted and wanted.name in names else None,
        subject=subject if subject in names else "",
        focus=_focus([*names, *commands, *entries], frequencies, vocabulary.chunk_count),
        forms=NOTHING_ELSE if whole else _held_forms(wording.forms, terms, vocabulary, heading_weight),
        commands=commands,
        entries=entries,
        writes_option=bool(wording.options),
        is_of_use=is_of_use(wording.text) and not (names or commands or entries or wording.identifiers),
    )


def _unheld(inflected: Mapping[str, Sequence[str]], vocabulary: Vocabulary) -> dict[str, str]:
    """Of words that no chunk holds as they are written the likeliest form that one does."""
    return {
        word: forms[0]
        for word, forms in inflected.items()
        if not any(map(vocabulary.document_frequency, analyze(word)))
    }


class _ReadText(NamedTuple):
    """A question's text, taken apart once: all that is read of it alone.

    Attributes:
        text: the question.
        intent: what it asks for.
        words: its tokens as written.
        spelled: the parts of them that may be misspelt, each with its terms.
        written: what it writes as names of code, see `written_names`.
        named: what it writes as a name or a version.
        identifiers: its identifiers, `MOST_NAMES` at most, each with its terms.
        options: of those that are options of commands the first term of each.
        terms: its search terms, in order, with repeats.
        said: those of them that do not only ask for a meaning.
        guessed: those of words that others were read as, which the question does not say itself.
        forms: terms for other forms of its words, with weights, where they are searched for.
        commands: what may be its commands, see `possible_commands`.
    """

    text: str
    intent: Intent
    words: list[str]
    spelled: Mapping[str, list[str]]
    written: list[str]
    named: list[str]
    identifiers: Mapping[str, list[str]]
    options: frozenset[str]
    terms: list[str]
    said: list[str]
    guessed: frozenset[str]
    forms: Mapping[str, float]
    commands: list[list[str]]


def _take_apart(text: str, guesses: Iterable[str], *, word_forms: bool) -> _ReadText:
    tokens, terms = words(text), analyze(text)
    spelled = {part: analyze(part) for part in _SPELLED.findall(text)}
    code_names = identifiers(text)
    names = {name: analyze(name) for name in code_names[:MOST_NAMES]}
    commands = list(possible_commands(text))
    intent = read_intent(text)
    written = [*code_names, *marked_names(text)]
    return _ReadText(
        text=text,
        intent=intent,
        words=tokens,
        spelled=spelled,
        written=written,
        named=[*(written or KEY.findall(text))[:MOST_NAMES], *filter(VERSION.fullmatch, terms)],
        identifiers=names,
        options=frozenset(held[0] for name, held in names.items() if name.startswith("--")),
        terms=terms,
        said=content_terms(intent, terms),
        guessed=frozenset(term for word in guesses for term in analyze(word)),
        forms=forms_of(tokens) if word_forms else NOTHING_ELSE,
        commands=commands,
    )


def _expected(wording: _ReadText) -> Iterator[str]:
    """The terms of a text and of other forms of its words, as they stand in it and in headings, and of commands."""
    for term in (*wording.terms, *wording.forms):
        yield term
        yield HEADING_MARK + term
    yield from chain.from_iterable(wording.commands)
    for name in map(fold_symbol, wording.named):
        yield from (SECTION_MARK + name, ROW_MARK + name)


def _known_commands(possible: Iterable[Sequence[str]], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Of what may be commands those that the collection shows, each as long as it is."""
    known = [[term for term in begun if vocabulary.document_frequency(term)] for begun in possible]
    return tuple(dict.fromkeys(terms[-1] for terms in known if terms))[:MOST_COMMANDS]


def _without_unknown_options(wording: _ReadText, vocabulary: Vocabulary) -> Sequence[str]:
    """The terms without those of whole options that nothing holds: an index of before there were such has the words."""
    return [
        term for term in wording.said if term not in wording.options or vocabulary.document_frequency(term)
    ]


def term_weights(text: str, heading_weight: float) -> dict[str, float]:
    """The text's terms with weights, one that is said again counting twice at most; then those of headings."""
    return _weighed(analyze(text), heading_weight)


def _weighed(terms: Iterable[str], heading_weight: float) -> dict[str, float]:
    counts = Counter(terms)
    weights = {term: float(min(count, 2)) for term, count in counts.items()}
    if heading_weight:
        weights.update({HEADING_MARK + term: heading_weight for term in counts})
    return weights


def _held_forms(
    forms: Mapping[str, float], terms: Mapping[str, float], vocabulary: Vocabulary, heading_weight: float
) -> dict[str, float]:
    """Other forms of the words that the collection holds, as `terms` weighs the words themselves."""
    held = {
        term: weight
        for term, weight in forms.items()
        if term not in terms and vocabulary.document_frequency(term)
    }
    if not heading_weight:
        return held
    return held | {HEADING_MARK + term: weight * heading_weight for term, weight in held.items()}


def _focus(names: Sequence[str], frequencies: Mapping[str, int], chunks: int) -> float:
    """How little the question says beside the names, by the idf of its other known terms as a share of the rarest's.

    Up to `LITTLE` of it ("what is X used for", "X or Y") counts as nothing, `MUCH` as a question of its own. Measured
    on Roblox: MRR of 120 questions about a class .86 to .95, of 60 for the difference of two .60 to .68, of 200 for a
    member by its description and class .862 to .856; the golden questions of four collections stay as they were.
    """
    if not names:
        return 0.0
    named = {term for name in names for term in analyze(name)}
    if any(name.startswith((SECTION_MARK, ROW_MARK)) for name in names):
        named |= _OF_ENTRIES.union(filter(VERSION.fullmatch, frequencies))
    beside = sum(idf(chunks, held) for term, held in frequencies.items() if held and term not in named)
    share = beside / idf(chunks, 1)
    return min(max((MUCH - share) / (MUCH - LITTLE), 0.0), 1.0)


def _known_share(frequencies: Mapping[str, int], chunks: int) -> float:
    gains = {term: idf(chunks, frequency) for term, frequency in frequencies.items()}
    total = sum(gains.values())
    return sum(gain for term, gain in gains.items() if frequencies[term]) / total if total else 0.0


def _is_foreign(wording: _ReadText, vocabulary: Vocabulary, resolve: Callable[[str], str | None]) -> bool:
    """Whether one of the identifiers is neither held as a term nor a symbol.

    Of an option one word is enough: indexes of before they were terms hold their words alone.
    """
    return not all(
        any(map(vocabulary.document_frequency, terms[: None if name.startswith("--") else 1]))
        or vocabulary.has_symbol(name)
        or resolve(name)
        for name, terms in wording.identifiers.items()
    )


def _names(
    wording: _ReadText, asked: Sequence[str], vocabulary: Vocabulary, resolve: Callable[[str], str | None]
) -> tuple[tuple[str, ...], bool]:
    """The symbols of the collection that the question writes, in order, and whether it is nothing but one."""
    tokens = wording.words
    whole = len(tokens) == 1
    owners = [token[:-2] for token in tokens if token.endswith(("'s", "’s"))]
    proper = [one for one in (*owners, *tokens[1:]) if one[:1].isupper() and one.lower() not in STOP_WORDS]
    candidates = tokens if whole else [*asked, *wording.written, *proper]
    names = list(dict.fromkeys(candidates))[:MOST_NAMES]
    found: dict[str, str] = {}
    for name in names:
        known = name if vocabulary.has_symbol(name) else resolve(name) or _without_joints(name, vocabulary)
        if known:
            found[name] = known
    members = _members([*found], vocabulary, resolve)
    joined = dict.fromkeys(
        members.get(name, known) for name, known in found.items() if members.get(name, known)
    )
    return tuple(joined), whole and bool(joined)


def _members(
    names: Sequence[str], vocabulary: Vocabulary, resolve: Callable[[str], str | None]
) -> dict[str, str]:
    """Names that are written apart from what holds them, each with the member's symbol; "" for what holds it.

    "Does Part have Touched?" is asked of `BasePart.Touched`, and neither of all parts nor of what else is touched.
    """
    found: dict[str, str] = {}
    bare = [name for name in names if fold_symbol(name).isidentifier()][:MOST_JOINED]
    for owner, member in permutations(bare, 2):
        name = f"{owner}.{member}"
        known = name if vocabulary.has_symbol(name) else resolve(name)
        if known:
            found[member] = known
            found.setdefault(owner, "")
    return found


def _without_joints(name: str, vocabulary: Vocabulary) -> str | None:
    """The class that a name of a file or a key means: `RaiseError` by `raise_error`; None where there is none."""
    joined = name.replace("_", "").replace("-", "")
    return joined if joined != name and vocabulary.has_symbol(joined) else None


def written_names(text: str) -> list[str]:
    """What is written as a name of code: identifiers, `wait()`, words in back quotes, and what is asked what it does.

    >>> written_names("does wait() call `spawn` or Task.retry")
    ['Task.retry', 'wait', 'spawn']
    >>> written_names("What does sdstrim do?"), written_names("what does the worker do")
    (['sdstrim'], [])
    """
    return [*identifiers(text), *marked_names(text)]


def written_keys(text: str) -> list[str]:
    """What is written as a name of code, else what may be the name of a key or a code.

    >>> written_keys("What does `spawn` do?"), written_keys("How do I fix E0502?"), written_keys("Is max-files known?")
    (['spawn'], ['E0502'], ['max-files'])
    >>> written_keys("What does ENOENT mean?")
    ['ENOENT']
    """
    return written_names(text) or KEY.findall(text)


def _mend(
    wording: _ReadText, vocabulary: Vocabulary, is_ordinary: Callable[[str], bool] | None
) -> dict[str, str]:
    """The misspelt words of a question, each with the known word that it is read as.

    `is_ordinary` knows the words of the language, which are no misspellings of the collection's.
    """
    meant: dict[str, str] = {}
    strange = 0
    tokens = [token for token in wording.words if "'" not in token]
    is_sentence = len(tokens) >= SHORTEST_QUESTION
    for token in dict.fromkeys(tokens):
        if len(meant) >= MOST_MENDED or strange >= MOST_STRANGE:
            break
        if token.isalpha() and (known := _held_reading(token, vocabulary)):
            meant[token] = known
            continue
        if is_sentence and is_ordinary is not None and token.isalpha() and is_ordinary(token):
            continue
        for part in _PART.findall(token):
            if not _is_strange(part, wording.spelled.get(part), vocabulary):
                continue
            strange += 1
            known = _known_spelling(part.lower(), vocabulary)
            if known and known != part.lower() and not _is_opposite(part.lower(), known):
                meant[part] = known
    return meant


def _is_opposite(word: str, known: str) -> bool:
    """Whether the word says the opposite of the known one, as "uninstall" does of "install"."""
    return word.endswith(known) and word.removesuffix(known) in ("un", "de", "dis", "in", "non", "a")


def _held_reading(token: str, vocabulary: Vocabulary) -> str | None:
    """How the collection writes a word that it does not have so: `license` for "licence"; None where it has neither."""
    if not (others := readings(token.lower())) or not _is_strange(token, analyze(token), vocabulary):
        return None
    terms = {one: analyze(one)[:1] for one in others}
    vocabulary.expect(chain.from_iterable(terms.values()))
    return next((one for one in others if any(map(vocabulary.document_frequency, terms[one]))), None)


def _is_sure(said: str, word: str) -> bool:
    """Whether it is that word: its letters in another order, or as others write it."""
    return sorted(said.lower()) == sorted(word.lower()) or word in readings(said.lower())


def mended(text: str, meant: Mapping[str, str]) -> str:
    """The text with its misspelt words as the search read them."""
    return _PART.sub(lambda word: meant.get(word.group(), word.group()), text) if meant else text


def _is_strange(part: str, terms: Sequence[str] | None, vocabulary: Vocabulary) -> bool:
    """No chunk holds the word, nor each word of a snake_case name: a misspelling, or a word of another field."""
    if not terms or vocabulary.document_frequency(terms[0]) or vocabulary.has_symbol(part):
        return False
    is_made_of_known = "_" in part and all(map(vocabulary.document_frequency, terms[1:]))
    return not is_made_of_known


def _known_spelling(word: str, vocabulary: Vocabulary) -> str | None:
    """The known word that was meant. Swapped letters are tried apart: they change half the trigrams of a short word."""
    terms = {one: analyze(one)[:1] for one in swaps(word)}
    vocabulary.expect(chain.from_iterable(terms.values()))
    swapped = [one for one, first in terms.items() if any(map(vocabulary.document_frequency, first))]
    near = vocabulary.near(word, 24)
    return best_spelling(word, [*swapped, *near]) or unfinished_spelling(word, near)


def edit_distance(left: str, right: str, bound: int) -> int:
    """Edits between two words, a swap of neighbours counting as one; above `bound` any larger number.

    Restricted Damerau-Levenshtein distance (optimal string alignment).

    >>> edit_distance("humaniod", "humanoid", 2)
    1
    """
    if abs(len(left) - len(right)) > bound:
        return bound + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (a != b))
            if before and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > bound:
            return bound + 1
        before, row = row, current
    return row[-1]


def best_spelling(word: str, candidates: Sequence[str]) -> str | None:
    """The nearest candidate within one edit (two from 8 letters on); ties go to the earlier candidate.

    Words of four letters must keep their first letter, for too many are one edit apart.
    """
    bound = 2 if len(word) >= 8 else 1
    best, nearest = None, bound + 1
    for candidate in candidates:
        if len(word) < 5 and candidate[:1] != word[:1]:
            continue
        distance = edit_distance(word, candidate.lower(), nearest - 1)
        if distance < nearest:
            best, nearest = candidate, distance
    return best


def unfinished_spelling(word: str, candidates: Sequence[str]) -> str | None:
    """The first candidate that begins with `word`, one edit allowed: a long name of which the last part was left out.

    Words under ten letters begin too many others, and find none.

    >>> unfinished_spelling("userownsgamepas", ["promptgamepass", "userownsgamepassasync"])
    'userownsgamepassasync'
    """
    if len(word) < SHORTEST_UNFINISHED:
        return None
    ends = (len(word), len(word) + 1, len(word) - 1)
    for candidate in candidates:
        known = candidate.lower()
        if len(known) > len(word) and any(edit_distance(word, known[:end], 1) <= 1 for end in ends):
            return candidate
    return None


def swaps(word: str) -> list[str]:
    """The word with two neighbouring letters swapped, at each place where that changes it.

    >>> swaps("spwan")
    ['pswan', 'swpan', 'spawn', 'spwna']
    """
    pairs = ((at, word[at], word[at + 1]) for at in range(len(word) - 1))
    return [word[:at] + right + left + word[at + 2 :] for at, left, right in pairs if left != right]
