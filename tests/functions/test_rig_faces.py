"""Every route of every face, through the archives that are deployed, over indexes fetched from S3."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from infra.routes import read_table
from tests.support.aws import new_table
from tests.support.deployed import Bucket
from tests.support.events import event_v1, event_v2
from tests.support.rig import Function, Root
from tests.support.rig_cases import CASES, Case
from tests.support.runtime_api import Reply
from tests.support.tree import ROOT

TABLE = read_table(ROOT / "functions/routes.json")
FUNCTION_OF = {
    (face, line): function
    for face, row in TABLE.items()
    for function, lines in row.items()
    for line in lines
    if not line.startswith("HEAD")
}
ELSEWHERE = {key for key in FUNCTION_OF if key[1].endswith((" /mcp", " /mcp/connector"))}
"""Sessions of the Model Context Protocol have their own test."""
LASTING = [
    one
    for one in CASES
    if one.method == "GET"
    and (one.face != "sites" or one.route.endswith("/health"))
    and "{passage}" not in one.path
    and one.route != "GET /pages"
]
"""Reading what no later case has deleted, and what needs nothing of an earlier answer."""
LISTS = frozenset({"/status", "/collections", "/v1/models", "/llms.txt", "/openapi.json", "/reference"})
"""They list what the caller may read."""
QUESTION = {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}


def test_every_route_has_its_case() -> None:
    assert {(one.face, one.route) for one in CASES} == FUNCTION_OF.keys() - ELSEWHERE


@pytest.fixture(scope="module")
def bucket(moto_url: str, tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Bucket:
    bucket = Bucket(moto_url, tmp_path_factory.mktemp("bucket"), model_folder)
    bucket.publish("0.732.0.1", members=6)
    bucket.publish("0.735.0.1")
    bucket.publish_others()
    return bucket


@pytest.fixture(scope="module")
def functions(
    lambda_root: Root, bucket: Bucket, moto_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Function]]:
    """The three functions, each with a cache of its own, one table of messages between two of them."""
    memory = f"dynamodb://{new_table(moto_url)}"
    with ExitStack() as stack:
        made = {}
        for name in ("query", "answer", "memory"):
            known = bucket.environment(
                lambda_root, tmp_path_factory.mktemp(name), QUIRE_MEMORY=memory, QUIRE_REFRESH_S="0"
            )
            one = Function(lambda_root, f"functions.{name}.handler", known, streaming=name == "answer")
            made[name] = stack.enter_context(one)
        for one in made.values():
            one.wait_ready()
        yield made


@pytest.fixture
def known(functions: dict[str, Function]) -> dict[str, Any]:
    """What later requests need of earlier answers; at first the page's files."""
    page = functions["query"].invoke(event_v1("GET", "/")).body().decode()
    found = re.search(r"assets/([0-9a-f]+)/([\w.-]+)", page)
    assert found is not None
    return {"release": found[1], "asset": found[2]}


@pytest.mark.parametrize("face", TABLE)
def test_every_route_of_a_face_answers_from_the_archives_whoever_has_the_key(
    functions: dict[str, Function], known: dict[str, Any], face: str
) -> None:
    for case in (one for one in CASES if one.face == face):
        name = FUNCTION_OF[case.face, case.route]
        event = event_v1(case.method, case.url(known), filled(case.body, known))
        keyless = functions[name].invoke(event, key="").status()
        assert keyless in keyless_statuses(case, name), case.route
        reply = functions[name].invoke(event)
        assert reply.status() == case.status, (case.route, reply.body(), functions[name].output()[-2_000:])
        body = read(reply)
        assert case.holds(body), (case.route, body)
        known |= {kept: _at(body, path) for kept, path in (case.keeps or {}).items()}


def keyless_statuses(case: Case, function: str) -> set[int]:
    """What the case may be answered without a key: itself where it is open, a refusal elsewhere."""
    path = case.route.split(" ")[1]
    is_native = path in LISTS or path in ("/", "/widget.js") or path.startswith("/assets/")
    if path == "/health" or (case.face == "native" and is_native):
        return {200}
    if case.face == "codebase" and function != "memory":  # `quire` is public
        return {case.status}
    return {401, 501}


@pytest.mark.parametrize("case", LASTING, ids=lambda one: f"{one.face} {one.route}")
def test_a_reading_route_answers_an_http_api_too(
    functions: dict[str, Function], known: dict[str, Any], case: Case
) -> None:
    function = functions[FUNCTION_OF[case.face, case.route]]
    reply = function.invoke(event_v2("GET", case.url(known)))
    assert reply.status() == case.status
    assert case.holds(read(reply))


def test_a_wrong_key_opens_nothing(functions: dict[str, Function]) -> None:
    reply = functions["query"].invoke(event_v1("POST", "/query", QUESTION), key="wrong")
    assert (reply.status(), reply.json()["type"]) == (401, "urn:quire:problem:access-denied")
    assert functions["query"].invoke(event_v1("GET", "/health"), key="wrong").status() == 200


@pytest.mark.parametrize("name", ["query", "answer", "memory"])
def test_a_function_without_a_key_does_not_start(
    lambda_root: Root, bucket: Bucket, tmp_path: Path, name: str
) -> None:
    known = bucket.environment(lambda_root, tmp_path)
    del known["QUIRE_API_KEY"]
    with (
        Function(lambda_root, f"functions.{name}.handler", known) as function,
        pytest.raises(AssertionError, match=r"QUIRE_API_KEY: .*roblox.*are not public"),
    ):
        function.wait_ready()


def test_an_answer_leaves_the_function_event_by_event(functions: dict[str, Function]) -> None:
    reply = functions["answer"].invoke(event_v1("POST", "/answer", {**QUESTION, "stream": True}))
    head = json.loads(reply.data.partition(b"\0" * 8)[0])
    assert (head["statusCode"], head["headers"]["content-type"].split(";")[0]) == (200, "text/event-stream")
    events = [
        line.removeprefix("event: ")
        for line in reply.body().decode().splitlines()
        if line.startswith("event:")
    ]
    assert (events[0], events[-1]) == ("sources", "done")
    assert len(reply.pieces) > len(events)
    assert reply.error is None


def test_a_function_follows_its_pointer(functions: dict[str, Function], bucket: Bucket) -> None:
    asked = event_v1("POST", "/query", {"collection": "roblox", "q": "Died"})
    first = functions["query"].invoke(asked).json()
    newer = bucket.publish("0.736.0.1", members=10)
    until = time.monotonic() + 20
    second = functions["query"].invoke(asked).json()
    while second["version"] != newer and time.monotonic() < until:  # it is fetched beside the one that serves
        assert (second["version"], second["degraded"]) == (first["version"], [])
        time.sleep(0.1)
        second = functions["query"].invoke(asked).json()
    assert first["version"] != second["version"] == newer
    assert (second["degraded"], second["mode"]) == ([], "hybrid")


def read(reply: Reply) -> Any:
    """The JSON, or the text where it is none."""
    text = reply.body().decode()
    try:
        return json.loads(text)
    except ValueError:
        return text


def filled(body: Any, known: dict[str, Any]) -> Any:
    """The body with what is known in the place of `"{name}"`."""
    if isinstance(body, dict):
        return {name: filled(value, known) for name, value in body.items()}
    if isinstance(body, list):
        return [filled(value, known) for value in body]
    if isinstance(body, str) and body.startswith("{"):
        return known[body.strip("{}")]
    return body


def _at(body: Any, path: str) -> Any:
    for step in path.split("."):
        body = body[int(step)] if step.isdecimal() else body[step]
    return body
