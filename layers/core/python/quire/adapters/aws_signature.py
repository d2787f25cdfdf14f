"""Signs requests to AWS, Signature Version 4, without botocore."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass

NO_BODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Keys:
    """Credentials of AWS."""

    id: str
    secret: str
    token: str


def keys_of(environ: Mapping[str, str]) -> Keys | None:
    """Those of an environment, as Lambda gives functions theirs; None where it has none."""
    names = ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN")
    keys = Keys(*(environ.get(f"AWS_{name}", "") for name in names))
    return keys if keys.id and keys.secret else None


@dataclass(frozen=True, slots=True)
class SignedHost:
    """Whom requests are signed for; `service` is what AWS calls it, such as `s3` or `es`."""

    host: str
    region: str
    service: str


def sign(
    place: SignedHost,
    keys: Keys,
    target: tuple[str, str],
    now: time.struct_time,
    *,
    method: str = "GET",
    body_sha256: str = NO_BODY,
) -> dict[str, str]:
    """Headers of a signed request of that path and query, both as they are sent.

    The path of another service than S3 must have nothing to escape. Source: AWS, Signature Version 4.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", now)
    headers = {"host": place.host, "x-amz-content-sha256": body_sha256, "x-amz-date": stamp}
    if keys.token:
        headers["x-amz-security-token"] = keys.token
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = "\n".join((method, *target, lines, names, body_sha256))
    scope = f"{stamp[:8]}/{place.region}/{place.service}/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{keys.secret}".encode()
    for part in (*scope.split("/"), text):
        key = hmac.digest(key, part.encode(), "sha256")
    credential = (
        f"AWS4-HMAC-SHA256 Credential={keys.id}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    )
    return {**headers, "authorization": credential}
