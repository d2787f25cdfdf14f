"""The way that one question takes: which modules it is handed to between its route and the files of the index."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.search.candidates import Ranked
from quire.search.intent import Intent
from quire.search.query import Question
from quire.search.retrieval import Query
from tests.support.served import Shelf

ASKED, WORD, TERM = "What fires once the character has lost all of its health?", "fires", "fire"
WAY = (
    "quire.service.knowledge",  # may the caller ask, which version answers, what is said beside the hits
    "quire.search.retrieval",  # the stages, one after the other
    "quire.search.query",  # the question against the collection's vocabulary: spelling, names, weights
    "quire.search.intent",  # what its wording asks for
    "quire.analysis.terms",  # its terms, as builds make them
    "quire.search.candidates",  # all that is read of the index for it
    "quire.search.ordering",  # scores, variety, votes
    "quire.index.opened",  # the door to the files: below it an index looks things up
)
ASKED_BESIDE = (
    "quire.analysis.language",  # whether it is in another language
    "quire.analysis.word_forms",  # other forms of its words
)
"""They are handed the question, say one thing of it and hand it on to nobody."""
MOST_RETURNS = 8


def is_the_question(value: object) -> bool:
    """Whether it is the question in one of its forms: as asked, as text, as read, as words or terms."""
    if isinstance(value, str):
        return value == ASKED
    if isinstance(value, Query | Question | Intent | Ranked) or type(value).__name__ == "_ReadText":
        return True
    return isinstance(value, list | tuple | Mapping) and bool({WORD, TERM} & set(_texts(value)))


def _texts(values: Sequence[object] | Mapping[Any, object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def modules_on_the_way(app: FastAPI, path: str, body: dict[str, Any]) -> list[str]:
    """Modules of the product of which a function was handed the question, in the order of their visits."""
    visited: list[str] = []

    def look(frame: FrameType, event: str, _: object) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event != "call" or not module.startswith(("quire.", "functions.")):
            return
        code = frame.f_code
        names = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]} - {"self"}
        if not code.co_name.startswith("<") and any(is_the_question(frame.f_locals[name]) for name in names):
            visited.append(module)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.post(path, json=body)  # opens the collection
            sys.setprofile(look)
            try:
                return await client.post(path, json=body)
            finally:
                sys.setprofile(None)

    app.state.pool = None  # in place, as functions on AWS do it: in the thread that is looked at
    assert asyncio.run(ask()).status_code == 200
    return [module for module, _ in groupby(visited)]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    shelf = Shelf(Path(tmp_path_factory.mktemp("way")))
    for profile in ("roblox", "code"):
        shelf.publish(profile, profile=profile)
    return shelf.app()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/roblox/query", {"text": ASKED}),
        ("/code/query", {"q": ASKED}),
        ("/query", {"collection": "code", "q": ASKED}),
    ],
)
def test_a_question_passes_eight_modules_between_its_route_and_the_files(
    app: FastAPI, path: str, body: dict[str, Any]
) -> None:
    visits = modules_on_the_way(app, path, body)
    below = [one for one in visits if one.startswith("quire.index.") and one not in WAY]
    assert below, "the files were not asked"
    assert {one for one in visits if not one.startswith("functions.faces.")} - {*below, *ASKED_BESIDE} == set(
        WAY
    )
    way = [module for module, _ in groupby(one for one in visits if one in WAY)]
    assert len(set(way)) <= 8
    assert len(way) - len(set(way)) <= MOST_RETURNS, " > ".join(way)
