"""Questions for alternatives to a thing: what sets it against others answers them, and seldom says "alternative"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.analysis.terms import analyze
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import weigh
from quire.index.opened import OpenedIndex
from quire.search.intent import read_intent

CONTRAST = 4.0
"""For a passage that contrasts what the question is about with something else, itself or by its heading."""
NAMED = 0.5
"""Share of the thing's name, by weight, that such a passage says with its heading."""

_CONTRASTED = re.compile(
    r"""
    \b(?i:vs\.?|versus|alternatives?|unlike|whereas)(?!\w)
    | \b(?i:instead[ ]of|rather[ ]than|compared[ ](?:to|with)|in[ ]place[ ]of|better[ ]than|worse[ ]than)\b
    | \b(?i:not)[ ](?:an?[ ]|the[ ])?[A-Z]  # "(Not OAK-D or ZED)": a name that is turned down
    """,
    re.VERBOSE,
)


def contrasting_first(subject: str, index: OpenedIndex, scored: Sequence[Scored]) -> list[Scored]:
    """The passages anew, where those that set the subject against others come first."""
    named = weigh(read_intent(subject).compared, index)
    lifted = [
        replace(one, score=one.score + CONTRAST)
        if named.coverage(set(analyze(said := _said(one)))) >= NAMED and _CONTRASTED.search(said)
        else one
        for one in scored
    ]
    return sorted(lifted, key=lambda one: (-one.score, one.hit.rank, one.order))


def _said(one: Scored) -> str:
    """The passage with what stands above it."""
    passage, text = one.passage, one.hit.chunk.text
    above = [text[slice(*span)] for span in (passage.heading, passage.lead) if span]
    return "\n".join([*above, one.text])
