"""`functions/routes.json` says exactly what the functions serve."""

from __future__ import annotations

import json

from functions.app.route_table import TABLE, face_names, route_table, table_text


def test_the_written_table_is_up_to_date() -> None:
    assert TABLE.read_text(encoding="utf-8") == table_text()


def test_every_face_is_in_the_table_and_no_route_is_served_twice() -> None:
    table = json.loads(table_text())
    assert sorted(table) == face_names()
    for name, functions in table.items():
        lines = [line for lines in functions.values() for line in lines]
        assert len(lines) == len(set(lines)), name
        assert all(line.split(" /")[0] in {"GET", "POST", "PUT", "DELETE"} for line in lines)


def test_the_query_function_has_what_its_callers_need() -> None:
    assert {"POST /query", "GET /health", "GET /reference"} <= set(route_table()["native"]["query"])
    assert route_table()["roblox"]["query"] == ["GET /health", "GET /status", "POST /query"]
