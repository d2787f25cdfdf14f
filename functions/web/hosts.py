"""By which names a server without a key may be called: what keeps pages of other sites out of it.

A page whose own name is pointed at this machine after it was loaded (DNS rebinding) is of the same origin to a browser:
it may send anything and read every reply. Only the name in the `Host` header tells it from the server's own pages.
Source: Jackson et al., "Protecting Browsers from DNS Rebinding Attacks", CCS 2007.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Scope

from quire.errors import AccessDenied
from quire.service.access import ANYONE, Caller
from quire.settings import Settings

ANY_HOST = "*"
LOCAL_NAME = "localhost"
_HOST = re.compile(
    r"""
    (?: \[ (?P<v6> [0-9a-f:.]+ ) \]   # an IPv6 address stands in brackets
      | (?P<name> [a-z0-9_.-]+ ) )
    (?: : [0-9]{1,5} )?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hosts:
    """Names that count as this server's own, beside `localhost` and every address.

    An address cannot be pointed elsewhere, so a page that calls the server by one was loaded from that address.
    """

    names: frozenset[str] = frozenset()

    def demand(self, headers: Headers) -> None:
        """Refuse a request that calls the server by a name that is not its own.

        Raises:
            HTTPException: 421, the status for a server that does not answer for the name.
        """
        called = headers.getlist("host")
        name = _name_of(called[0]) if len(called) == 1 else ""
        if not (self._is_own(name) or _address(name)):
            raise HTTPException(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"host {', '.join(called)[:80]!r}: wanted localhost, an address, or a name of QUIRE_HOSTS; where a"
                " proxy calls the server so, start it with that name, such as QUIRE_HOSTS=docs.example.com",
            )

    def may_send(self, origin: str) -> bool:
        """Whether pages of the origin are this machine's own, or of a name that the operator listed."""
        name = origin_host(origin)
        address = _address(name)
        return self._is_own(name) or (address is not None and address.is_loopback)

    def _is_own(self, name: str) -> bool:
        local = name == LOCAL_NAME or name.endswith(f".{LOCAL_NAME}")
        return bool(name) and (local or name in self.names or ANY_HOST in self.names)


def hosts_of(settings: Settings, *, in_cloud: bool) -> Hosts | None:
    """The names to be held against requests; None where a key is demanded, or everyone may reach the server anyway."""
    has_key = settings.api_key is not None or settings.access != ""
    if has_key or in_cloud:
        return None
    return Hosts(frozenset(one.lower().rstrip(".") for one in settings.hosts))


def listens_beyond(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether a server that was started by this command listens to other machines, as far as the command says.

    >>> listens_beyond(["uvicorn", "functions.local:app", "--host", "0.0.0.0"], {})
    True
    """
    words = [word for part in command for word in part.split("=", 1)] if command else []
    told = words[words.index("--host") + 1 :][:1] if "--host" in words else []
    return not is_loopback((told or [environ.get("UVICORN_HOST", LOCAL_NAME)])[0])


def is_loopback(name: str) -> bool:
    """Whether a name or address is this machine's own, which no other machine can call."""
    address = _address(name)
    return address.is_loopback if address else name == LOCAL_NAME


def demand_near(scope: Scope, caller: Caller) -> None:
    """Refuse what only an administrator may do to whom no key tells apart from anybody, unless it is this machine.

    Raises:
        AccessDenied: no key is set, and the server listens to other machines or was called by one.
    """
    if caller != ANYONE:
        return
    ends = (scope.get("server"), scope.get("client"))
    near = all(end is not None and is_loopback(end[0]) for end in ends)
    if not near or getattr(scope["app"].state, "listens_beyond", False):
        raise AccessDenied("no key is set, and other machines can reach this server: set QUIRE_API_KEY")


def origin_host(origin: str) -> str:
    """The host of an origin; "" where it has none, or is no origin.

    >>> origin_host("https://Docs.example:8443"), origin_host("null"), origin_host("http://[::1")
    ('docs.example', '', '')
    """
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    found = _HOST.fullmatch(host.strip())
    return (found["v6"] or found["name"]).lower().rstrip(".") if found else ""


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
