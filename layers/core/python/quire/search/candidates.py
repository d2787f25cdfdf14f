"""The chunks that may answer a question, with all that later stages weigh of them: what is read of the index for it.

Who calls whom is read from names: chunks name what they define (`symbols`) and what they refer to (`calls` of the
metadata). A reference is indexed as a keyword term behind a mark, so the callers of a name are the postings of one
term, and the callees of a chunk are the definitions of the names that it refers to. Names are matched without types:
`x.retry()` is taken for a call of everything called `retry`, and names that many chunks define are not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.analysis.keywords import call_term, calls_of
from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import HEADING_MARK, analyze
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.profiles import Profile
from quire.ranking import EMPTY, NONE, Ranking, contains, difference, fuse, intersection, rank, union
from quire.search.calibration import FEATURES
from quire.search.query import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import KeywordIndex, Ordinals, Vectors

DEPTH = 120
"""Candidates from each side. 10 lose recall; beyond 100 no golden question of four collections finds more."""
KEYWORD_DEPTH = 800
"""Keyword scores looked up for the vectors' candidates; further down they are as good as nothing."""
MOST_NAMED, MOST_HOLDING = 64, 1_024
SAME = 0.9
"""Of the best title's score, from which on a title says as much of the question."""
RELATED = 20
MOST_DEFINING = 8
MOST_DEFINITIONS = 4
"""A name that more chunks define says nothing about which of them is meant."""
CROWD = 50
"""The cosine of the nearest chunk is compared with that of so many-th."""
CALLER_SHARE = 0.75
"""Callers are what a question for them wants, before pages that mention the name; callees belong to their caller."""


class NamedSymbol(NamedTuple):
    """A symbol that the question names, and the chunks that define it: `MOST_NAMED` at most, whatever is filtered.

    Or a command that it writes, with the chunks that show it.

    Attributes:
        name: as the collection spells it.
        folded: as names are compared, see `fold_symbol`.
        chunks: ascending; those called just so come before others where there are too many.
        priors: of each.
        is_own: whether each is called just so, see `_own_chunks`; looked up where a name is all that is asked for.
        files: the documents of those that are.
        read: the chunks themselves, where they are few or their definition is asked for; else none.
    """

    name: str
    folded: str
    chunks: Ordinals
    priors: NDArray[np.float32]
    is_own: NDArray[np.bool_]
    files: tuple[str, ...]
    read: tuple[Chunk, ...]


class Candidates(NamedTuple):
    """Chunks with what is known of each, in the order of their ordinals.

    Attributes:
        ordinals: ascending.
        cosines: float32, or None where vectors take no part.
        keywords: float32, 0 where no term matched.
        ideal: upper bound of a keyword score for the question's terms.
        priors: float32: what a score is multiplied by, as the profile says of the question.
        documents: the number of the document of each.
        likeness: float32: how far the name of its file and the question say the same, 0 to 1.
        symbols: those that the question names.
        named: ordinals of those that define one of them, ascending.
        related: float32: how far it is a caller or a callee of those, where the question is about them.
    """

    ordinals: Ordinals
    cosines: NDArray[np.float32] | None
    keywords: NDArray[np.float32]
    ideal: float
    priors: NDArray[np.float32]
    documents: NDArray[np.uint32]
    likeness: NDArray[np.float32]
    symbols: tuple[NamedSymbol, ...]
    named: Ordinals
    related: NDArray[np.float32]


class Ranked(NamedTuple):
    """A question as it was read, its vector, and the chunks that it found, best first.

    `of_product` says that it may ask what is asked of any product, or what something is.
    """

    question: Question
    row: Vectors | None
    candidates: Candidates
    fused: Ranking
    of_product: bool = False


def gather(
    index: OpenedIndex,
    profile: Profile,
    question: Question,
    allowed: Ordinals | None,
    *,
    row: Vectors | None,
    keywords: bool,
) -> Candidates:
    """The best of each side and every chunk that defines a named symbol, each scored by both sides.

    `row` is the question's vector, None to leave vectors out; `keywords` says whether terms take part.
    """
    by_vector = EMPTY if row is None else index.nearest(row, DEPTH, allowed)
    by_term = index.search(question.searched, KEYWORD_DEPTH, allowed) if keywords else EMPTY
    priors = index.filters.priors(_demotions(profile, question))
    symbols = (
        *[_find_symbol(index, name, question, priors) for name in question.names],
        *[_find_exact(index, term, question, priors, allowed=allowed) for term in question.exact],
    )
    named = union([symbol.chunks for symbol in symbols])
    named = named if allowed is None else intersection(named, allowed)
    related = find_related(index, question, named, allowed)
    ordinals = union([by_vector.ordinals, by_term.ordinals[:DEPTH], named, related.ordinals])
    documents = index.documents.numbers(ordinals)
    return Candidates(
        ordinals=ordinals,
        keywords=_align(ordinals, by_term),
        ideal=index.keywords.ideal(question.terms),
        priors=priors[ordinals],
        documents=documents,
        likeness=_likeness(index, profile, question, documents),
        symbols=symbols,
        named=named,
        related=_align(ordinals, related),
        cosines=None if row is None else _cosines(index, row, ordinals, by_vector),
    )


def _demotions(profile: Profile, question: Question) -> tuple[tuple[str, str | bool, float], ...]:
    """Which chunks count less, as the profile says of a question that asks for a place, and for files of some roles."""
    demotions, wanted = profile.demotions, question.intent.roles
    if profile.place_demotions and (question.whole or question.intent.is_place):
        demotions = (*demotions, *profile.place_demotions)
    if not wanted:
        return demotions
    asked = {("role", role) for role in wanted} | ({("is_test", True)} if "test" in wanted else set())
    kept = tuple(one for one in demotions if one[:2] not in asked)
    return (*kept, *profile.test_demotions) if "test" in wanted else kept


def _likeness(
    index: OpenedIndex, profile: Profile, question: Question, documents: NDArray[np.uint32]
) -> NDArray[np.float32]:
    """How far names of files and the question say the same; no name counts where a symbol's definition is asked for."""
    if not profile.file_name or question.whole or question.defined:
        return np.zeros(len(documents), np.float32)
    files = union([documents])
    terms, forms = (
        [term for term in some if not term.startswith(HEADING_MARK)]
        for some in (question.terms, question.forms)
    )
    return index.documents.likeness(files, terms, forms)[files.searchsorted(documents)]


def _cosines(index: OpenedIndex, row: Vectors, ordinals: Ordinals, known: Ranking) -> NDArray[np.float32]:
    """Cosines of all candidates, the `known` among them; only those that the search did not score are computed."""
    cosines = np.empty(len(ordinals), np.float32)
    is_missing = np.ones(len(ordinals), np.bool_)
    places = ordinals.searchsorted(known.ordinals)
    cosines[places], is_missing[places] = known.scores, False
    missing = is_missing.nonzero()[0]
    if len(missing):
        cosines[missing] = index.cosines(row, ordinals[missing])
    return cosines


def find_related(
    index: OpenedIndex, question: Question, named: Ordinals, allowed: Ordinals | None
) -> Ranking:
    """Callers and callees of the named symbols, where the question is about either; scores at most 1."""
    if not len(named):
        return EMPTY
    asked = question.intent
    if not (asked.callers or asked.callees):
        return EMPTY
    callers = find_callers(index.keywords, question.names, RELATED, allowed) if asked.callers else EMPTY
    callees = EMPTY
    if asked.callees:
        callees = find_callees(index.symbols.chunks, index.fetch(named[:MOST_DEFINING].tolist()), RELATED)
    found = fuse(callers, callees, weight=CALLER_SHARE, depth=RELATED, limit=2 * RELATED)
    if allowed is None:
        return found
    held = contains(allowed, found.ordinals)
    return Ranking(found.ordinals[held], found.scores[held])


def find_callers(
    keywords: KeywordIndex, names: Sequence[str], limit: int, allowed: Ordinals | None = None
) -> Ranking:
    """Chunks that refer to one of the names, the most concentrated first; those that define it are not left out."""
    terms = dict.fromkeys(map(call_term, names), 1.0)
    return keywords.search(terms, limit, allowed)


def find_callees(defining: Callable[[str], Ordinals], chunks: Iterable[Chunk], limit: int) -> Ranking:
    """Chunks that define what the given ones refer to; `defining` gives those that define a symbol, ascending.

    A name scores 1 over its definitions, less for each reference that stands before it in its chunk, so that what one
    name alone can mean and what comes first lead. Names of the given chunks' own, and names with more definitions
    than `MOST_DEFINITIONS`, are left out.
    """
    found: dict[int, float] = {}
    for chunk in chunks:
        own = {last_part(fold_symbol(name)) for name in chunk.symbols}
        for position, name in enumerate(calls_of(chunk)):
            places = [] if last_part(fold_symbol(name)) in own else defining(name).tolist()
            if len(places) <= MOST_DEFINITIONS:
                score = 1.0 / (len(places) + position / 64) if places else 0.0
                found.update((ordinal, max(score, found.get(ordinal, 0.0))) for ordinal in places)
    ordinals = np.fromiter(found, np.uint32, len(found))
    return rank(ordinals, np.fromiter(found.values(), np.float32, len(found)), limit)


def _find_symbol(
    index: OpenedIndex, name: str, question: Question, priors: NDArray[np.float32]
) -> NamedSymbol:
    chunks = index.symbols.chunks(name)
    own = _own_chunks(index, name) if question.whole or len(chunks) > MOST_NAMED else NONE
    if len(chunks) > MOST_NAMED:
        first = own[:MOST_NAMED]
        chunks = union([first, difference(chunks, first)[: MOST_NAMED - len(first)]])
    is_own = contains(own, chunks) if question.whole else np.zeros(len(chunks), np.bool_)
    is_asked = question.defined is not None and question.defined.name == name
    return NamedSymbol(
        name=name,
        folded=fold_symbol(name),
        chunks=chunks,
        priors=priors[chunks],
        is_own=is_own,
        files=tuple(map(index.documents.id_of, index.documents.numbers(chunks[is_own]).tolist())),
        read=tuple(index.fetch(chunks)) if is_asked or 1 < len(chunks) <= MOST_DEFINING else (),
    )


def _find_exact(
    index: OpenedIndex,
    term: str,
    question: Question,
    priors: NDArray[np.float32],
    *,
    allowed: Ordinals | None,
) -> NamedSymbol:
    """The chunks that show a command or have an entry, which are what names it in a collection; of those that are
    filtered for, since many may show it.

    Of many entries, such as options of several commands, those whose titles say most of the rest of the question.
    """
    chunks = union([index.search({term: 1.0}, MOST_HOLDING, allowed).ordinals])
    own = {HEADING_MARK + part for part in analyze(term)}
    beside = {one: 1.0 for one in question.terms if one.startswith(HEADING_MARK) and one not in own}
    if term in question.entries and len(chunks) > 1 and beside:
        titled = index.search(beside, MOST_NAMED, chunks)
        if len(titled.ordinals):
            chunks = union([titled.ordinals[titled.scores >= SAME * titled.scores.max()]])
    chunks = chunks[:MOST_NAMED]
    is_own = np.zeros(len(chunks), np.bool_)
    return NamedSymbol(term, term, chunks, priors[chunks], is_own, files=(), read=())


def _own_chunks(index: OpenedIndex, name: str) -> Ordinals:
    """Chunks that are the definition of just this name, spelled so, and not a member's; ascending.

    `Serialize` the trait, and neither `Serializer.serialize` nor `serialize`. None where symbols cannot be filtered by.
    """
    own = index.filters.chunks({"symbol": name}) if "symbol" in index.filters.fields else None
    return NONE if own is None else own


def _align(ordinals: Ordinals, ranking: Ranking) -> NDArray[np.float32]:
    """The ranking's scores in the order of `ordinals`, 0 for those that it lacks."""
    scores = np.zeros(len(ordinals), np.float32)
    if len(ordinals):
        places = np.minimum(ordinals.searchsorted(ranking.ordinals), len(ordinals) - 1)
        held = ordinals[places] == ranking.ordinals
        scores[places[held]] = ranking.scores[held]
    return scores


def gather_evidence(candidates: Candidates, chosen: Ranking, question: Question) -> NDArray[np.float64]:
    """Rows in the order of `chosen`, columns as the `FEATURES` of a calibration.

    cosine: of the question with the chunk. coverage: the chunk's keyword score as a share of what holding every
    term would earn. named: it defines a symbol that the question names. known: share of the question's information
    that lies in terms which the collection holds at all. familiar: no identifier in the question is foreign to it.
    clear: how far the nearest chunk's cosine stands above the crowd's.
    """
    places = candidates.ordinals.searchsorted(chosen.ordinals)
    evidence = np.empty((len(places), len(FEATURES)))
    evidence[:, 0] = 0.0 if candidates.cosines is None else candidates.cosines[places]
    coverage = candidates.keywords[places] / max(candidates.ideal, 1e-9)
    evidence[:, 1] = np.minimum(coverage, 1.0)  # other forms of words are no part of what is ideal
    evidence[:, 2] = contains(candidates.named, chosen.ordinals) if len(candidates.named) else 0.0
    evidence[:, 3] = question.known_share
    evidence[:, 4] = not question.foreign
    evidence[:, 5] = _clearness(candidates)
    return evidence


def _clearness(candidates: Candidates) -> float:
    """Cosine of the nearest chunk less that of the `CROWD`-th, 0 where vectors take no part."""
    if candidates.cosines is None or len(candidates.cosines) < 2:
        return 0.0
    place = max(len(candidates.cosines) - CROWD, 0)
    return float(candidates.cosines.max() - np.partition(candidates.cosines, place)[place])
