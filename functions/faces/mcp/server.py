"""The MCP server over the official SDK. Imported at the first request to `/mcp`, never by the other routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import unquote
from uuid import uuid4

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from functions.faces.mcp import connector
from functions.faces.mcp.arguments import Arguments, ReadArguments
from functions.faces.mcp.browsing import read
from functions.faces.mcp.catalog import TOOLS
from functions.faces.mcp.choosing import near_collection, unasked
from functions.faces.mcp.passages import MOST_BYTES, SIZE, Reply, version_line
from functions.faces.mcp.understanding import schema_of, understand
from functions.web.leaving import Leaving
from functions.web.problems import log_fault, problem_of
from quire import __version__
from quire.errors import (
    AccessDenied,
    NotPublished,
    QuireError,
    StoreError,
    UnknownCollection,
    UnknownVersion,
)
from quire.limits import ANSWERS_AT_ONCE
from quire.service.access import ANYONE, Caller
from quire.service.knowledge import Knowledge, survey

INSTRUCTIONS = (
    "Quire answers from indexed documentation, textbooks and code. Call search, lookup or answer; without"
    " `collection` they look in all. Each result names the version it was read from and ids that `read` expands."
    " Cite path and lines."
)
ANSWER_TOOL = "answer"
INSTRUCTIONS_OF_PAIR = "Search indexed documentation, textbooks and code, then fetch what a result stands in."
SCHEME = "quire://"
RESOURCE_TOKENS = 20_000
MOST_NAMED = 30
"""Collections that the instructions name, which a model reads at the beginning of each conversation."""
LASTING_MS = 10 * 60_000
"""How long the lists may be kept that only another release of Quire changes."""
CHANGING_MS = 60_000
"""How long what a new version of a collection changes may be kept."""
T = TypeVar("T")
Context: TypeAlias = ServerRequestContext[Any, Any]
CallerOf: TypeAlias = Callable[[Context], Caller]
CallNext: TypeAlias = Callable[[Context], Awaitable[Any]]


def build_server(service: Knowledge, caller_of: CallerOf) -> Server[Any]:
    """The server; `caller_of` tells who makes a request."""
    # An answer may wait for its model: apart from the threads that search.
    answers = anyio.CapacityLimiter(ANSWERS_AT_ONCE)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tool_list(), ttl_ms=LASTING_MS, cache_scope="public")

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = caller_of(context)
        work = partial(call, service, caller, params.name, params.arguments or {})
        return await (_leavable(work, answers) if params.name == ANSWER_TOOL else _blocking(work))

    async def list_resources(
        context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        caller = caller_of(context)
        return await _blocking(partial(resource_list, service, caller))

    async def list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[_TEMPLATE], ttl_ms=LASTING_MS, cache_scope="public"
        )

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        caller = caller_of(context)
        return await _blocking(partial(resource, service, caller, str(params.uri)))

    async def name_collections(ctx: Context, call_next: CallNext) -> Any:
        """Put what there is to ask behind the instructions: what a model does not know of it asks nothing about."""
        result = await call_next(ctx)
        if isinstance(result, dict) and "instructions" in result:
            with suppress(QuireError):  # a store that cannot be listed is told by the call of a tool
                told = partial(collection_line, service, caller_of(ctx))
                return {**result, "instructions": f"{INSTRUCTIONS}{await anyio.to_thread.run_sync(told)}"}
        return result

    server: Server[Any] = Server(
        "quire",
        version=__version__,
        title="Quire",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=_no_prompts,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    server.middleware.append(name_collections)
    return server


def build_connector(service: Knowledge, caller_of: CallerOf) -> Server[Any]:
    """The server of the pair of tools that ChatGPT's connectors ask for."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = [_described(name, title, takes, about) for name, (title, takes, about, _) in _PAIR.items()]
        return types.ListToolsResult(tools=tools, ttl_ms=LASTING_MS, cache_scope="public")

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = caller_of(context)
        return await _blocking(lambda: call_connector(service, caller, params.name, params.arguments or {}))

    return Server(
        "quire-connector",
        version=__version__,
        title="Quire",
        instructions=INSTRUCTIONS_OF_PAIR,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=_no_prompts,
    )


def collection_line(service: Knowledge, caller: Caller) -> str:
    """The collections that may be read, with their titles, as a further sentence; "" where there are none."""
    names = service.names(caller)
    told = [name if service.title(name) == name else f"{name} ({service.title(name)})" for name in names]
    more = f" and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
    return f" Collections: {', '.join(told[:MOST_NAMED])}{more}." if told else ""


def tool_list() -> list[types.Tool]:
    """Every tool with the schema of its arguments. All only read."""
    return [_described(name, tool.title, tool.takes, tool.about) for name, tool in TOOLS.items()]


def call(service: Knowledge, caller: Caller, name: str, given: dict[str, Any]) -> types.CallToolResult:
    """Answer one call; what a model did wrong comes back as words that it can act on."""
    tool = TOOLS.get(name)
    if tool is None:
        return _failed(f"{name}: no such tool; there are {', '.join(TOOLS)}")

    def work() -> types.CallToolResult:
        args, notes = understand(tool.takes, given)
        reply: Reply = tool.work(service, caller, args)
        reply.parts += [f"Note: {one}." for one in notes]
        reply.parts += unasked(service, caller, getattr(args, "collection", ""))
        # Everything that a model needs is text, once. Claude Code, VS Code and Copilot's command line are reported to
        # hand over `structuredContent` alone where there is any (anthropics/claude-code#79944), others only `content`.
        return types.CallToolResult(content=[types.TextContent(text=reply.text())], _meta=reply.meta())

    return _answered(name, tool.takes, work)


def call_connector(
    service: Knowledge, caller: Caller, name: str, given: dict[str, Any]
) -> types.CallToolResult:
    """Answer one call of a connector."""
    if name not in _PAIR:
        return _failed(f"{name}: no such tool; there are {', '.join(_PAIR)}")
    _, takes, _, answer = _PAIR[name]

    def work() -> types.CallToolResult:
        args, _ = understand(takes, given)
        text = connector.as_text(answer(service, caller, args))
        return types.CallToolResult(content=[types.TextContent(text=text)])

    return _answered(name, takes, work)


def _answered(
    name: str, takes: type[Arguments], work: Callable[[], types.CallToolResult]
) -> types.CallToolResult:
    try:
        return work()
    except ValidationError as error:
        wrong = "; ".join(dict.fromkeys(map(_sentence, error.errors())))
        return _failed(f"{wrong}. {name} takes {', '.join(takes.model_fields) or 'nothing'}.")
    except UnknownVersion as error:
        return _failed(f"{error}. {_OTHER_VERSION.get(name, LEAVE_OUT)}")
    except QuireError as error:
        return _failed(_advice(error))


def _sentence(wrong: Any) -> str:
    """What is wrong with an argument, without pydantic's names of union branches."""
    place, *rest = map(str, wrong["loc"])
    if place == "filters":
        field = f".{rest[0]}" if rest else ""
        return f'filters{field}: wanted {{"field": "value"}}, or {{"field": ["one", "another"]}} for any of several'
    return f"{'.'.join((place, *rest))}: {wrong['msg']}"


def _described(name: str, title: str, takes: type[Arguments], about: str) -> types.Tool:
    return types.Tool(
        name=name,
        title=title,
        description=about,
        input_schema=schema_of(takes),
        annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        _meta={SIZE: MOST_BYTES + 1_000} if name in _LONG else None,
    )


async def _no_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    # Some clients give up on a server that does not know the question.
    return types.ListPromptsResult(prompts=[], ttl_ms=LASTING_MS, cache_scope="public")


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
        for name, state in survey(service, caller)
        if not isinstance(state, QuireError)
    ]
    return types.ListResourcesResult(resources=found, ttl_ms=CHANGING_MS, cache_scope=_shared_by(caller))


def resource(service: Knowledge, caller: Caller, uri: str) -> types.ReadResourceResult:
    """A collection's description, or one of its documents."""
    wanted_collection, _, document = uri.removeprefix(SCHEME).partition("/")
    try:
        collection = near_collection(service, caller, wanted_collection)
        if document:
            given = {"collection": collection, "document": unquote(document), "max_tokens": RESOURCE_TOKENS}
            wanted = ReadArguments.model_validate(given)
            text = read(service, caller, wanted).text()
        else:
            text = version_line(service.describe(caller, collection))
    except QuireError as error:
        raise MCPError(types.INVALID_PARAMS, _advice(error)) from error
    contents = [types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)]
    return types.ReadResourceResult(
        contents=list(contents), ttl_ms=CHANGING_MS, cache_scope=_shared_by(caller)
    )


def _shared_by(caller: Caller) -> Literal["public", "private"]:
    """What everybody may read may be kept for everybody."""
    return "public" if caller == ANYONE else "private"


MOST_TOLD = 1_000
LEAVE_OUT = "Leave `version` out for the newest."
_OTHER_VERSION = {"changes": "Give one of these as `since`; leave `until` out for the newest."}
_PAIR = connector.TOOLS
_LONG = {"fetch", *(name for name, tool in TOOLS.items() if "max_tokens" in tool.takes.model_fields)}
_TEMPLATE = types.ResourceTemplate(
    name="document",
    title="A document",
    uri_template=f"{SCHEME}{{collection}}/{{document}}",
    description="A document of a collection by its id or path, as the tools cite it.",
    mime_type="text/plain",
)


async def _leavable(work: Callable[[], T], room: anyio.CapacityLimiter) -> T:
    """The same for what a client may cancel under way: then it is not waited for."""
    leaving = Leaving()
    try:
        with leaving.current():
            return await _blocking(work, room, waits=False)
    except anyio.get_cancelled_exc_class():
        leaving.leave()
        raise


async def _blocking(
    work: Callable[[], T], room: anyio.CapacityLimiter | None = None, *, waits: bool = True
) -> T:
    """What `work` gives in a thread; where it does not wait, a call that is cancelled leaves the thread behind."""
    result: Awaitable[T] = anyio.to_thread.run_sync(work, limiter=room, abandon_on_cancel=not waits)
    try:
        return await result
    except MCPError:
        raise
    except QuireError as error:
        raise MCPError(types.INTERNAL_ERROR, _advice(error)) from error
    except Exception as error:  # the SDK would tell the client what it says, which may be a path or content
        request_id = uuid4().hex
        log_fault(error, request_id)
        raise MCPError(types.INTERNAL_ERROR, f"the request failed; the log has it as {request_id}") from error


def _failed(words: str) -> types.CallToolResult:
    """An error for a model to read: what it sent, such as a whole file as a name, is not told back at length."""
    if len(words) > MOST_TOLD:
        words = f"{words[: MOST_TOLD // 2]} … {words[-MOST_TOLD // 2 :]}"
    return types.CallToolResult(content=[types.TextContent(text=words)], is_error=True)


def _advice(error: QuireError) -> str:
    """What was wrong and what to do next."""
    detail = problem_of(error).detail
    if isinstance(error, UnknownCollection):
        return f"{detail}. Call list_collections for their names."
    if isinstance(error, UnknownVersion):
        return f"{detail}. {LEAVE_OUT}"
    if isinstance(error, AccessDenied):
        return f"{detail}. Ask the user for a key with that scope."
    if isinstance(error, StoreError) and not isinstance(error, NotPublished):
        return f"{detail}. Wait a few seconds and call again."
    return detail
