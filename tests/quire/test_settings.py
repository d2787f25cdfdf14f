"""What the environment may say, and what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quire.collections import read_collections
from quire.errors import ConfigError
from quire.settings import Settings, read_settings


def test_a_named_file_of_collections_must_be_there(tmp_path: Path) -> None:
    missing = tmp_path / "typo.toml"
    with pytest.raises(
        ConfigError, match=r"QUIRE_COLLECTIONS: wanted a file, found nothing there: .*typo\.toml"
    ):
        read_settings({"QUIRE_COLLECTIONS": str(missing)})
    with pytest.raises(ConfigError, match="found a folder"):
        read_settings({"QUIRE_COLLECTIONS": str(tmp_path)})
    missing.write_text("", encoding="utf-8")
    assert read_settings({"QUIRE_COLLECTIONS": str(missing)}).collections_file == missing


def test_an_empty_file_describes_no_collections() -> None:
    settings = read_settings({"QUIRE_COLLECTIONS": os.devnull})
    assert read_collections(settings.collections_file) == {}


def test_the_file_that_nobody_named_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for environment in ({}, {"QUIRE_COLLECTIONS": ""}):
        assert read_settings(environment).collections_file == Settings().collections_file


@pytest.mark.parametrize(
    ("name", "text"), [("QUIRE_REFRESH_S", "soon"), ("QUIRE_THREADS", "-1"), ("QUIRE_PROVIDER", "oracle")]
)
def test_a_variable_that_does_not_hold_what_it_must_is_named(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name}: wanted .* found '{text}'"):
        read_settings({name: text})
