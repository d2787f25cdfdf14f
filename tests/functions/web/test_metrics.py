from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from functions.web.logs import UNITS, embedded
from quire.ports import Spent
from quire.service.freshness import age_hours
from quire.service.metrics import note, noted, noting, timed
from tests.support.logged import logged
from tests.support.served import Shelf
from tests.support.shelves import Scripted
from tests.support.small_disk import fill, small_disk

LAMBDA = {"AWS_LAMBDA_FUNCTION_NAME": "quire-query"}


def test_a_disk_that_fills_up_is_told_without_a_dimension_and_a_roomy_one_is_not(tmp_path: Path) -> None:
    facts = {"collection": "roblox", "took_ms": 1.0}
    with small_disk(tmp_path / "disk", 1024) as disk:
        known = {**LAMBDA, "QUIRE_CACHE": str(disk)}
        assert len(embedded(facts, known)["_aws"]["CloudWatchMetrics"]) == 1
        fill(disk)
        line = embedded(facts, known)
    told = line["_aws"]["CloudWatchMetrics"][1]
    assert told == {
        "Namespace": "Quire",
        "Dimensions": [[]],
        "Metrics": [{"Name": "DiskShare", "Unit": "None"}],
    }
    assert line["DiskShare"] == 1.0


def test_facts_belong_to_one_request() -> None:
    note(degraded=True)
    with noting():
        note(version="abc", prompt_tokens=3)
        note(version="def", prompt_tokens=4)
        assert noted() == {"version": "def", "prompt_tokens": 7}
        with noting():
            assert noted() == {}
    assert noted() == {}


def test_a_stage_that_runs_twice_counts_twice_even_when_it_fails() -> None:
    with noting():
        with timed("search_ms"):
            pass
        once = noted()["search_ms"]
        with pytest.raises(KeyError), timed("search_ms"):
            raise KeyError
        assert noted()["search_ms"] >= once >= 0


def test_metrics_are_in_the_line_as_cloudwatch_wants_them() -> None:
    from infra.monitoring import NAMESPACE  # brings the CDK, which no other test of this process needs

    facts = {
        "collection": "roblox",
        "took_ms": 12.5,
        "degraded": False,
        "route": "/query",
        "index_age_h": None,
    }
    line = embedded(facts, LAMBDA)
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == NAMESPACE
    assert directive["Dimensions"] == [["collection"]]
    assert directive["Metrics"] == [
        {"Name": "TookMs", "Unit": "Milliseconds"},
        {"Name": "Degraded", "Unit": "Count"},
    ]
    assert (line["TookMs"], line["Degraded"]) == (12.5, 0.0)
    assert all(isinstance(line[one["Name"]], float) for one in directive["Metrics"])


@pytest.mark.parametrize(
    ("facts", "environ"), [({"collection": "roblox", "took_ms": 1}, {}), ({"took_ms": 1}, LAMBDA)]
)
def test_no_metrics_outside_lambda_or_without_a_collection(
    facts: dict[str, Any], environ: dict[str, str]
) -> None:
    assert embedded(facts, environ) == {}


def test_an_age_is_that_of_what_is_served() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    assert age_hours("2026-11-19T12:00:00Z", now) == 12.0
    assert age_hours("", now) is None


@pytest.mark.parametrize("path", ["/roblox/query", "/query"])
def test_a_questions_line_says_what_it_did_and_not_what_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire-query")
    shelf = Shelf(tmp_path)
    version = shelf.publish().version
    asked = (
        {"text": "secret walk"} if path == "/roblox/query" else {"collection": "roblox", "q": "secret walk"}
    )
    with logged() as lines:
        assert shelf.client().post(path, json=asked).status_code == 200
    line = lines()[-1]
    assert (line["collection"], line["version"], line["status"]) == ("roblox", version, 200)
    assert {"open_ms", "search_ms", "took_ms", "request_id"} <= set(line)
    assert {one["Name"] for one in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]} == {
        UNITS[name][0] for name in ("took_ms", "open_ms", "search_ms", "degraded", "index_age_h")
    }
    assert "secret" not in json.dumps(line)


def test_a_collection_that_a_caller_made_up_becomes_no_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire-query")
    shelf = Shelf(tmp_path)
    shelf.publish()
    with logged() as lines:
        for path in ("/query", "/made-up/query"):
            assert shelf.client().post(path, json={"collection": "made-up", "q": "x"}).status_code == 404
    written = lines()
    assert [line["collection"] for line in written] == ["made-up", "made-up"]
    assert not [line for line in written if "_aws" in line]


ASKED = {
    "search": ("/query", {"collection": "roblox", "q": "BasePart"}),
    "answer": ("/answer", {"collection": "roblox", "q": "What does BasePart.Touched do?"}),
    "stream": ("/answer", {"collection": "roblox", "q": "What does BasePart.Touched do?", "stream": True}),
}


def emitted(shelf: Shelf, name: str) -> dict[str, Any]:
    """The log line of one request, with its metrics."""
    path, body = ASKED[name]
    client = shelf.client(answer_model=Scripted(["It fires when a part is touched [1].", Spent(30, 9)]))
    with logged() as lines:
        assert client.post(path, json=body).status_code == 200
    return lines()[-1]


def test_every_metric_is_emitted_by_a_search_or_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What alarms and graphs look at is among UNITS: tests/infra holds them against it.
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire-answer")
    shelf = Shelf(tmp_path)
    shelf.publish()
    found = {
        one["Name"]
        for name in ASKED
        for one in emitted(shelf, name)["_aws"]["CloudWatchMetrics"][0]["Metrics"]
    }
    assert found == {name for name, _ in UNITS.values()}


@pytest.mark.parametrize("name", ["answer", "stream"])
def test_an_answers_line_says_what_it_cost_however_it_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire-answer")
    shelf = Shelf(tmp_path)
    version = shelf.publish().version
    line = emitted(shelf, name)
    assert (line["PromptTokens"], line["AnswerTokens"], line["Abstained"]) == (30.0, 9.0, 0.0)
    assert line["AnswerMs"] > 0
    assert (line["version"], line["degraded"]) == (version, False)
