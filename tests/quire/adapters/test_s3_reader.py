"""Which buckets are read without boto3, and where they are asked for. That reading works is the store contract's."""

from __future__ import annotations

from uuid import uuid4

import pytest

from quire.adapters import open_bucket
from quire.adapters.s3_reader import UNKNOWN, S3Reader, open_s3_reader
from quire.adapters.s3_store import S3Store, open_s3_store
from quire.patience import SERVING
from quire.ports import ObjectStore
from tests.support.aws import bucket_of, use_endpoint

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-west-2"}


def reader(location: str = "s3://bucket/deep", **more: str) -> S3Reader | None:
    def no_writer() -> ObjectStore:
        raise AssertionError("nothing is written")

    return open_s3_reader(location, SERVING, no_writer, KEYS | more)


def address(opened: S3Reader | None) -> tuple[str, str, str]:
    """Host, path of the bucket, and prefix."""
    assert opened is not None
    place = opened._place
    return place.wire.host, place.root, place.prefix


@pytest.mark.parametrize(
    ("location", "more", "found"),
    [
        ("s3://bucket", {}, ("bucket.s3.us-west-2.amazonaws.com", "", "")),
        ("s3://bucket/deep/down", {}, ("bucket.s3.us-west-2.amazonaws.com", "", "deep/down/")),
        ("s3://a.b/deep", {}, ("s3.us-west-2.amazonaws.com", "/a.b", "deep/")),
        (
            "s3://bucket",
            {"AWS_REGION": "cn-north-1"},
            ("bucket.s3.cn-north-1.amazonaws.com.cn", "", ""),
        ),
        ("s3://bucket", {"AWS_ENDPOINT_URL": "http://host:9000"}, ("host:9000", "/bucket", "")),
        ("s3://bucket", {"AWS_ENDPOINT_URL": "http://host/s3/"}, ("host", "/s3/bucket", "")),
        (
            "s3://bucket",
            {"AWS_ENDPOINT_URL": "http://other", "AWS_ENDPOINT_URL_S3": "http://host"},
            ("host", "/bucket", ""),
        ),
    ],
)
def test_a_bucket_is_asked_for_where_it_is(
    location: str, more: dict[str, str], found: tuple[str, str, str]
) -> None:
    assert address(reader(location, **more)) == found


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"])
def test_without_keys_in_the_environment_boto3_has_to_find_them(name: str) -> None:
    assert reader(**{name: ""}) is None


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_only_boto3_obeys_is_left_to_boto3(name: str) -> None:
    assert reader(**{name: "true"}) is None


@pytest.fixture
def location(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    use_endpoint(monkeypatch, moto_url)
    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_NAME", raising=False)
    return f"s3://{bucket_of(moto_url)}/{uuid4().hex[:6]}"


def test_only_a_function_reads_without_boto3(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_bucket(location, SERVING), S3Store)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire")
    assert isinstance(open_bucket(location, SERVING), S3Reader)
    assert isinstance(open_bucket(location), S3Store), "a build waits and repeats as boto3 does"
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")  # as after a snapshot
    assert isinstance(open_bucket(location, SERVING), S3Store)


def test_what_one_reads_the_other_wrote(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "quire")
    function, build = open_bucket(location, SERVING), open_s3_store(location)
    etag = build.write("a/b", b"one")
    stored = function.read("a/b")
    assert stored is not None
    assert (stored.data, stored.etag) == (b"one", etag)
    second = function.write("a/b", b"two", if_match=stored.etag)
    changed = build.read_if_changed("a/b", etag)
    assert changed is not None
    assert (changed.data, changed.etag) == (b"two", second)
