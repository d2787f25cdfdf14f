"""MCP inside Lambda: the answering function carries the SDK in its layer, the functions that search do not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from functions.faces.mcp.passages import META
from tests.support.deployed import Bucket
from tests.support.events import event_v1
from tests.support.rig import Function, Root, run_python

HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
WANTED = {"collection": "roblox", "query": "Which event fires when a character has lost its health?"}


def said(function: Function, method: str, **params: Any) -> Any:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = function.invoke(event_v1("POST", "/mcp", asked, headers=HEADERS))
    assert reply.error is None
    told = json.loads(reply.body())
    assert "result" in told, told
    return told["result"]


def test_agents_list_and_call_tools_inside_the_function(
    lambda_root: Root, moto_url: str, tmp_path: Path, model_folder: Path
) -> None:
    bucket = Bucket(moto_url, tmp_path / "bucket", model_folder)
    bucket.publish("0.735.0.1")
    known = bucket.environment(lambda_root, tmp_path / "cache", QUIRE_MEMORY=str(tmp_path / "turns.sqlite"))
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with Function(lambda_root, "functions.answer.handler", known, streaming=True) as function:
        function.wait_ready()
        assert said(function, "initialize", **hello)["serverInfo"]["name"] == "quire"
        tools = [tool["name"] for tool in said(function, "tools/list")["tools"]]
        found = said(function, "tools/call", name="search", arguments=WANTED)
    assert set(tools) >= {"list_collections", "search", "answer", "read", "lookup", "changes"}
    assert not found.get("isError")
    assert "structuredContent" not in found
    [first, *_] = found["_meta"][META]["citations"]
    assert first["id"] in found["content"][0]["text"]


def test_a_function_that_only_searches_does_not_carry_the_sdk(lambda_root: Root) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run_python(lambda_root, "-c", "import mcp")
