"""The page at `/`, its files below `/assets`, and `/widget.js`: bytes of `functions/site`, read once, at the first use.

Files stand below a digest of all of them: browsers keep them for a year and never mix two releases. The page and
the widget, which name that digest, are asked about again each time. Every path is relative: a stage prefix works.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from functions.app.plain import plain_page
from functions.web.calls import caller_of, run, service_of

FOLDER = Path(__file__).parents[1] / "site"
PAGE, WIDGET, ASSETS = "/", "/widget.js", "/assets/{release}/{name}"
PATHS = (PAGE, WIDGET, ASSETS)
OPEN_PREFIX = "/assets/"
PLACEHOLDER = "{assets}"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
GUARDS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
FOREVER, ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is sent."""

    body: bytes
    packed: bytes
    kind: str
    etag: str


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Every file by name, and the digest that they stand below."""

    release: str
    files: dict[str, StaticFile]


@cache
def site() -> PageFiles:
    """The files of `functions/site`."""
    raw = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in KINDS}
    digest = hashlib.sha256(b"\0".join(name.encode() + b"\0" + body for name, body in raw.items()))
    release = digest.hexdigest()[:12]
    files = {
        name: _static(name, body.replace(PLACEHOLDER.encode(), f"assets/{release}".encode()))
        for name, body in raw.items()
    }
    return PageFiles(release, files)


def is_open_path(path: str) -> bool:
    """Whether the path is the page's own: it holds nothing of a collection, and it must come to ask for a key."""
    return path in (PAGE, WIDGET) or path.startswith(OPEN_PREFIX)


def site_router() -> APIRouter:
    """Routes of the page, the widget and their files."""
    router = APIRouter(include_in_schema=False)

    async def page(request: Request) -> Response:
        if folder := _as_folder(request):
            return RedirectResponse(folder, 308)
        if "plain" in request.query_params:
            return await _plain(request)
        headers = GUARDS | {"content-security-policy": POLICY, "cache-control": ASK_AGAIN}
        return _send(request, site().files["index.html"], headers)

    async def widget(request: Request) -> Response:
        # Pages of other sites load it; it is the same for everyone.
        headers = GUARDS | {"access-control-allow-origin": "*", "cache-control": ASK_AGAIN}
        return _send(request, site().files["widget.js"], headers)

    async def asset(request: Request) -> Response:
        known, found = site(), site().files.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404, "no such file of the page")
        is_current = request.path_params["release"] == known.release
        headers = {"access-control-allow-origin": "*", "cache-control": FOREVER if is_current else ASK_AGAIN}
        return _send(request, found, GUARDS | headers)

    for path, endpoint in zip(PATHS, (page, widget, asset), strict=True):
        router.add_api_route(path, endpoint, methods=["GET"])
    return router


async def _plain(request: Request) -> Response:
    """The page with its results in it, for browsers without JavaScript."""
    asked = request.query_params
    service, caller = service_of(request), caller_of(request)
    status, text = await run(
        request.scope, plain_page, service, caller, asked.get("c", ""), asked.get("q", "")
    )
    headers = GUARDS | {"content-security-policy": POLICY, "cache-control": "private, no-cache"}
    body = text.replace(PLACEHOLDER, f"assets/{site().release}")
    return Response(body, status, headers, media_type=KINDS[".html"])


def _as_folder(request: Request) -> str:
    """Where the page is, if it was asked for as `/prod`, which has no folder for relative paths; "" if as `/prod/`.

    API Gateway gives both the same path, and the one that was asked in the context.
    """
    asked = request.scope.get("aws.event", {}).get("requestContext", {}).get("path", "/")
    if asked.endswith("/"):
        return ""
    query = request.url.query
    return f"{asked.rpartition('/')[2]}/" + (f"?{query}" if query else "")


def _static(name: str, body: bytes) -> StaticFile:
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return StaticFile(body, gzip.compress(body, 9, mtime=0), KINDS[Path(name).suffix], etag)


def _send(request: Request, file: StaticFile, headers: dict[str, str]) -> Response:
    headers = headers | {"etag": file.etag, "vary": "accept-encoding"}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers=headers | {"content-encoding": "gzip"}, media_type=file.kind)
    return Response(file.body, headers=headers, media_type=file.kind)
