"""Ages of collections that nobody asks, told on a schedule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from functions.app.wiring import open_service
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.freshness import tell_ages
from functions.web.logs import configure_logs
from quire.adapters.folder import FolderStore
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.deployed import publish
from tests.support.fakes import HashingEmbedder


def test_an_event_of_the_schedule_logs_each_age_with_its_metric_and_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = SegmentStore(FolderStore(tmp_path), tmp_path / "cache", clock=lambda: 1_000_000.0)
    publish(store, "roblox", api_documents()[:3], HashingEmbedder())
    service = open_service(Settings(store=str(tmp_path), cache=tmp_path / "cache"))
    configure_logs()
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "query")

    async def app(*_: object) -> None:
        raise AssertionError("no request of HTTP")

    handler = LambdaHandler(app, tell_ages=lambda names: tell_ages(service, names))
    ages = handler({"quire_ages": ["roblox", "gone"]}, None)["ages"]
    handler.close()
    assert list(ages) == ["roblox"]
    assert ages["roblox"] > 24 * 365
    told, unknown = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (told["IndexAgeHours"], told["collection"]) == (ages["roblox"], "roblox")
    assert (unknown["event"], unknown["collection"]) == ("index age unknown", "gone")
    assert service.catalog.peek("roblox") is None
