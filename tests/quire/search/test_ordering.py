"""How-to questions to a reference: what the first hits refer to."""

from __future__ import annotations

from quire.documents import Chunk
from quire.search.ordering import order_by_votes

METHOD = ("member_type", "Function")


def member(name: str, kind: str, text: str) -> Chunk:
    return Chunk(name, name, f"{name}: {text}", symbols=(name,), metadata={"member_type": kind})


def test_the_method_that_the_hits_before_it_refer_to_comes_first() -> None:
    hits = [
        member("Boat.Goal", "Property", "where it sails after Boat:SailTo() was called"),
        member("Boat.Paint", "Function", "changes the colour"),
        member("Boat.SailTo", "Function", "sails"),
    ]
    assert order_by_votes(hits, METHOD)[0] == 2


def test_hits_that_refer_to_no_method_keep_their_order() -> None:
    hits = [member(f"Boat.{name}", "Property", "as Boat.Sail says") for name in ("Goal", "Paint", "Sail")]
    assert order_by_votes(hits, METHOD) == [0, 1, 2]
