"""Keys: who is let in, as whom, and to do what."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from functions.web.access import OneKey, ScopedKeys
from quire.errors import AccessDenied, ScopeMissing
from quire.service.access import ADMIN, ANYONE, EVERYTHING, NOBODY, READ, WRITE, Caller
from quire.service.access_file import AccessFile, TokenPolicy


def headers(**named: str) -> Headers:
    return Headers({name.replace("_", "-"): value for name, value in named.items()})


def test_without_a_key_set_everyone_may_do_everything() -> None:
    assert OneKey(None).identify(headers()) is ANYONE
    assert all(ANYONE.may(action, "any") for action in (READ, WRITE, ADMIN))


@pytest.mark.parametrize(
    "sent",
    [{"x_api_key": "secret"}, {"authorization": "Bearer secret"}, {"authorization": "bearer   secret"}],
)
def test_the_key_opens_as_x_api_key_and_as_a_bearer_token(sent: dict[str, str]) -> None:
    caller = OneKey("secret").identify(headers(**sent))
    assert caller.may(WRITE, "any")
    assert "secret" not in caller.name


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"x_api_key": ""},
        {"x_api_key": "Secret"},
        {"x_api_key": "secret "},
        {"x_api_key": "secre"},
        {"authorization": "secret"},
        {"authorization": "Basic secret"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"x_api_key": "wrong", "authorization": "Bearer secret"},
    ],
)
def test_no_key_and_a_wrong_key_are_refused(sent: dict[str, str]) -> None:
    with pytest.raises(AccessDenied):
        OneKey("secret").identify(headers(**sent))


def test_a_key_that_is_not_ascii_is_compared_and_not_a_fault() -> None:
    with pytest.raises(AccessDenied, match="wrong"):
        OneKey("secret").identify(headers(x_api_key="sécret"))


def test_a_grant_covers_its_action_on_its_collection_alone() -> None:
    caller = Caller("reader", frozenset({(READ, "docs"), (EVERYTHING, "mine"), (ADMIN, EVERYTHING)}))
    assert caller.may(READ, "docs")
    assert not caller.may(WRITE, "docs")
    assert not caller.may(READ, "other")
    assert caller.may(WRITE, "mine")
    assert caller.may(ADMIN, "other")
    with pytest.raises(ScopeMissing, match=r"'other'.*read"):
        caller.require(READ, "other")


def test_nobody_may_do_nothing() -> None:
    assert not any(NOBODY.may(action, "docs") for action in (READ, WRITE, ADMIN))


def scoped(tmp_path: Path, api_key: str | None = None) -> ScopedKeys:
    digest = hashlib.sha256(b"reader").hexdigest()
    path = tmp_path / "access.toml"
    path.write_text(
        f'[[keys]]\nname = "r"\nsha256 = "{digest}"\nactions = ["read"]\ncollections = ["docs"]\n'
        '[jwt]\nissuer = "i"\naudience = "a"\njwks_url = "u"\nactions = ["read"]\ncollections = ["docs"]\n'
    )

    return ScopedKeys(AccessFile(path), OneKey(api_key), OneToken)


class OneToken:
    """`Tokens` that believes one token."""

    def __init__(self, policy: TokenPolicy) -> None:
        self._issuer = policy.issuer

    def claims(self, token: str) -> dict[str, str]:
        if token != "good.token.sent":
            raise AccessDenied("the token is refused")
        return {"sub": f"{self._issuer}/u1"}

    def may_wait(self, token: str) -> bool:
        return False


def test_a_scoped_key_opens_what_its_entry_says(tmp_path: Path) -> None:
    caller = scoped(tmp_path).identify(headers(x_api_key="reader"))
    assert caller.name == "r"
    assert caller.may(READ, "docs")
    assert not caller.may(WRITE, "docs")


def test_the_one_key_opens_everything_beside_scoped_ones(tmp_path: Path) -> None:
    assert scoped(tmp_path, "master").identify(headers(x_api_key="master")).may(ADMIN, "any")


def test_a_token_names_its_user(tmp_path: Path) -> None:
    caller = scoped(tmp_path).identify(headers(authorization="Bearer good.token.sent"))
    assert (caller.subject, caller.may(READ, "docs"), caller.may(WRITE, "docs")) == ("i/u1", True, False)


@pytest.mark.parametrize("sent", ["", "master", "Reader", "bad.token.sent", "a.b"])
def test_with_scoped_keys_nobody_else_is_let_in(tmp_path: Path, sent: str) -> None:
    with pytest.raises(AccessDenied):
        scoped(tmp_path).identify(headers(x_api_key=sent))
