"""How-to questions to an API's reference: what does it is the method that the first hits refer to.

"How do I make a character walk to a point?" finds the property that holds the goal, a guide and an animation; their
texts name `Humanoid:MoveTo()`. Each hit votes for the methods that it refers to, and for itself where it is one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from quire.analysis.symbols import fold_symbol
from quire.documents import Chunk

ORDERED = 20
"""Hits that are ordered anew."""
VOTERS = 10
VOTE = 0.6
"""What a vote of the first hit counts beside its place, and each other by the root of its rank. Chosen on 35 questions
in our own words to the Roblox reference, MRR@10 .402 to .563; on 29 others .361 to .446, hit@5 .483 to .552; on the 188
public golden questions, of which few ask so, .790 to .790."""

_REFERENCE = re.compile(r"\b([A-Z]\w+)[.:]([A-Z]\w+)")


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
