"""Routes of face `textbook`, relative to its collection."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.textbook.contract import (
    MOST_SELECTED_WORDS,
    MOST_WORDS,
    Failure,
    QueryRequest,
    QueryResponse,
    Source,
)
from functions.web.answers import answered
from functions.web.calls import collection_of
from functions.web.documented import answer as example
from functions.web.documented import response
from functions.web.faces import ANSWER, QUERY, Face
from functions.web.problems import Problem
from functions.web.replies import reply
from quire.answering.citations import section_at, where_of
from quire.answering.request import Answer, Inquiry

BLANK = "Please write a question about the book."
UNAVAILABLE = "The knowledge base is temporarily unavailable. Please try again in a moment."
TRUNCATED = "Your query was truncated to {words} words. Please be more concise."
SELECTION_TRUNCATED = "The selected text was truncated to {words} words."
_BLANK_TYPES = ("string_too_short", "string_pattern_mismatch")
NOT_PUBLISHED = "not-published"
TOP_K = 5
DEADLINE_S = 2.8
EXAMPLE = {
    "answer": "The loop senses, decides and acts without an end. [1]",
    "sources": [
        {
            "n": 1,
            "chapter": "Chapter 1: Embodied Intelligence",
            "section": "02-loops",
            "filename": "02-loops.mdx",
            "relevance_score": 0.91,
            "heading": "Why loops never end",
            "url": "https://book.example.com/loops#why-loops-never-end",
        }
    ],
    "model_used": "extractive",
    "latency_ms": 38.2,
    "notices": [],
}
REFUSALS = {
    401: ("A key is needed", "this service needs a key: send it as x-api-key or as a bearer token"),
    404: ("No such collection", "collection 'textbook': not in this store"),
    413: ("Body over 1 MB", "body: wanted at most 1,000,000 bytes"),
    422: ("Invalid request", BLANK),
    503: ("No index to search", UNAVAILABLE),
}


def _refused(what: str, detail: str) -> dict[str, Any]:
    failure: Failure = {"detail": detail, "request_id": "5e0c6f0c1d3b4c0e"}
    return response(what, failure, Failure)


answering = APIRouter(tags=["textbook"])
retrieving = APIRouter(tags=["textbook"])


def render(problem: Problem, request_id: str) -> Response:
    """The specification's errors: one sentence; what is our fault is not explained to readers.

    But for a book that was never built, which no reader has before them: whoever sets it up is told the command.
    """
    detail = UNAVAILABLE if problem.status == 503 and problem.code != NOT_PUBLISHED else problem.detail
    if problem.field == "query" and problem.invalid and problem.invalid[0]["type"] in _BLANK_TYPES:
        detail = BLANK
    return reply({"detail": detail, "request_id": request_id}, problem.status, problem.headers)


@answering.post(
    "/api/query",
    summary="Ask the book",
    response_model=QueryResponse,
    responses=example(EXAMPLE) | {status: _refused(*said) for status, said in REFUSALS.items()},
)
async def query(body: QueryRequest, request: Request) -> Response:
    """An answer from the book with its chapters and sections."""
    began = time.perf_counter()
    question, cut = _first_words(body.query, MOST_WORDS, TRUNCATED)
    selected, cut_selection = _first_words(body.selected_text or "", MOST_SELECTED_WORDS, SELECTION_TRUNCATED)
    inquiry = Inquiry(question, selected, top_k=TOP_K, deadline_s=DEADLINE_S)
    _, given = await answered(request, collection_of(request), inquiry)
    wire: QueryResponse = {
        "answer": given.text,
        "sources": _sources(given),
        "model_used": given.model_used,
        "latency_ms": round((time.perf_counter() - began) * 1000, 3),
        "notices": [*cut, *cut_selection, *given.notices],
    }
    return reply(wire)


@retrieving.get("/health", summary="Is the process running", responses=example({"status": "ok"}))
async def health() -> Response:
    """Always 200 while the process runs."""
    return reply({"status": "ok"})


def _first_words(text: str, most: int, notice: str) -> tuple[str, list[str]]:
    """The text as it is, or its first words with a notice."""
    words = text.split()
    return (text, []) if len(words) <= most else (" ".join(words[:most]), [notice.format(words=most)])


def _sources(given: Answer) -> list[Source]:
    """The place behind each mark of the answer, in the order of its numbers."""
    sources: list[Source] = []
    for citation in given.citations:
        chunk = citation.hit.chunk
        _, heading, url = where_of(chunk, section_at(chunk, citation.answers_at))
        sources.append(
            {
                "n": citation.n,
                "chapter": str(chunk.metadata.get("chapter") or ""),
                "section": str(chunk.metadata.get("section") or ""),
                "filename": str(chunk.metadata.get("filename") or ""),
                "relevance_score": round(citation.hit.score, 4),
                "heading": heading,
                "url": url,
            }
        )
    return sources


FACE = Face("textbook", "Textbook chatbot", {QUERY: retrieving, ANSWER: answering}, render)
