"""`/llms.txt` and `/{collection}/llms.txt`: what a model should know to use the collections. Source: llmstxt.org."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from functions.web.calls import caller_of, run, service_of
from quire.errors import QuireError
from quire.service.access import Caller
from quire.service.knowledge import Knowledge, survey
from quire.store.catalog import Served, Unopened

ROOT, ONE = "/llms.txt", "/{collection:collection}/llms.txt"
PATHS = (ROOT, "/{collection}/llms.txt")


def llms_router() -> APIRouter:
    """Both texts, made of what is served at that moment."""
    router = APIRouter(include_in_schema=False)

    async def everything(request: Request) -> Response:
        return _markdown(await run(request.scope, overview, service_of(request), caller_of(request)))

    async def one(request: Request) -> Response:
        name = request.path_params["collection"]
        request.scope["state"]["collection"] = name
        return _markdown(await run(request.scope, describe, service_of(request), caller_of(request), name))

    router.add_api_route(ROOT, everything, methods=["GET"])
    router.add_api_route(ONE, one, methods=["GET"])
    return router


def overview(service: Knowledge, caller: Caller) -> str:
    """Every readable collection with a link to its own text."""
    lines = [
        "# Quire",
        "",
        "> Documentation, textbooks and code, answered with citations that can be checked.",
        "",
        "Search with `POST query` and ask with `POST answer`, both with JSON such as",
        '`{"collection": "NAME", "q": "..."}`; MCP is at `mcp`. Each result names its version, path and lines.',
        "",
        "## Collections",
        "",
    ]
    lines += [
        f"- [{service.title(name)}]({name}/llms.txt): {_facts(state)}"
        for name, state in survey(service, caller)
        if not isinstance(state, QuireError)
    ]
    return "\n".join([*lines, "", "## API", "", "- [Reference](reference)", "- [OpenAPI](openapi.json)", ""])


def describe(service: Knowledge, caller: Caller, name: str) -> str:
    """One collection: its version, its sources and how to ask it.

    Raises:
        ScopeMissing, UnknownCollection: as their names say.
    """
    served = service.describe(caller, name)
    sources = dict.fromkeys(source.key for source in served.index.sources)
    fields = ", ".join(f"`{field}`" for field in served.index.filters.fields) or "none"
    return "\n".join(
        [
            f"# {service.title(name)}",
            "",
            f"> {_facts(served)}",
            "",
            f"- Sources: {', '.join(sources)}",
            f"- Filters: {fields}",
            f'- Search: `POST ../query` with `{{"collection": "{name}", "q": "...", "top_k": 5}}`',
            f'- Ask: `POST ../answer` with `{{"collection": "{name}", "q": "..."}}`',
            f"- MCP: `../mcp`, tools search, answer, read, lookup, changes, with collection `{name}`",
            f"- Chat clients: base URL `../v1`, model `{name}`",
            "",
        ]
    )


def _facts(served: Served | Unopened) -> str:
    label = f" ({served.label})" if served.label else ""
    return f"{served.chunk_count:,} passages, version {served.version}{label}"


def _markdown(text: str) -> Response:
    return PlainTextResponse(text, headers={"cache-control": "no-cache", "x-content-type-options": "nosniff"})
