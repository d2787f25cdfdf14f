"""Requests without a body, signed as AWS wants them.

Source: AWS, "Create a signed AWS API request" (Signature Version 4) and "Authenticating Requests: Using the
Authorization Header" of S3, whose paths are encoded once and never normalized.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "s3"
NO_BODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who signs, and for which region. `token` belongs to keys that expire; "" where they do not."""

    key_id: str
    secret: str
    token: str
    region: str


@dataclass(frozen=True, slots=True)
class Request:
    """A GET that is to be sent.

    Attributes:
        host: with the port where that is not the scheme's own.
        path: from `/` on, not encoded.
        query: its parameters, not encoded.
        headers: those that are sent besides; they are signed too.
    """

    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]

    @property
    def target(self) -> str:
        """Path and query as they are sent, in the one form that is signed.

        >>> Request("host", "/a b/c", {"prefix": "d/", "delimiter": "/"}, {}).target
        '/a%20b/c?delimiter=%2F&prefix=d%2F'
        """
        return f"{self._path}?{self._query}" if self.query else self._path

    @property
    def _path(self) -> str:
        return quote(self.path, safe="/-_.~")

    @property
    def _query(self) -> str:
        named = sorted(
            (quote(name, safe="-_.~"), quote(said, safe="-_.~")) for name, said in self.query.items()
        )
        return "&".join(f"{name}={said}" for name, said in named)


def signed_headers(request: Request, by: Credentials, now: float) -> dict[str, str]:
    """The request's headers with the signature; `now` is in seconds since the epoch. Good for 15 minutes."""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    headers = {**request.headers, "x-amz-content-sha256": NO_BODY, "x-amz-date": moment}
    if by.token:
        headers["x-amz-security-token"] = by.token
    lines = sorted((name.lower(), said.strip()) for name, said in {**headers, "host": request.host}.items())
    names = ";".join(name for name, _ in lines)
    told = "".join(f"{name}:{said}\n" for name, said in lines)
    canonical = f"GET\n{request._path}\n{request._query}\n{told}\n{names}\n{NO_BODY}"
    scope = f"{moment[:8]}/{by.region}/{SERVICE}/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    signature = hmac.digest(_key(by, scope), f"{ALGORITHM}\n{moment}\n{scope}\n{digest}".encode(), "sha256")
    signed = f"Credential={by.key_id}/{scope}, SignedHeaders={names}, Signature={signature.hex()}"
    return {**headers, "Authorization": f"{ALGORITHM} {signed}"}


def _key(by: Credentials, scope: str) -> bytes:
    """The key of a day, a region and a service."""
    key = f"AWS4{by.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
