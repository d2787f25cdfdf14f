"""Keys with scopes, read from a file, or an object of the store, that may change while the service runs.

[[keys]]
name = "workflow"                # for logs
sha256 = "5e88..."               # of the key: `printf %s KEY | sha256sum`; the file holds no secret
actions = ["read", "write"]      # read, write, admin or *
collections = ["sites"]          # or *
sites = ["acme"]                 # or *; left out: none

[jwt]                            # tokens of an identity provider; their `sub` is the user
issuer = "https://example.zitadel.cloud"
audience = "quire"
jwks_url = "https://example.zitadel.cloud/oauth/v2/keys"
actions = ["read", "write"]
collections = ["sites"]
sites = ["acme"]
sites_claim = "urn:quire:sites"  # a claim that names the sites instead
"""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.errors import AccessDenied, ConfigError
from quire.service.access import ACTIONS, EVERYTHING, Caller

if TYPE_CHECKING:
    from quire.ports import ObjectStore
    from quire.stored import Stored
import time

from quire.errors import StoreUnavailable

_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEY_FIELDS = frozenset({"name", "sha256", "actions", "collections", "sites"})
_JWT_FIELDS = frozenset({"issuer", "audience", "jwks_url", "actions", "collections", "sites", "sites_claim"})


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """Which tokens are believed, and what their bearers may do; fields as in the file."""

    issuer: str
    audience: str
    jwks_url: str
    grants: frozenset[tuple[str, str]]
    sites: frozenset[str]
    sites_claim: str = ""

    def caller(self, claims: Mapping[str, Any]) -> Caller:
        """The caller that checked claims describe.

        Raises:
            AccessDenied: the claim that names the sites is neither a name nor a list of names.
        """
        subject = str(claims["sub"])
        sites = self.sites
        if self.sites_claim:
            sites = frozenset(_named_sites(self.sites_claim, claims.get(self.sites_claim))) - {EVERYTHING}
        return Caller(f"token:{subject}", self.grants, sites, subject)


def _named_sites(claim: str, named: Any) -> list[str]:
    """The sites of a claim: one, several, or none where it is missing or null. Ids may be whole numbers."""
    sites = [named] if isinstance(named, str) else named
    if sites is None:
        return []
    if isinstance(sites, list) and all(type(one) in (str, int) for one in sites):
        return [str(one) for one in sites]
    raise AccessDenied(f"the token is refused: {claim}: wanted a text or a list of texts")


@dataclass(frozen=True, slots=True)
class Policy:
    """What an access file says: callers by the sha256 of their key, and the policy for tokens."""

    callers: tuple[tuple[str, Caller], ...] = ()
    tokens: TokenPolicy | None = None

    def caller(self, key: str) -> Caller | None:
        """The caller of a key, None where no entry has it. Compares with every entry, each in constant time."""
        presented = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        found = None
        for sha256, caller in self.callers:
            if hmac.compare_digest(sha256, presented):
                found = caller
        return found


class AccessFile:
    """The policy in a file, read again when the file changes: keys come and go without a restart. Thread-safe.

    Args:
        path: of the TOML file.
        complain: told why a changed file cannot be used; what was read before it stays in force.

    Raises:
        ConfigError: the file cannot be used at the start.
    """

    def __init__(self, path: Path, *, complain: Callable[[str], None] = lambda _: None) -> None:
        self._path = path
        self._complain = complain
        self._guard = threading.Lock()
        self._stamp = self._look()
        self._policy = read_policy(path)

    def policy(self) -> Policy:
        """What the file says now."""
        stamp = self._look()
        if stamp == self._stamp:
            return self._policy
        with self._guard:
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._policy = read_policy(self._path)
                except ConfigError as error:
                    self._complain(str(error))
        return self._policy

    def may_wait(self) -> bool:
        """Never: the file is on this machine."""
        return False

    def _look(self) -> tuple[int, int, int]:
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_size, found.st_ino)


def read_policy(path: Path) -> Policy:
    """Read an access file.

    Raises:
        ConfigError: it is missing or malformed; the message names the entry and the field.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error}") from error
    return parse_policy(data, str(path))


def parse_policy(data: bytes, where: str) -> Policy:
    """Read what an access file holds; `where` names it in errors.

    Raises:
        ConfigError: it is malformed; the message names the entry and the field.
    """
    try:
        tree = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: {error}") from error
    if unknown := set(tree) - {"keys", "jwt"}:
        raise ConfigError(f"{where}: [{min(unknown)}]: unknown; wanted [[keys]] and [jwt]")
    keys = tree.get("keys", [])
    if not isinstance(keys, list):
        raise ConfigError(f"{where}: keys: wanted [[keys]] tables")
    callers = tuple(_key(f"{where}: key {number}", table) for number, table in enumerate(keys, 1))
    return Policy(callers, _tokens(f"{where}: [jwt]", tree["jwt"]) if "jwt" in tree else None)


def _key(where: str, table: Mapping[str, Any]) -> tuple[str, Caller]:
    _known(where, table, _KEY_FIELDS)
    sha256 = _text(where, table, "sha256").lower()
    if not _SHA256.fullmatch(sha256):
        raise ConfigError(f"{where}: sha256: wanted 64 hexadecimal digits of the key's digest")
    return sha256, Caller(_text(where, table, "name"), _grants(where, table), _set(where, table, "sites"))


def _tokens(where: str, table: Mapping[str, Any]) -> TokenPolicy:
    _known(where, table, _JWT_FIELDS)
    return TokenPolicy(
        issuer=_text(where, table, "issuer"),
        audience=_text(where, table, "audience"),
        jwks_url=_text(where, table, "jwks_url"),
        grants=_grants(where, table),
        sites=_set(where, table, "sites"),
        sites_claim=_text(where, table, "sites_claim") if "sites_claim" in table else "",
    )


def _known(where: str, table: Any, fields: frozenset[str]) -> None:
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: wanted a table, found {table!r}")
    if unknown := set(table) - fields:
        raise ConfigError(f"{where}: {min(unknown)}: unknown; wanted some of {', '.join(sorted(fields))}")


def _grants(where: str, table: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    actions = _set(where, table, "actions")
    if strange := actions - {*ACTIONS, EVERYTHING}:
        raise ConfigError(f"{where}: actions: wanted some of {', '.join(ACTIONS)}, found {min(strange)!r}")
    return frozenset((action, one) for action in actions for one in _set(where, table, "collections"))


def _text(where: str, table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{where}: {name}: wanted a text, found {value!r}")
    return value


def _set(where: str, table: Mapping[str, Any], name: str) -> frozenset[str]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ConfigError(f"{where}: {name}: wanted a list of texts, found {value!r}")
    return frozenset(value)


class AccessObject:
    """The policy in an object of the form of an access file, looked at again now and then. Thread-safe.

    Where the object is not there, nobody but the holder of the one key is let in. One that cannot be used is complained
    of, and what was read before it stays in force; at the start that is nothing.

    Args:
        objects: the store.
        key: of the object.
        refresh_s: it is looked at this often at most, in seconds.
        complain: told why it cannot be used.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        objects: ObjectStore,
        key: str,
        refresh_s: float,
        *,
        complain: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._objects = objects
        self._key = key
        self._refresh_s = refresh_s
        self._complain = complain
        self._clock = clock
        self._guard = threading.Lock()
        self._looked_at: float | None = None
        self._etag = ""
        self._policy = Policy()

    def policy(self) -> Policy:
        """What the object says now.

        Raises:
            StoreUnavailable: the store cannot be reached, and nothing was read before.
        """
        if not self.may_wait():
            return self._policy
        # Whoever comes while another looks takes what is known already: only the first of all has to wait.
        if self._guard.acquire(blocking=self._looked_at is None):
            try:
                if self.may_wait():
                    self._look()
            finally:
                self._guard.release()
        return self._policy

    def may_wait(self) -> bool:
        """Whether the store is to be asked again."""
        return self._looked_at is None or self._clock() - self._looked_at >= self._refresh_s

    def _look(self) -> None:
        try:
            stored = self._changed()
        except KeyError:
            self._etag, self._policy = "", Policy()
        except StoreUnavailable as error:
            if self._looked_at is None:
                raise
            self._complain(f"{self._key}: {error}")
        else:
            if stored is not None:
                self._read(stored)
        self._looked_at = self._clock()

    def _changed(self) -> Stored | None:
        """The object where it is not the one that was read; without an etag there is nothing to compare with."""
        if self._etag:
            return self._objects.read_if_changed(self._key, self._etag)
        return self._objects.read(self._key)

    def _read(self, stored: Stored) -> None:
        self._etag = stored.etag
        try:
            self._policy = parse_policy(stored.data, self._key)
        except ConfigError as error:
            self._complain(str(error))
