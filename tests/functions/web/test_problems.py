"""The error table: each kind of failure, and what a client may see of it."""

from __future__ import annotations

import errno
import json
import re
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException

from functions.web.problems import Problem, log_fault, problem_of, render_problem, status_of
from quire import errors
from quire.errors import QuireError
from tests.support.logged import logged


def every_error() -> list[type[QuireError]]:
    found, waiting = [], [QuireError]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += one.__subclasses__()
    return [one for one in found if one.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_becomes_a_problem_of_its_own_status(kind: type[QuireError]) -> None:
    problem = problem_of(kind("a message"))
    assert problem.status == status_of(kind("a message")) >= 400
    assert problem.code == problem.code.lower()
    assert problem.title


def test_the_tree_in_words_has_every_error() -> None:
    told = set(re.findall(r"^[│ ]*[├└]── (\w+)", errors.__doc__ or "", re.MULTILINE)) | {"QuireError"}
    assert told == {kind.__name__ for kind in every_error()}


def test_a_callers_fault_is_told_and_names_the_field() -> None:
    problem = problem_of(errors.InputError("filters.tag: unknown, wanted tags", field="filters.tag"))
    assert (problem.status, problem.field, problem.code) == (422, "filters.tag", "input-error")
    assert "wanted tags" in problem.detail


@pytest.mark.parametrize(
    "error",
    [
        errors.ConfigError("secret-bucket"),
        errors.ArtifactCorrupt("secret-bucket"),
        RuntimeError("secret-bucket"),
    ],
)
def test_a_fault_of_ours_is_not_told_in_detail(error: Exception) -> None:
    problem = problem_of(error)
    assert problem.status >= 500
    assert "secret" not in json.dumps([problem.detail, problem.title, problem.code])


def test_what_the_system_refused_is_in_the_log_without_the_name_of_a_file() -> None:
    with logged() as lines:
        log_fault(OSError(errno.ENOSPC, "No space left on device", "/store/secret.md"), "r1")
        log_fault(RuntimeError("a secret question"), "r2")
    assert [one["message"] for one in lines()] == [
        "No space left on device: make room, or lead QUIRE_STORE and QUIRE_CACHE to another disk",
        "",
    ]


def test_what_may_pass_says_when_to_come_again() -> None:
    assert int(problem_of(errors.StoreUnavailable("gone")).headers["retry-after"]) >= 1
    quota = errors.QuotaExceeded("used up", retry_after_s=17.2)
    assert problem_of(quota).headers == {"retry-after": "17", "ratelimit": '"quota-exceeded";r=0;t=17'}
    assert problem_of(errors.Overloaded("full")).headers["ratelimit"] == '"overloaded";r=0;t=5'
    assert "retry-after" not in problem_of(errors.ConfigError("wrong")).headers


def test_a_missing_key_is_asked_for() -> None:
    assert problem_of(errors.AccessDenied("no key")).headers["www-authenticate"].startswith("Bearer")
    assert "www-authenticate" not in problem_of(errors.ScopeMissing("not yours")).headers


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    role: str
    size: int | list[int] = 0


class Body(BaseModel):
    turns: list[Inner] = Field(default_factory=list)
    filters: dict[str, str | list[str]] = Field(default_factory=dict)
    top: int = Field(1, le=5)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"top": 9}, "top"),
        ({"filters": {"tags": 3}}, "filters.tags"),
        ({"filters": {"tags": ["a", 3]}}, "filters.tags"),
        ({"turns": [{}]}, "turns.0.role"),
        ({"turns": [{"role": "user"}, {"role": "user", "sise": 1}]}, "turns.1.sise"),
        ({"turns": [{"role": "user", "size": "big"}]}, "turns.0.size"),
        ({"turns": 1}, "turns"),
        ([], "body"),
    ],
)
def test_the_field_is_named_as_the_client_wrote_it(body: Any, field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Body.model_validate(body)
    located = [{**one, "loc": ("body", *one["loc"])} for one in caught.value.errors()]
    problem = problem_of(RequestValidationError(located, body=body))
    assert problem.status == 422
    assert problem.field == field
    assert problem.detail.startswith(field)


def test_every_invalid_field_is_listed() -> None:
    located = [
        {"type": "missing", "loc": ("body", "q"), "msg": "Field required"},
        {"type": "extra_forbidden", "loc": ("body", "k"), "msg": "Extra inputs are not permitted"},
    ]
    problem = problem_of(RequestValidationError(located, body={"k": 1}))
    body = json.loads(bytes(render_problem(problem, "r1").body))
    assert body["errors"] == [
        {"field": "q", "detail": "Field required"},
        {"field": "k", "detail": "unknown field"},
    ]


def test_a_body_that_cannot_be_decoded_is_invalid_input() -> None:
    problem = problem_of(HTTPException(400, "There was an error parsing the body"))
    assert (problem.status, problem.field) == (422, "body")


def test_a_problem_is_rendered_as_its_media_type_says() -> None:
    response = render_problem(Problem(404, "not-found", "Not Found", "no such route"), "r-1")
    assert response.media_type == "application/problem+json"
    assert json.loads(bytes(response.body)) == {
        "type": "urn:quire:problem:not-found",
        "title": "Not Found",
        "status": 404,
        "detail": "no such route",
        "request_id": "r-1",
    }


def test_a_lone_surrogate_in_a_message_can_be_sent() -> None:
    response = render_problem(Problem(404, "x", "x", "no \ud800"), "r")
    assert json.loads(bytes(response.body))["detail"] == "no \ud800"
