"""Hits ordered anew: what the first ones refer to, and what explains the use of something."""

from __future__ import annotations

import pytest

from quire.documents import Chunk
from quire.search.intent import is_of_use
from quire.search.ordering import order_by_explaining, order_by_votes
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import chunk, code, shelf_of

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


FIRING = """\
## Firing a bowl

Fill the kiln with what is dry, close the lid and turn the dial to two. After a day the bowls are hard."""
FIRE = "def fire(bowl)\n  # fires a bowl\n  @kiln.heat(bowl)\nend\n"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How do I fire a bowl?", "guide.md"),
        ("how to fire bowls", "guide.md"),
        ("Can my bowl be fired?", "guide.md"),
        ("where is a bowl fired", "kiln.rb"),
        ("What does `fire` do?", "kiln.rb"),
    ],
)
def test_who_uses_something_finds_what_explains_it_and_who_reads_its_code_finds_that(
    question: str, first: str
) -> None:
    shelf = shelf_of(
        [chunk("guide.md", FIRING, kind="section"), code("kiln.rb", FIRE, "fire", 3)], profile="code"
    )
    assert retrieve(shelf.index, shelf.embedder, Query(question)).hits[0].chunk.document_id == first


def test_among_texts_the_nearer_and_the_longer_explain() -> None:
    texts = [chunk("a.md", "Fired."), chunk("b.md", FIRING), chunk("c.md", FIRING)]
    assert order_by_explaining(texts, [0.5, 0.5, 0.3], [1.0] * 3) == [1, 0, 2]
    assert order_by_explaining(texts, [0.5, 0.5, 0.9], [1.0] * 3) == [2, 1, 0]


def test_questions_of_those_who_use_something() -> None:
    use = ("How do I glaze it?", "how can clay be dried", "My kiln stays cold", "Is it possible to mix them?")
    other = (
        "How does the kiln heat?",
        "Where is the dial read?",
        "What is clay?",
        "Which function heats it?",
    )
    assert [is_of_use(one) for one in (*use, *other)] == [True] * 4 + [False] * 4
