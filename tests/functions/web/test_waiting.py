"""What waits on others holds nobody else up: models that hang, and an identity provider that says nothing."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from functions.app.app import create_app
from functions.web.access import OneKey, ScopedKeys
from functions.web.waiting import WaitingRoom
from quire.adapters.jwt import JwtTokens
from quire.adapters.openai import OpenAIModel
from quire.errors import Overloaded
from quire.service.access_file import AccessFile
from tests.support.pace import is_within
from tests.support.pages import running
from tests.support.served import Shelf
from tests.support.silence import SilentServer

HANGING = 20
KEY = {"x-api-key": "master"}
BOGUS = jwt.encode({"sub": "u"}, "0" * 64, "HS256", headers={"kid": "k9"})
SOON_S = 1.0
"""Before, it was the deadline of 25 s, or 3 s for each token."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = Shelf(tmp_path_factory.mktemp("waiting"))
    shelf.publish()
    return shelf


@pytest.fixture
def silent() -> Iterator[SilentServer]:
    with SilentServer() as one:
        yield one


def scoped(folder: Path, provider: str) -> ScopedKeys:
    path = folder / "access.toml"
    path.write_text(
        f'[jwt]\nissuer = "i"\naudience = "a"\njwks_url = "{provider}/keys"\nactions = ["read"]\ncollections = ["*"]\n'
    )
    return ScopedKeys(
        AccessFile(path),
        OneKey("master"),
        lambda policy: JwtTokens(policy.issuer, policy.audience, policy.jwks_url),
    )


@pytest.fixture
def url(shelf: Shelf, silent: SilentServer, tmp_path: Path) -> Iterator[str]:
    service = shelf.service(answer_model=OpenAIModel("m", base_url=f"{silent.url}/v1", api_key="k"))
    with running(create_app(service, scoped(tmp_path, silent.url))) as url:
        yield url


def wait_until(holds: Callable[[], bool], most_s: float = 20.0) -> None:
    until = time.monotonic() + most_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def timed(url: str, path: str, body: Any = None) -> float:
    began = time.monotonic()
    reply = httpx.request("POST" if body else "GET", url + path, json=body, headers=KEY, timeout=30)
    assert reply.status_code == 200, reply.text
    return time.monotonic() - began


def ask(url: str, path: str, body: dict[str, Any]) -> httpx.Response:
    return httpx.post(url + path, json=body, headers=KEY, timeout=60)


ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("/answer", {"collection": "roblox", "q": "What does BasePart.Touched do?"}),
    ("/answer", {"collection": "roblox", "q": "What does BasePart.Touched do?", "stream": True}),
    (
        "/v1/chat/completions",
        {"model": "roblox", "messages": [{"role": "user", "content": "BasePart.Touched?"}]},
    ),
]


def test_searches_go_on_beside_models_that_hang(url: str, silent: SilentServer) -> None:
    asking = ThreadPoolExecutor(HANGING)
    try:
        hanging = [asking.submit(ask, url, *ANSWERS[number % len(ANSWERS)]) for number in range(HANGING)]
        wait_until(lambda: silent.calls >= HANGING)
        search = {"collection": "roblox", "q": "BasePart"}
        assert is_within(max(timed(url, "/query", search) for _ in range(5)), SOON_S)
        assert is_within(max(timed(url, "/roblox/query", {"text": "BasePart"}) for _ in range(5)), SOON_S)
        assert is_within(timed(url, "/health"), SOON_S)
        assert not [one for one in hanging if one.done()]
    finally:
        silent.__exit__(None, None, None)
        asking.shutdown()


def test_everyone_else_goes_on_beside_an_identity_provider_that_says_nothing(
    url: str, silent: SilentServer
) -> None:
    def bogus() -> int:
        return httpx.get(
            f"{url}/collections", headers={"authorization": f"Bearer {BOGUS}"}, timeout=60
        ).status_code

    with ThreadPoolExecutor(5) as asking:
        under_way = [asking.submit(bogus) for _ in range(5)]
        wait_until(lambda: silent.calls >= 1)
        assert is_within(timed(url, "/health"), SOON_S)
        assert is_within(timed(url, "/query", {"collection": "roblox", "q": "BasePart"}), SOON_S)
        assert [one.result() for one in under_way] == [503] * 5
    assert bogus() == 503
    assert silent.calls == 1  # what failed is remembered


def test_a_full_room_refuses_and_has_room_again_when_work_is_done() -> None:
    room, go = WaitingRoom("answers", 1, 1), threading.Event()
    begun = [room.start(go.wait, 10), room.start(go.wait, 10)]
    with pytest.raises(Overloaded, match="answers: 2 are under way"):
        room.start(go.wait, 10)
    go.set()
    assert [one.result(5) for one in begun] == [True, True]
    assert room.start(int, "3").result(5) == 3


def test_work_for_which_no_thread_can_be_started_takes_no_room() -> None:
    room = WaitingRoom("answers", 1)
    room._pool.shutdown()
    for _ in range(3):
        with pytest.raises(Overloaded, match="no thread can be started"):
            room.start(int, "3")


def test_more_answers_than_there_is_room_for_are_refused_with_a_time_to_come_back(
    shelf: Shelf, silent: SilentServer, tmp_path: Path
) -> None:
    service = shelf.service(answer_model=OpenAIModel("m", base_url=f"{silent.url}/v1"))
    app = create_app(service, scoped(tmp_path, silent.url))
    app.state.answers = WaitingRoom("answers", 1)
    asking = ThreadPoolExecutor(1)
    try:
        with running(app) as url:
            asking.submit(ask, url, *ANSWERS[0])
            wait_until(lambda: silent.calls == 1)
            for path, body in ANSWERS:
                refused = ask(url, path, body)
                assert refused.status_code == 503, path
                assert int(refused.headers["retry-after"]) > 0
            silent.__exit__(None, None, None)
            asking.shutdown()
    finally:
        asking.shutdown()


STREAMS: list[tuple[str, dict[str, Any]]] = [
    ANSWERS[1],
    (ANSWERS[2][0], {**ANSWERS[2][1], "stream": True}),
    ("/talk/chat", {"user_message": "What does BasePart.Touched do?"}),
    ("/talk/chat", {"user_message": "What does BasePart.Touched do?", "stream": True}),
]


WHOLE: list[tuple[str, dict[str, Any]]] = [
    ANSWERS[0],
    ANSWERS[2],
    ("/v1/responses", {"model": "roblox", "input": "BasePart.Touched?"}),
    ("/code/answer", {"q": "What does BasePart.Touched do?"}),
    ("/book/api/query", {"query": "What does BasePart.Touched do?"}),
    (
        "/mcp",
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "answer",
                "arguments": {"question": "BasePart.Touched?", "collection": "roblox"},
            },
        },
    ),
]


@pytest.mark.parametrize(("path", "body"), WHOLE, ids=[path for path, _ in WHOLE])
def test_a_client_that_leaves_before_a_whole_answer_ends_the_models_connection_too(
    shelf: Shelf, url: str, silent: SilentServer, path: str, body: dict[str, Any]
) -> None:
    shelf.publish("code", profile="code", engine="")
    shelf.publish("book", profile="textbook", engine="")
    headers = {**KEY, "accept": "application/json, text/event-stream"}
    client = HTTPConnection(url.removeprefix("http://"))
    client.request("POST", path, json.dumps(body), {"content-type": "application/json", **headers})
    wait_until(lambda: silent.calls == 1)
    left_at = time.monotonic()
    client.close()
    wait_until(lambda: silent.left == 1, 10)
    assert is_within(time.monotonic() - left_at, 1)
    assert is_within(timed(url, "/health"), SOON_S)
    assert silent.calls == 1


@pytest.mark.parametrize("number", range(len(STREAMS)))
def test_a_client_that_leaves_a_stream_ends_the_models_connection_within_a_second(
    shelf: Shelf, url: str, silent: SilentServer, number: int
) -> None:
    shelf.publish("talk", profile="docs", engine="")
    path, body = STREAMS[number]
    with httpx.stream("POST", url + path, json=body, headers=KEY, timeout=30) as reply:
        assert reply.status_code == 200
        wait_until(lambda: silent.calls == 1)
        assert silent.left == 0
    left_at = time.monotonic()
    wait_until(lambda: silent.left == 1)
    assert is_within(time.monotonic() - left_at, 1)
    assert is_within(timed(url, "/health"), SOON_S)
    assert silent.calls == 1  # no second try for somebody who has gone
