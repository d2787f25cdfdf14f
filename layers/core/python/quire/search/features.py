"""How sure a hit is: facts about a question and a chunk that do not depend on what else was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire.index.opened import OpenedIndex
from quire.ordinals import contains
from quire.ranking import Ranking
from quire.search.calibration import FEATURES
from quire.search.candidates import Candidates
from quire.search.query import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

CROWD = 50


def gather_evidence(
    index: OpenedIndex, candidates: Candidates, chosen: Ranking, question: Question
) -> NDArray[np.float64]:
    """Rows in the order of `chosen`, columns as `quire.search.calibration.FEATURES`.

    cosine: of the question with the chunk. coverage: the chunk's keyword score as a share of what holding every
    term would earn. named: it defines a symbol that the question names. known: share of the question's information
    that lies in terms which the collection holds at all. familiar: no identifier in the question is foreign to it.
    clear: how far the nearest chunk's cosine stands above the crowd's.
    """
    places = candidates.ordinals.searchsorted(chosen.ordinals)
    evidence = np.empty((len(places), len(FEATURES)))
    evidence[:, 0] = 0.0 if candidates.cosines is None else candidates.cosines[places]
    evidence[:, 1] = candidates.keywords[places] / max(index.keywords.ideal(question.terms), 1e-9)
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
