"""MCP through the official client, over HTTP and over stdio."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import anyio
import httpx2
import mcp_types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from functions.faces.mcp.passages import CHARACTERS_A_TOKEN, META
from functions.faces.mcp.server import build_server, tool_list
from quire.adapters.folder import FolderStore
from quire.documents import Document, Value
from quire.errors import ModelUnavailable
from quire.service.access import ANYONE
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.mcp_agent import PASSAGE, READERS, Reader
from tests.support.served import Shelf
from tests.support.tree import ROOT

T = TypeVar("T")
Work = Callable[[Client], Awaitable[T]]
ABOUT_TEXT = {"outline", "list", "grep", "verify"}
TOOLS = {"list_collections", "search", "answer", "read", "lookup", "changes"} | ABOUT_TEXT
SERVE = (
    "from functions.faces.mcp.endpoint import serve_stdio\n"
    "from functions.app.wiring import open_service\n"
    "from quire.settings import read_settings\n"
    "serve_stdio(open_service(read_settings()))"
)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


def over_http(shelf: Shelf, work: Work[T], *, key: str | None = None, sent: str | None = None) -> T:
    async def run() -> T:
        transport = httpx2.ASGITransport(app=shelf.app(key))
        headers = {"x-api-key": sent} if sent else {}
        async with (
            httpx2.AsyncClient(transport=transport, base_url="http://quire", headers=headers) as http,
            Client(streamable_http_client("http://quire/mcp", http_client=http)) as client,
        ):
            return await work(client)

    return asyncio.run(run())


def over_stdio(shelf: Shelf, work: Work[T]) -> T:
    async def run() -> T:
        paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
        known = {"PYTHONPATH": paths, "QUIRE_STORE": str(shelf.folder), "QUIRE_CACHE": str(shelf.cache)}
        async with Client(
            StdioServerParameters(command=sys.executable, args=["-c", SERVE], env=known, cwd=str(shelf.root))
        ) as client:
            return await work(client)

    return asyncio.run(run())


def said(result: mcp_types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text


def ask(shelf: Shelf, tool: str, **given: Any) -> mcp_types.CallToolResult:
    return over_http(shelf, lambda client: client.call_tool(tool, given))


def answered(shelf: Shelf, tool: str, **given: Any) -> tuple[str, dict[str, Any]]:
    result = ask(shelf, tool, **given)
    assert not result.is_error, said(result)
    return said(result), facts_of(result)


def facts_of(result: mcp_types.CallToolResult) -> dict[str, Any]:
    facts: dict[str, Any] = (result.meta or {}).get(META, {})
    return facts


async def _every_tool(client: Client) -> dict[str, str]:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.description and tool.annotations and tool.annotations.read_only_hint for tool in tools)
    found = await client.call_tool(
        "search", {"collection": "roblox", "query": "gravity in studs", "limit": 1}
    )
    facts = facts_of(found)
    [citation] = facts["citations"]
    version = citation["version"]
    given: dict[str, dict[str, Any]] = {
        "list_collections": {},
        "search": {"collection": "roblox", "query": "somebody joins"},
        "answer": {"collection": "roblox", "question": "How far does gravity pull, in studs?"},
        "read": {"collection": "roblox", "id": citation["id"]},
        "lookup": {"collection": "roblox", "symbol": "Humanoid:MoveTo"},
        "changes": {"collection": "roblox", "since": version},
        "outline": {"document": citation["document"]},
        "list": {},
        "grep": {"pattern": "196.2"},
        "verify": {"ids": [citation["id"]], "read_at": version},
    }
    texts = {}
    for tool, arguments in given.items():
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, said(result)
        texts[tool] = said(result)
    return texts


@pytest.mark.parametrize("transport", [over_http, over_stdio])
def test_every_tool_answers_over_both_transports(
    shelf: Shelf, transport: Callable[..., dict[str, str]]
) -> None:
    texts = transport(shelf, _every_tool)
    version = shelf.store.pointer("roblox").version
    assert set(texts) == TOOLS
    for tool, text in texts.items():
        assert version in text, tool
    assert "Players › PlayerAdded" in texts["search"] or "PlayerAdded" in texts["search"]
    assert "196.2" in texts["read"]
    assert "walks the character towards a point" in texts["lookup"]
    assert "0 added, 0 changed, 0 removed" in texts["changes"]


@pytest.mark.parametrize("reads", READERS.values(), ids=READERS)
def test_a_model_behind_any_kind_of_client_reads_the_texts_in_three_calls_in_a_row(
    shelf: Shelf, reads: Reader
) -> None:
    async def work(client: Client) -> tuple[str, str, str]:
        found = reads(await client.call_tool("search", {"collection": "roblox", "query": "gravity in studs"}))
        first = PASSAGE.findall(found)[0]
        whole = reads(await client.call_tool("read", {"collection": "roblox", "id": first}))
        asked = {"collection": "roblox", "question": "How far does gravity pull, in studs?"}
        return found, whole, reads(await client.call_tool("answer", asked))

    found, whole, answer = over_http(shelf, work)
    for text in (found, whole, answer):
        assert text.count("gravity pulls at 196.2 studs") >= 1
        assert shelf.store.pointer("roblox").version in text


def test_no_reply_has_structured_content_that_could_hide_its_text(shelf: Shelf) -> None:
    async def work(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools if tool.output_schema] == []
        for tool, given in {
            "list_collections": {},
            "search": {"collection": "roblox", "query": "gravity"},
            "lookup": {"collection": "roblox", "symbol": "Humanoid.MoveTo"},
        }.items():
            result = await client.call_tool(tool, given)
            assert result.structured_content is None, tool

    over_http(shelf, work)


def test_each_passage_is_cited_with_what_the_native_api_says(shelf: Shelf) -> None:
    text, facts = answered(shelf, "search", collection="roblox", query="gravity in studs", limit=3)
    native = (
        shelf.client()
        .post("/query", json={"collection": "roblox", "q": "gravity in studs", "top_k": 3})
        .json()
    )
    [spoke] = facts["served"]
    assert (spoke["collection"], spoke["version"]) == ("roblox", native["version"])
    for cited, hit in zip(facts["citations"], native["hits"], strict=True):
        assert hit["citation"].items() <= cited.items()
        assert hit["id"] in text


def test_a_token_budget_holds_whatever_is_asked(shelf: Shelf) -> None:
    asked: dict[str, dict[str, Any]] = {
        "search": {"query": "what is there", "limit": 20},
        "answer": {"question": "What does gravity do?"},
        "read": {"document": "content/en-us/guides/physics.md"},
        "lookup": {"symbol": "Touched"},
    }
    for tool, given in asked.items():
        text, _ = answered(shelf, tool, collection="roblox", max_tokens=200, **given)
        # The version line, and the words that say what was cut, come on top.
        assert len(text) <= 200 * CHARACTERS_A_TOKEN + 300, tool


def test_lines_of_a_document_are_read_alone_and_lines_beyond_its_end_are_an_error(shelf: Shelf) -> None:
    document = "content/en-us/guides/physics.md"
    text, facts = answered(shelf, "read", collection="roblox", document=document, start_line=3, end_line=3)
    assert "196.2" in text
    assert all(one["path"] == document for one in facts["citations"])
    result = ask(shelf, "read", collection="roblox", document=document, start_line=900)
    assert result.is_error
    assert "ends at line" in said(result)


LINES = "Ropes are coiled at noon.\nSails are red.\n\nOars are long.\nBoats are blue."


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [(11, 11, "Sails are red."), (11, 12, "Sails are red."), (12, 13, "\nOars are long."), (10, 14, LINES)],
)
def test_the_lines_asked_for_are_read_alone_and_their_citation_is_verified(
    shelf: Shelf, first: int, last: int, shown: str
) -> None:
    facts: dict[str, Value] = {"path": "yard.md", "title": "Yard", "start_line": 10, "end_line": 14}
    shelf.publish("yard", [Document("yard.md", LINES, "api_member", facts)])
    text, told = answered(shelf, "read", document=f"yard.md:{first}-{last}", collection="yard")
    head, _, below = text.partition("\nid: ")
    assert below.partition("\n")[2] == shown
    assert f"yard.md:{first}-{last}" in head
    on, _ = answered(shelf, "read", document=f"yard.md:{first}", collection="yard")  # as editors name a place
    assert on.endswith("\n".join(LINES.split("\n")[first - 10 :]))
    assert (f"lines {first}-{last} of this passage, which has 10-14" in head) == ((first, last) != (10, 14))
    [citation] = told["citations"]
    assert (citation["start_line"], citation["end_line"]) == (first, last)
    checked = shelf.client().post("/verify", json={"collection": "yard", "citations": [citation]})
    assert checked.json()["refused"] == 0, checked.text


def test_a_passage_whose_lines_are_not_the_files_is_read_whole(shelf: Shelf) -> None:
    facts: dict[str, Value] = {"path": "yard.tex", "title": "Yard", "start_line": 10, "end_line": 40}
    shelf.publish("yard", [Document("yard.tex", LINES, "api_member", facts)])
    text, told = answered(shelf, "read", document="yard.tex", start_line=11, end_line=11, collection="yard")
    assert LINES in text
    assert told["citations"][0]["end_line"] == 40


def test_lines_of_latex_are_those_of_its_file_and_not_of_the_markdown_that_it_became(shelf: Shelf) -> None:
    latex = "\\section{Ropes}\nRopes are coiled at noon.\n\n% a comment\nSails are red.\n"
    shelf.publish("yard", [Document("yard.tex", latex, "docs", {"path": "yard.tex", "title": "Yard"})])
    text, told = answered(shelf, "grep", pattern="coiled", collection="yard")
    assert "yard.tex:2: Ropes are coiled at noon." in text
    text, told = answered(shelf, "read", document="yard.tex:2", collection="yard")
    assert "Ropes are coiled at noon.\n\nSails are red." in text
    assert (told["citations"][0]["start_line"], told["citations"][0]["end_line"]) == (1, 5)


def test_what_an_answer_quotes_of_a_passage_is_verified(shelf: Shelf) -> None:
    more = (f"Yard {number} has {number} masts, which nobody has painted for years." for number in range(60))
    facts: dict[str, Value] = {"path": "yard.md", "title": "Yard", "start_line": 10, "end_line": 134}
    text = "\n\n".join((LINES, *more))
    shelf.publish("yard", [Document("yard.md", text, "api_member", facts)])
    _, told = answered(shelf, "answer", question="When are ropes coiled?", collection="yard")
    [citation] = told["citations"]
    assert citation["end_line"] < 134
    checked = shelf.client().post("/verify", json={"collection": "yard", "citations": [citation]})
    assert checked.json()["refused"] == 0, checked.text


def test_changes_name_the_documents_that_a_version_brought_and_lost(shelf: Shelf) -> None:
    documents = api_documents()
    shelf.publish(documents=documents[1:], engine="0.736.0.1")
    text, _ = answered(shelf, "changes", collection="roblox", since="0.735")
    assert "0 added, 0 changed, 1 removed" in text
    assert documents[0].id in text
    back, _ = answered(shelf, "changes", collection="roblox", since="0.736", until="0.735", kind="added")
    assert f"- {documents[0].id}" in back


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/connector", "/mcp/connector/"])
def test_an_address_may_end_with_a_slash(shelf: Shelf, path: str) -> None:
    call = {"name": "search", "arguments": {"query": "gravity in studs"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"accept": "application/json, text/event-stream"}
    reply = shelf.client().post(path, json=body, headers=headers)
    assert reply.status_code == 200
    assert "studs" in reply.text
    assert shelf.client().get(path).status_code == 405


class SilentModel:
    """An `AnswerModel` that says nothing until its call is ended."""

    name, provider, wants_examples = "silent", "script", False

    def __init__(self) -> None:
        self.asked, self.ended = threading.Event(), threading.Event()

    def stream(self, *_: object, **__: object) -> SilentModel:
        return self

    def __iter__(self) -> SilentModel:
        return self

    def __next__(self) -> str:
        self.asked.set()
        self.ended.wait(30)
        raise ModelUnavailable("script: the call was ended")

    def hang_up(self) -> None:
        self.ended.set()


def test_a_client_that_cancels_its_question_ends_the_model_s_call(shelf: Shelf) -> None:
    model = SilentModel()
    server = build_server(shelf.service(answer_model=model), lambda _: ANYONE)
    question = {"collection": "roblox", "question": "How far does gravity pull, in studs?"}

    async def run() -> mcp_types.CallToolResult:
        async with Client(server) as client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "answer", question)
                assert await anyio.to_thread.run_sync(model.asked.wait, 20)
                tasks.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(model.ended.wait, 10)
            return await client.call_tool("search", {"query": "gravity in studs"})

    assert "studs" in said(asyncio.run(run()))


def test_a_symbol_that_does_not_exist_is_said_not_to(shelf: Shelf) -> None:
    text, facts = answered(shelf, "lookup", collection="roblox", symbol="Humanoid.FlyTo")
    assert "defines no such symbol" in text
    assert facts["citations"] == []


def test_a_symbol_that_does_not_exist_is_answered_with_those_that_come_near(shelf: Shelf) -> None:
    text, _ = answered(shelf, "lookup", collection="roblox", symbol="Humanoid:MovTo")
    assert "Symbols that come near: Humanoid.MoveTo" in text
    assert "come near" not in answered(shelf, "lookup", collection="roblox", symbol="xyzzy")[0]


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("search", {"collection": "robox", "query": "x"}, "Call list_collections"),
        ("search", {"collection": "roblox", "query": " "}, "query"),
        ("search", {"collection": "roblox", "wanted": "x"}, "search takes query, terms, collection"),
        ("search", {"collection": "roblox", "query": {"text": "x"}}, "query: Input should be a valid string"),
        ("search", {"collection": "roblox", "query": "x", "filters": {"klass": "y"}}, "class_name"),
        ("search", {"collection": "roblox", "query": "x", "version": "0.1"}, "for the newest"),
        ("search", {"collection": "roblox", "query": "x", "limit": "many"}, "limit"),
        ("read", {"collection": "roblox"}, "wanted one of the two"),
        (
            "read",
            {"collection": "roblox", "id": "nothing"},
            "no such passage. It may be of another version: search",
        ),
        ("read", {"collection": "roblox", "document": "../../etc/passwd"}, "none of that id or path"),
        ("nothing", {}, "there are list_collections"),
    ],
)
def test_an_error_says_what_to_do_next(shelf: Shelf, tool: str, given: dict[str, Any], words: str) -> None:
    result = ask(shelf, tool, **given)
    assert result.is_error
    assert words in said(result)


def test_a_path_that_is_not_there_is_answered_with_those_that_come_near(shelf: Shelf) -> None:
    [citation] = answered(shelf, "search", query="gravity in studs", limit=1)[1]["citations"]
    known = citation["document"]
    wrong = (f"/home/me/{known}", known.upper(), f"{known[:4]}x{known[4:]}")
    for document in wrong:
        for tool in ("read", "outline"):
            told = ask(shelf, tool, document=document)
            assert told.is_error
            assert "has none of that id or path. Near it: " in said(told)
            assert known in said(told)
    assert said(ask(shelf, "read", document="zq/zq.zq")).endswith("has none of that id or path")
    shelf.publish("second")
    told = ask(shelf, "read", document=wrong[0])
    assert f"no collection has it. Near it: {known} of roblox, {known} of second" in said(told)
    told = ask(shelf, "read", id="nothing")
    assert "id 'nothing': no collection has such a passage" in said(told)


def test_what_is_looked_for_in_all_collections_is_told_of_all_of_them(shelf: Shelf) -> None:
    shelf.publish("second")
    shelf.publish("book", profile="textbook")
    near = said(ask(shelf, "lookup", symbol="Humanoid:MoveToo")).partition("near: ")[2]
    assert near.startswith("Humanoid.MoveTo")
    off = said(ask(shelf, "answer", question="Who won the Zorbatron championship?"))
    assert "Note: asked " in off
    assert "the nearest of 3 collections: name another as `collection`" in off
    filtered = said(ask(shelf, "search", query="gravity", filters={"member_type": "Event"}))
    assert "Note: book was not asked (filters.member_type: " in filtered


def test_the_instructions_name_the_collections(shelf: Shelf) -> None:
    async def instructions(client: Client) -> str:
        return client.instructions or ""

    for run in (over_http, over_stdio):
        assert run(shelf, instructions).endswith("Cite path and lines. Collections: roblox.")
    shelf.publish("second")
    assert over_http(shelf, instructions).endswith("Collections: roblox, second.")


@pytest.mark.parametrize(
    "given", [{"collection": "x" * 50_000}, {"document": "y" * 50_000}, {"version": "z" * 50_000}]
)
def test_an_error_does_not_tell_back_all_that_was_sent(shelf: Shelf, given: dict[str, Any]) -> None:
    told = ask(shelf, "outline", **{"document": "a.md", **given})
    assert told.is_error
    assert 100 < len(said(told)) < 1_100


@pytest.mark.parametrize(
    ("tool", "given"),
    [("list_collections", {}), ("search", {"query": "x"}), ("read", {"collection": "roblox", "id": "x"})],
)
def test_an_agent_of_the_wrong_store_is_told_that_it_is_empty(
    tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    told = said(ask(Shelf(tmp_path), tool, **given))
    assert "holds nothing yet: `quire index PATH` fills it, `--store` or QUIRE_STORE leads to another" in told


def test_documents_are_resources(shelf: Shelf) -> None:
    async def work(client: Client) -> str:
        listed = (await client.list_resources()).resources
        assert [str(one.uri) for one in listed] == ["quire://roblox"]
        [template] = (await client.list_resource_templates()).resource_templates
        uri = template.uri_template.replace("{collection}", "roblox")
        read = await client.read_resource(uri.replace("{document}", "content%2Fen-us%2Fguides%2Fphysics.md"))
        [content] = read.contents
        assert isinstance(content, mcp_types.TextResourceContents)
        return content.text

    assert "196.2" in over_http(shelf, work)


def test_the_key_rules_here_as_everywhere(shelf: Shelf) -> None:
    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert set(over_http(shelf, names, key="secret", sent="secret")) == TOOLS
    assert shelf.client("secret").post("/mcp", json={}).status_code == 401


def test_a_page_of_another_site_is_refused(shelf: Shelf) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"accept": "application/json, text/event-stream"}
    client = shelf.client()
    assert (
        client.post("/mcp", json=asked, headers=headers | {"origin": "https://elsewhere.example"}).status_code
        == 403
    )
    assert (
        client.post("/mcp", json=asked, headers=headers | {"origin": "http://testserver"}).status_code == 200
    )


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_stream_is_left_open(shelf: Shelf, method: str) -> None:
    refused = shelf.client().request(method, "/mcp", headers={"accept": "text/event-stream"})
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_the_other_routes_do_not_import_the_sdk() -> None:
    code = "import sys, functions.app.app; print([m for m in sys.modules if re.match(r'mcp(_types)?(\\.|$)', m)])"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    done = subprocess.run(
        [sys.executable, "-c", f"import re; {code}"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": paths},
    )
    assert re.fullmatch(r"\[\]\n", done.stdout)


def test_an_agent_is_asked_for_terms_which_both_tools_take_and_show(shelf: Shelf) -> None:
    about = {one.name: one.description or "" for one in tool_list()}
    assert all("NoCollisionConstraint" in about[name] for name in ("search", "answer"))
    given = {"collection": "roblox", "terms": "TweenService.Create tween"}
    found = said(ask(shelf, "search", query="let a thing glide somewhere", limit=1, **given))
    assert "TweenService" in found
    assert "Terms: TweenService.Create tween" in found
    assert "Terms: TweenService.Create tween" in said(ask(shelf, "answer", question="glide?", **given))
    assert "Terms:" not in said(ask(shelf, "search", query="Humanoid", collection="roblox"))


def test_a_question_in_another_language_is_asked_for_in_english_once(shelf: Shelf) -> None:
    question = "Wie bewege ich die Figur und wo ist das Tor?"
    told = said(ask(shelf, "answer", question=question, collection="roblox"))
    assert told.count("Please ask your question in English.") == 1
    assert "send `terms` too" in told


def test_what_breaks_in_a_tool_is_told_to_the_log_alone(shelf: Shelf) -> None:
    class Broken(SegmentStore):
        def open(self, name: str, version: str | None = None) -> NoReturn:
            raise OSError("/a/secret/place")

    broken = Broken(FolderStore(shelf.folder), shelf.cache)
    asked = {"name": "search", "arguments": {"query": "walk", "collection": "roblox"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    headers = {"accept": "application/json, text/event-stream"}
    answer = shelf.client(store=broken).post("/mcp", json=call, headers=headers)
    assert answer.json()["error"]["code"] == mcp_types.INTERNAL_ERROR
    assert "the request failed" in answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize("most", [200, 400, 1_000, 4_000])
def test_an_answer_names_the_source_of_its_marks_or_says_that_there_are_more(shelf: Shelf, most: int) -> None:
    asked = {"collection": "roblox", "question": "How far does gravity pull, in studs?", "max_tokens": most}
    text, facts = answered(shelf, "answer", **asked)
    told = [citation["n"] for citation in facts["citations"]]
    body = text.partition("\nid: ")[0]
    marks = {int(number) for number in re.findall(r"\[(\d+)\]", body.rpartition("\n\n[1] ")[0])}
    assert told
    assert marks <= set(told) or "more sources: raise max_tokens" in text


def test_reading_on_by_id_leaves_no_passage_out(shelf: Shelf) -> None:
    parts = (
        f"## Yard {n}\n\n" + f"Yard {n} has {n} masts, which nobody has painted. " * 12 for n in range(9)
    )
    facts: dict[str, Value] = {"path": "yard.md", "title": "Yard"}
    shelf.publish("yard", [Document("yard.md", "\n\n".join(parts), "docs", facts)])
    whole = answered(shelf, "read", collection="yard", document="yard.md", max_tokens=20_000)[1]["citations"]
    seen, asked = list[str](), {"document": "yard.md"}
    for _ in whole:
        text, told = answered(shelf, "read", collection="yard", max_tokens=400, **asked)
        seen += [one["id"] for one in told["citations"]]
        following = re.search(r"read on with id (\w+)", text)
        if following is None:
            break
        asked = {"id": following[1]}
    assert len(whole) > 3
    assert seen == [one["id"] for one in whole]


def test_lookup_says_of_documents_that_they_declare_no_symbols_and_not_that_there_is_none(
    shelf: Shelf,
) -> None:
    facts: dict[str, Value] = {"path": "yard.md", "title": "Yard"}
    shelf.publish("yard", [Document("yard.md", "# FlatYard\n\nA yard that is flat.", "docs", facts)])
    text, _ = answered(shelf, "lookup", collection="yard", symbol="FlatYard")
    assert "declares no symbols" in text
    assert "defines no such symbol" not in text
