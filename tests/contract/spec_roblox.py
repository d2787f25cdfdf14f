"""`roblox-api-rag.md`, sentence by sentence, in its order: one test a requirement.

Names of the parts that it would use (Qdrant, Docker, Poetry) stand for what Quire has in their place: an index in files
and a Lambda layer. Everything is asked of a collection that was built of an invented engine, with the real model.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from build_index import wiring
from build_index.__main__ import main
from functions.app.wiring import local_app
from quire.answering.generative.context import overlap
from quire.chunking import chunk_document
from quire.collections import read_collections
from quire.documents import Document
from quire.ports import Embedder
from quire.settings import Settings
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.engine import DUMP, write_engine
from tests.support.model import link_models
from tests.support.served import Shelf
from tests.support.tree import ROOT

PARAGRAPH = "The wind of a bay turns with the tide, and a hull that is not trimmed drifts towards the pier. "
GUIDE = f"""---
title: Kept out of the text
description: Of the page.
---

import Thing from './thing'

# Sailing into harbours

<Alert severity="info">A harbour shelters boats from waves.</Alert>

{PARAGRAPH * 6}

## Mooring

Tie two lines to the pier before the engine stops.

{PARAGRAPH * 14}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[Path]:
    """A folder with a store in which collection `roblox` is built of a dump and of docs."""
    folder = tmp_path_factory.mktemp("engine")
    dump, reference = write_engine(folder / "engine")
    guide = reference / "content/en-us/guides/deep/harbours.md"
    guide.parent.mkdir(parents=True)
    guide.write_text(GUIDE, encoding="utf-8")
    link_models(folder / "cache", model_folder)
    (folder / "collections.toml").write_text('[roblox]\nprofile = "roblox"\n', encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIRE_CACHE", str(folder / "cache"))
        patch.setenv("QUIRE_COLLECTIONS", str(folder / "collections.toml"))
        wiring.settings.cache_clear()
        sources = [f"api_dump={dump}", f"creator_docs={reference}"]
        command = ["build", "roblox", "--profile", "roblox", "--source", *sources]
        assert main([*command, "--store", str(folder / "store")]) == 0
    yield folder
    wiring.settings.cache_clear()


@pytest.fixture(scope="module")
def server(place: Path) -> TestClient:
    chosen = Settings(
        store=str(place / "store"), cache=place / "cache", collections_file=place / "collections.toml"
    )
    return TestClient(local_app(chosen), base_url="http://localhost", raise_server_exceptions=False)


def ask(server: TestClient, text: str, **more: Any) -> list[dict[str, Any]]:
    answer = server.post("/roblox/query", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def payloads(server: TestClient, text: str = "boat", **filters: Any) -> list[dict[str, Any]]:
    return [one["payload"] for one in ask(server, text, top_k=20, filters=filters)]


def workflow() -> dict[Any, Any]:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    said: dict[Any, Any] = yaml.safe_load(text)
    return said


# 2. System architecture


def test_2_2_both_sources_are_in_one_index(server: TestClient) -> None:
    assert {one["payload"]["source"] for one in ask(server, "boats sail to a harbour", top_k=20)} == {
        "api_dump",
        "creator_docs",
    }


def test_2_2_the_server_answers_from_a_read_only_index_without_the_sources(place: Path) -> None:
    shown = Settings(store=str(place / "store"), cache=place / "cache", collections_file=place / "none.toml")
    moved = place / "engine"
    moved.rename(place / "gone")
    try:
        assert ask(TestClient(local_app(shown), base_url="http://localhost"), "boat")
    finally:
        (place / "gone").rename(moved)


# 3. Data sources


def test_3_1_sources_are_the_client_tracker_and_the_creator_docs() -> None:
    [*sources] = read_collections(ROOT / "collections.toml")["roblox"].sources
    assert [address.partition("@")[0] for _, address in sources] == [
        "https://github.com/MaximumADHD/Roblox-Client-Tracker",
        "https://github.com/Roblox/creator-docs",
    ]


def test_3_1_markdown_of_subdirectories_is_read(server: TestClient) -> None:
    assert any(one["file_path"].endswith("guides/deep/harbours.md") for one in payloads(server, "mooring"))


# 4. Ingestion


def test_4_1_it_runs_weekly_by_a_scheduled_github_action_on_thursdays_at_midnight_pacific() -> None:
    assert workflow()[True]["schedule"] == [{"cron": "0 8 * * THU"}]
    assert read_collections(ROOT / "collections.toml")["roblox"].schedule == "0 0 ? * THU *"


def test_4_2_each_member_of_a_class_is_a_document_with_name_description_parameters_and_return_type(
    server: TestClient,
) -> None:
    [found] = [one for one in payloads(server, "Boat:SailTo") if one.get("member_name") == "SailTo"]
    for part in ("SailTo", "harbour: Thing", "Sails to another place", "slowly: bool", "Returns"):
        assert part in found["text"]


def test_4_2_frontmatter_and_tags_are_stripped_of_creator_docs(server: TestClient) -> None:
    texts = [one["text"] for one in payloads(server, "harbours", source="creator_docs")]
    assert any("A harbour shelters boats" in text for text in texts)
    for text in texts:
        assert "<Alert" not in text
        assert "description: Of the page" not in text
        assert "import Thing" not in text


def test_4_3_each_api_member_is_one_chunk(server: TestClient) -> None:
    listed = {(one["Name"], member["Name"]) for one in DUMP["Classes"] for member in one["Members"]}
    for owner, name in listed:
        found = payloads(server, f"{owner}.{name}", class_name=owner)
        of = [one for one in found if one.get("member_name") == name and one["class_name"] == owner]
        assert len(of) == 1, (owner, name)


def test_4_3_creator_docs_are_chunks_of_about_500_to_1000_characters(server: TestClient) -> None:
    texts = [one["text"] for one in payloads(server, "wind of a bay", source="creator_docs")]
    assert len(texts) >= 2
    # Sections stay whole up to the model's window: "approximately" is read as at most half a window more.
    assert all(len(text) <= 1_500 for text in texts)


def test_4_3_chunks_of_creator_docs_overlap() -> None:
    text = "# Boats\n\n" + " ".join(f"Boat {n} of the harbour lies at pier {n}." for n in range(120))
    chunks = list(chunk_document(Document("a.md", text, "creator_docs", {"path": "a.md"})))
    assert len(chunks) > 3
    assert all(20 <= overlap(one.text, other.text) <= 120 for one, other in pairwise(chunks))


def test_4_4_an_api_chunk_has_source_class_name_member_name_member_type_and_tags(server: TestClient) -> None:
    [found] = [one for one in payloads(server, "Boat:SailTo") if one.get("member_name") == "SailTo"]
    assert {name: found[name] for name in ("source", "class_name", "member_name", "member_type", "tags")} == {
        "source": "api_dump",
        "class_name": "Boat",
        "member_name": "SailTo",
        "member_type": "Function",
        "tags": ["Yields"],
    }


@pytest.mark.parametrize("kind", ["Property", "Function", "Event", "Callback"])
def test_4_4_member_types_are_the_four_of_the_dump(server: TestClient, kind: str) -> None:
    found = payloads(server, "boat", member_type=kind)
    assert found
    assert {one["member_type"] for one in found} == {kind}


def test_4_4_a_documentation_chunk_has_source_file_path_and_title_from_the_h1(server: TestClient) -> None:
    [found, *_] = payloads(server, "mooring lines at the pier", source="creator_docs")
    assert found["source"] == "creator_docs"
    assert found["file_path"] == "content/en-us/guides/deep/harbours.md"
    assert found["title"] == "Sailing into harbours"


def test_4_5_each_chunk_has_an_id_of_its_own(server: TestClient) -> None:
    ids = [one["id"] for one in payloads(server, "boat harbour wind")]
    assert len(ids) == len(set(ids)) > 5


def test_4_5_source_class_name_and_member_type_are_indexed_for_filters(place: Path) -> None:
    index = wiring.open_store(str(place / "store")).open("roblox")
    assert {"source", "class_name", "member_type"} <= set(index.filters.fields)


# 5.1 Endpoints


def test_5_1_1_query_takes_a_question_in_natural_language(server: TestClient) -> None:
    found = ask(server, "Which method makes a boat sail to another place?")
    assert found[0]["payload"]["member_name"] == "SailTo"


def test_5_1_1_how_do_i_make_a_character_walk_to_a_point_begins_with_moveto(
    tmp_path: Path, embedder: Embedder
) -> None:
    goal = Document(
        "api_dump/Humanoid.WalkToPoint",
        "Humanoid.WalkToPoint: Vector3. The point that the character walks to once Humanoid:MoveTo() was called.",
        "api_member",
        {
            "source": "api_dump",
            "class_name": "Humanoid",
            "member_name": "WalkToPoint",
            "member_type": "Property",
            "breadcrumb": "Humanoid › WalkToPoint",
            "symbols": ("Humanoid.WalkToPoint", "WalkToPoint"),
        },
    )
    shelf = Shelf(tmp_path)
    shelf.publish(documents=[*api_documents(), goal], embedder=embedder)
    found = ask(shelf.client(embedder_of=lambda _: embedder), "How do I make a character walk to a point?")
    assert found[0]["payload"]["member_name"] == "MoveTo"


def test_5_1_2_health_is_ok(server: TestClient) -> None:
    assert server.get("/roblox/health").json() == {"status": "ok"}


def test_5_1_3_status_has_engine_version_date_and_count(server: TestClient) -> None:
    told = server.get("/roblox/status").json()
    assert told.keys() == {"roblox_version", "last_updated", "total_documents"}
    assert told["roblox_version"] == "0.1.2.3"
    assert datetime.strptime(told["last_updated"], "%Y-%m-%dT%H:%M:%SZ")
    assert told["total_documents"] > 10


# 5.2 Data models


@pytest.mark.parametrize("value", ["api_dump", "creator_docs"])
def test_5_2_1_source_filters(server: TestClient, value: str) -> None:
    found = payloads(server, "boat harbour", source=value)
    assert found
    assert {one["source"] for one in found} == {value}


def test_5_2_1_class_name_filters_and_finds_what_the_class_inherits(server: TestClient) -> None:
    found = payloads(server, "how fast it may go", class_name="Dinghy")
    [speed] = [one for one in found if one.get("member_name") == "TopSpeed"]
    assert (speed["class_name"], speed["inherited_by"]) == ("Boat", ["Dinghy"])
    assert {one["class_name"] for one in found} <= {"Dinghy", "Boat", "Thing"}
    own = payloads(server, "how fast it may go", class_name="Boat")
    assert all("inherited_by" not in one for one in own if one["class_name"] == "Boat")


def test_5_2_1_filters_ignore_case(server: TestClient) -> None:
    for name, wrong, right in (
        ("source", "API_Dump", "api_dump"),
        ("class_name", "dinghy", "Dinghy"),
        ("member_type", "event", "Event"),
    ):
        assert payloads(server, **{name: wrong}) == payloads(server, **{name: right}) != []


def test_5_2_1_a_filter_may_list_several_values(server: TestClient) -> None:
    found = payloads(server, member_type=["Event", "callback"])
    assert {one["member_type"] for one in found} == {"Event", "Callback"}


def test_5_2_1_a_filter_is_optional_and_may_be_null(server: TestClient) -> None:
    assert payloads(server, source=None) == payloads(server) == payloads(server, source=[]) != []


@pytest.mark.parametrize("body", [{}, {"text": None}, {"text": 7}])
def test_5_2_1_text_is_required(server: TestClient, body: dict[str, Any]) -> None:
    refused = server.post("/roblox/query", json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "text"]


def test_5_2_1_top_k_is_5_where_it_is_not_given(server: TestClient) -> None:
    assert len(ask(server, "boat")) == 5


@pytest.mark.parametrize(("top_k", "status"), [(0, 422), (1, 200), (20, 200), (21, 422)])
def test_5_2_1_top_k_is_above_0_and_at_most_20(server: TestClient, top_k: int, status: int) -> None:
    assert server.post("/roblox/query", json={"text": "boat", "top_k": top_k}).status_code == status


def test_5_2_2_a_result_is_a_score_and_a_payload(server: TestClient) -> None:
    answer = server.post("/roblox/query", json={"text": "boat"}).json()
    assert answer.keys() == {"results"}
    for one in answer["results"]:
        assert one.keys() == {"score", "payload"}
        assert isinstance(one["score"], float)
        assert isinstance(one["payload"], dict)


def test_5_2_what_goes_beyond_the_contract_is_documented_for_what_it_is(server: TestClient) -> None:
    document = server.get("/openapi.json").json()
    models = document["components"]["schemas"]
    [asked] = [
        one for name, one in models.items() if name.endswith("QueryRequest") and "text" in one["properties"]
    ]
    assert "native `POST /query`" in asked["properties"]["top_k"]["description"]
    [result] = [
        one
        for name, one in models.items()
        if name.endswith("SearchResult") and "payload" in one["properties"]
    ]
    assert "not that of the engine" in result["properties"]["payload"]["description"]
    route = next(one for path, one in document["paths"].items() if path == "/roblox/query")
    assert "`POST /answer` of the native API" in route["post"]["description"]


# 5.3 Query logic


def test_5_3_filters_narrow_the_search_and_results_come_best_first(server: TestClient) -> None:
    found = ask(
        server, "sail", filters={"source": "api_dump", "class_name": "Boat", "member_type": "Function"}
    )
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert {one["payload"]["member_type"] for one in found} == {"Function"}


# 6. Pipeline of the repository


def test_6_2_the_workflow_runs_weekly_and_by_hand() -> None:
    assert set(workflow()[True]) == {"schedule", "workflow_dispatch"}


def test_6_2_the_build_itself_is_tested_on_every_push() -> None:
    said = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert "push" in said[True]


def test_6_2_what_is_published_is_tagged_with_the_engine_version() -> None:
    steps = [step for job in workflow()["jobs"].values() for step in job["steps"]]
    assert any("git tag" in str(step.get("run")) for step in steps)


def test_6_3_no_token_stands_in_the_repository() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    assert "role-to-assume" in text  # signed in for the run: there is no token to keep
    assert "password" not in text.lower()


# 7. Local development


def test_7_a_server_with_hot_reload_over_an_index_that_is_kept() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    dev = text.partition("\ndev:")[2].partition("\n\n")[0]
    assert "--reload" in dev
