"""The app factory: native routes at the root, each collection's face below its name, one frame around all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.requests import Request
from starlette.routing import Mount, Route
from starlette.types import Scope

from functions.app.cors import CrossOrigin
from functions.app.frame import Frame
from functions.app.llms import llms_router
from functions.app.openapi import describe_api
from functions.app.reference import reference_router
from functions.app.site import is_open_path, site_router
from functions.faces.mcp.endpoint import CONNECTOR_PATH, McpEndpoint
from functions.faces.mcp.endpoint import PATH as MCP_PATH
from functions.faces.native.routes import FACE as NATIVE
from functions.web.access import Access
from functions.web.calls import caller_of, run
from functions.web.delivery import Delivery
from functions.web.faces import ANSWER, FUNCTIONS, LARGE_PATHS, MOUNT_PATH, QUERY, Face, FaceMount, joined
from functions.web.freshness import FreshnessHeaders
from functions.web.hosts import Hosts
from functions.web.logs import configure_logs
from functions.web.waiting import WaitingRoom
from quire.limits import ANSWERS_AT_ONCE, BODY_BYTES, CHECKS_AT_ONCE, CHECKS_WAITING
from quire.service.knowledge import Knowledge

BARE: dict[str, Any] = {
    "docs_url": None,
    "redoc_url": None,
    "openapi_url": None,
    "redirect_slashes": False,
    "telemetry": {"tracing": False, "metrics": False, "logs": False},
}
"""FastAPI without what Quire has its own of. It would look for providers of telemetry at each request."""


def create_app(
    service: Knowledge,
    access: Access,
    *,
    functions: Sequence[str] = FUNCTIONS,
    concurrent: bool = True,
    max_body_bytes: int = BODY_BYTES,
    hosts: Hosts | None = None,
) -> FastAPI:
    """An ASGI app that serves the routes of `functions`.

    `concurrent` says that requests come side by side, so that searches must not block the event loop. `hosts` are the
    names by which the server may be called; None where any will do.
    """
    configure_logs()
    app = FastAPI(title="Quire", **BARE)
    app.state.service = service
    app.state.hosts = hosts
    app.state.pool = ThreadPoolExecutor(os.cpu_count(), "search") if concurrent else None
    app.state.answers = WaitingRoom("answers", ANSWERS_AT_ONCE) if concurrent else None
    mount = FaceMount(functions)
    # First, because it is one comparison, and most requests come through a face.
    app.router.routes.append(Mount(MOUNT_PATH, app=mount))
    app.router.routes.extend(joined(NATIVE, functions).routes)
    app.router.routes.extend(reference_router(partial(_describe, functions=functions)).routes)
    if QUERY in functions:
        app.router.routes[:0] = llms_router().routes  # ahead of the mount, which would look for it in a face
        app.router.routes.extend(site_router().routes)
    faces: dict[str, Face] = {}
    if ANSWER in functions:
        from functions.faces.openai.endpoint import router as chat_router
        from functions.faces.openai.errors import OPENAI, PREFIX

        faces[PREFIX] = OPENAI
        for path, endpoint in ((MCP_PATH, McpEndpoint()), (CONNECTOR_PATH, McpEndpoint(is_connector=True))):
            # Addresses of other servers end with a slash, and some clients follow no redirect of a POST.
            app.router.routes += [Route(path, endpoint), Route(f"{path}/", endpoint)]
        app.router.routes.extend(chat_router.routes)
    # In place of the six layers that FastAPI would build: the frame answers every error, so there is one way for all.
    # FastAPI's routes need the exit stack.
    frame = Frame(
        Delivery(FreshnessHeaders(AsyncExitStackMiddleware(app.router), service)),
        access=access,
        checks=WaitingRoom("checks of keys", CHECKS_AT_ONCE, CHECKS_WAITING) if concurrent else None,
        is_open=lambda scope: _is_open(scope, mount),
        max_body_bytes=max_body_bytes,
        large_paths=LARGE_PATHS,
        faces=faces,
        hosts=hosts,
    )
    app.middleware_stack = CrossOrigin(frame, service.collections)
    return app


async def _describe(request: Request, *, functions: Sequence[str]) -> dict[str, Any]:
    return await run(request.scope, describe_api, request.app.state.service, functions, caller_of(request))


async def _is_open(scope: Scope, mount: FaceMount) -> bool:
    path = scope["path"]
    return path in NATIVE.open_paths or is_open_path(path) or await mount.is_open(scope)
