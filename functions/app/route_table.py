"""Writes `functions/routes.json`: every route of every function, by face. `make routes` runs it; infra reads it.

    {"roblox": {"query": ["POST /query", ...]}, "native": ...}

Paths of `native` stand at the root, those of any other face below the name of each of its collections.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from starlette.routing import BaseRoute, Route

from functions.app.llms import PATHS as LLMS_PATHS
from functions.app.reference import PATHS
from functions.app.site import PATHS as SITE_PATHS
from functions.faces.mcp.endpoint import CONNECTOR_PATH
from functions.faces.mcp.endpoint import PATH as MCP_PATH
from functions.faces.openai.endpoint import router as chat_router
from functions.web.faces import FUNCTIONS, joined, load_face

FACES = Path(__file__).parents[1] / "faces"
TABLE = Path(__file__).parents[1] / "routes.json"


def face_names() -> list[str]:
    """Every face: the folders under `functions/faces` that have routes."""
    return sorted(path.parent.name for path in FACES.glob("*/routes.py"))


def route_table() -> dict[str, dict[str, list[str]]]:
    """Face -> function -> `METHOD /path`, sorted."""
    table: dict[str, dict[str, list[str]]] = {}
    for name in face_names():
        if face := load_face(name):
            table[name] = {function: _lines(joined(face, [function]).routes) for function in FUNCTIONS}
    table["native"]["query"] = sorted(
        [*table["native"]["query"], *(f"GET {path}" for path in (*PATHS, *SITE_PATHS, *LLMS_PATHS))]
    )
    answers = table["native"].setdefault("answer", [])
    for path in (MCP_PATH, CONNECTOR_PATH):
        answers.extend(f"{method} {path}" for method in ("DELETE", "GET", "POST"))
    answers.extend(_lines(chat_router.routes))
    answers.sort()
    return {name: {key: lines for key, lines in row.items() if lines} for name, row in table.items()}


def table_text() -> str:
    """The bytes that `routes.json` must hold."""
    return json.dumps(route_table(), indent=1) + "\n"


def _lines(routes: Sequence[BaseRoute]) -> list[str]:
    plain = [route for route in routes if isinstance(route, Route)]
    return sorted(f"{method} {route.path}" for route in plain for method in route.methods or ())


if __name__ == "__main__":
    TABLE.write_text(table_text(), encoding="utf-8")
    sys.stdout.write(f"{TABLE.name}: {len(face_names())} faces\n")
