"""Which ranked chunks are shown, and in which order: near-duplicates collapse, no document crowds out the others.

How-to questions to an API's reference are ordered anew: what answers them is the method that the first hits refer to.
"How do I make a character walk to a point?" finds the property that holds the goal, a guide and an animation; their
texts name `Humanoid:MoveTo()`. Each hit votes for the methods that it refers to, and for itself where it is one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.analysis.symbols import fold_symbol
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.ordinals import contains
from quire.profiles import Profile
from quire.ranking import Ranking
from quire.search.candidates import Ranked

if TYPE_CHECKING:
    from quire.ports import Ordinals

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

_REFERENCE = re.compile(r"\b([A-Z]\w+)[.:]([A-Z]\w+)")


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

    Of a how-to question to an API, ranked alone, the second are those that its first hits refer to.
    """
    plain = rankings[0].question
    is_voted = len(rankings) == 1 and bool(profile.method[0]) and plain.unmended.is_how_to
    read = max(wanted, ORDERED) if is_voted else wanted
    chosen = [_first_of(index, profile, ranked, read) for ranked in rankings]
    if is_voted:
        first = chosen[0]
        every = [*range(len(first.chunks))]
        voted = [*order_by_votes(first.chunks[:ORDERED], profile.method), *every[ORDERED:]]
        chosen = [first.at(every[:wanted]), first.at(voted[:wanted])]
    return chosen


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
