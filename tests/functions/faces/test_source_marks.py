"""Numbers in brackets that stand in a source are no marks of an answer that quotes it, on any face."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from quire.documents import Document
from tests.functions.faces.test_model_failures import FACES
from tests.functions.test_cli import Desk
from tests.support.served import Shelf

QUESTION = "What does a harbour shelter boats from?"
TEXT = "A harbour shelters boats from waves and wind, as [99] and [2, 7] say."
MARK = re.compile(r"(?<!\\)\[(\d+(?:, \d+)*)\]")


def shelf_of(folder: Path, profile: str) -> Shelf:
    facts = dict.fromkeys(
        ("path", "title", "heading", "breadcrumb", "section", "filename", "chapter"), "Harbours"
    )
    shelf = Shelf(folder)
    shelf.publish("book", [Document("a.md", TEXT, "api_member", facts)], profile=profile, engine="")
    return shelf


def answers(value: Any) -> list[str]:
    """Every text of a reply that quotes the passage for its reader, not as the citation that keeps its bytes."""
    if isinstance(value, dict):
        return [one for name, held in value.items() if name not in KEPT for one in answers(held)]
    if isinstance(value, list):
        return [one for held in value for one in answers(held)]
    return [value] if isinstance(value, str) and "harbour shelters" in value else []


KEPT = {
    "quote",
    "text",
    "snippet",
    "citations",
    "sources",
    "hits",
    "chunks",
    "matches",
    "retrieved",
    "context",
}


@pytest.mark.parametrize("name", [one for one in FACES if "stream" not in one])
def test_a_face_shows_only_marks_of_its_own(tmp_path: Path, name: str) -> None:
    profile, path, body = FACES[name]
    reply = shelf_of(tmp_path, profile).client().post(path, json=body)
    assert reply.status_code == 200, reply.text
    shown = answers(reply.json())
    assert shown, reply.text
    assert {mark for one in shown for mark in MARK.findall(one)} <= {"1"}


def test_mcp_shows_only_marks_of_its_own(tmp_path: Path) -> None:
    asked = {"name": "answer", "arguments": {"collection": "book", "question": QUESTION}}
    headers = {"accept": "application/json, text/event-stream"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    client = shelf_of(tmp_path, "textbook").client()
    result = client.post("/mcp", json=call, headers=headers).json()["result"]
    answer = result["content"][0]["text"]
    assert "harbour shelters" in answer
    assert set(MARK.findall(answer.partition("\n\n[1] Harbours")[0])) <= {"1"}, json.dumps(result)


def test_the_command_line_shows_only_marks_of_its_own(tmp_path: Path, model_folder: Path) -> None:
    shelf = shelf_of(tmp_path, "textbook")
    desk = Desk(tmp_path / "desk", model_folder)
    out, _ = desk.call("ask", QUESTION, "-c", "book", "--store", str(shelf.folder))
    assert "harbour shelters" in out
    assert set(MARK.findall(out)) <= {"1"}
