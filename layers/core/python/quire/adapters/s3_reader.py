"""Objects in an S3 bucket, for a process that must start soon: read over `http.client`, written by another store.

boto3 takes 150 ms of a start to be imported and 100 to make a client, and twice the time for each byte.
"""

from __future__ import annotations

import hashlib
import html
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urlsplit

from quire.bucket import bucket_and_prefix
from quire.errors import ArtifactCorrupt, ConfigError, StoreUnavailable
from quire.patience import Outage, Patience
from quire.ranges import RANGE_BYTES, Part, fetch_checked, fetch_ranges
from quire.signature import Credentials, Request, signed_headers
from quire.stored import Stored
from quire.wire import Answer, Wire

if TYPE_CHECKING:
    from quire.ports import ObjectStore

UNKNOWN = (
    "HTTPS_PROXY",
    "https_proxy",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
)
"""Variables that boto3 obeys and this module does not."""
_GONE = frozenset({"NoSuchKey", "404"})
# S3 answers in XML without attributes; it percent-encodes names where it is asked to.
_CODE = re.compile(r"<Code>([^<]*)</Code>")
_NAMES = re.compile(r"<Contents>.*?<Key>([^<]*)</Key>|<CommonPrefixes>\s*<Prefix>([^<]*)</Prefix>", re.DOTALL)
_NEXT = re.compile(r"<NextContinuationToken>([^<]*)</NextContinuationToken>")


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the objects are: a server, the bucket's path there ("" where it is in the host), what keys begin with."""

    wire: Wire
    root: str
    prefix: str
    credentials: Credentials

    def get(self, key: str, headers: Mapping[str, str]) -> Answer:
        """The object of that key."""
        return self._ask(f"{self.root}/{self.prefix}{key}", {}, headers)

    def page(self, prefix: str, token: str) -> Answer:
        """Names one level below a prefix, from a token on; the first have none."""
        query = {"list-type": "2", "encoding-type": "url", "delimiter": "/", "prefix": self.prefix + prefix}
        return self._ask(f"{self.root}/", query | ({"continuation-token": token} if token else {}), {})

    def _ask(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        request = Request(self.wire.host, path, query, headers)
        return self.wire.get(request.target, signed_headers(request, self.credentials, time.time()))


class S3Reader:
    """`ObjectStore` over a bucket; `open_writer` opens the store that writes to it, at the first write.

    Safe to share by threads.
    """

    def __init__(self, place: Place, patience: Patience, open_writer: Callable[[], ObjectStore]) -> None:
        self._place = place
        self._patience = patience
        self._outage = Outage(patience.rest_s)
        self._open_writer = open_writer

    def read(self, key: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            try:
                return self._stored(key, {})
            except _Refused as error:
                if error.code in _GONE:
                    return None
                raise

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            try:
                return self._stored(key, {"If-None-Match": etag})
            except _Refused as error:
                if error.status == 304:
                    return None
                if error.code in _GONE:
                    raise KeyError(key) from error
                raise

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            fetch_checked(partial(self._fetch, key), path, sha256)

    def list(self, prefix: str) -> list[str]:
        """See `quire.ports.ObjectStore`."""
        begin, token = self._place.prefix + prefix, ""
        names: set[str] = set()
        with self._asking(prefix):
            while True:
                page = self._checked(self._place.page(prefix, token)).read(self._until()).decode()
                names.update(_name(key or folder).removeprefix(begin) for key, folder in _NAMES.findall(page))
                following = _NEXT.search(page)
                if following is None:
                    return sorted(names - {""})
                token = html.unescape(following[1])

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """See `quire.ports.ObjectStore`."""
        return self._writer.write(key, data, if_match=if_match, if_absent=if_absent)

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        self._writer.put_file(key, path, sha256)

    def delete(self, key: str) -> None:
        """See `quire.ports.ObjectStore`."""
        self._writer.delete(key)

    def local_path(self, key: str) -> Path | None:
        """See `quire.ports.ObjectStore`: a bucket cannot be mapped."""
        del key
        return None

    def reconnect(self) -> None:
        """Drop the kept connections, which are dead after a freeze; new ones are made at need."""
        self._place.wire.close()
        self._outage.end()

    @cached_property
    def _writer(self) -> ObjectStore:
        return self._open_writer()

    def _stored(self, key: str, headers: Mapping[str, str]) -> Stored:
        answer = self._checked(self._place.get(key, headers))
        return Stored(answer.read(self._until()), answer.headers["ETag"])

    def _fetch(self, key: str, target: Path) -> str:
        try:
            return fetch_ranges(partial(self._part, key), target, self._until())
        except _Refused as error:
            if error.status == 416:  # an empty object has no first byte
                return hashlib.sha256(b"").hexdigest()
            if error.code in _GONE:
                raise ArtifactCorrupt(f"{key}: no such object") from error
            raise

    def _part(self, key: str, start: int, etag: str | None) -> Part:
        wanted = {"Range": f"bytes={start}-{start + RANGE_BYTES - 1}"} | ({"If-Match": etag} if etag else {})
        answer = self._checked(self._place.get(key, wanted))
        told = answer.headers.get("Content-Range") or answer.headers["Content-Length"]
        return Part(answer.headers["ETag"], int(told.rpartition("/")[2]), answer.blocks())

    def _checked(self, answer: Answer) -> Answer:
        if answer.status in {200, 206}:
            return answer
        said = _CODE.search(answer.read(self._until()).decode(errors="replace"))
        raise _Refused(answer.status, said[1] if said else str(answer.status))

    def _until(self) -> float:
        return time.monotonic() + self._patience.file_s

    @contextmanager
    def _asking(self, key: str) -> Iterator[None]:
        """Give errors their names; after one that says that the bucket is away, leave it alone for a while."""
        if why := self._outage.reason():
            raise StoreUnavailable(f"{key}: not asked for: {why}")
        try:
            yield
        except (_Refused, StoreUnavailable, TimeoutError) as error:
            if not isinstance(error, _Refused) or error.status >= 500:
                self._outage.begin(str(error))
            raise StoreUnavailable(f"{key}: {error}") from error


class _Refused(Exception):
    """S3 answered with an error."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"S3 answered {status}, {code}")
        self.status = status
        self.code = code


def _name(found: str) -> str:
    return unquote_plus(html.unescape(found))


def open_s3_reader(
    location: str, patience: Patience, open_writer: Callable[[], ObjectStore], environ: Mapping[str, str]
) -> S3Reader | None:
    """The store at `s3://bucket/prefix`, read with the keys that `environ` holds; None where it holds none.

    So it is in a function that goes on from a snapshot, whose keys are asked for, and where `environ` wants of the
    connection what only boto3 knows.

    Raises:
        ConfigError: the location names no bucket, or the endpoint is no URL.
    """
    bucket, prefix = bucket_and_prefix(location)
    key_id, secret = environ.get("AWS_ACCESS_KEY_ID"), environ.get("AWS_SECRET_ACCESS_KEY")
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    if not (key_id and secret and region) or any(environ.get(name) for name in UNKNOWN):
        return None
    credentials = Credentials(key_id, secret, environ.get("AWS_SESSION_TOKEN", ""), region)
    endpoint = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    server = f"s3.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
    # Names with dots fit no certificate, and servers elsewhere seldom resolve bucket.host.
    is_path = endpoint is not None or "." in bucket
    address = endpoint or f"https://{'' if is_path else f'{bucket}.'}{server}"
    try:
        wire = Wire(address, patience, authorities=environ.get("AWS_CA_BUNDLE"))
    except (ConfigError, ValueError) as error:
        raise ConfigError(f"store {location}: {error}") from error
    root = urlsplit(address).path.rstrip("/") + (f"/{bucket}" if is_path else "")
    return S3Reader(Place(wire, root, prefix, credentials), patience, open_writer)
