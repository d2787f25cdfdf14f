"""Objects in an S3 bucket, below a prefix. Any server that honours `If-Match` and `If-None-Match` on a put will do."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from quire.adapters.circuit_breaker import Outage, Timeouts
from quire.adapters.ranges import BLOCK_BYTES, RANGE_BYTES, ByteRange, bounded, fetch_checked, fetch_ranges
from quire.errors import ArtifactCorrupt, ConfigError, StoreUnavailable, SwapConflict
from quire.stored import Stored

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

COPY_BYTES = 1 << 20
SINGLE_PUT_BYTES = 64 << 20
"""Larger files go up in parts, side by side."""
CONFLICT_ATTEMPTS = 8
_GONE = frozenset({"NoSuchKey", "404", "NotFound"})
_LOST = frozenset({"PreconditionFailed", "412"})
_BUSY = frozenset({"ConditionalRequestConflict", "409"})


class S3Store:
    """`ObjectStore` over a bucket. Safe to share by threads.

    Args:
        client: a boto3 client of S3.
        bucket: its name; it must exist.
        prefix: what every key begins with in the bucket; "" or ending with `/`.
        timeouts: how long it may take; the client has its own timeouts, see `open_s3_store`.
    """

    def __init__(
        self, client: S3Client, bucket: str, prefix: str = "", *, timeouts: Timeouts | None = None
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix
        self._timeouts = timeouts or Timeouts()
        self._outage = Outage(self._timeouts.rest_s)

    def read(self, key: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            try:
                return self._whole(self._client.get_object(**self._at(key)))
            except ClientError as error:
                if _code(error) in _GONE:
                    return None
                raise

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            try:
                return self._whole(self._client.get_object(**self._at(key), IfNoneMatch=etag))
            except ClientError as error:
                if _code(error) in {"304", "NotModified"}:
                    return None
                if _code(error) in _GONE:
                    raise KeyError(key) from error
                raise

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """See `quire.ports.ObjectStore`."""
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if if_absent else {}
        if if_match is not None:
            condition = {"IfMatch": if_match}
        with self._asking(key):
            for attempt in range(CONFLICT_ATTEMPTS):
                try:
                    return self._client.put_object(**self._at(key), Body=data, **condition)["ETag"]
                except ClientError as error:
                    code = _code(error)
                    if code in _BUSY:  # S3 asks to try again: another conditional write was under way
                        time.sleep(0.01 * (attempt + 1))
                        continue
                    if code in _LOST or (condition and code in _GONE):
                        return self._lost(key, data, error)
                    raise
        raise SwapConflict(f"{key}: other writes were under way {CONFLICT_ATTEMPTS} times")

    def _lost(self, key: str, data: bytes, error: ClientError) -> str:
        """A put that the client repeated may have lost against itself: then the object holds its very bytes."""
        if error.response["ResponseMetadata"].get("RetryAttempts"):
            stored = self.read(key)
            if stored is not None and stored.data == data:
                return stored.etag
        raise SwapConflict(f"{key}: it moved meanwhile ({_code(error)})") from error

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while block := file.read(COPY_BYTES):
                digest.update(block)
                size += len(block)
        _check(key, digest.hexdigest(), sha256)
        with self._asking(key):
            if size > SINGLE_PUT_BYTES:
                options = {"ChecksumAlgorithm": "SHA256"}
                self._client.upload_file(str(path), self._bucket, self._prefix + key, ExtraArgs=options)
                return
            checksum = base64.b64encode(digest.digest()).decode()
            with path.open("rb") as file:
                self._client.put_object(**self._at(key), Body=file, ChecksumSHA256=checksum)

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            fetch_checked(partial(self._fetch, key), path, sha256)

    def _whole(self, answer: Any) -> Stored:
        blocks = _blocks(answer["Body"])
        return Stored(b"".join(bounded(blocks, self._until())), answer["ETag"])

    def _fetch(self, key: str, target: Path) -> str:
        try:
            return fetch_ranges(partial(self._part, key), target, self._until())
        except ClientError as error:
            if _code(error) == "InvalidRange":  # an empty object has no first byte
                return hashlib.sha256(b"").hexdigest()
            if _code(error) in _GONE:
                raise ArtifactCorrupt(f"{target.name}: no such object ({key})") from error
            raise

    def _part(self, key: str, start: int, etag: str | None) -> ByteRange:
        condition: dict[str, Any] = {"IfMatch": etag} if etag else {}
        wanted = f"bytes={start}-{start + RANGE_BYTES - 1}"
        answer: Any = self._client.get_object(**self._at(key), Range=wanted, **condition)
        size = int(answer.get("ContentRange", f"/{answer['ContentLength']}").rpartition("/")[2])
        return ByteRange(answer["ETag"], size, _blocks(answer["Body"]))

    def _until(self) -> float:
        return time.monotonic() + self._timeouts.file_s

    def list(self, prefix: str) -> list[str]:
        """See `quire.ports.ObjectStore`."""
        begin = self._prefix + prefix
        names: set[str] = set()
        with self._asking(prefix):
            pages = self._client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self._bucket, Prefix=begin, Delimiter="/"):
                names.update(one["Key"].removeprefix(begin) for one in page.get("Contents", ()))
                names.update(one["Prefix"].removeprefix(begin) for one in page.get("CommonPrefixes", ()))
        return sorted(names - {""})

    def delete(self, key: str) -> None:
        """See `quire.ports.ObjectStore`."""
        with self._asking(key):
            self._client.delete_object(**self._at(key))

    def local_path(self, key: str) -> Path | None:
        """See `quire.ports.ObjectStore`: a bucket cannot be mapped."""
        del key
        return None

    def reconnect(self) -> None:
        """Drop the kept connections, which are dead after a freeze; new ones are made at need."""
        self._client.close()
        self._outage.end()

    def _at(self, key: str) -> Any:
        return {"Bucket": self._bucket, "Key": self._prefix + key}

    @contextmanager
    def _asking(self, key: str) -> Iterator[None]:
        """Give errors their names; after one that says that the bucket is away, leave it alone for a while."""
        self._outage.demand_over(key)
        try:
            yield
        except (ClientError, BotoCoreError, TimeoutError) as error:
            if not isinstance(error, ClientError) or _status(error) >= 500:
                self._outage.begin(str(error))
            help_ = f": {_KEYS} for {self._bucket}" if isinstance(error, NoCredentialsError) else ""
            raise StoreUnavailable(f"{key}: {error}{help_}") from error


_KEYS = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"


def open_s3_store(location: str, timeouts: Timeouts | None = None) -> S3Store:
    """The store at `s3://bucket/prefix`; credentials, region and AWS_ENDPOINT_URL come from the environment.

    Raises:
        ConfigError: the location names no bucket, or the endpoint is no URL.
    """
    bucket, _, prefix = location.removeprefix("s3://").strip("/").partition("/")
    if not bucket:
        raise ConfigError(f"store: wanted s3://bucket or s3://bucket/prefix, found {location!r}")
    # Servers elsewhere seldom resolve bucket.host names.
    is_elsewhere = any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"))
    timeouts = timeouts or Timeouts()
    config = Config(
        connect_timeout=timeouts.connect_s,
        read_timeout=timeouts.silence_s,
        max_pool_connections=64,
        retries={"mode": "standard", "total_max_attempts": timeouts.attempts},
        s3={"addressing_style": "path" if is_elsewhere else "auto"},
    )
    try:
        client = boto3.client("s3", config=config)
    except (BotoCoreError, ValueError) as error:
        raise ConfigError(f"store {location}: {error}") from error
    return S3Store(client, bucket, f"{prefix}/" if prefix else "", timeouts=timeouts)


def _blocks(body: Any) -> Iterator[bytes]:
    """The body, block by block; its connection is given up where whoever reads stops before the end."""
    with closing(body):
        yield from body.iter_chunks(BLOCK_BYTES)


def _check(name: str, found: str, sha256: str) -> None:
    if found != sha256:
        raise ArtifactCorrupt(f"{name}: sha256 {found} expected {sha256}")


def _code(error: ClientError) -> str:
    return error.response.get("Error", {}).get("Code", "")


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
