"""The limits stand in one module and one table, and each is tried at its edge, here or where it is at home."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise
import pytest
from pydantic import BaseModel, ValidationError

from build_index.sources.files.selection import Selection
from functions.faces.chatbot.contract import ChatMessage, EmbedRequest, FileWire, IngestRequest
from functions.faces.openai.contract import EmbeddingsRequest
from functions.faces.sites.contract import MessageRequest
from functions.web.indexing import Indexer
from functions.web.waiting import WaitingRoom
from quire import limits
from quire.chunking import chunk_document
from quire.documents import Document
from quire.errors import Overloaded
from quire.killable import LEAST_WAIT_S, STALL_S, Killable
from quire.search.retrieval import cut
from quire.settings import Settings
from tests.support.lively import Lively
from tests.support.served import Shelf
from tests.support.tree import ROOT

ROW = re.compile(r"^\| `([A-Z_]+)` \| ([\d,]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
KNOWN = {name: value for name, value in vars(limits).items() if name.isupper()}
FILE = {"path": "a.md", "content": "a"}
SENT: list[tuple[str, type[BaseModel], Any]] = [
    ("MESSAGE_CHARACTERS", ChatMessage, lambda n: {"user_message": "q" * n}),
    ("MESSAGE_CHARACTERS", EmbedRequest, lambda n: {"text": "q" * n}),
    ("MESSAGE_CHARACTERS", EmbeddingsRequest, lambda n: {"model": "m", "input": "q" * n}),
    ("EMBEDDED_TEXTS", EmbeddingsRequest, lambda n: {"model": "m", "input": ["q"] * n}),
    ("MARKED_CHARACTERS", ChatMessage, lambda n: {"user_message": "q", "selected_text_context": "s" * n}),
    (
        "SENT_TURNS",
        ChatMessage,
        lambda n: {"user_message": "q", "chat_history": [{"role": "user", "content": ""}] * n},
    ),
    (
        "SENT_TURN_CHARACTERS",
        ChatMessage,
        lambda n: {"user_message": "q", "chat_history": [{"role": "user", "content": "c" * n}]},
    ),
    ("ID_CHARACTERS", ChatMessage, lambda n: {"user_message": "q", "session": "s" * n}),
    ("FILES", IngestRequest, lambda n: {"files": [FILE] * n}),
    ("PATH_CHARACTERS", FileWire, lambda n: {"path": "p" * n, "content": "a"}),
    (
        "KEPT_MESSAGE_CHARACTERS",
        MessageRequest,
        lambda n: {"site_id": "a", "role": "user", "message": "m" * n},
    ),
    ("ID_CHARACTERS", MessageRequest, lambda n: {"site_id": "a" * n, "role": "user", "message": "m"}),
]


def test_the_table_shows_what_the_module_holds() -> None:
    rows = ROW.findall((ROOT / "functions" / "README.md").read_text(encoding="utf-8"))
    assert {name: float(value.replace(",", "")) for name, value, _, _ in rows} == KNOWN
    assert len(rows) == len(KNOWN)


@pytest.mark.parametrize(("name", "model", "body"), SENT)
def test_what_is_sent_may_be_as_long_as_its_limit_and_no_longer(
    name: str, model: type[BaseModel], body: Any
) -> None:
    assert model.model_validate(body(KNOWN[name]))
    with pytest.raises(ValidationError, match="at most"):
        model.model_validate(body(KNOWN[name] + 1))


@pytest.mark.parametrize(("longer", "status"), [(0, 200), (1, 413)])
def test_texts_to_embed_may_be_as_long_together_as_their_limit(
    tmp_path: Path, longer: int, status: int
) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    texts = ["q" * 20_000] * (limits.EMBEDDED_CHARACTERS // 20_000) + ["q"] * longer
    assert (
        shelf.client().post("/v1/embeddings", json={"model": "roblox", "input": texts}).status_code == status
    )


def test_settings_and_selections_begin_with_the_limits() -> None:
    assert Settings().max_body_bytes == limits.BODY_BYTES
    assert Selection().largest_bytes == limits.CODE_FILE_BYTES


@pytest.mark.parametrize("text", ["", "abcd", "abcde"])
def test_a_text_is_cut_behind_its_limit_and_not_before(text: str) -> None:
    kept, said = cut(text, 4, "question")
    assert kept == text[:4]
    assert bool(said) == (len(text) > 4)


@pytest.mark.parametrize("longer", [0, 1])
def test_a_heading_is_carried_by_its_chunks_up_to_its_limit(longer: int) -> None:
    heading = "h" * (limits.HEADING_CHARACTERS + longer)
    document = Document("a.md", f"# {heading}\n\nText.\n\n## {heading}2\n\nMore.\n", "docs", {"path": "a.md"})
    for chunk in chunk_document(document):
        assert chunk.metadata["title"] == heading[: limits.HEADING_CHARACTERS]
        assert len(str(chunk.metadata["heading"])) == limits.HEADING_CHARACTERS


def test_what_reads_files_and_builds_begins_with_the_limits() -> None:
    assert Killable.__init__.__kwdefaults__ == {
        "memory_mb": limits.READING_MEMORY_MB,
        "least_wait_s": LEAST_WAIT_S,
        "stall_s": STALL_S,
    }
    assert Killable.__call__.__kwdefaults__ == {"cpu_s": limits.READING_CPU_S}
    assert Indexer.__init__.__kwdefaults__ == {"most_s": limits.INDEX_JOB_S}


@pytest.mark.parametrize(("path", "times"), [("/query", 1), ("/book/ingest", limits.LARGE_BODY_TIMES)])
def test_a_body_may_be_as_large_as_its_limit_and_no_larger(tmp_path: Path, path: str, times: int) -> None:
    client = Lively(tmp_path).client()
    blank = b" " * (limits.BODY_BYTES * times)
    headers = {"content-type": "application/json"}
    assert client.post(path, content=blank, headers=headers).status_code != 413
    assert client.post(path, content=blank + b" ", headers=headers).status_code == 413


def test_a_body_may_hold_as_many_values_as_its_limit_and_no_more(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    comma = '","'  # those of texts are none
    for count, status in ((limits.BODY_VALUES, 422), (limits.BODY_VALUES + 1, 413)):
        body = f'{{"q": "{"," * 30_000}\\"", "x": [{comma},1{",1" * (count - 2)}]}}'
        answer = client.post("/query", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == status, answer.text[:200]


def test_of_a_bodys_wrong_values_the_first_are_named(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    wrong = client.post("/query", json={f"k{number}": 1 for number in range(5_000)}).json()
    assert len(wrong["errors"]) == limits.TOLD_ERRORS


def test_a_server_has_room_for_as_many_answers_and_checks_as_the_limits_say(tmp_path: Path) -> None:
    go = threading.Event()
    answers: WaitingRoom = Shelf(tmp_path).app().state.answers
    checks = WaitingRoom("checks", limits.CHECKS_AT_ONCE, limits.CHECKS_WAITING)
    try:
        for room, most in (
            (answers, limits.ANSWERS_AT_ONCE),
            (checks, limits.CHECKS_AT_ONCE + limits.CHECKS_WAITING),
        ):
            for _ in range(most):
                room.start(go.wait, 60)
            with pytest.raises(Overloaded):
                room.start(go.wait, 60)
    finally:
        go.set()
