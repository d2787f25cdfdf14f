"""What lifts a chunk above its fused score: its file, the symbols that a question names, and who calls them.

A file lifts its best chunk where several of its chunks match, or its name; its further chunks then count less and less,
so that a long file leaves room for others. Chunks that define a named symbol lead, and those related to it follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from quire.analysis.symbols import fold_separators, fold_symbol, last_part
from quire.analysis.terms import HEADING_MARK
from quire.documents import Chunk
from quire.index.file_names import number_terms
from quire.index.opened import OpenedIndex
from quire.ordinals import contains
from quire.profiles import Profile
from quire.ranking import Ranking, rank
from quire.search.candidates import MOST_DEFINING, Candidates, align_scores, defining_chunks, own_chunks
from quire.search.intent import WantedDefinition
from quire.search.query import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals

BEST_CHUNKS = 5
"""Chunks of a file that speak for it; with all of them long files would win by their length."""
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
_DECLARING = (".pyi", ".d.ts", ".d.mts", ".d.cts")
NO_CHUNKS = np.zeros(0, np.bool_)


def lift_matching_files(
    index: OpenedIndex,
    fused: Ranking,
    question: Question,
    *,
    profile: Profile,
    priors: NDArray[np.float32],
) -> Ranking:
    """Lift files that match in several places; by name only where no definition of a symbol is asked for."""
    if not (profile.coherence or profile.file_name):
        return fused
    documents = index.documents.numbers(fused.ordinals)
    terms = number_terms(_plain(question.terms))
    forms = number_terms(_plain(question.forms))

    def named(best: NDArray[np.intp]) -> NDArray[np.float32]:
        likeness = index.documents.names.likeness(documents[best], terms, forms)
        return np.float32(profile.file_name) * priors[fused.ordinals[best]] * likeness

    by_name = profile.file_name and not (question.whole or question.defined)
    return lift_files(fused, documents, coherence=profile.coherence, named=named if by_name else None)


def _plain(terms: Iterable[str]) -> Iterator[str]:
    return (term for term in terms if not term.startswith(HEADING_MARK))


def lift_files(
    ranking: Ranking,
    documents: NDArray[np.uint32],
    *,
    coherence: float,
    named: Callable[[NDArray[np.intp]], NDArray[np.float32]] | None = None,
) -> Ranking:
    """Lift the best chunk of each file.

    Args:
        ranking: all candidates, scores of 0 and more.
        documents: the number of each chunk's document, in the ranking's order.
        coherence: times the sum of a file's best `BEST_CHUNKS` scores, as a share of the largest such sum.
        named: positions in the ranking, one a file, to what their files' names earn them.
    """
    if not len(ranking):
        return ranking
    order, begins, places = _by_document(documents)
    scores = ranking.scores.copy()
    sums = np.add.reduceat(np.where(places < BEST_CHUNKS, scores[order], np.float32(0)), begins)
    best = order[begins]
    scores[best] += np.float32(coherence / max(float(sums.max()), 1e-9)) * sums
    if named is not None:
        scores[best] += named(best)
    return rank(ranking.ordinals, scores, len(scores))


def decay_further(ranking: Ranking, documents: NDArray[np.uint32], decay: float) -> Ranking:
    """Multiply the score of a file's second chunk by `decay`, of its third by the square of it, and so on."""
    if not len(ranking):
        return ranking
    order, _, places = _by_document(documents)
    scores = ranking.scores.copy()
    scores[order] *= np.float32(decay) ** places.astype(np.float32)
    return rank(ranking.ordinals, scores, len(scores))


def _by_document(
    documents: NDArray[np.uint32],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Positions sorted by document, where each document begins among them, and each one's place in its document."""
    order = np.argsort(documents, kind="stable")
    ordered = documents[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    places = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return order, begins, places


def lead_with_names(
    index: OpenedIndex, fused: Ranking, question: Question, priors: NDArray[np.float32]
) -> Ranking:
    """Lift the chunks that define a named symbol, a qualified name above a bare one, times their priors.

    Where the name is all that is asked for, priors order those that define it and let nothing else pass them: whoever
    writes the name of a member that no page documents wants that member.
    """
    if not question.names:
        return fused
    scores = fused.scores.copy()
    for name in question.names:
        defining = defining_chunks(index, name)
        weights = priors[defining]
        if question.whole and len(defining):
            weights = weights / weights.max()
        lifts = _lifts(index, name, defining, question) * weights
        held = contains(defining, fused.ordinals)
        places = defining.searchsorted(fused.ordinals[held])
        scores[held] = (scores[held] + lifts[places]) * _defined(index, defining)[places]
    return rank(fused.ordinals, scores, len(scores))


def _lifts(index: OpenedIndex, name: str, defining: Ordinals, question: Question) -> NDArray[np.float32]:
    """What each of the defining chunks is lifted by, float32."""
    if question.defined and question.defined.name == name:
        ranks = [_closeness(chunk, question.defined) for chunk in index.fetch(defining)]
        return np.float32(OWN_LEAD) * np.array([one == max(ranks) for one in ranks], np.float32)
    lift = 1.0 if question.whole else NAME_LEAD / max(len(defining), 1) ** 0.5
    share = _share(name, question)
    lifts = np.full(len(defining), lift * share, np.float32)
    is_own = contains(own_chunks(index, name), defining) if question.whole else NO_CHUNKS
    if is_own.any():
        lifts[is_own], lifts[~is_own] = OWN_LEAD, INEXACT
        lifts[is_own] += np.float32(HOME_LEAD) * _at_home(index, name, defining[is_own])
    elif 1 < len(defining) <= MOST_DEFINING and not name.islower():
        chunks = index.fetch(defining)
        if not question.whole:
            lifts[[_is_own(chunk, name) for chunk in chunks]] = np.float32(NAME_LEAD * share)
        lifts[[not _is_spelled(chunk, name) for chunk in chunks]] *= np.float32(INEXACT)
    return lifts


def _at_home(index: OpenedIndex, name: str, chunks: Ordinals) -> NDArray[np.bool_]:
    """Whether the file of each chunk is called by the name."""
    files = (index.documents.id_of(number) for number in index.documents.numbers(chunks).tolist())
    return np.array([_is_home(file, name) for file in files], np.bool_)


def _is_home(path: str, name: str) -> bool:
    """Whether a file is called by the name, but for case and separators.

    >>> _is_home("src/sql_mapper.rb", "SqlMapper"), _is_home("SqlMapper.Rows.cs", "SqlMapper")
    (True, False)
    """
    stem = PurePosixPath(path).stem
    return _bare(stem) == _bare(last_part(fold_symbol(name)))


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _defined(index: OpenedIndex, defining: Ordinals) -> NDArray[np.float32]:
    """1 for chunks that define the symbol, less for those of a stub, float32; 1 for all where they are too many."""
    if not 1 < len(defining) <= MOST_DEFINING:
        return np.ones(len(defining), np.float32)
    stubs = [chunk.document_id.endswith(_DECLARING) for chunk in index.fetch(defining)]
    return np.where(stubs, np.float32(DECLARED), np.float32(1.0))


def _share(name: str, question: Question) -> float:
    """Of a bare name in a sentence half the lead, more where the sentence says little beside it."""
    if question.whole or name == question.subject or "." in fold_symbol(name):
        return 1.0
    return 0.5 + 0.5 * question.focus


def _is_own(chunk: Chunk, name: str) -> bool:
    """Whether the name is the symbol's whole name, and not the last part of a member's: `Humanoid` the class."""
    return fold_symbol(chunk.symbols[0]) == fold_symbol(name)


def _closeness(chunk: Chunk, wanted: WantedDefinition) -> int:
    """How well it is what is asked for: in code, not in a document; spelled so; of the kind; in a file of its name."""
    kind = str(chunk.metadata.get("kind") or chunk.metadata.get("member_type") or "").lower()
    told = (kind != "section", _is_spelled(chunk, wanted.name), kind == wanted.kind)
    return sum(8 >> place for place, is_so in enumerate(told) if is_so) + _is_home(
        chunk.document_id, wanted.name
    )


def _is_spelled(chunk: Chunk, name: str) -> bool:
    return fold_separators(name) in map(fold_separators, chunk.symbols)


def lift_related(candidates: Candidates, fused: Ranking, priors: NDArray[np.float32]) -> Ranking:
    """Lift callers and callees by up to `RELATED_LIFT` times their priors, less than what the question names itself."""
    if not len(candidates.related):
        return fused
    order = np.argsort(fused.ordinals)
    lifts = np.zeros(len(fused), np.float32)
    lifts[order] = align_scores(fused.ordinals[order], candidates.related)
    lifts *= np.float32(RELATED_LIFT) * priors[fused.ordinals]
    return rank(fused.ordinals, fused.scores + lifts, len(fused))
