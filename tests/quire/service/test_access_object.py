"""Keys with scopes in an object of the store: rotated while the service runs, and never lost to a fault."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore
from quire.errors import StoreUnavailable
from quire.service.access import READ, WRITE
from quire.service.access_file import AccessObject
from quire.stored import Stored

KEY = "access.toml"


def entry(key: str) -> bytes:
    digest = hashlib.sha256(key.encode()).hexdigest()
    return f'[[keys]]\nname = "{key}"\nsha256 = "{digest}"\nactions = ["read"]\ncollections = ["docs"]\n'.encode()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Flaky(FolderStore):
    """A folder that cannot be reached while `is_down`."""

    is_down = False

    def read(self, key: str) -> Stored | None:
        if self.is_down:
            raise StoreUnavailable("the folder is gone")
        return super().read(key)


@pytest.fixture
def store(tmp_path: Path) -> Flaky:
    return Flaky(tmp_path)


def test_keys_come_and_go_with_the_object(store: Flaky) -> None:
    clock, said = Clock(), list[str]()
    access = AccessObject(store, KEY, 10.0, complain=said.append, clock=clock)
    assert access.policy().caller("one") is None
    store.write(KEY, entry("one"))
    assert access.policy().caller("one") is None  # looked a moment ago
    clock.now = 10.0
    caller = access.policy().caller("one")
    assert caller is not None
    assert caller.may(READ, "docs")
    assert not caller.may(WRITE, "docs")
    store.write(KEY, entry("two"))
    clock.now = 20.0
    assert access.policy().caller("one") is None
    assert access.policy().caller("two") is not None
    store.delete(KEY)
    clock.now = 30.0
    assert access.policy().caller("two") is None
    assert said == []


def test_what_cannot_be_used_is_complained_of_and_the_old_keys_hold(store: Flaky) -> None:
    clock, said = Clock(), list[str]()
    store.write(KEY, entry("one"))
    access = AccessObject(store, KEY, 10.0, complain=said.append, clock=clock)
    assert access.policy().caller("one") is not None
    store.write(KEY, b"[[keys]]\nname = 7\n")
    clock.now = 10.0
    assert access.policy().caller("one") is not None
    assert "access.toml: key 1: sha256" in said[0]
    store.is_down = True
    clock.now = 20.0
    assert access.policy().caller("one") is not None
    assert "the folder is gone" in said[1]


def test_a_store_that_is_down_at_the_start_is_said_and_asked_again(store: Flaky) -> None:
    store.write(KEY, entry("one"))
    store.is_down = True
    access = AccessObject(store, KEY, 10.0, clock=Clock())
    with pytest.raises(StoreUnavailable):
        access.policy()
    store.is_down = False
    assert access.policy().caller("one") is not None
