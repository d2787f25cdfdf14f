"""What builds keep comes back as it was, or not at all: damage is found, said and made good."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from build_index.cache.store import FILE, ContentStore
from quire.errors import StoreError
from tests.support.tree import ROOT

VALUES = {bytes([number]): bytes([number]) * 200 for number in range(200)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ContentStore]:
    with closing(ContentStore(tmp_path, busy_s=0.05)) as opened:
        yield opened


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def test_values_are_found_by_kind_and_key(store: ContentStore) -> None:
    store.write("a", VALUES)
    store.write("b", {b"1": b"other"})
    assert store.read("a", [b"\x02", b"none", b"\x01"]) == {key: VALUES[key] for key in (b"\x01", b"\x02")}
    assert store.read("b", [b"1", b"\x01"]) == store.read_all("b") == {b"1": b"other"}
    assert store.read_all("a") == VALUES


def test_what_is_not_used_is_forgotten_of_its_kind_alone(store: ContentStore) -> None:
    store.write("a", {b"1": b"x", b"2": b"y"})
    store.write("b", {b"1": b"z"})
    store.retain("a", [b"2", b"3"])
    assert (store.read_all("a"), store.read_all("b")) == ({b"2": b"y"}, {b"1": b"z"})


def test_what_is_forgotten_is_overwritten_and_a_large_file_is_not_copied_for_its_space(
    tmp_path: Path,
) -> None:
    with closing(ContentStore(tmp_path)) as store:
        store.write("text", {b"one": b"a secret of one " * 1_000, b"two": b"two"})
        store.retain("text", [b"two"])
        file = tmp_path / FILE
        assert b"a secret of one" not in file.read_bytes()
        size = file.stat().st_size
        store.compact(most_bytes=0)
        assert file.stat().st_size == size
        store.compact()
        assert file.stat().st_size < size
        assert store.read("text", [b"two"]) == {b"two": b"two"}


def test_another_stores_values_are_taken_over_what_was_kept(store: ContentStore, tmp_path: Path) -> None:
    store.write("a", {b"1": b"old", b"2": b"stays"})
    with closing(ContentStore(tmp_path / "other")) as other:
        other.write("a", {b"1": b"new"})
        other.write("b", {b"1": b"left"})
    store.take(tmp_path / "other", ["a"])
    assert store.read_all("a") == {b"1": b"new", b"2": b"stays"}
    assert store.read_all("b") == {}


def test_a_flipped_byte_in_a_value_is_found_and_said(
    store: ContentStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.write("a", {b"1": b"sound", b"2": b"bytes"})
    change(tmp_path / FILE, "UPDATE kept SET value = ? WHERE key = ?", b"sounD", b"1")
    assert store.read("a", [b"1", b"2"]) == {b"2": b"bytes"}
    assert "a damaged value of a is made again" in caplog.text


@pytest.mark.parametrize("damage", ["not a database", "header", "pages", "cut"])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    with closing(ContentStore(tmp_path)) as store:
        store.write("a", VALUES)
    content = bytearray((tmp_path / FILE).read_bytes())
    assert len(content) > 16384
    if damage == "not a database":
        content[:] = b"something else " * 1000
    elif damage == "header":
        content[:100] = bytes(100)
    elif damage == "pages":
        content[4096:] = b"\xa5" * (len(content) - 4096)
    else:
        del content[6000:]
    (tmp_path / FILE).write_bytes(content)
    with closing(ContentStore(tmp_path)) as store:
        assert store.read("a", VALUES) == {}
        store.write("a", VALUES)
        assert store.read("a", VALUES) == VALUES
    assert "is damaged and is made again" in caplog.text


def test_a_file_that_another_process_holds_is_left_alone(store: ContentStore, tmp_path: Path) -> None:
    store.write("a", VALUES)
    with closing(sqlite3.connect(tmp_path / FILE)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(
            StoreError, match=r"kept\.sqlite: the build's cache cannot be used: database is locked"
        ):
            store.read_all("a")
    assert store.read_all("a") == VALUES


def test_a_place_that_cannot_be_written_is_a_store_error(store: ContentStore, tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(StoreError, match="unable to open"):
        store.write("a", VALUES)


def test_two_processes_share_one_file(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from build_index.cache.store import ContentStore\n"
        "store = ContentStore(Path(sys.argv[1]))\n"
        "for number in range(60): store.write('a', {f'{sys.argv[2]}{number}'.encode(): b'x' * 500})"
    )
    paths = {"PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [
        subprocess.Popen([*command, name], env=paths, stderr=subprocess.PIPE, text=True) for name in "xy"
    ]
    assert [(one.communicate(timeout=120)[1], one.returncode) for one in running] == [("", 0)] * 2
    with closing(ContentStore(tmp_path)) as store:
        assert len(store.read_all("a")) == 120
