"""Who asks: turns request headers into a Caller. What a caller may do is in `quire.service.access`."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from quire.errors import AccessDenied
from quire.service.access import ANYONE, Caller
from quire.service.access_file import Policy, TokenPolicy


class Tokens(Protocol):
    """Checks tokens of an identity provider: `quire.adapters.jwt.JwtTokens`."""

    def claims(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that is sound.

        Raises:
            AccessDenied: it is not.
        """

    def may_wait(self, token: str) -> bool:
        """Whether checking it may take a call of the identity provider."""


class Access(Protocol):
    """Turns request headers into a Caller."""

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """The caller that the headers prove.

        Raises:
            AccessDenied: they prove none, and one is needed.
        """

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        """Whether `identify` may have to wait on another service for these headers."""


@dataclass(frozen=True, slots=True)
class OneKey:
    """One key opens everything; without a key set, everyone may do everything. Those that it was `before` count too."""

    api_key: str | None
    before: tuple[str, ...] = ()

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Compare the presented key in constant time."""
        if self.api_key is None:
            return ANYONE
        if not self.opens(_needed(headers)):
            raise AccessDenied("the key is wrong")
        return Caller("key", ANYONE.grants)

    def may_wait(self, headers: Mapping[str, str]) -> bool:  # noqa: ARG002  the protocol's
        """Never: the key is here."""
        return False

    def opens(self, presented: str) -> bool:
        """Whether this is the key."""
        keys = () if self.api_key is None else (self.api_key, *self.before)
        # Each is compared: how long it takes says nothing of which.
        return sum(hmac.compare_digest(presented.encode(), one.encode()) for one in keys) > 0


class Policies(Protocol):
    """Where the policy is: `quire.service.access_file.AccessFile`, or `quire.service.access_file.AccessObject`."""

    def policy(self) -> Policy:
        """What it is now."""

    def may_wait(self) -> bool:
        """Whether `policy` may take a call of another service."""


class ScopedKeys:
    """Keys with scopes and tokens, as an access file says now; the one key opens everything beside them.

    Args:
        file: the access file, or the object that stands for it.
        master: the key to everything.
        open_tokens: what checks the tokens of a policy; opened once for each.
    """

    def __init__(self, file: Policies, master: OneKey, open_tokens: Callable[[TokenPolicy], Tokens]) -> None:
        self._file = file
        self._master = master
        self._open_tokens = open_tokens
        self._tokens: tuple[TokenPolicy, Tokens] | None = None

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Look the key up, or check the token."""
        presented = _needed(headers)
        if self._master.opens(presented):
            return Caller("key", ANYONE.grants)
        policy = self._file.policy()
        caller = policy.caller(presented)
        if caller is not None:
            return caller
        if policy.tokens is not None and presented.count(".") == 2:
            return policy.tokens.caller(self._checking(policy.tokens).claims(presented))
        raise AccessDenied("the key is wrong")

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        """Whether the policy is to be read from afar, or a token's keys are."""
        presented = presented_key(headers)
        if presented is None or self._master.opens(presented):
            return False
        if self._file.may_wait():
            return True
        tokens = self._file.policy().tokens
        return tokens is not None and presented.count(".") == 2 and self._checking(tokens).may_wait(presented)

    def _checking(self, tokens: TokenPolicy) -> Tokens:
        if self._tokens is None or self._tokens[0] != tokens:
            self._tokens = (tokens, self._open_tokens(tokens))
        return self._tokens[1]


def _needed(headers: Mapping[str, str]) -> str:
    presented = presented_key(headers)
    if presented is None:
        raise AccessDenied("this service needs a key: send it as x-api-key or as a bearer token")
    return presented


def presented_key(headers: Mapping[str, str]) -> str | None:
    """The key as the client sent it: `x-api-key`, else `Authorization: Bearer`."""
    if key := headers.get("x-api-key"):
        return key
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
