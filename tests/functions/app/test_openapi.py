"""The API reference: complete, with examples that are true, and without a request to anyone else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from functions.app.openapi import REFS, untitle
from quire.collections import Collection
from tests.support.alone import once
from tests.support.client import TestClient
from tests.support.served import Shelf
from tests.support.tree import ROOT

JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    shelf = Shelf(tmp_path)
    shelf.publish()
    shelf.publish("second")
    return shelf.client(collections={"listed": Collection("listed", "roblox", title="A <listed> one")})


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, Any]:
    faces = {
        "textbook": "textbook",
        "celery": "code",
        "react_native": "docs",
        "sites": "sites",
        "more": "code",
    }
    shelf = Shelf(tmp_path)
    shelf.publish()
    client = shelf.client(collections={name: Collection(name, profile) for name, profile in faces.items()})
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (verb, path, operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
    ]


def fits(document: dict[str, Any], schema: dict[str, Any], value: Any) -> bool:
    """Whether a value fits a schema, as far as the schemas of this document go."""
    if "$ref" in schema:
        return fits(document, document["components"]["schemas"][schema["$ref"].removeprefix(REFS)], value)
    if "anyOf" in schema:
        return any(fits(document, one, value) for one in schema["anyOf"])
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return False
    if not isinstance(value, JSON_TYPES[schema.get("type", "object")]):
        return "type" not in schema
    if isinstance(value, list):
        return all(fits(document, schema.get("items", {}), one) for one in value)
    if not isinstance(value, dict):
        return True
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", not known)
    if not set(schema.get("required", [])) <= set(value) or not (others or set(value) <= set(known)):
        return False
    other = others if isinstance(others, dict) else {}
    return all(fits(document, known.get(name, other), one) for name, one in value.items())


def test_every_mounted_collection_shows_the_paths_of_its_face(document: dict[str, Any]) -> None:
    paths = set(document["paths"])
    assert {"/query", "/collections", "/collections/{name}", "/health", "/status"} <= paths
    for name in ("roblox", "second", "listed"):
        assert {f"/{name}/query", f"/{name}/health", f"/{name}/status"} <= paths
    names = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert "A <listed> one" in names["listed"]


def test_every_operation_is_told_apart_and_described(document: dict[str, Any]) -> None:
    found = operations(document)
    assert len({operation["operationId"] for _, _, operation in found}) == len(found)
    for verb, path, operation in found:
        assert operation["summary"], path
        assert operation["description"], path
        assert len(operation["tags"]) == 1, path
        assert "422" not in operation["responses"] or verb == "post", path


def test_the_document_is_valid_for_every_face(whole: dict[str, Any], tmp_path: Path) -> None:
    said = tmp_path / "openapi.json"
    said.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    with once("openapi", Path(__file__), ROOT / "tests/requirements.txt", said) as is_known:
        if not is_known:
            from openapi_spec_validator import OpenAPIV31SpecValidator  # takes 2.7 s of CPU

            assert list(OpenAPIV31SpecValidator(whole).iter_errors()) == []


def test_names_are_readable_and_no_class_is_named_twice(whole: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(whole)]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)*", one)] == []
    assert {"query", "answer", "roblox_query", "celery_query", "celery_answer", "create_embeddings"} <= set(
        ids
    )
    titles = [schema["title"] for schema in whole["components"]["schemas"].values()]
    assert len(set(titles)) == len(titles)
    inner = json.loads(json.dumps(whole["components"]["schemas"]))
    for schema in inner.values():
        del schema["title"]
        before = json.dumps(schema)
        untitle(schema)
        assert json.dumps(schema) == before


def test_every_part_of_a_path_is_declared(whole: dict[str, Any]) -> None:
    for _, path, operation in operations(whole):
        declared = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
        assert declared == set(re.findall(r"{(\w+)}", path)), path


def test_the_openai_routes_streams_and_what_any_route_may_refuse_are_described(
    whole: dict[str, Any],
) -> None:
    assert {
        "/v1/models",
        "/v1/models/{model}",
        "/v1/embeddings",
        "/v1/chat/completions",
        "/v1/responses",
    } <= set(whole["paths"])
    for path in ("/answer", "/v1/chat/completions", "/react_native/chat"):
        events = whole["paths"][path]["post"]["responses"]["200"]["content"]["text/event-stream"]
        assert "data: " in events["example"]
    for _, path, operation in operations(whole):
        for status in ("405", "429"):
            [content] = operation["responses"][status]["content"].values()
            assert fits(whole, content["schema"], content["example"]), (path, status)
        assert {"retry-after", "ratelimit"} == operation["responses"]["429"]["headers"].keys()
    refused = whole["paths"]["/v1/embeddings"]["post"]["responses"]["405"]["content"]["application/json"]
    assert refused["example"]["error"]["type"] == "invalid_request_error"


def test_every_operation_has_true_examples(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        content = operation["responses"]["200"]["content"]["application/json"]
        assert fits(document, content["schema"], content["example"]), path
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            for form in forms_of(document, schema):
                assert form["examples"], path
                assert all(fits(document, schema, example) for example in form["examples"]), path


def forms_of(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The models that a body may be of: one, or one of several."""
    names = [one["$ref"].removeprefix(REFS) for one in schema.get("oneOf", [schema]) if "$ref" in one]
    return [document["components"]["schemas"][name] for name in names] or [{}]


def test_every_operation_documents_its_errors(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        errors = {status: one for status, one in operation["responses"].items() if status >= "400"}
        if path.endswith("/health"):
            assert operation["security"] == []
            continue
        assert "401" in errors, path
        assert "503" in errors, path
        if "requestBody" in operation:
            assert {"400", "422"} & set(errors), path
        for status, one in errors.items():
            for kind, content in one["content"].items():
                assert content["example"], (path, status)
                if kind == "application/problem+json":
                    assert content["example"]["status"] == int(status)
                    assert fits(document, content["schema"], content["example"]), (path, status)


def test_every_face_shows_requests_and_answers_and_documents_its_refusals(tmp_path: Path) -> None:
    faces = {profile: Collection(profile, profile) for profile in ("textbook", "docs", "code", "sites")}
    document = Shelf(tmp_path).client(collections=faces).get("/openapi.json").json()
    for verb, path, operation in operations(document):
        answers = [one for status, one in operation["responses"].items() if status.startswith("2")]
        contents = [content for one in answers for content in one.get("content", {}).values()]
        assert all("example" in content for content in contents), (verb, path)
        if operation.get("security") != []:
            assert "401" in operation["responses"], (verb, path)
        for content in operation.get("requestBody", {}).get("content", {}).values():
            has_own = content.get("example") or content.get("examples")
            assert has_own or all("examples" in one for one in forms_of(document, content["schema"])), (
                verb,
                path,
            )
            assert {"400", "422"} & set(operation["responses"]), (verb, path)
            assert "413" in operation["responses"], (verb, path)


def test_every_field_of_the_native_api_says_what_it_means(document: dict[str, Any]) -> None:
    for name in ("QueryRequest", "HitWire", "CitationWire", "QueryResponse"):
        for field, schema in document["components"]["schemas"][name]["properties"].items():
            if field not in ("citation", "hits"):
                assert schema.get("description"), (name, field)


def test_no_reference_hangs_in_the_air(document: dict[str, Any], client: TestClient) -> None:
    refs = set(re.findall(r'"\$ref":"([^"]+)"', client.get("/openapi.json").text))
    assert refs
    for ref in refs:
        assert ref.removeprefix(REFS) in document["components"]["schemas"], ref


def test_the_examples_of_the_document_are_accepted_by_the_server(
    document: dict[str, Any], client: TestClient
) -> None:
    for path, name in [("/query", "QueryRequest"), ("/roblox/query", "roblox.QueryRequest")]:
        for example in document["components"]["schemas"][name]["examples"]:
            assert client.post(path, json=example).status_code == 200


def test_the_reference_page_shows_every_operation(document: dict[str, Any], client: TestClient) -> None:
    answer = client.get("/reference")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    for _, path, operation in operations(document):
        assert f'<article id="{operation["operationId"]}">' in answer.text
        assert f"<code>{path}</code>" in answer.text
    assert "A &lt;listed&gt; one" in answer.text
    assert "A <listed> one" not in answer.text


def test_the_reference_page_asks_nobody_else(client: TestClient) -> None:
    answer = client.get("/reference")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.findall(r"<(script|link|img|iframe|object)\b", answer.text)
    assert "@import" not in answer.text
    assert "url(" not in answer.text


def test_every_link_of_the_reference_page_is_relative(client: TestClient) -> None:
    links = re.findall(r'(?:href|src)="([^"]*)"', client.get("/reference").text)
    assert "openapi.json" in links
    assert not [link for link in links if link.startswith("/") or "://" in link]
    ids = set(re.findall(r'id="([^"]*)"', client.get("/reference").text))
    assert {link[1:] for link in links if link.startswith("#")} <= ids


def test_the_documents_server_is_relative_too(document: dict[str, Any]) -> None:
    assert document["servers"] == [{"url": "."}]
