"""Pages, excerpts, counts, batches and passages of the native API."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from functions.faces.native.contract import BatchResponse, QueryResponse
from functions.faces.native.passages import PassageResponse
from quire.documents import Document
from quire.errors import ModelError
from quire.ports import Embedder
from quire.service.knowledge import EmbedderOf
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import EMBEDDER, Shelf

QUESTION = {"collection": "roblox", "q": "Humanoid"}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def client(shelf: Shelf) -> TestClient:
    return shelf.client()


def ask(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/query", json=QUESTION | fields)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def ids(body: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in body["hits"]]


@pytest.mark.parametrize("size", [1, 3, 5])
def test_pages_end_to_end_are_the_whole_ranking(client: TestClient, size: int) -> None:
    whole = ask(client, top_k=50)
    pages = [ask(client, top_k=size, offset=at) for at in range(0, len(whole["hits"]), size)]
    assert [one for page in pages for one in ids(page)] == ids(whole)
    ranks = [hit["rank"] for page in pages for hit in page["hits"]]
    assert ranks == list(range(1, len(ranks) + 1))
    assert ask(client, offset=200)["hits"] == []


def test_an_excerpt_is_the_part_that_speaks_of_the_question_and_its_digest_proves_the_whole(
    shelf: Shelf,
) -> None:
    long = [
        one._replace(text=f"{'Of other things. ' * 40}{one.text}{' And more.' * 40}")
        for one in api_documents()
    ]
    shelf.publish(documents=long)
    client = shelf.client()
    [whole] = ask(client, q="gravity in studs", top_k=1)["hits"]
    [part] = ask(client, q="gravity in studs", top_k=1, excerpt=80)["hits"]
    start, end = part["excerpt"]["start"], part["excerpt"]["end"]
    assert part["text"] == whole["text"][start:end]
    assert len(part["text"]) <= 80 < part["excerpt"]["of"] == len(whole["text"])
    assert "gravity" in part["text"].lower()
    assert part["citation"]["sha256"] == hashlib.sha256(whole["text"].encode()).hexdigest()


def test_values_are_counted_among_the_best_passages_without_the_filters(client: TestClient) -> None:
    body = ask(client, top_k=1, facets=["member_type", "class_name"], filters={"member_type": "Event"})
    TypeAdapter(QueryResponse).validate_python(body, strict=True, extra="forbid")
    every = ask(client, top_k=50)["hits"]
    kinds = [hit["metadata"].get("member_type") for hit in every]
    facets = body["facets"]
    assert facets["of"] == len(every)
    assert facets["matching"] == kinds.count("Event")
    assert facets["counts"]["member_type"] == {
        kind: kinds.count(kind) for kind in dict.fromkeys(kinds) if kind
    }
    answer = client.post("/query", json=QUESTION | {"facets": ["klass"]})
    assert (answer.status_code, answer.json()["field"]) == (422, "facets")
    assert "class_name" in answer.json()["detail"]


def test_a_filter_value_that_nobody_has_is_told_with_the_near_ones(client: TestClient) -> None:
    body = ask(client, filters={"member_type": ["Evnt", "Property"]})
    assert body["notices"] == ["filters.member_type: no passage has 'Evnt'; near it: 'Event'"]
    assert body["hits"]
    assert ask(client, filters={"member_type": "event"})["notices"] == [
        "filters.member_type: no passage has 'event'; near it: 'Event'"
    ]
    assert ask(client, filters={"member_type": "Event"})["notices"] == []
    answer = client.post(
        "/answer", json=QUESTION | {"q": "Which event fires at death?", "filters": {"member_type": "Evnt"}}
    )
    assert body["notices"][0] in answer.json()["notices"]


def test_a_batch_is_what_each_question_alone_would_get(client: TestClient) -> None:
    queries: list[dict[str, Any]] = [
        {"q": "gravity in studs", "top_k": 2},
        {"q": "Humanoid", "filters": {"member_type": "Event"}, "excerpt": 100},
        {"q": "somebody joins the game", "mode": "keyword", "offset": 1},
    ]
    answer = client.post("/query", json={"collection": "roblox", "queries": queries})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    TypeAdapter(BatchResponse).validate_python(body, strict=True, extra="forbid")
    for alone, result in zip(queries, body["results"], strict=True):
        assert result["hits"] == ask(client, **alone)["hits"]
    assert "x-quire-version" in answer.headers


@pytest.mark.parametrize(
    ("queries", "field"),
    [
        ([], "queries"),
        ([{"q": "x"}] * 33, "queries"),
        ([{"q": "x"}, {"q": ""}], "queries.1.q"),
        ([{"q": "x", "filters": {"klass": "y"}}], "filters.klass"),
        ([{"q": "x", "collection": "roblox"}], "queries.0.collection"),
        ("gravity", "queries"),
    ],
)
def test_a_wrong_batch_is_422_and_names_the_question(client: TestClient, queries: Any, field: str) -> None:
    answer = client.post("/query", json={"collection": "roblox", "queries": queries})
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_a_body_of_both_forms_is_refused(client: TestClient) -> None:
    answer = client.post("/query", json=QUESTION | {"queries": [{"q": "x"}]})
    assert (answer.status_code, answer.json()["field"]) == (422, "q")
    assert "queries" in answer.json()["detail"]


def test_a_passage_is_read_by_its_id_with_its_neighbours(client: TestClient) -> None:
    for hit in ask(client, q="gravity in studs", top_k=50)["hits"]:
        answer = client.get(f"/collections/roblox/passages/{hit['id']}")
        body = answer.json()
        TypeAdapter(PassageResponse).validate_python(body, strict=True, extra="forbid")
        assert (body["text"], body["citation"], body["metadata"]) == (
            hit["text"],
            hit["citation"],
            hit["metadata"],
        )
        assert body["state"] == "current"
        for side, back in (("previous", "next"), ("next", "previous")):
            if body[side]:
                beside = client.get(f"/collections/roblox/passages/{body[side]}").json()
                assert beside[back] == hit["id"]


def test_a_passage_of_an_older_version_says_what_became_of_it(shelf: Shelf, client: TestClient) -> None:
    old = ask(client, q="Humanoid.MoveTo", top_k=50)
    documents = api_documents()
    changed, gone = documents[0], documents[1]
    shelf.publish(
        documents=[changed._replace(text=f"{changed.text} Now otherwise."), *documents[2:]],
        engine="0.736.0.7360000",
    )
    states = {}
    for hit in old["hits"]:
        path = f"/collections/roblox/passages/{hit['id']}"
        body = client.get(path, params={"version": old["version"]}).json()
        assert (body["text"], body["version"]) == (hit["text"], old["version"])
        assert body["current_version"] != old["version"]
        states[hit["id"]] = body["state"]
        assert (client.get(path).status_code == 404) == (body["state"] == "gone")
    assert set(states.values()) == {"unchanged", "changed", "gone"}
    assert gone.id


def test_a_passage_that_there_is_not_is_404_and_names_what_is_missing(client: TestClient) -> None:
    answer = client.get("/collections/roblox/passages/0000000000000000")
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:quire:problem:unknown-passage"
    unknown = client.get("/collections/roblox/passages/0000000000000000", params={"version": "nope"})
    assert unknown.json()["type"] == "urn:quire:problem:unknown-version"
    assert client.get("/collections/rolbox/passages/0000000000000000").status_code == 404


def test_terms_are_ranked_beside_the_question_and_shown_so_that_it_can_be_asked_again(
    client: TestClient,
) -> None:
    question = {"q": "let the character glide somewhere", "top_k": 3}
    plain = ask(client, **question)
    helped = ask(client, **question, terms="  TweenService.Create\n tween ")
    assert "terms" not in plain
    assert helped["terms"] == "TweenService.Create tween"
    assert "Create" not in [hit["metadata"].get("member_name") for hit in plain["hits"]]
    assert "Create" in [hit["metadata"].get("member_name") for hit in helped["hits"]]
    assert [hit["score"] for hit in helped["hits"]] == [hit["score"] for hit in plain["hits"]]
    assert ids(ask(client, **question, terms=helped["terms"])) == ids(helped)
    batch = client.post("/query", json={"collection": "roblox", "queries": [question | {"terms": "tween"}]})
    assert batch.json()["results"][0]["terms"] == "tween"


def test_a_question_in_another_language_is_told_what_the_index_reads_unless_it_brings_terms(
    client: TestClient,
) -> None:
    question = "¿Cómo cambio la velocidad con la que anda el personaje?"
    told = ask(client, q=question)
    assert told["notices"] == ["Please ask your question in English."]
    assert "send `terms` too" in told["advice"][0]
    helped = ask(client, q=question, terms="how fast does the character walk WalkSpeed")
    assert helped["notices"] == []
    assert "advice" not in helped
    assert helped["hits"][0]["metadata"]["member_name"] == "WalkSpeed"
    assert helped["hits"][0]["score"] > 0.5


def _no_model(_: str) -> Embedder:
    raise ModelError("no room for it")


@pytest.mark.parametrize(("opens", "mode"), [(lambda _: EMBEDDER, "hybrid"), (_no_model, "keyword")])
def test_the_page_that_tells_how_to_install_it_comes_first_with_and_without_a_model(
    tmp_path: Path, opens: EmbedderOf, mode: str
) -> None:
    lids = "\n\n".join(f"Install lid {number} of the kiln with the kiln's own screws." for number in range(4))
    pages = {f"lids/{number}.md": f"# Lid {number} of the kiln\n\n{lids}" for number in range(5)}
    pages["docs/installation.md"] = "# In the yard\n\nCarry it in and level the floor.\n"
    shelf = Shelf(tmp_path)
    shelf.publish(
        "kiln", [Document(path, text, "docs", {"path": path}) for path, text in pages.items()], profile="docs"
    )
    client = shelf.client(embedder_of=opens)
    asked = {"collection": "kiln", "q": "How do I install it?", "top_k": 2}
    body = ask(client, **asked)
    assert (body["mode"], body["hits"][0]["metadata"]["path"]) == (mode, "docs/installation.md")
    by_words = ask(client, **asked, mode="keyword")
    assert by_words["hits"][0]["metadata"]["path"] != "docs/installation.md"
