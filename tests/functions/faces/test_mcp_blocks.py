"""The blocks that a reader pastes into clients' settings are what the server speaks."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from functions.faces.mcp.catalog import TOOLS
from tests.support.pages import running
from tests.support.served import Shelf
from tests.support.tree import ROOT

STORE, HOST = "/path/to/project/.quire/store", "https://quire.example.com"
TEXT = (ROOT / "functions/README.md").read_text(encoding="utf-8").split("\n## MCP\n")[1].split("\n## ")[0]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, flags=re.DOTALL)


def servers() -> Iterator[dict[str, Any]]:
    """Each server as a client would know it: a command with arguments, or a URL with headers."""
    for language, block in BLOCKS:
        if language == "sh":
            yield from map(_of_claude, map(shlex.split, block.splitlines()))
        else:
            read = json.loads(block) if language == "json" else tomllib.loads(block)
            [named] = read.values()
            yield named["quire"]


def _of_claude(words: list[str]) -> dict[str, Any]:
    assert words[:3] == ["claude", "mcp", "add"]
    if "--" in words:
        command, *rest = words[words.index("--") + 1 :]
        return {"command": command, "args": rest}
    name, _, value = words[words.index("--header") + 1].partition(": ")
    return {"url": next(word for word in words if "://" in word), "headers": {name: value}}


LOCAL = [one for one in servers() if "command" in one]
REMOTE = [one for one in servers() if "url" in one]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


async def _names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


def test_every_client_has_a_block_for_either_way() -> None:
    assert len(LOCAL) == len(REMOTE) == 4
    assert {one["command"] for one in LOCAL} == {"quire"}
    for name in ("Claude Code", "Cursor", "VS Code", "Codex", "ChatGPT"):
        assert name in TEXT


def test_the_commands_start_a_server_with_every_tool(shelf: Shelf) -> None:
    commands = {tuple(one["args"]) for one in LOCAL}
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    known = {"PYTHONPATH": paths, "QUIRE_CACHE": str(shelf.cache)}
    for arguments in commands:
        args = [str(shelf.folder) if one == STORE else one for one in arguments]
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "functions.cli", *args], env=known, cwd=str(shelf.root)
        )

        async def work(server: StdioServerParameters = server) -> set[str]:
            async with Client(server) as client:
                return await _names(client)

        assert asyncio.run(work()) == set(TOOLS)


@pytest.mark.parametrize("known", REMOTE, ids=range(len(REMOTE)))
def test_the_urls_with_their_headers_reach_every_tool(shelf: Shelf, known: dict[str, Any]) -> None:
    headers = known.get("headers") or known["http_headers"]
    with running(shelf.app("KEY")) as address:
        url = known["url"].replace(HOST, address)

        async def work() -> set[str]:
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return await _names(client)

        assert asyncio.run(work()) == set(TOOLS)
