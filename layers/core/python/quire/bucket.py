"""What a store's location says of a bucket."""

from __future__ import annotations

from quire.errors import ConfigError


def bucket_and_prefix(location: str) -> tuple[str, str]:
    """The bucket's name, and what its keys begin with.

    >>> bucket_and_prefix("s3://bucket"), bucket_and_prefix("s3://bucket/deep/down/")
    (('bucket', ''), ('bucket', 'deep/down/'))

    Raises:
        ConfigError: the location names no bucket.
    """
    bucket, _, prefix = location.removeprefix("s3://").strip("/").partition("/")
    if not bucket:
        raise ConfigError(f"store: wanted s3://bucket or s3://bucket/prefix, found {location!r}")
    return bucket, f"{prefix}/" if prefix else ""
