"""Callers without a key get quotations, unless the collection's owner pays, and no more than the day's tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.app.cloud import PublicReads
from functions.web.access import OneKey
from quire.collections import Collection
from quire.errors import StoreUnavailable
from quire.ports import Spent
from quire.service.token_budget import ProcessBudget
from tests.support.client import TestClient
from tests.support.served import Shelf
from tests.support.shelves import Scripted

QUESTION = {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}
KEY = {"x-api-key": "k"}
REFUSED = "answer model's quota is used up (script): quoted from the sources instead"


def opened(root: Path, model: Scripted, *, public_answers: bool, budget: object = None) -> TestClient:
    shelf = Shelf(root)
    shelf.publish()
    listed = Collection("roblox", "roblox", public=True, public_answers=public_answers)
    access = PublicReads(OneKey("k"), frozenset({"roblox"}))
    return shelf.client(
        access=access, answer_model=model, collections={"roblox": listed}, public_budget=budget
    )


def scripted() -> Scripted:
    return Scripted(["Humanoid.Died fires [1].", Spent(900, 100)])


@pytest.mark.parametrize("stream", [False, True])
def test_a_caller_without_a_key_is_answered_with_quotations_and_one_with_a_key_by_the_model(
    tmp_path: Path, stream: bool
) -> None:
    model = scripted()
    client = opened(tmp_path, model, public_answers=False)
    question = QUESTION | {"stream": stream}
    assert '"model_used":"extractive"' in client.post("/answer", json=question).text.replace(" ", "")
    assert model.asked == []
    client.post("/answer", json=question, headers=KEY)
    assert len(model.asked) == 1


def test_a_collection_may_let_the_model_answer_anyone_until_the_days_tokens_are_used_up(
    tmp_path: Path,
) -> None:
    model = scripted()
    client = opened(tmp_path, model, public_answers=True, budget=ProcessBudget(2_500))
    said = [client.post("/answer", json=QUESTION).json() for _ in range(4)]
    assert [one["model_used"] for one in said] == ["scripted"] * 3 + ["extractive"]
    assert [one["degraded"] for one in said] == [[], [], [], [REFUSED]]
    keyed = client.post("/answer", json=QUESTION, headers=KEY).json()
    assert (keyed["model_used"], keyed["degraded"]) == ("scripted", [])


def test_a_budget_that_cannot_be_read_ends_in_quotations_and_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    class Away:
        def take(self, collection: str, tokens: int) -> bool:
            raise StoreUnavailable("the table is away")

        def settle(self, collection: str, difference: int) -> None:
            raise StoreUnavailable("the table is away")

    client = opened(tmp_path, scripted(), public_answers=True, budget=Away())
    assert client.post("/answer", json=QUESTION).json()["degraded"] == [REFUSED]
    assert '"public_refused":"the table is away"' in capsys.readouterr().out


def test_without_a_budget_nobody_spends_anything(tmp_path: Path) -> None:
    client = opened(tmp_path, scripted(), public_answers=True)
    assert client.post("/answer", json=QUESTION).json()["model_used"] == "extractive"
