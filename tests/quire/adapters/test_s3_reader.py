"""A function's own reader of its bucket: it signs as botocore does, and leaves to boto3 what only boto3 knows."""

from __future__ import annotations

import hashlib
import time

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from quire.adapters.aws_signature import Keys, SignedHost, sign
from quire.adapters.circuit_breaker import SERVING
from quire.adapters.s3 import S3Store
from quire.adapters.s3_reader import Place, open_s3_reader, target_of
from tests.support.aws import CREDENTIALS

LAMBDA = {**CREDENTIALS, "AWS_SESSION_TOKEN": "token", "AWS_REGION": "us-west-2"}
TEXT = st.text("abcXYZ019-_.~ /+%&=äβ", min_size=1, max_size=20)


@given(
    path=TEXT,
    query=st.dictionaries(st.sampled_from(["prefix", "list-type"]), TEXT),
    token=st.sampled_from(["", "t/="]),
)
def test_a_request_is_signed_as_botocore_signs_it(path: str, query: dict[str, str], token: str) -> None:
    place = Place("bucket.s3.us-west-2.amazonaws.com", "", True, "us-west-2")
    target = target_of(place, "/" + path, query)
    digest = {"X-Amz-Content-SHA256": hashlib.sha256(b"").hexdigest()}
    theirs = AWSRequest("GET", f"https://{place.host}" + "?".join(filter(None, target)), headers=digest)
    S3SigV4Auth(Credentials("id", "secret", token or None), "s3", "us-west-2").add_auth(theirs)
    at = time.strptime(theirs.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ")
    ours = sign(SignedHost(place.host, "us-west-2", "s3"), Keys("id", "secret", token), target, at)
    assert theirs.headers["Authorization"] == ours["authorization"]


@pytest.mark.parametrize(
    "changed",
    [
        {"AWS_REGION": "cn-north-1"},
        {"AWS_REGION": "us-gov-west-1"},
        {"AWS_REGION": ""},
        {"AWS_ACCESS_KEY_ID": ""},  # as after a snapshot, where a server gives the keys
        {"HTTPS_PROXY": "http://proxy:3128"},
        {"AWS_USE_FIPS_ENDPOINT": "true"},
        {"AWS_PROFILE": "other"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:9/below/a/path"},
        {"AWS_ENDPOINT_URL": "not a url"},
    ],
    ids=str,
)
def test_what_only_boto3_knows_is_left_to_it(changed: dict[str, str]) -> None:
    assert open_s3_reader("s3://bucket", SERVING, fail, LAMBDA) is not None
    assert open_s3_reader("s3://bucket", SERVING, fail, {**LAMBDA, **changed}) is None


@pytest.mark.parametrize("location", ["s3://", "s3://with.dots", "s3://UPPER"])
def test_a_bucket_that_no_host_is_named_after_is_left_to_boto3(location: str) -> None:
    assert open_s3_reader(location, SERVING, fail, LAMBDA) is None


def fail() -> S3Store:
    raise AssertionError("boto3 was asked")
