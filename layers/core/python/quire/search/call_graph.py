"""Who calls whom, by name: chunks name what they define (`symbols`) and what they refer to (`calls` of the metadata).

A reference is indexed as a keyword term behind a mark, so the callers of a name are the postings of one term, and the
callees of a chunk are the definitions of the names that it refers to. Names are matched without types: `x.retry()` is
taken for a call of everything called `retry`, and names that many chunks define are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire.analysis.calls import call_term, calls_of
from quire.analysis.symbols import fold_symbol, last_part
from quire.documents import Chunk
from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from quire.ports import KeywordIndex, Ordinals


MOST_DEFINITIONS = 4
"""A name that more chunks define says nothing about which of them is meant."""

ASKED_CHARACTERS = 500
"""Of a question that are looked at for what it wants: its patterns look ahead from each word."""
_ABOUT = r"(?:is|are|gets?|was|were|does|do|did)"
_CALLERS = re.compile(
    rf"""
    \b(?: who | what | which(?:\s+\w+)? )\s+(?:else\s+)?(?:  # what calls it
      calls? | uses? | invokes? | references? | depends?\s+on | imports? | extends?
    | inherits?\s+from | subclasses | instantiates? | triggers? )\b
    | \b(?: where | when | how\s+often )\s+{_ABOUT}\b.+   # where it is used
      \b(?: used | called | invoked | referenced | instantiated | applied | triggered )\b
    | \b(?: usages? | callers? | references? | call\s+sites? )\s+(?: of | to | for )\b
    | \bfind\s+(?:all\s+)?(?: usages? | callers? )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CALLEES = re.compile(
    rf"""
    \bside[\s-]*effects?\b
    | \bwhat\s+(?: does | do | did )\b.+  # what it does
      \b(?: call | do | touch | change | depend\s+on | use | invoke | trigger )\b
    | \bwhat\s+happens\b
    | \bcallees?\b
    | \bwhat\s+{_ABOUT}\s+called\s+by\b
    | \bdependenc(?:y|ies)\s+of\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DEFINITION = re.compile(
    r"""
    \bwhere\s+(?: is | are | was | were | does | do | can\s+i\s+find )\b
    (?!.*\b(?: used | called | invoked | referenced | instantiated )\b)  # which asks for its callers
    .*\b(?: implement(?:ed|s|ation)? | defin(?:ed|es?|ition) | declar(?:ed|es?|ation)
        | configured? | initiali[sz]ed | lives? )\b
    | \b(?: definition | implementation | declaration )\s+of\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """Which side of the graph a question is about; all False for most questions."""

    callers: bool = False
    callees: bool = False
    definition: bool = False


def read_relation(question: str) -> AskedRelation:
    """What a question asks about the symbols that it names.

    >>> read_relation("What calls Task.retry?"), read_relation("side effects of forget()")
    (Asked(callers=True, callees=False, definition=False), Asked(callers=False, callees=True, definition=False))
    >>> read_relation("Where is doCurlGet implemented and what are its side effects?")
    Asked(callers=False, callees=True, definition=True)
    """
    question = question[:ASKED_CHARACTERS]
    return AskedRelation(
        bool(_CALLERS.search(question)), bool(_CALLEES.search(question)), bool(_DEFINITION.search(question))
    )


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
