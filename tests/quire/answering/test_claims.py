from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.claims import missing_symbols
from quire.answering.request import Inquiry
from quire.chunking import CHUNKERS
from quire.documents import Document
from tests.support.corpus import api_documents
from tests.support.shelves import Scripted, shelf_of

HIERARCHY = {"Part": "BasePart"}
CLASS = Document(
    "api_dump/Humanoid", "class Humanoid: a walking body.", "api_member", {"symbols": ("Humanoid",)}
)
CHUNKS = [one for document in [*api_documents(), CLASS] for one in CHUNKERS[document.kind](document)]


SHELF = shelf_of(CHUNKS, profile="roblox", title="Engine", extra={"hierarchy": HIERARCHY})


def test_a_collection_with_a_hierarchy_describes_an_api() -> None:
    assert SHELF.index.is_api
    assert not shelf_of(CHUNKS, profile="docs").index.is_api


@pytest.mark.parametrize(
    "text",
    [
        "Humanoid:MoveTo",
        "humanoid.moveto",
        "Humanoid.WalkSpeed = 20",
        "myPart.Colour",
        "os.clock()",
        "MoveTo",
    ],
)
def test_what_exists_or_is_nobody_s_member_is_not_missing(text: str) -> None:
    assert missing_symbols(SHELF.index, text) == []


def test_a_member_that_its_class_does_not_have_is_missing_and_the_nearest_are_offered() -> None:
    [missing] = missing_symbols(SHELF.index, "How does Humanoid:MoveToo work?")
    assert missing.name == "Humanoid:MoveToo"
    assert "Humanoid.MoveTo" in missing.nearest


def test_a_question_about_a_missing_symbol_says_so() -> None:
    given = answer(SHELF, Inquiry("What are the parameters of Humanoid:Teleportify?"))
    assert not given.answerable
    assert "`Humanoid:Teleportify` does not exist in the Engine reference, version 1.0." in given.text
    assert given.hits


def test_a_missing_symbol_in_a_generated_answer_is_flagged() -> None:
    model = Scripted(
        ["Humanoid:MoveTo walks the character towards a point [1]. Humanoid:FlyTo flies it [1]."]
    )
    given = answer(SHELF, Inquiry("How do I move a humanoid to a point?"), model)
    assert given.model_used == "scripted"
    assert any("`Humanoid:FlyTo` does not exist" in notice for notice in given.notices)
    assert not any("`Humanoid:MoveTo` does" in notice for notice in given.notices)
