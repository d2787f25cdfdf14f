"""Who may ask a function in the cloud: a start without keys is refused, and what is public may be read, not written."""

from __future__ import annotations

import pytest

from functions.app.cloud import FUNCTION, PublicReads, guarded
from functions.web.access import OneKey
from quire.collections import Collection
from quire.errors import AccessDenied, ConfigError
from quire.service.access import READ, WRITE
from quire.settings import Settings

CLOUD = {FUNCTION: "quire-query"}
OPEN = Collection("handbook", "docs", public=True)
CLOSED = Collection("engine", "roblox")
BOTH = {"handbook": OPEN, "engine": CLOSED}


def test_elsewhere_than_in_the_cloud_keys_are_as_they_are() -> None:
    keys = OneKey(None)
    assert guarded(keys, Settings(), BOTH, {}) is keys


@pytest.mark.parametrize("collections", [BOTH, {"engine": CLOSED}, {}])
def test_a_cloud_start_without_a_key_is_refused(collections: dict[str, Collection]) -> None:
    with pytest.raises(
        ConfigError, match=r"QUIRE_API_KEY: .*not public.*wanted QUIRE_API_KEY or QUIRE_ACCESS"
    ):
        guarded(OneKey(None), Settings(), collections, CLOUD)


def test_where_everything_is_public_no_key_is_needed_to_read_and_none_writes() -> None:
    access = guarded(OneKey(None), Settings(), {"handbook": OPEN}, CLOUD)
    reader = access.identify({})
    reader.require(READ, "handbook")
    with pytest.raises(AccessDenied, match="needs a key"):
        reader.require(WRITE, "handbook")
    with pytest.raises(AccessDenied, match="wrong"):
        access.identify({"x-api-key": "guess"})


@pytest.mark.parametrize("settings", [Settings(api_key="k"), Settings(api_key="k", access="access.toml")])
def test_with_a_key_the_public_reads_what_is_public_and_the_key_opens_the_rest(settings: Settings) -> None:
    access = guarded(OneKey("k"), settings, BOTH, CLOUD)
    assert isinstance(access, PublicReads)
    access.identify({}).require(READ, "handbook")
    with pytest.raises(AccessDenied, match="'engine': needs a key"):
        access.identify({}).require(READ, "engine")
    access.identify({"x-api-key": "k"}).require(WRITE, "engine")
    with pytest.raises(AccessDenied):
        access.identify({"x-api-key": "guess"})


def test_where_nothing_is_public_a_key_is_needed_at_once() -> None:
    with pytest.raises(AccessDenied, match="needs a key"):
        guarded(OneKey("k"), Settings(api_key="k"), {"engine": CLOSED}, CLOUD).identify({})
