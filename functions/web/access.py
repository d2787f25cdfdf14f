"""Who asks and what they may do. The frame asks `identify` once a request; use cases ask the Caller."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from quire.errors import AccessDenied, ScopeMissing

READ, WRITE, ADMIN = "read", "write", "admin"
EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Caller:
    """One identified caller.

    Attributes:
        name: for logs; never the key itself.
        grants: what it may do: pairs of an action and a collection, either of which may be `EVERYTHING`.
    """

    name: str
    grants: frozenset[tuple[str, str]]

    def may(self, action: str, collection: str) -> bool:
        """Whether a grant covers the action on the collection."""
        wanted = {(a, c) for a in (action, EVERYTHING) for c in (collection, EVERYTHING)}
        return not wanted.isdisjoint(self.grants)

    def require(self, action: str, collection: str) -> None:
        """Stop a caller who may not do this.

        Raises:
            ScopeMissing: no grant covers the action on the collection.
        """
        if not self.may(action, collection):
            raise ScopeMissing(f"collection {collection!r}: this key may not {action} it")


ANYONE = Caller("anyone", frozenset({(EVERYTHING, EVERYTHING)}))
NOBODY = Caller("nobody", frozenset())


class Access(Protocol):
    """Turns request headers into a Caller."""

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """The caller that the headers prove.

        Raises:
            AccessDenied: they prove none, and one is needed.
        """


@dataclass(frozen=True, slots=True)
class OneKey:
    """One key opens everything; without a key set, everyone may do everything."""

    api_key: str | None

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Compare the presented key in constant time."""
        if self.api_key is None:
            return ANYONE
        presented = presented_key(headers)
        if presented is None:
            raise AccessDenied("this service needs a key: send it as x-api-key or as a bearer token")
        if not hmac.compare_digest(presented.encode(), self.api_key.encode()):
            raise AccessDenied("the key is wrong")
        return Caller("key", ANYONE.grants)


def presented_key(headers: Mapping[str, str]) -> str | None:
    """The key as the client sent it: `x-api-key`, else `Authorization: Bearer`."""
    if key := headers.get("x-api-key"):
        return key
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
