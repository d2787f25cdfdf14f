"""Who may do what: one policy for every face, the native API and MCP. Use cases ask the Caller.

`confine` says which folders a caller may name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quire.errors import AccessDenied, InputError, ScopeMissing

READ, WRITE, ADMIN = "read", "write", "admin"
ACTIONS = (READ, WRITE, ADMIN)
EVERYTHING = "*"
PUBLIC = "public"
"""Name of the caller that brought no key."""


@dataclass(frozen=True, slots=True)
class Caller:
    """One identified caller.

    Attributes:
        name: for logs; never the key itself.
        grants: what it may do: pairs of an action and a collection, either of which may be `EVERYTHING`.
        sites: whose documents and messages it may touch, in collections that are divided into sites.
        subject: the user that a token names; "" where the caller speaks for several.
    """

    name: str
    grants: frozenset[tuple[str, str]]
    sites: frozenset[str] = frozenset({EVERYTHING})
    subject: str = ""

    @property
    def is_public(self) -> bool:
        """Whether it brought no key, where some collections may be read without one."""
        return self.name == PUBLIC

    def knows(self, collection: str) -> bool:
        """Whether it may do anything at all with the collection, and so may learn that there is one of that name."""
        return any(self.may(action, collection) for action in ACTIONS)

    def may(self, action: str, collection: str) -> bool:
        """Whether a grant covers the action on the collection."""
        wanted = {(a, c) for a in (action, EVERYTHING) for c in (collection, EVERYTHING)}
        return not wanted.isdisjoint(self.grants)

    def require(self, action: str, collection: str) -> None:
        """Stop a caller who may not do this.

        Raises:
            ScopeMissing: no grant covers the action on the collection.
            AccessDenied: none can, since the caller brought no key.
        """
        if not self.may(action, collection):
            if self.is_public:
                message = f"collection {collection!r}: needs a key: send it as x-api-key or as a bearer token"
                raise AccessDenied(message)
            raise ScopeMissing(f"collection {collection!r}: this key may not {action} it")

    def require_site(self, action: str, collection: str, site: str) -> None:
        """Stop a caller who may not do this, or not to this site.

        Raises:
            ScopeMissing: no grant covers the action on the collection, or the site is not among the caller's.
        """
        self.require(action, collection)
        if not self.may_touch(site):
            raise ScopeMissing(f"site {site[:80]!r}: this key may not {action} it")

    def may_touch(self, site: str) -> bool:
        """Whether the site is among the caller's."""
        return not self.sites.isdisjoint({site, EVERYTHING})

    def user(self, claimed: str) -> str:
        """The user whom the caller speaks for: the token's, whatever the request claims."""
        return self.subject or claimed


ANYONE = Caller("anyone", frozenset({(EVERYTHING, EVERYTHING)}))
NOBODY = Caller("nobody", frozenset(), frozenset())


def public_reader(collections: Iterable[str]) -> Caller:
    """Whoever brought no key, where these collections may be read without one. No site is public."""
    return Caller(PUBLIC, frozenset((READ, name) for name in collections), frozenset())


def confine(root: str | Path, allowed: Path) -> Path:
    """The folder `root`, resolved, where it lies inside of `allowed`; a relative one is relative to it.

    Raises:
        InputError: it leads out of `allowed`, is no folder, or no path at all.
    """
    try:
        folder = (allowed / root).resolve()
        folder.is_dir()
    except (OSError, RuntimeError, ValueError):  # a circle of links, U+0000, a name that is too long
        raise InputError("root: no path of a folder", field="root") from None
    if not folder.is_relative_to(allowed.resolve()):
        raise InputError(f"root: {root} leads out of the allowed folder", field="root")
    if not folder.is_dir():
        raise InputError(
            f"root: wanted a folder, found {'a file' if folder.exists() else 'nothing'} at {root}",
            field="root",
        )
    return folder
