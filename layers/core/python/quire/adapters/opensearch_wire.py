"""Requests to an OpenSearch server: JSON in, JSON out, bounded in time, with a password or signed as Amazon wants it.

Plain HTTP of the standard library, as buckets are read: the official client brings requests and urllib3 with it, for
some ten paths that are asked here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlencode, urlsplit

import numpy as np

from quire.adapters.aws_signature import NO_BODY, Keys, SignedHost, keys_of, sign
from quire.adapters.circuit_breaker import Outage, Timeouts
from quire.adapters.connections import Connections, HttpRequest, HttpResponse, LostAnswer
from quire.errors import ArtifactCorrupt, ConfigError, StoreError, StoreUnavailable

if TYPE_CHECKING:
    from quire.ports import Ordinals

OK, NOT_FOUND = range(200, 300), 404
_REFUSED = (401, 403)
_AMAZON = re.compile(r"[\w.-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\.es\.amazonaws\.com")
"""Hosts of Amazon OpenSearch Service, with their region."""
_SERVERLESS = re.compile(r"[\w.-]+\.aoss\.amazonaws\.com")
SEARCHING = Timeouts(connect_s=1.0, silence_s=4.0, attempts=2, file_s=6.0, rest_s=3.0)
"""Somebody waits: a question makes up to eight requests, and the first that fails ends it, after 11 s at most."""
LOADING = Timeouts(connect_s=5.0, silence_s=60.0, attempts=6, file_s=120.0)
SHOWN = 300
"""Characters of a server's complaint that messages repeat."""
ROARING_COOKIE = 12346
ROARING_LISTED = 4096
"""A container of so many and fewer is a list."""


class JsonAnswer(NamedTuple):
    """A status and what came with it."""

    status: int
    tree: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is, and how it knows us: `password` is `user:password`, `region` that of a signed host."""

    host: str
    is_tls: bool
    password: str = ""
    region: str = ""


def read_address(url: str) -> ServerAddress:
    """The address that `QUIRE_OPENSEARCH_URL` tells.

    Raises:
        ConfigError: it is none, or that of a service which cannot hold what Quire loads.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise ConfigError("QUIRE_OPENSEARCH_URL: wanted https://[user:password@]host[:port]")
    host = parts.netloc.rpartition("@")[2]
    if _SERVERLESS.fullmatch(parts.hostname):
        raise ConfigError(
            f"QUIRE_OPENSEARCH_URL: {host}: vector collections of OpenSearch Serverless take neither ids of documents "
            "nor scoring scripts, so that loading could not be resumed nor filters be exact; wanted a domain"
        )
    address = ServerAddress(host, parts.scheme == "https")
    if parts.username is not None:
        return replace(address, password=f"{unquote(parts.username)}:{unquote(parts.password or '')}")
    amazon = _AMAZON.fullmatch(parts.hostname)
    return replace(address, region=amazon[1]) if amazon else address


class OpenSearchWire:
    """Asks one server. Safe to share by threads.

    After a request that failed the server is left alone for `timeouts.rest_s` seconds: further ones fail at once.
    """

    def __init__(self, address: ServerAddress, timeouts: Timeouts) -> None:
        self.host = address.host
        self._address = address
        self._timeouts = timeouts
        self._connections = Connections(address.host, is_tls=address.is_tls, timeouts=timeouts)
        self._outage = Outage(timeouts.rest_s)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> JsonAnswer:
        """What the server answers, where that is a success or `NOT_FOUND`; a mapping is sent as JSON, bytes as lines.

        Raises:
            StoreUnavailable: it is away, busy or too slow, at the last attempt too.
            ConfigError: it does not know us.
            StoreError: it refuses the request.
        """
        self._outage.demand_over(f"opensearch {self.host}")
        asked = urlencode(sorted((query or {}).items()))
        try:
            answer = self._connections.ask(partial(self._request, method, (path, asked), body))
            tree = self._read(answer)
        except (LostAnswer, TimeoutError) as error:
            self._outage.begin(str(error))
            raise StoreUnavailable(f"opensearch {self.host}: {method} {path}: {error}") from error
        if answer.status in OK or answer.status == NOT_FOUND:
            return JsonAnswer(answer.status, tree)
        said = complaint(tree)
        if answer.status in _REFUSED:
            raise ConfigError(f"opensearch {self.host}: does not let us in: HTTP {answer.status} {said}")
        raise StoreError(f"opensearch {self.host}: {method} {path}: HTTP {answer.status} {said}")

    def search(self, index: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The whole answer to a search.

        Raises:
            ArtifactCorrupt: there is no such index.
            StoreUnavailable: some of its shards did not answer in time: what the others found is no answer.
            ConfigError, StoreError: as above.
        """
        limit_ms = int(1000 * self._timeouts.silence_s)
        asked = {"timeout": f"{limit_ms}ms", "track_total_hits": False, **body}
        status, tree = self.ask("POST", f"/{index}/_search", asked)
        if status == NOT_FOUND:
            raise ArtifactCorrupt(f"opensearch {self.host}: there is no index {index}")
        shards = tree.get("_shards", {})
        if tree.get("timed_out") or shards.get("failed"):
            raise StoreUnavailable(
                f"opensearch {self.host}: {index}: {shards.get('failed', 0)} of {shards.get('total')} shards failed"
            )
        return tree

    def reconnect(self) -> None:
        """Drop the kept connections, which are dead after a freeze; new ones are made at need."""
        self._connections.close()
        self._outage.end()

    def _request(
        self, method: str, target: tuple[str, str], body: bytes | Mapping[str, Any] | None
    ) -> HttpRequest:
        headers: dict[str, str] = {}
        data = json.dumps(body).encode() if isinstance(body, Mapping) else body
        if data is not None:
            headers["content-type"] = "application/json" if data is not body else "application/x-ndjson"
        address = self._address
        if address.password:
            headers["authorization"] = "Basic " + base64.b64encode(address.password.encode()).decode()
        elif address.region:
            place = SignedHost(address.host, address.region, "es")
            digest = hashlib.sha256(data).hexdigest() if data is not None else NO_BODY
            headers |= sign(place, _aws_keys(), target, time.gmtime(), method=method, body_sha256=digest)
        return HttpRequest(method, "?".join(filter(None, target)), headers, data)

    def _read(self, answer: HttpResponse) -> dict[str, Any]:
        data = answer.whole(time.monotonic() + self._timeouts.file_s)
        try:
            tree = json.loads(data) if data else {}
        except ValueError as error:
            raise LostAnswer(f"HTTP {answer.status}: no JSON: {data[:80]!r}") from error
        return tree if isinstance(tree, dict) else {"list": tree}


def complaint(tree: Mapping[str, Any]) -> str:
    """What an answer says is wrong, in a line."""
    error = tree.get("error", "")
    told = f"{error.get('type')}: {error.get('reason')}" if isinstance(error, Mapping) else str(error)
    return told[:SHOWN]


def _aws_keys() -> Keys:
    """Those of the environment, as a function has them; else what botocore finds, such as a role's or a profile's."""
    keys = keys_of(os.environ)
    if keys and not os.environ.get("AWS_PROFILE"):
        return keys
    from botocore.session import get_session  # 100 ms that a function has not got

    found = get_session().get_credentials()
    if found is None:
        raise ConfigError("opensearch: wanted credentials of AWS, found none")
    frozen = found.get_frozen_credentials()
    return Keys(frozen.access_key or "", frozen.secret_key or "", frozen.token or "")


def roaring_bitmap(ordinals: Ordinals) -> str:
    """The ordinals (ascending, unique) as base64 of a portable Roaring bitmap, as filters of millions are taken.

    Source: "RoaringFormatSpec", the portable format without runs: a cookie, the number of containers, their keys and
    sizes, where each begins, and the containers: 65,536 bits for more than 4,096 of them, else a list.

    >>> roaring_bitmap(np.array([1, 2, 65536], np.uint32))
    'OjAAAAIAAAAAAAEAAQAAABgAAAAcAAAAAQACAAAA'
    """
    highs = ordinals >> np.uint32(16)
    starts = np.flatnonzero(np.append(True, highs[1:] != highs[:-1])[: len(highs)])
    keys = highs[starts]
    lows = (ordinals & np.uint32(0xFFFF)).astype("<u2")
    containers = [_container(part) for part in np.split(lows, starts[1:])]
    counts = np.diff(np.append(starts, len(ordinals)))
    sizes = [len(one) for one in containers]
    begins = 8 + 8 * len(keys) + np.cumsum([0, *sizes[:-1]]) if sizes else np.empty(0)
    header = np.array([ROARING_COOKIE, len(keys)], "<u4").tobytes()
    described = np.stack([keys, counts - 1], axis=1).astype("<u2").tobytes()
    return base64.b64encode(
        b"".join([header, described, begins.astype("<u4").tobytes(), *containers])
    ).decode()


def _container(lows: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> bytes:
    if len(lows) <= ROARING_LISTED:
        return lows.tobytes()
    bits = np.zeros(1 << 16, np.bool_)
    bits[lows] = True
    return np.packbits(bits, bitorder="little").tobytes()
