"""The MCP server over the official SDK. Imported at the first request to `/mcp`, never by the other routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, unquote

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from functions.faces.mcp.arguments import ReadArguments
from functions.faces.mcp.passages import Reply, version_line
from functions.faces.mcp.tools import TOOLS, read
from functions.web.access import ANYONE, Caller
from functions.web.problems import problem_of
from functions.web.service import Knowledge
from functions.web.waiting import ANSWERS
from quire import __version__
from quire.errors import AccessDenied, QuireError, StoreError, UnknownCollection, UnknownVersion
from quire.store.catalog import Served

INSTRUCTIONS = (
    "Quire answers from indexed documentation, textbooks and code. Call list_collections once, then search, lookup or"
    " answer. Each result names the version it was read from and ids that `read` expands. Cite path and lines."
)
ANSWER_TOOL = "answer"
SCHEME = "quire://"
RESOURCE_TOKENS = 20_000
T = TypeVar("T")
Context: TypeAlias = ServerRequestContext[Any, Any]
CallerOf: TypeAlias = Callable[[Context], Caller]


def build_server(service: Knowledge, caller_of: CallerOf) -> Server[Any]:
    """The server; `caller_of` tells who makes a request."""
    # An answer may wait for its model: apart from the threads that search.
    answers = anyio.CapacityLimiter(ANSWERS)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tool_list())

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = caller_of(context)
        room = answers if params.name == ANSWER_TOOL else None
        return await _blocking(lambda: call(service, caller, params.name, params.arguments or {}), room)

    async def list_resources(
        context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        caller = caller_of(context)
        return await _blocking(partial(resource_list, service, caller))

    async def list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[_TEMPLATE])

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        caller = caller_of(context)
        return await _blocking(partial(resource, service, caller, str(params.uri)))

    return Server(
        "quire",
        version=__version__,
        title="Quire",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def tool_list() -> list[types.Tool]:
    """Every tool with the schema of its arguments. All only read."""
    hints = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    return [
        types.Tool(
            name=name, description=tool.about, input_schema=tool.takes.model_json_schema(), annotations=hints
        )
        for name, tool in TOOLS.items()
    ]


def call(service: Knowledge, caller: Caller, name: str, given: dict[str, Any]) -> types.CallToolResult:
    """Answer one call; what a model did wrong comes back as words that it can act on."""
    tool = TOOLS.get(name)
    if tool is None:
        return _failed(f"{name}: no such tool; there are {', '.join(TOOLS)}")
    try:
        reply: Reply = tool.work(service, caller, tool.takes.model_validate(given))
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return _failed(f"{'; '.join(wrong)}. {name} takes {', '.join(tool.takes.model_fields) or 'nothing'}.")
    except QuireError as error:
        return _failed(_advice(error))
    # Everything that a model needs is text, once. Claude Code, VS Code and Copilot's command line are reported to hand
    # over `structuredContent` alone where there is any (anthropics/claude-code#79944), the others `content` alone.
    return types.CallToolResult(content=[types.TextContent(text=reply.text())], _meta=reply.meta())


def resource_list(service: Knowledge, caller: Caller) -> types.ListResourcesResult:
    """The collections; their documents are too many to list and are read by the template."""
    found = [
        types.Resource(
            name=name,
            title=service.title(name),
            uri=f"{SCHEME}{name}",
            description=version_line(state),
            mime_type="text/plain",
        )
        for name, state in service.survey(caller)
        if isinstance(state, Served)
    ]
    return types.ListResourcesResult(resources=found)


def resource(service: Knowledge, caller: Caller, uri: str) -> types.ReadResourceResult:
    """A collection's description, or one of its documents."""
    collection, _, document = uri.removeprefix(SCHEME).partition("/")
    try:
        if document:
            given = {"collection": collection, "document": unquote(document), "max_tokens": RESOURCE_TOKENS}
            wanted = ReadArguments.model_validate(given)
            text = read(service, caller, wanted).text()
        else:
            text = version_line(service.describe(caller, collection))
    except QuireError as error:
        raise MCPError(types.INVALID_PARAMS, _advice(error)) from error
    contents = [types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)]
    return types.ReadResourceResult(contents=list(contents))


def document_uri(collection: str, document: str) -> str:
    """The resource that a document is.

    >>> document_uri("quire", "docs/a b.md")
    'quire://quire/docs/a%20b.md'
    """
    return f"{SCHEME}{collection}/{quote(document)}"


def run_stdio(service: Knowledge) -> None:
    """Serve one client over standard input and output until it closes them."""
    server = build_server(service, lambda _: ANYONE)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


_TEMPLATE = types.ResourceTemplate(
    name="document",
    title="A document",
    uri_template=f"{SCHEME}{{collection}}/{{document}}",
    description="A document of a collection by its id or path, as the tools cite it.",
    mime_type="text/plain",
)


async def _blocking(work: Callable[[], T], room: anyio.CapacityLimiter | None = None) -> T:
    result: Awaitable[T] = anyio.to_thread.run_sync(work, limiter=room)
    return await result


def _failed(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=words)], is_error=True)


def _advice(error: QuireError) -> str:
    """What was wrong and what to do next."""
    detail = problem_of(error).detail
    if isinstance(error, UnknownCollection):
        return f"{detail}. Call list_collections for their names."
    if isinstance(error, UnknownVersion):
        return f"{detail}. Leave `version` out for the newest."
    if isinstance(error, AccessDenied):
        return f"{detail}. Ask the user for a key with that scope."
    if isinstance(error, StoreError):
        return f"{detail}. Wait a few seconds and call again."
    return detail
