"""Where a command looks for its store, and which collection it means where none is named."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from functions.cli.choosing import HeldIndex, base_of, free_name, meant
from functions.cli.user_directories import settings_for


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has set nothing."""
    return {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def test_without_a_quire_folder_everything_lies_in_the_users_own(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(tmp_path)
    settings = settings_for("", home)
    assert settings.store == str(tmp_path / "data" / "quire" / "store")
    assert settings.cache == tmp_path / "cache" / "quire"
    assert settings.memory == str(tmp_path / "data" / "quire" / "memory.sqlite")


def test_a_quire_folder_above_holds_the_store_with_the_list_of_collections_beside_it(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".quire").mkdir()
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    settings = settings_for("", home)
    assert settings.store == str(tmp_path / ".quire" / "store")
    assert settings.cache == tmp_path / ".quire" / "cache"
    assert settings.collections_file == tmp_path / "collections.toml"


def test_a_store_that_is_named_outranks_the_folders_and_the_environment(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".quire").mkdir()
    monkeypatch.chdir(tmp_path)
    said = {**home, "QUIRE_STORE": "s3://bucket/x", "QUIRE_CACHE": "/c"}
    assert settings_for("", said).store == "s3://bucket/x"
    assert settings_for("", said).cache == Path("/c")
    assert settings_for("here", said).store == "here"


HELD = [
    HeldIndex("outer", ("/src",), "2026-01-03T00:00:00Z"),
    HeldIndex("inner", ("/src/shop",), "2026-01-01T00:00:00Z"),
    HeldIndex("own", (".",), "2026-01-02T00:00:00Z"),
    HeldIndex("far", ("https://example.org/src",), "2026-01-04T00:00:00Z"),
]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/src/shop/js", "inner"),
        ("/src/shop", "inner"),
        ("/src/shopping", "outer"),
        ("/own/docs", "own"),
        ("/", "far"),
    ],
)
def test_the_collection_that_is_meant_is_the_nearest_above_else_the_last_indexed(
    folder: str, name: str
) -> None:
    assert meant(HELD, Path(folder), Path("/own"))[0] == name


def test_relative_sources_begin_where_the_quire_folder_lies() -> None:
    assert base_of("/a/.quire/store") == Path("/a")
    assert base_of("/data/store") == Path.cwd()


def test_two_folders_of_one_name_get_two_names_and_keep_them() -> None:
    held: dict[str, HeldIndex] = {}
    names = []
    for folder in ("/one/src", "/two/src", "/a/two/src", "/two/src"):
        names.append(free_name(Path(folder), held))
        held[names[-1]] = HeldIndex(names[-1], (folder,), "")
    assert names == ["src", "two-src", f"src-{crc32(b'/a/two/src'):08x}", "two-src"]
    assert free_name(Path("/home/query"), held) == "home-query"  # which is no route


def test_a_folder_that_an_operators_build_left_a_cache_in_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".quire" / "cache").mkdir(parents=True)
    home = {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "data")}
    assert settings_for("", home).store == str(tmp_path / "data" / "quire" / "store")
    (tmp_path / ".quire" / "store").mkdir()
    assert settings_for("", home).store == str(tmp_path / ".quire" / "store")
