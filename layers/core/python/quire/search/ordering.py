"""In which order chunks are shown: scores of those that may answer, then variety, then votes for methods.

Both sides are fused, then chunks are lifted above that. A file lifts its best chunk where several of its chunks match,
or its name; its further chunks then count less and less, so that a long file leaves room for others. Chunks that define
a named symbol lead, and those related to it follow. All scores are float32 and stand in the order of the candidates.
Of the ranking near-duplicates collapse, and no document crowds out the others.

How-to questions to an API's reference are ordered anew: what answers them is the method that the first hits refer to.
"How do I make a character walk to a point?" finds the property that holds the goal, a guide and an animation; their
texts name `Humanoid:MoveTo()`. Each hit votes for the methods that it refers to, and for itself where it is one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from math import log
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.analysis.symbols import fold_separators, fold_symbol, last_part
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.profiles import Profile
from quire.ranking import EMPTY, Ranking, contains, rank
from quire.search.candidates import MOST_DEFINING, Candidates, NamedSymbol, Ranked
from quire.search.query import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals

NORMALIZED_DEPTH = 100
"""Min-max spans the best 100 scores: .729 nDCG@10 on SciFact against .716 by reciprocal rank."""
BEST_CHUNKS = 5
"""Chunks of a file that speak for it; with all of them long files would win by their length."""
TOLD = 0.4
"""Of what a chunk with all of the question's terms would earn, the share from which on the best one says what is asked
in its words. Of what matches by chance several chunks of a file say no more than one: of 66 questions to five code
bases in words that they do not use, on which this was chosen, 31 have their place among ten hits (27 before); of 220 to
four others that took no part 190 (189), MRR .642 (.640); nDCG@10 over seven repositories .942 (.942)."""
NAME_LEAD = 0.5
"""Added to the fused score (at most 1) of a chunk that defines a named symbol; less where many share the name,
and 1 where the question is nothing but the name."""
OWN_LEAD = 2.0
"""What the definition of a bare name gains where it is all that is asked for: more than all else together."""
HOME_LEAD = 1.5
"""What it gains besides in a file of that name: a class of C# and Swift has parts in many, a module of Ruby in all."""
INEXACT = 0.5
"""Share of the lead where the symbol is the named one but for its case: `Camera.focus` beside `Camera.Focus`. With it
898 of 900 members of Roblox come first when asked by their names; without it, measured before, five fewer."""
DECLARED = 0.4
"""Share of its score that a stub of Python or TypeScript keeps: it only declares a symbol that others define."""
RELATED_LIFT = 0.4
"""What callers and callees gain at most, times their priors: less than what the question names itself."""
_DECLARING = (".pyi", ".d.ts", ".d.mts", ".d.cts")
COPIES = 16
"""Chunks that are looked at beyond those asked for, as some may be copies of others."""
NEAR_BITS = 3
"""Fingerprints of 64 bits that differ in no more are one text. Source: Manku et al., "Detecting near-duplicates
for web crawling", WWW 2007."""
LONG_DOCUMENT = 40
"""Chunks of a document, about 30,000 characters, for each of which it may have one hit more: a reference of 300 options
has more to say than a page. Of 68 sections of long documents on six sites that took no part .50 are among eight hits
when asked for by their headings (.38 with one hit a document), of 652 of shorter ones .64 (.64)."""
ORDERED = 20
"""Hits that are ordered anew."""
VOTERS = 10
VOTE = 0.6
"""What a vote of the first hit counts beside its place, and each other by the root of its rank. Chosen on 35 questions
in our own words to the Roblox reference, MRR@10 .402 to .563; on 29 others .361 to .446, hit@5 .483 to .552; on the 188
public golden questions, of which few ask so, .790 to .790."""

NEARNESS, PROSE, LENGTH, PRIOR = 8.0, 3.8, 0.6, 2.0
"""What a cosine of 1, a text, a longer one (by the logarithm of its characters) and the logarithm of a prior count
beside that of the rank, where the use of something is asked for. Fitted on 164 first questions of newcomers to eight
collections, whose right places come first for 66, then 91; of 280 to fourteen that took no part for 119, then 142."""

_REFERENCE = re.compile(r"\b([A-Z]\w+)[.:]([A-Z]\w+)")


def score(candidates: Candidates, question: Question, profile: Profile, mode: str) -> Ranking:
    """All candidates, best first; `mode` says which sides take part."""
    if not len(candidates.ordinals):
        return EMPTY
    priors, documents = candidates.priors, candidates.documents
    scores = fuse_sides(candidates, _weight(profile, question, mode)) * priors
    told = _told(candidates)
    if profile.coherence or profile.file_name:
        by_name = np.float32(profile.file_name) * priors * candidates.likeness
        scores = lift_files(scores, documents, coherence=profile.coherence * told, by_name=by_name)
    for symbol in candidates.symbols:
        scores = lead_with_name(scores, candidates, symbol, question)
    scores = scores + candidates.related * (np.float32(RELATED_LIFT) * priors)
    if profile.decay < 1.0:
        scores = decay_further(scores, documents, 1.0 - (1.0 - profile.decay) * told)
    return rank(candidates.ordinals, scores, len(scores))


def _told(candidates: Candidates) -> float:
    """How far some chunk says the question in its words, 1 from `TOLD` on and where there is nothing else to go by."""
    best = float(candidates.keywords.max(initial=0)) / max(candidates.ideal, 1e-9)
    return 1.0 if candidates.cosines is None else min(1.0, best / TOLD)


def _weight(profile: Profile, question: Question, mode: str) -> float:
    """Share of the vectors."""
    if mode != "hybrid":
        return 1.0 if mode == "vector" else 0.0
    named = question.names or question.writes_option or (question.entries and question.focus)
    return profile.identifier_vector_weight if named else profile.vector_weight


def fuse_sides(candidates: Candidates, weight: float) -> NDArray[np.float32]:
    """A convex combination of both sides' min-max normalized scores; `weight` goes to the vectors.

    Source: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 2023.
    """
    scores = np.float32(1.0 - weight) * _scaled(candidates.keywords)
    if candidates.cosines is not None:
        scores = scores + np.float32(weight) * _scaled(candidates.cosines)
    return scores


def _scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Min-max over the best `NORMALIZED_DEPTH`, 0 below them."""
    top = scores.max(initial=0)
    if top <= 0:
        return np.zeros_like(scores)
    below = max(len(scores) - NORMALIZED_DEPTH, 0)
    low = np.partition(scores, below)[below]
    scaled: NDArray[np.float32] = scores - low
    scaled /= max(top - low, np.float32(1e-9))
    np.maximum(scaled, 0, out=scaled)
    return scaled


def lift_files(
    scores: NDArray[np.float32],
    documents: NDArray[np.uint32],
    *,
    coherence: float,
    by_name: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Lift the best chunk of each file.

    Args:
        scores: 0 and more.
        documents: the number of each chunk's document.
        coherence: times the sum of a file's best `BEST_CHUNKS` scores, as a share of the largest such sum.
        by_name: what the file's name earns each.
    """
    order, begins, places = _by_document(documents, scores)
    sums = np.add.reduceat(np.where(places < BEST_CHUNKS, scores[order], np.float32(0)), begins)
    best = order[begins]
    lifted = scores.copy()
    lifted[best] += np.float32(coherence / max(float(sums.max()), 1e-9)) * sums
    lifted[best] += by_name[best]
    return lifted


def decay_further(
    scores: NDArray[np.float32], documents: NDArray[np.uint32], decay: float
) -> NDArray[np.float32]:
    """Multiply the score of a file's second chunk by `decay`, of its third by the square of it, and so on."""
    order, _, places = _by_document(documents, scores)
    decayed = scores.copy()
    decayed[order] *= np.float32(decay) ** places.astype(np.float32)
    return decayed


def _by_document(
    documents: NDArray[np.uint32], scores: NDArray[np.float32]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Positions by document and best first, where each document begins among them, and each one's place in it."""
    order = np.lexsort((-scores, documents))
    ordered = documents[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    places = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return order, begins, places


def lead_with_name(
    scores: NDArray[np.float32], candidates: Candidates, symbol: NamedSymbol, question: Question
) -> NDArray[np.float32]:
    """Lift the chunks that define a named symbol, a qualified name above a bare one, times their priors.

    Where the name is all that is asked for, priors order those that define it and let nothing else pass them: whoever
    writes the name of a member that no page documents wants that member.
    """
    weights = symbol.priors
    if question.whole and len(weights):
        weights = weights / weights.max()
    lifts = _lifts(symbol, question) * weights
    held = contains(symbol.chunks, candidates.ordinals)
    places = symbol.chunks.searchsorted(candidates.ordinals[held])
    lifted = scores.copy()
    lifted[held] = (scores[held] + lifts[places]) * _defined(symbol)[places]
    return lifted


def _lifts(symbol: NamedSymbol, question: Question) -> NDArray[np.float32]:
    """What each of the chunks that define the symbol is lifted by."""
    wanted, count = question.defined, len(symbol.chunks)
    if wanted and wanted.name == symbol.name:
        ranks = [_closeness(chunk, symbol, wanted.kind) for chunk in symbol.read]
        return np.float32(OWN_LEAD) * np.array([one == max(ranks) for one in ranks], np.float32)
    lift = 1.0 if question.whole else NAME_LEAD / max(count, 1) ** 0.5
    share = _share(symbol, question)
    lifts = np.full(count, lift * share, np.float32)
    if symbol.is_own.any():
        at_home = np.array([_is_home(file, symbol) for file in symbol.files], np.bool_)
        lifts[symbol.is_own], lifts[~symbol.is_own] = OWN_LEAD, INEXACT
        lifts[symbol.is_own] += np.float32(HOME_LEAD) * at_home
    elif symbol.read and not symbol.name.islower():
        if not question.whole:
            # the symbol's whole name, and not the last part of a member's: `Humanoid` the class
            is_own = [fold_symbol(chunk.symbols[0]) == symbol.folded for chunk in symbol.read]
            lifts[is_own] = np.float32(NAME_LEAD * share)
        lifts[[not _is_spelled(chunk, symbol) for chunk in symbol.read]] *= np.float32(INEXACT)
    return lifts


def _defined(symbol: NamedSymbol) -> NDArray[np.float32]:
    """1 for chunks that define the symbol, less for those of a stub; 1 for all where they are too many."""
    if not 1 < len(symbol.read) <= MOST_DEFINING:
        return np.ones(len(symbol.chunks), np.float32)
    stubs = [chunk.document_id.endswith(_DECLARING) for chunk in symbol.read]
    return np.where(stubs, np.float32(DECLARED), np.float32(1.0))


def _share(symbol: NamedSymbol, question: Question) -> float:
    """Of a bare name in a sentence half the lead, more where the sentence says little beside it; of an entry nothing
    where it says much, as in "How do I do this in 2.1?"."""
    if symbol.name in question.entries:
        return question.focus
    if question.whole or symbol.name == question.subject or "." in symbol.folded:
        return 1.0
    return 0.5 + 0.5 * question.focus


def _closeness(chunk: Chunk, symbol: NamedSymbol, wanted: str) -> int:
    """How well it is what is asked for: in code, not in a document; spelled so; of the kind; in a file of its name."""
    kind = str(chunk.metadata.get("kind") or chunk.metadata.get("member_type") or "").lower()
    told = (
        kind != "section",
        _is_spelled(chunk, symbol),
        kind == wanted,
        _is_home(chunk.document_id, symbol),
    )
    return sum(8 >> place for place, is_so in enumerate(told) if is_so)


def _is_spelled(chunk: Chunk, symbol: NamedSymbol) -> bool:
    return fold_separators(symbol.name) in map(fold_separators, chunk.symbols)


def _is_home(path: str, symbol: NamedSymbol) -> bool:
    """Whether a file is called by the symbol, but for case and separators: `sql_mapper.rb` by `SqlMapper`."""
    return _bare(PurePosixPath(path).stem) == _bare(last_part(symbol.folded))


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


class Chosen(NamedTuple):
    """Chunks that are shown, in their order, and their places in the ranking."""

    ranking: Ranking
    chunks: list[Chunk]

    def at(self, places: list[int]) -> Chosen:
        """Those at these places, in this order."""
        ranking = Ranking(self.ranking.ordinals[places], self.ranking.scores[places])
        return Chosen(ranking, [self.chunks[place] for place in places])


def choose(index: OpenedIndex, profile: Profile, rankings: Sequence[Ranked], wanted: int) -> list[Chosen]:
    """The first `wanted` chunks of each ranking of a question, which has a second one where terms stand beside it.

    Of a how-to question to an API, ranked alone, the second are those that its first hits refer to; of a question on
    the use of something, those that explain it.
    """
    reorder = _reordering(profile, rankings)
    read = max(wanted, ORDERED) if reorder else wanted
    chosen = [_first_of(index, profile, ranked, read) for ranked in rankings]
    if reorder:
        first, every = chosen[0], [*range(len(chosen[0].chunks))]
        order = [*reorder(first.at(every[:ORDERED])), *every[ORDERED:]]
        chosen = [first.at(every[:wanted]), first.at(order[:wanted])]
    return chosen


def _reordering(profile: Profile, rankings: Sequence[Ranked]) -> Callable[[Chosen], list[int]] | None:
    """What orders the first hits anew, giving their places, best first; None for most questions."""
    if len(rankings) > 1:
        return None
    question, candidates = rankings[0].question, rankings[0].candidates
    if profile.method[0]:
        return (
            (lambda first: order_by_votes(first.chunks, profile.method))
            if question.unmended.is_how_to
            else None
        )
    if candidates.cosines is None or not question.is_of_use:
        return None
    cosines, priors = candidates.cosines, candidates.priors

    def explaining(first: Chosen) -> list[int]:
        places = candidates.ordinals.searchsorted(first.ranking.ordinals)
        return order_by_explaining(first.chunks, cosines[places].tolist(), priors[places].tolist())

    return explaining


def _first_of(index: OpenedIndex, profile: Profile, ranked: Ranked, wanted: int) -> Chosen:
    """The first `wanted` chunks of different texts; more of the ranking is read where many are copies of others."""
    limit = wanted + COPIES
    while True:
        chosen = diversify(
            index,
            ranked.fused,
            per_document=profile.per_document,
            limit=limit,
            exempt=ranked.candidates.named,
        )
        kept = _distinct(index, chosen, wanted)
        if len(kept.chunks) == wanted or len(chosen) < limit:
            return kept
        limit *= 4


def _distinct(index: OpenedIndex, chosen: Ranking, limit: int) -> Chosen:
    """The first `limit`, without those whose text a better one holds: copies under other headings, in other files."""
    first: dict[str, int] = {}
    chunks: list[Chunk] = []
    while len(first) < limit and len(chunks) < len(chosen):
        begin = len(chunks)
        chunks += index.fetch(chosen.ordinals[begin : begin + limit - len(first)].tolist())
        for place in range(begin, len(chunks)):
            first.setdefault(chunks[place].text, place)
    return Chosen(chosen, chunks).at(list(first.values()))


def diversify(
    index: OpenedIndex, ranking: Ranking, *, per_document: int, limit: int, exempt: Ordinals
) -> Ranking:
    """The best `limit` chunks without near-duplicates, at most `per_document` of one document, more of a long one.

    Chunks in `exempt` (sorted) are neither near-duplicates nor counted: the question names what they define. Others
    over the cap come after the rest had their turn, so a full page is shown whenever there is one. A larger limit
    begins with what a smaller one gives, so pages follow one another. Scores stay those of the ranking, made descending
    again by lowering late ones to their predecessor's.
    """
    fingerprints: list[int] = index.fingerprints(ranking.ordinals).tolist()
    documents: list[int] = index.documents.numbers(ranking.ordinals).tolist()
    is_exempt = contains(exempt, ranking.ordinals).tolist() if len(exempt) else [False] * len(ranking)
    chosen: list[int] = []
    spare: list[int] = []
    seen: dict[int, int] = {}

    @cache
    def most(number: int) -> int:
        return per_document + len(index.documents.chunks(index.documents.id_of(number))) // LONG_DOCUMENT

    for position in range(len(ranking)):
        if len(chosen) == limit:
            break
        if is_exempt[position]:
            chosen.append(position)
            continue
        if chosen and _is_near(fingerprints, position, chosen):
            continue
        number = documents[position]
        if per_document and number in seen and seen[number] >= most(number):
            spare.append(position)
            continue
        seen[number] = seen.get(number, 0) + 1
        chosen.append(position)
    chosen += spare[: limit - len(chosen)]
    return Ranking(ranking.ordinals[chosen], np.minimum.accumulate(ranking.scores[chosen]))


def _is_near(fingerprints: list[int], position: int, chosen: list[int]) -> bool:
    own = fingerprints[position]
    for other in chosen:  # noqa: SIM110 (of each pair of what is found: a generator takes twice the time)
        if (fingerprints[other] ^ own).bit_count() <= NEAR_BITS:
            return True
    return False


def order_by_votes(chunks: Sequence[Chunk], method: tuple[str, str]) -> list[int]:
    """The places of the chunks, best first; `method`: what metadata says of those that do something."""
    field, value = method
    places: dict[str, int] = {}
    for place, chunk in enumerate(chunks):
        if chunk.metadata.get(field) == value:
            for symbol in chunk.symbols:
                if "." in symbol or ":" in symbol:
                    places.setdefault(fold_symbol(symbol), place)
    scores: defaultdict[int, float] = defaultdict(float)
    methods = set(places.values())
    for place, chunk in enumerate(chunks):
        weight = (place + 1) ** -0.5
        scores[place] += weight
        if place < VOTERS:
            named = (fold_symbol(".".join(match)) for match in _REFERENCE.findall(chunk.text))
            for voted in {places[name] for name in named if name in places} | ({place} & methods):
                scores[voted] += VOTE * weight
    return sorted(range(len(chunks)), key=lambda place: (-scores[place], place))


def order_by_explaining(
    chunks: Sequence[Chunk], cosines: Sequence[float], priors: Sequence[float]
) -> list[int]:
    """The places of the chunks, those first that explain the use of something: texts, near in meaning, and not short.

    `cosines` are those of the chunks with the question, `priors` what their scores were multiplied by.
    """
    scores = [
        NEARNESS * cosine
        + PROSE * (chunk.metadata.get("kind") == "section")
        + LENGTH * log(len(chunk.text) + 1)
        + PRIOR * log(prior)
        - log(place)
        for place, (chunk, cosine, prior) in enumerate(zip(chunks, cosines, priors, strict=True), 1)
    ]
    return sorted(range(len(scores)), key=lambda place: -scores[place])
