"""No route takes longer than what it is sent grows: every route of the route table, every field that it takes."""

from __future__ import annotations

import random

import pytest

from tests.support.reading_cost import KNOWN, SHAPES, too_slow
from tests.support.route_attacks import Attacked, Place, served_routes

SIZE = 16_500
"""The smallest of three, each twice the one before."""
MOST_S_A_100_KB = 0.42
"""With texts of this size it finds what 25,000 characters and 1 s find: all that grows and takes .33 s for 100 KB."""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    return Attacked(tmp_path_factory.mktemp("attacked"))


def slow(attacked: Attacked, place: Place, atom: str) -> str:
    """What is wrong with a place where a text of such atoms stands, as a sentence."""
    attacked.said = ""
    cost = too_slow(
        lambda size: attacked.cost_s(place.put(atom * (size // len(atom)))), SIZE, MOST_S_A_100_KB
    )
    return "; ".join(f"{place.route}, {place.name}, {atom!r}: {one}" for one in (cost, attacked.said) if one)


@pytest.mark.parametrize("route", served_routes())
def test_no_field_of_a_route_makes_it_slow(attacked: Attacked, route: str) -> None:
    places = list(attacked.places(route))
    assert places, f"{route}: nothing of it was attacked"
    drawn = random.Random(route)
    wrong = [slow(attacked, place, drawn.choice(drawn.choice((KNOWN, SHAPES)))) for place in places]
    assert list(filter(None, wrong)) == []
