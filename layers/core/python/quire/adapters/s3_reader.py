"""Reads a bucket by signed requests of the standard library, so that a function that starts need not import boto3.

boto3 and its client cost 120 ms of CPU, a third of what a function takes that has its index at hand. Whatever is no
plain success (another status than a read's own, a write) is left to `S3Store`, which is opened only then.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from quire.adapters.aws_signature import Keys, SignedHost, keys_of, sign
from quire.adapters.circuit_breaker import Outage, Timeouts
from quire.adapters.connections import Connections, HttpRequest, HttpResponse, LostAnswer
from quire.adapters.ranges import RANGE_BYTES, ByteRange, fetch_checked, fetch_ranges
from quire.documents import NOTHING
from quire.errors import ArtifactCorrupt, StoreUnavailable
from quire.stored import Stored

if TYPE_CHECKING:
    from quire.adapters.s3 import S3Store

READ, PART, SAME, ABSENT, NO_RANGE = 200, 206, 304, 404, 416
_PLAIN_REGION = re.compile(r"(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d")
"""Regions whose hosts end in amazonaws.com; those of China and of governments are named otherwise."""
_PLAIN_BUCKET = re.compile(r"[a-z0-9-]+")
_SET_OTHERWISE = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
)
"""Variables that boto3 knows and this does not: where one is set, boto3 reads."""
_TAG = re.compile(r"<(Key|Prefix|NextContinuationToken)>([^<]*)</")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bucket's objects are asked for: `root` is what their paths begin with, "" or `/bucket`."""

    host: str
    root: str
    is_tls: bool
    region: str


class _OtherAnswer(Exception):
    """The bucket says what only boto3's client knows how to tell."""


class S3Reader:
    """`ObjectStore` over a bucket whose reads are its own. Safe to share by threads.

    Args:
        place, keys: where the bucket is, and who asks.
        prefix: what every key begins with in the bucket; "" or ending with `/`.
        timeouts: how long it may take.
        open_rest: opens what writes, and reads where this cannot.
    """

    def __init__(
        self, place: Place, keys: Keys, prefix: str, *, timeouts: Timeouts, open_rest: Callable[[], S3Store]
    ) -> None:
        self._place = place
        self._keys = keys
        self._connections = Connections(place.host, is_tls=place.is_tls, timeouts=timeouts)
        self._prefix = prefix
        self._timeouts = timeouts
        self._open_rest = open_rest
        self._guard = threading.Lock()
        self._opened: S3Store | None = None
        self._outage = Outage(timeouts.rest_s)

    def read(self, key: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        try:
            with self._asking(key):
                answer = self._get_object(key)
                return Stored(self._whole(answer), answer.etag) if self._is_there(answer) else None
        except _OtherAnswer:
            return self._rest.read(key)

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        try:
            with self._asking(key):
                answer = self._get_object(key, {"If-None-Match": etag})
                if answer.status == SAME:
                    answer.finish()
                    return None
                if not self._is_there(answer):
                    raise KeyError(key)
                return Stored(self._whole(answer), answer.etag)
        except _OtherAnswer:
            return self._rest.read_if_changed(key, etag)

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        try:
            with self._asking(key):
                fetch_checked(partial(self._fetch, key), path, sha256)
        except _OtherAnswer:
            self._rest.fetch_file(key, path, sha256)

    def list(self, prefix: str) -> list[str]:
        """See `quire.ports.ObjectStore`."""
        try:
            with self._asking(prefix):
                return sorted(self._names(self._prefix + prefix) - {""})
        except _OtherAnswer:
            return self._rest.list(prefix)

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """See `quire.ports.ObjectStore`."""
        return self._rest.write(key, data, if_match=if_match, if_absent=if_absent)

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        self._rest.put_file(key, path, sha256)

    def delete(self, key: str) -> None:
        """See `quire.ports.ObjectStore`."""
        self._rest.delete(key)

    def local_path(self, key: str) -> Path | None:
        """See `quire.ports.ObjectStore`: a bucket cannot be mapped."""
        del key
        return None

    def reconnect(self) -> None:
        """Drop the kept connections, which are dead after a freeze; new ones are made at need."""
        self._connections.close()
        self._outage.end()
        if self._opened is not None:
            self._opened.reconnect()

    @property
    def _rest(self) -> S3Store:
        with self._guard:
            if self._opened is None:
                self._opened = self._open_rest()
            return self._opened

    def _fetch(self, key: str, target: Path) -> str:
        return fetch_ranges(partial(self._part, key, target.name), target, self._until())

    def _part(self, key: str, name: str, start: int, etag: str | None) -> ByteRange:
        condition = {"If-Match": etag} if etag else {}
        answer = self._get_object(key, {"Range": f"bytes={start}-{start + RANGE_BYTES - 1}", **condition})
        if answer.status == NO_RANGE:  # an empty object has no first byte
            answer.finish()
            return ByteRange("", 0, ())
        if not self._is_there(answer):
            raise ArtifactCorrupt(f"{name}: no such object ({key})")
        size = answer.headers.get("Content-Range") or f"/{answer.headers['Content-Length']}"
        return ByteRange(answer.etag, int(size.rpartition("/")[2]), answer.blocks())

    def _names(self, begin: str) -> set[str]:
        """What lies directly under that prefix, a page after the other."""
        names: set[str] = set()
        wanted = {"delimiter": "/", "encoding-type": "url", "list-type": "2", "prefix": begin}
        while True:
            answer = self._get("/", wanted, {})
            if answer.status != READ:
                answer.finish()
                raise _OtherAnswer
            text = self._whole(answer).decode()
            read = unquote if "<EncodingType>url" in text else str
            page = [(tag, unescape(held)) for tag, held in _TAG.findall(text)]
            names.update(read(held).removeprefix(begin) for tag, held in page if tag in ("Key", "Prefix"))
            following = [held for tag, held in page if tag == "NextContinuationToken"]
            if not following:
                return names
            wanted = {**wanted, "continuation-token": following[0]}

    def _get_object(self, key: str, headers: Mapping[str, str] = NOTHING) -> HttpResponse:
        return self._get(f"/{self._prefix}{key}", {}, headers)

    def _get(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> HttpResponse:
        """The answer to a signed GET, see `Connections.ask`."""
        target = target_of(self._place, path, query)
        host = SignedHost(self._place.host, self._place.region, "s3")

        def make() -> HttpRequest:
            signed = sign(host, self._keys, target, time.gmtime())
            return HttpRequest("GET", "?".join(filter(None, target)), {**signed, **headers})

        return self._connections.ask(make)

    def _is_there(self, answer: HttpResponse) -> bool:
        """Whether an object comes; False where S3 says that there is none of that key."""
        if answer.status in (READ, PART):
            return True
        said = self._whole(answer)
        if answer.status == ABSENT and b"<Code>NoSuchKey</Code>" in said:
            return False
        raise _OtherAnswer

    def _whole(self, answer: HttpResponse) -> bytes:
        return answer.whole(self._until())

    def _until(self) -> float:
        return time.monotonic() + self._timeouts.file_s

    @contextmanager
    def _asking(self, key: str) -> Iterator[None]:
        """Give errors their names; after one the bucket is left alone for a while."""
        self._outage.demand_over(key)
        try:
            yield
        except (LostAnswer, TimeoutError) as error:
            self._outage.begin(str(error))
            raise StoreUnavailable(f"{key}: {error}") from error


def open_s3_reader(
    location: str,
    timeouts: Timeouts,
    open_rest: Callable[[], S3Store],
    environ: Mapping[str, str] = os.environ,
) -> S3Reader | None:
    """A reader of `s3://bucket/prefix`, as a function's environment names keys, region and AWS_ENDPOINT_URL.

    None where the environment says what boto3 alone knows: a profile, a proxy, a region named otherwise.
    """
    bucket, _, prefix = location.removeprefix("s3://").strip("/").partition("/")
    place, keys = _place_of(bucket, environ), keys_of(environ)
    if place is None or keys is None:
        return None
    return S3Reader(place, keys, f"{prefix}/" if prefix else "", timeouts=timeouts, open_rest=open_rest)


def _place_of(bucket: str, environ: Mapping[str, str]) -> Place | None:
    region = environ.get("AWS_REGION", "")
    if not region or not _PLAIN_BUCKET.fullmatch(bucket) or any(environ.get(one) for one in _SET_OTHERWISE):
        return None
    elsewhere = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    if not elsewhere:
        is_plain = _PLAIN_REGION.fullmatch(region)
        return Place(f"{bucket}.s3.{region}.amazonaws.com", "", True, region) if is_plain else None
    url = urlsplit(elsewhere)
    if url.scheme not in ("http", "https") or not url.hostname or url.path.strip("/"):
        return None
    # Servers elsewhere seldom resolve bucket.host names.
    return Place(url.netloc, f"/{bucket}", url.scheme == "https", region)


def target_of(place: Place, path: str, query: Mapping[str, str]) -> tuple[str, str]:
    """Path and query as they are sent, and signed.

    >>> target_of(Place("127.0.0.1", "/bucket", False, "us-west-2"), "/a b", {"prefix": "c/"})
    ('/bucket/a%20b', 'prefix=c%2F')
    """
    asked = (f"{name}={quote(value, safe='')}" for name, value in sorted(query.items()))
    return quote(place.root + path), "&".join(asked)
