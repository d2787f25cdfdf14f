"""What real MCP clients do: no collection, near names, long replies, a parent that dies, ChatGPT's pair of tools."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from functions.app.app import create_app
from functions.faces.mcp.arguments import MOST_TOKENS
from functions.faces.mcp.choosing import MOST_COLLECTIONS
from functions.faces.mcp.passages import META, MOST_BYTES, SIZE
from quire.collections import Collection
from quire.documents import Document, Value
from quire.service.access import Caller
from quire.service.documents import grep
from tests.functions.faces.test_mcp import ask, over_http, said
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.mcp_agent import PASSAGE
from tests.support.served import Shelf
from tests.support.tree import ROOT

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def garden(text: str = "Tomatoes want warm soil.\nWater them in the morning.") -> list[Document]:
    facts: dict[str, Value] = {
        "path": "garden/tomatoes.md",
        "title": "Tomatoes",
        "start_line": 1,
        "end_line": 2,
    }
    return [Document(id="garden/tomatoes.md", text=text, kind="api_member", metadata=facts)]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    shelf.publish("garden-book", garden())
    return shelf


def words(shelf: Shelf, tool: str, **given: Any) -> str:
    result = ask(shelf, tool, **given)
    assert not result.is_error, said(result)
    return said(result)


def rpc(client: TestClient, method: str, path: str = "/mcp", **params: Any) -> dict[str, Any]:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = client.post(path, json=asked, headers=HEADERS).json()
    result: dict[str, Any] = reply["result"]
    return result


def test_a_search_without_a_collection_gives_the_best_of_all(shelf: Shelf) -> None:
    warm = words(shelf, "search", query="warm soil for tomatoes", limit=3)
    assert "Tomatoes want warm soil" in warm.split("[1] ")[1].split("[2] ")[0]
    pull = words(shelf, "search", query="gravity pulls at 196.2 studs", limit=3)
    assert "196.2" in pull.split("[1] ")[1].split("[2] ")[0]
    # A collection without a hit did not speak; the head names those that did.
    assert f"garden-book, version {shelf.store.pointer('garden-book').version}" in warm
    assert "garden-book" not in pull


def test_an_answer_without_a_collection_comes_from_the_one_that_knows(shelf: Shelf) -> None:
    text = words(shelf, "answer", question="What soil do tomatoes want?")
    assert "warm soil" in text
    assert "answered from garden-book, the nearest of 2 collections" in text


def test_an_older_version_or_a_filter_that_some_collections_lack_leaves_those_out(shelf: Shelf) -> None:
    text = words(shelf, "search", query="health", filters={"class_name": "Humanoid"})
    assert "Humanoid.Died" in text
    failed = ask(shelf, "search", query="health", filters={"klass": "x"})
    assert failed.is_error
    assert "class_name" in said(failed)


OFFER = "The collection garden-book has this: ask it there."


def test_a_refusal_names_the_collection_that_answers_to_who_may_read_it(shelf: Shelf) -> None:
    question = "What soil do tomatoes want?"
    assert OFFER in words(shelf, "answer", question=question, collection="roblox")
    asked = {"collection": "roblox", "q": question}
    with TestClient(shelf.app()) as client:
        whole = client.post("/answer", json=asked).json()
        assert (whole["answerable"], whole["notices"][-1]) == (False, OFFER)
        assert OFFER in client.post("/answer", json=asked | {"stream": True}).text
        # Not where the question is about this one, or where nobody answers it.
        for about in (
            {"selected_text": "Tomatoes"},
            {"filters": {"class_name": "Humanoid"}},
            {"version": whole["version"]},
            {"q": "Who painted the Mona Lisa?"},
            {"q": "At how many studs does gravity pull?"},
        ):
            assert OFFER not in client.post("/answer", json=asked | about).json()["notices"]
    found = rpc(
        TestClient(create_app(shelf.service(), _ReadsRoblox())),
        "tools/call",
        name="answer",
        arguments={"question": question},
    )
    assert "garden" not in json.dumps(found)


class _ReadsRoblox:
    def may_wait(self, headers: Mapping[str, str]) -> bool:
        return False

    def identify(self, headers: Mapping[str, str]) -> Caller:
        return Caller("scoped", frozenset({("read", "roblox")}))


def test_a_search_of_all_is_of_those_that_the_key_may_read(shelf: Shelf) -> None:
    client = TestClient(create_app(shelf.service(), _ReadsRoblox()))
    for tool, given in {
        "search": {"query": "tomatoes want warm soil"},
        "grep": {"pattern": "Tomatoes"},
        "answer": {"question": "What soil do tomatoes want?"},
        "list": {},
    }.items():
        found = rpc(client, "tools/call", name=tool, arguments=given)
        assert "warm soil." not in json.dumps(found), tool
        assert "garden" not in found["content"][0]["text"], tool
    hello: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    assert rpc(client, "initialize", **hello)["instructions"].endswith(" Collections: roblox.")


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search", {"collection": "roblox", "question": "gravity in studs"}),
        ("search", {"collection": "Roblox", "q": "gravity in studs", "topK": "3"}),
        ("search", {"collection": " ROBLOX ", "query": "gravity in studs", "version": None, "filters": None}),
        ("search", {"query": "gravity", "filters": '{"source": "creator_docs"}', "collection": "roblox"}),
        ("search", {"query": "gravity", "filters": {"source": ["creator_docs"]}, "collection": "all"}),
        ("answer", {"collection": "roblox", "query": "How far does gravity pull, in studs?"}),
        ("read", {"path": "content/en-us/guides/physics.md:3-3"}),
        ("grep", {"regex": "196.2", "maxTokens": 300}),
        ("grep", {"pattern": 196.2, "under": "/", "version": "", "limit": "5"}),
        (
            "search",
            {"query": ["gravity", "in studs"], "terms": ["Workspace.Gravity"], "collection": ["roblox"]},
        ),
        ("search", {"qery": "gravity in studs", "filters": "", "version": "null", "max_tokens": 20}),
        (
            "search",
            {
                "query": "gravity in studs",
                "filters": {"source": None},
                "collection": ["roblox", "garden-book"],
            },
        ),
        (
            "read",
            {"id": "", "document": "content/en-us/guides/physics.md", "start_line": 0, "end_line": None},
        ),
        ("read", {"file_path": "content/en-us/guides/physics.md", "offset": 1}),
        # What n8n sends beside the arguments of each call.
        (
            "search",
            {
                "query": "gravity in studs",
                "sessionId": "1",
                "action": "x",
                "chatInput": "y",
                "toolCallId": "z",
            },
        ),
    ],
)
def test_near_names_and_json_as_a_string_are_understood(
    shelf: Shelf, tool: str, given: dict[str, Any]
) -> None:
    assert "196.2" in words(shelf, tool, **given)


def test_what_a_tool_does_not_take_is_left_out_and_told(shelf: Shelf) -> None:
    text = words(shelf, "search", query="gravity in studs", glob="*.md", limit=900, toolCallId="z")
    assert "196.2" in text
    assert "Note: left out glob, which this tool does not take; it takes query, terms," in text
    assert "Note: limit: 20 is the most." in text
    assert "toolCallId" not in text
    assert "does not take; it takes nothing" in words(shelf, "list_collections", verbose=True)


def test_a_collection_is_found_by_its_title_in_other_letters(shelf: Shelf) -> None:
    assert "warm soil" in words(shelf, "search", collection="Garden Book", query="soil")


def test_lists_may_be_kept_for_minutes_and_there_are_no_prompts(shelf: Shelf) -> None:
    async def work(client: Client) -> None:
        tools = await client.list_tools()
        prompts = await client.list_prompts()
        resources = await client.list_resources()
        assert prompts.prompts == []
        assert [tool.name for tool in tools.tools if not tool.title] == []
        for kept in (tools, prompts, resources):
            assert kept.cache_scope == "public"
            assert kept.ttl_ms >= 60_000

    over_http(shelf, work)


def test_what_a_key_shows_is_not_kept_for_others(shelf: Shelf) -> None:
    async def work(client: Client) -> str:
        return (await client.list_resources()).cache_scope

    assert over_http(shelf, work, key="secret", sent="secret") == "private"


def test_a_reply_stays_below_the_limit_of_clients_and_says_its_size(shelf: Shelf) -> None:
    long = "\n".join(f"line {number}: some words that go on for a while" for number in range(9_000))
    shelf.publish("long", garden(long))
    result = ask(shelf, "read", collection="long", document="garden/tomatoes.md", max_tokens=MOST_TOKENS)
    assert 60_000 < len(said(result)) <= MOST_BYTES + 500
    assert (result.meta or {})[SIZE] >= len(said(result))
    asked = {"collection": "long", "document": "garden/tomatoes.md", "max_tokens": MOST_TOKENS + 1}
    assert f"Note: max_tokens: {MOST_TOKENS} is the most." in words(shelf, "read", **asked)

    async def work(client: Client) -> dict[str, Any]:
        return {tool.name: (tool.meta or {}).get(SIZE) for tool in (await client.list_tools()).tools}

    assert over_http(shelf, work)["read"] >= len(said(result))


def test_letters_of_another_script_count_for_more_than_a_quarter_token(shelf: Shelf) -> None:
    shelf.publish("kanji", garden("\n".join("土は温かくなければならない。" for _ in range(2_000))))
    text = words(shelf, "read", document="garden/tomatoes.md", collection="kanji", max_tokens=1_000)
    assert len(text) < 1_000 * 4 / 2.9 + 300


def test_an_answer_shows_each_quote_once(shelf: Shelf) -> None:
    text = words(shelf, "answer", collection="roblox", question="How far does gravity pull, in studs?")
    assert text.count("gravity pulls at 196.2 studs") == 1
    assert PASSAGE.findall(text)


def post(client: TestClient, body: Any, **headers: str) -> Any:
    return client.post(
        "/mcp", json=body, headers=HEADERS | {name.replace("_", "-"): one for name, one in headers.items()}
    )


def test_a_batch_is_answered_where_the_protocol_has_batches_and_refused_elsewhere(shelf: Shelf) -> None:
    client = shelf.client()
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [json.loads(_line(1, "ping", {})), notice, json.loads(_line("b", "tools/list", {})), 5]
    for headers in ({}, {"mcp_protocol_version": "2025-03-26"}):
        given = post(client, batch, **headers)
        assert given.status_code == 200
        assert [one.get("result", {}).keys() >= {"tools"} for one in given.json()] == [False, True, False]
        assert [one["id"] for one in given.json()][:2] == [1, "b"]
        assert "error" in given.json()[2]
    assert (post(client, [notice]).status_code, post(client, [notice]).content) == (202, b"")
    for wrong, headers in ((batch, {"mcp_protocol_version": "2025-06-18"}), ([], {}), (batch * 9, {})):
        refused = post(client, wrong, **headers)
        assert refused.status_code == 400
        assert refused.json()["error"]["code"] == -32600
        assert "batches are of protocol 2025-03-26 alone, of 1 to 32" in refused.json()["error"]["message"]


@pytest.mark.parametrize("wrong", [1.5, True, None, {}])
def test_an_id_that_is_none_is_refused_over_http_too(shelf: Shelf, wrong: Any) -> None:
    refused = post(shelf.client(), {"jsonrpc": "2.0", "id": wrong, "method": "tools/list"})
    assert (refused.status_code, refused.json()["error"]["code"], refused.json()["id"]) == (400, -32600, None)
    assert refused.json()["error"]["message"] == "id: wanted a text or a whole number"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"jsonrpc": "2.0", "id": 1}, "method: wanted the name of a method"),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 'jsonrpc: wanted "2.0"'),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["search"]},
            "params: wanted an object",
        ),
    ],
)
def test_what_is_no_message_is_refused_in_a_few_words(shelf: Shelf, message: Any, told: str) -> None:
    refused = post(shelf.client(), message)
    assert (refused.status_code, refused.json()["error"]) == (400, {"code": -32600, "message": told})


def test_a_page_that_a_collection_lists_asks_this_one_alone(shelf: Shelf) -> None:
    page = "https://pages.example"
    shelf.publish("tended", garden("Tomatoes want warm soil."), profile="docs")
    collections = {"tended": Collection("tended", "docs", options={"origins": page})}
    client = shelf.client(collections=collections)
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "mcp-method, x-evil"}
    told = client.options("/mcp", headers={"origin": page} | asked).headers["access-control-allow-headers"]
    assert {"mcp-session-id", "mcp-protocol-version", "mcp-method"} <= set(told.split(", "))
    assert "x-evil" not in told
    for name, is_open in (("tended", True), ("roblox", False)):
        call = {"name": "search", "arguments": {"query": "warm soil", "collection": name}}
        given = post(client, json.loads(_line(1, "tools/call", call)), origin=page)
        assert given.headers["access-control-allow-origin"] == page
        assert given.json()["result"].get("isError", False) is not is_open
    listed = post(
        client, json.loads(_line(1, "tools/call", {"name": "list_collections", "arguments": {}})), origin=page
    )
    assert "roblox" not in listed.text
    stranger = post(client, json.loads(_line(1, "tools/list", {})), origin="https://stranger.example")
    assert (stranger.status_code, "access-control-allow-origin" in stranger.headers) == (403, False)


def test_what_is_wrong_with_filters_and_versions_says_what_to_give(shelf: Shelf) -> None:
    for filters in ({"member_type": {"a": 1}}, "member_type=Event"):
        told = said(ask(shelf, "search", query="gravity", collection="roblox", filters=filters))
        assert 'wanted {"field": "value"}, or {"field": ["one", "another"]}' in told
        assert "function-before" not in told
    told = said(ask(shelf, "changes", since="0.1", collection="roblox"))
    assert "Give one of these as `since`" in told
    assert "`version`" not in told


def test_collections_that_one_call_leaves_out_are_named(shelf: Shelf) -> None:
    assert "Name one as `collection`" not in words(shelf, "search", query="gravity")
    for number in range(MOST_COLLECTIONS):
        shelf.publish(f"c{number:02d}", garden("Tomatoes want warm soil."), profile="docs")
    shelf.publish("zoo", garden("A zyzzyva is a weevil."), profile="docs")
    for tool, given in (
        ("search", {"query": "zyzzyva"}),
        ("answer", {"question": "What is a zyzzyva?"}),
        ("lookup", {"symbol": "zyzzyva"}),
        ("grep", {"pattern": "Tomatoes"}),
    ):
        told = words(shelf, tool, **given)
        assert told.rstrip(".").endswith("roblox, zoo"), tool
        assert "only the first 32 collections were asked" in told


def test_all_that_a_client_pipes_in_is_answered_what_cannot_be_read_too(shelf: Shelf) -> None:
    hello: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    search = {"name": "search", "arguments": {"query": "warm soil for tomatoes"}}
    lines = [
        _line(1, "initialize", hello),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        _line(2, "tools/call", search),
        "no JSON",
        _line(3, "tools/list", [1]),
        _line(4, "tools/call", {"name": "search", "arguments": {"query": "\ud800"}}),
        '{"jsonrpc": "2.0", "id": true, "method": 5}',
        "[]",
        '{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}',
        f"[{_line(7, 'ping', {})}, 5, [], {_line(8, 'tools/call', search)}]",  # a batch of 2025-03-26
        _line("five", "tools/call", search),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "functions.cli", "mcp"],
        input="\n".join(lines),
        env=_environment(shelf),
        cwd=shelf.root,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    refused = {(one["id"], one["error"]["code"]) for one in replies if "error" in one}
    assert refused == {(None, -32700), (3, -32600), (4, -32700), (None, -32600)}
    answered = {one["id"]: one["result"] for one in replies if "result" in one}
    assert answered.keys() == {1, 2, 7, 8, "five"}
    for one in (2, 8):
        assert "Tomatoes want warm soil" in answered[one]["content"][0]["text"]
    assert len(replies) == 13
    told = [one["error"]["message"] for one in replies if one["id"] is None and "error" in one]
    assert sum("id: wanted a text or a whole number" in one for one in told) == 1
    assert sum("found an empty batch, or one in another" in one for one in told) == 2
    assert next(one for one in replies if one["id"] == 3)["error"]["message"].startswith(
        "no JSON-RPC request: params"
    )


def _line(request: int | str, method: str, params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": request, "method": method, "params": params})


def _environment(shelf: Shelf) -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    return os.environ | {
        "PYTHONPATH": paths,
        "QUIRE_STORE": str(shelf.folder),
        "QUIRE_CACHE": str(shelf.cache),
    }


def test_stdio_ends_when_the_client_is_killed_though_another_process_holds_its_pipe(shelf: Shelf) -> None:
    known = _environment(shelf)
    parent = (
        "import subprocess, sys, time\n"
        "command = [sys.executable, '-m', 'functions.cli', 'mcp']\n"
        "child = subprocess.Popen(command, stdin=sys.stdin)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    held, ours = os.pipe()  # `ours` stays open: the server never sees the end of its input
    client = subprocess.Popen(
        [sys.executable, "-c", parent], stdin=held, stdout=subprocess.PIPE, env=known, cwd=shelf.root
    )
    assert client.stdout is not None
    with client.stdout as told:
        server = int(told.readline())
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        os.write(ours, json.dumps(asked).encode() + b"\n")
        assert b'"quire"' in told.readline()
        client.kill()
        client.wait()
        until = time.monotonic() + 20
        while _runs(server) and time.monotonic() < until:
            time.sleep(0.2)
        has_ended = not _runs(server)
    if not has_ended:
        os.kill(server, signal.SIGKILL)
    os.close(held)
    os.close(ours)
    assert has_ended


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:  # an orphan that ended and that nobody has waited for yet
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split(") ")[1][0] != "Z"
    except (FileNotFoundError, IndexError):
        return not Path("/proc").exists()


# ---- the stored text ------------------------------------------------------------------------------------------------


def test_an_outline_names_the_passages_of_a_document_without_their_text(shelf: Shelf) -> None:
    text = words(shelf, "outline", document="content/en-us/guides/physics.md")
    assert "1 passage, about" in text
    assert "Physics units" in text
    assert "196.2" not in text


def test_a_wrong_id_beside_a_document_is_told_and_the_document_read(shelf: Shelf) -> None:
    document = "content/en-us/guides/physics.md"
    text = words(shelf, "read", id="0" * 16, document=document)
    assert f"there is no passage {'0' * 16}, so the document is read" in text
    assert "196.2" in text
    outline = words(shelf, "outline", document=document)
    physics = outline.rpartition("id: ")[2].strip()
    text = words(shelf, "read", id=physics, document="garden/tomatoes.md")
    assert ", not of garden/tomatoes.md; leave it out" in text
    assert "Note" not in words(shelf, "read", id=physics, document=document)
    assert "no collection has such a passage" in said(ask(shelf, "read", id="0" * 16))


def test_documents_are_listed_by_page_and_by_folder(shelf: Shelf) -> None:
    seen, after = [], ""
    for _ in range(4):
        text = words(shelf, "list", collection="roblox", limit=5, after=after)
        seen += [line.split(" — ")[0] for line in text.splitlines() if " passage" in line and " — " in line]
        if "list on with" not in text:
            break
        after = text.rsplit('after: "', 1)[1].split('"')[0]
    assert seen == sorted(one.id.removesuffix("#0") for one in api_documents())
    guides = words(shelf, "list", collection="roblox", under="guides/")
    assert guides.count(", 1 passage\n") + guides.endswith(", 1 passage") == 4
    assert "say which" in said(ask(shelf, "list"))


def test_grep_gives_every_line_with_the_text_as_it_is_written(shelf: Shelf) -> None:
    text = words(shelf, "grep", pattern="Water them")
    assert "garden/tomatoes.md:2: Water them in the morning." in text
    assert "No line holds 'water THEM'" in words(shelf, "grep", pattern="water THEM")
    assert "garden/tomatoes.md:2:" in words(shelf, "grep", pattern="water THEM", ignore_case=True)
    assert "No line" in words(shelf, "grep", pattern="Water them", under="guides/")
    assert "2 lines, stopped at 2 matches" in words(
        shelf, "grep", pattern="the", limit=2, collection="roblox"
    )
    assert "plain text, not a regular expression" in words(shelf, "grep", pattern="Water.*morning")
    # A quote in the text is escaped in the stored JSON.
    shelf.publish("quotes", garden('Say "warm" \\ aloud — é.\nTwo.'))
    for held in ('"warm"', "\\ aloud", "— é"):
        assert ":1: Say" in words(shelf, "grep", pattern=held, collection="quotes"), held


def test_a_text_that_would_hold_a_regular_expression_for_ever_is_found_at_once(shelf: Shelf) -> None:
    shelf.publish("long", garden("a" * 400_000 + "!\nend"))
    served = shelf.service().serve(Caller("all", frozenset({("*", "*")})), "long")
    began = time.process_time()
    found = grep(served, "a" * 199 + "!")
    assert len(found.matches) >= 1
    assert grep(served, "(a+)+$").matches == ()
    assert time.process_time() - began < 2


def test_a_passage_is_current_changed_or_gone(shelf: Shelf) -> None:
    before = shelf.store.pointer("garden-book").version
    [passage] = PASSAGE.findall(words(shelf, "search", collection="garden-book", query="soil"))
    assert f"{passage}: current. Same text" in words(shelf, "verify", ids=[passage], read_at=before)
    assert "have their texts compared" in words(shelf, "verify", id=passage)
    shelf.publish("garden-book", garden("Tomatoes want cold soil.\nWater them in the morning."))
    assert f"{passage}: changed." in words(shelf, "verify", ids=json.dumps([passage]), read_at=before)
    shelf.publish("garden-book", api_documents()[:2])
    gone = words(shelf, "verify", ids=[passage, "0" * 16], read_at=before)
    assert f"{passage}: gone. Its document is gone too" in gone
    assert f"{'0' * 16}: gone." in gone


def pots(*names: str) -> list[Document]:
    """A file of functions, each long enough to be a passage of its own."""
    body = "\n".join(f"    pot.water(drops={number}, until=pot.is_wet)" for number in range(40))
    text = "\n\n\n".join(f"def {name}(pot):\n{body}\n    return {name!r}" for name in names)
    return [Document("pots.py", text, "source_code", {"path": "pots.py", "lang": "python"})]


def test_a_passage_is_read_on_where_lines_above_it_came_since_it_was_found(shelf: Shelf) -> None:
    shelf.publish("pots", pots("sprinkle", "drench"), profile="code")
    [passage] = PASSAGE.findall(words(shelf, "lookup", collection="pots", symbol="drench"))
    shelf.publish("pots", pots("mist", "soak_them", "sprinkle", "drench"), profile="code")
    read = words(shelf, "read", id=passage)
    assert "def drench(pot):" in read
    assert f"Note: this version has {passage} as " in read
    assert f"{passage}: gone. The same text is there under another id; now id: " in words(
        shelf, "verify", ids=passage
    )
    assert ask(shelf, "read", id=passage, version="latest").is_error
    assert "Since " in words(shelf, "changes", collection="pots")
    assert "- pots.py" in words(shelf, "changes", collection="pots")
    shelf.publish("pots", pots("mist"), profile="code")
    assert "search again" in said(ask(shelf, "read", id=passage))


# ---- ChatGPT --------------------------------------------------------------------------------------------------------


def test_search_and_fetch_reply_as_connectors_of_chatgpt_read_them(shelf: Shelf) -> None:
    client = shelf.client()
    tools = rpc(client, "tools/list", "/mcp/connector")["tools"]
    assert [tool["name"] for tool in tools] == ["search", "fetch"]
    assert [list(tool["inputSchema"]["required"]) for tool in tools] == [["query"], ["id"]]
    path = "/mcp/connector"
    [item] = rpc(client, "tools/call", path, name="search", arguments={"query": "gravity in studs"})[
        "content"
    ]
    results = json.loads(item["text"])["results"]
    assert all(one["id"] and one["title"] and "://" in one["url"] for one in results)
    assert "196.2" in results[0]["text"]
    [item] = rpc(client, "tools/call", path, name="fetch", arguments={"id": results[0]["id"]})["content"]
    document = json.loads(item["text"])
    assert (document["id"], document["url"]) == (results[0]["id"], results[0]["url"])
    assert "196.2" in document["text"]
    assert document["metadata"]["version"] == shelf.store.pointer("roblox").version
    for wrong in ({"id": "nothing"}, {"id": "roblox/0000000000000000"}, {}):
        assert rpc(client, "tools/call", path, name="fetch", arguments=wrong)["isError"]


def test_the_connector_needs_the_key_too(shelf: Shelf) -> None:
    assert shelf.client("secret").post("/mcp/connector", json={}, headers=HEADERS).status_code == 401


def test_facts_for_programs_name_the_collection_of_each_citation(shelf: Shelf) -> None:
    result = ask(shelf, "search", query="tomatoes and gravity", limit=4)
    facts = (result.meta or {})[META]
    assert {one["collection"] for one in facts["citations"]} == {one["collection"] for one in facts["served"]}
