"""Golden questions through the MCP tools alone, by an agent that is no language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from build_index.sources.files.textbook import read_book
from quire.documents import Document
from tests.functions.faces.test_mcp import over_http
from tests.support.mcp_agent import READERS, Reader, examine, twenty
from tests.support.served import Shelf
from tests.support.shared import shared_path

FOUND, BUDGET_TOKENS = 17, 40_000
"""Of twenty; `tests.bench.bench_agent` asks indexes made with the real model."""


@pytest.mark.shared
def test_a_scripted_agent_answers_golden_questions_within_its_budget(tmp_path: Path) -> None:
    book = shared_path("data/textbook/split-layout/frontend/docs")
    questions = twenty([shared_path("golden/textbook.public.jsonl")])
    shelf = Shelf(tmp_path)
    documents = [one for one in read_book(book) if isinstance(one, Document)]
    shelf.publish("textbook", documents, profile="textbook")
    index = shelf.store.open("textbook")

    def metadata(chunk_id: str) -> Mapping[str, Any]:
        ordinal = index.find(chunk_id)
        assert ordinal is not None, chunk_id
        return index.fetch([ordinal])[0].metadata

    for kind, reads in READERS.items():

        async def work(client: Client, reads: Reader = reads) -> tuple[list[str], int, int]:
            return await examine(client, "textbook", questions, metadata, reads)

        found, spent, _ = over_http(shelf, work)
        assert len(found) >= FOUND, f"{kind}: {len(found)} of 20 found: {found}"
        assert spent <= BUDGET_TOKENS, kind
