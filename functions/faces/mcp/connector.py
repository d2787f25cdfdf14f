"""`search` and `fetch` in the shapes that ChatGPT's connectors and deep research ask for: each replies one JSON text.

Source: OpenAI, "Building MCP servers for ChatGPT and API integrations". They are a server of their own, at
`/mcp/connector`, because the `search` of `/mcp` replies text that costs other models fewer tokens.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote

from pydantic import Field

from functions.faces.mcp.arguments import Arguments
from functions.faces.mcp.choosing import collections, from_each
from functions.faces.mcp.passages import MOST_BYTES, headline
from functions.faces.mcp.tools import best_hits, shortened
from functions.web.wire import citation_wire
from quire.documents import Chunk
from quire.errors import InputError
from quire.search.retrieval import Query
from quire.service.access import Caller
from quire.service.documents import read_around
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served

RESULTS = 10
SNIPPET_BYTES = 2_000
Work: TypeAlias = Callable[[Knowledge, Caller, Any], dict[str, Any]]


class SearchArguments(Arguments):
    """A search over every collection."""

    query: str = Field(min_length=1, pattern=r"\S", description="A question in plain words, or identifiers.")


class FetchArguments(Arguments):
    """One result of a search."""

    id: str = Field(min_length=1, description="Id of a result of search.")


def search(service: Knowledge, caller: Caller, args: SearchArguments) -> dict[str, Any]:
    """The best passages of all collections."""
    names = collections(service, caller, None)
    founds, _ = from_each(names, lambda name: service.search(caller, name, Query(args.query, RESULTS)))
    results = []
    for served, hit in best_hits(founds, RESULTS):
        text = shortened(hit.chunk.text, SNIPPET_BYTES)
        results.append({**_named(served, hit.chunk), "text": text, "metadata": _facts(served, hit.chunk)})
    return {"results": results}


def fetch(service: Knowledge, caller: Caller, args: FetchArguments) -> dict[str, Any]:
    """The document of a passage: the whole of it where that fits, else from the passage on."""
    collection, _, passage = args.id.rpartition("/")
    if not collection:
        raise InputError(f"id {args.id!r}: wanted one that search gave, such as celery/5f1d…", field="id")
    found = read_around(service, caller, collection, passage)
    asked, chunks = found.chunks[found.start], found.chunks
    if sum(len(chunk.text.encode()) + 2 for chunk in chunks) > MOST_BYTES:
        chunks = chunks[found.start :]
    text = shortened("\n\n".join(chunk.text for chunk in chunks), MOST_BYTES)
    return {**_named(found.served, asked), "text": text, "metadata": _facts(found.served, asked)}


TOOLS: Mapping[str, tuple[str, type[Arguments], str, Work]] = {
    "search": (
        "Search",
        SearchArguments,
        "Search indexed documentation, textbooks and code. Returns results with id, title, url and text.",
        search,
    ),
    "fetch": (
        "Fetch",
        FetchArguments,
        "The full text of a search result by its id.",
        fetch,
    ),
}


def as_text(value: dict[str, Any]) -> str:
    """The reply as the one text that the protocol's connectors read."""
    return json.dumps(value, ensure_ascii=False)


def _named(served: Served, chunk: Chunk) -> dict[str, Any]:
    known = citation_wire(chunk, served.version)
    url = known["url"] or ""
    if not url.startswith("http"):
        lines = f"#L{known['start_line']}-L{known['end_line']}" if known["start_line"] else ""
        url = f"quire://{served.name}/{quote(known['path'] or chunk.document_id)}{lines}"
    return {"id": f"{served.name}/{chunk.id}", "title": headline(chunk), "url": url}


def _facts(served: Served, chunk: Chunk) -> dict[str, Any]:
    known = citation_wire(chunk, served.version)
    return {"collection": served.name, "label": served.label, **known}
