"""Requests that the API's own description makes, right and wrong ones, over every face, with a key and without."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from functions.faces.mcp.catalog import TOOLS
from functions.web.access import OneKey
from functions.web.logs import LOGGER
from tests.support.client import TestClient
from tests.support.lively import Lively
from tests.support.served import Shelf

MOST_S, HANGS_S = 1.5, 60
"""CPU seconds of one request, and seconds by the clock after which it is given up."""
BARE = '"error":{"code":0,'
"""How the MCP SDK tells a client of an exception that nobody caught."""
KEY = "a-key"
KEY_HEADERS = {"x-api-key", "authorization"}
PROFILES = {"roblox": "roblox", "textbook": "textbook", "celery": "code"}
"""Beside them are `sites` and `book`, which take documents by request."""
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["\0", "\ud800", "\u202e", "'", "${7*7}", "../../etc/passwd", "[1]", "{", "1e999", "__proto__"]
    ),
    st.sampled_from(["1", "aB ", "`", "[", "![", "<a ", " ", "\n"]).map(lambda atom: atom * 30_000),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


class HangsError(Exception):
    """A request that did not end in time."""


class Faces:
    """Every face in one process: as a server without a key, and as one that wants it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        shelf = Shelf(folder)
        for name, profile in PROFILES.items():
            shelf.publish(name, profile=profile)
        self._open = Lively(folder)
        self._keyed = Lively(folder, memory=self._open.memory, access=OneKey(KEY))
        self.answered: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.slowest = (0.0, "")

    @contextmanager
    def serving(self) -> Iterator[list[TestClient]]:
        """Clients: of the open server, of the other with its key, and without it."""
        with self._open.client() as free, self._keyed.client(KEY) as known, self._keyed.client() as nobody:
            free.post(
                "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            )  # imports are no request's
            LOGGER.disabled = True  # a line for each request
            try:
                yield [free, known, nobody]
            finally:
                LOGGER.disabled = False

    def judge(self, client: TestClient, documented: set[str], **request: Any) -> None:
        """Send a request; note a fault, a status that the description does not know, and a request that is slow."""
        shown = f"{request['method']} {request['url']} {json.dumps(request, default=repr)[:400]}"
        began = time.process_time()
        try:
            with _in_time():
                answer = client.request(**request)
        except HangsError:
            self.wrong.append(f"hangs: {shown}")
            return
        took = time.process_time() - began
        self.slowest = max(self.slowest, (took, shown))
        self.answered[answer.status_code] += 1
        if answer.status_code >= 500 and str(answer.status_code) not in documented - {"500"}:
            self.wrong.append(f"{answer.status_code}: {shown}: {answer.text[:300]}")
        if "Traceback (most" in answer.text or BARE in answer.text:
            self.wrong.append(f"shows what broke: {shown}: {answer.text[:300]}")
        if took > MOST_S:
            self.wrong.append(f"{took:.1f} s: {shown}")


def fuzz_requests(folder: Path, each: int, *, corpus: Path | None = None, seed: int | None = None) -> Faces:
    """Try `each` cases of every operation, each with every caller; what was found before comes first."""
    faces = Faces(folder)
    rules = settings(
        max_examples=each,
        deadline=None,
        derandomize=seed is not None,
        database=DirectoryBasedExampleDatabase(corpus) if corpus else None,
        phases=[Phase.reuse, Phase.generate] if corpus else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    with faces.serving() as clients:
        document = clients[0].get("/openapi.json").json()
        for found in schemathesis.openapi.from_dict(document).get_all_operations():
            if isinstance(found, Ok):
                _fuzz(faces, clients, found.ok(), rules)
        _fuzz_tools(faces, clients, rules)
    return faces


def _fuzz(
    faces: Faces, clients: list[TestClient], operation: APIOperation[Any, Any, Any, Any], rules: settings
) -> None:
    documented = {str(status) for status in operation.definition.raw.get("responses", {})}
    cases = st.one_of([operation.as_strategy(mode) for mode in GenerationMode])

    @rules
    @given(cases, st.none() | st.tuples(st.integers(0), VALUES), st.integers(0, 9))
    def attack(case: Case[Any], put: tuple[int, Any] | None, round_number: int) -> None:
        if put and isinstance(case.body, dict) and case.body:
            name = sorted(case.body, key=str)[put[0] % len(case.body)]
            case.body = case.body | {name: put[1]}
        try:
            request = case.as_transport_kwargs()
            request.pop("cookies", None)  # deprecated for a single request, and no face reads any
            if "json" in request:
                body = json.dumps(request.pop("json")).encode()
                request |= {
                    "content": body,
                    "headers": {**request["headers"], "content-type": "application/json"},
                }
            if "data" in request:
                request["content"] = request.pop("data")
            clients[0].build_request(**request)
        except (TypeError, ValueError, UnicodeError):
            return  # no HTTP client can send it
        free, known, nobody = clients
        faces.judge(free, documented, **request)
        # Made-up keys would stand in for the client's own, and every request would end at the door.
        own = {name: value for name, value in request["headers"].items() if name.lower() not in KEY_HEADERS}
        faces.judge(known, documented, **request | {"headers": own})
        if round_number == 0:
            faces.judge(nobody, documented, **request)

    attack()


def _fuzz_tools(faces: Faces, clients: list[TestClient], rules: settings) -> None:
    arguments = [
        "collection",
        "query",
        "q",
        "question",
        "path",
        "id",
        "filters",
        "max_tokens",
        "pattern",
        "top_k",
        "citations",
    ]

    @rules
    @given(st.sampled_from([*TOOLS, "x"]), st.dictionaries(st.sampled_from(arguments), VALUES))
    def attack(tool: str, given_to_it: dict[str, Any]) -> None:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": given_to_it},
        }
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        for client in clients[:2]:
            faces.judge(
                client, set(), method="POST", url="/mcp", content=json.dumps(body).encode(), headers=headers
            )

    attack()


@contextmanager
def _in_time() -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise HangsError

    usual = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(HANGS_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, usual)
