"""Sources register themselves: a folder with `source.py` is enough."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import build_index.sources
from build_index.pipeline.reading import open_reading
from build_index.sources.registry import registered, source_of
from quire.errors import InputError
from quire.profiles import PROFILES

STRANGER = """
from build_index.sources.registry import OpenedSources, Source
from quire.documents import Document


def read(folders, options, cache):
    files = [file for root in folders["logs"] for file in sorted(root.glob("*.log"))]
    return OpenedSources(Document(file.name, file.read_text(), "text", {"path": file.name}) for file in files)


SOURCES = (Source("logbook", ("logs",), read),)
"""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "logbooks"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "source.py").write_text(STRANGER)
    monkeypatch.setattr(build_index.sources, "__path__", [*build_index.sources.__path__, str(tmp_path)])
    registered.cache_clear()
    yield
    registered.cache_clear()
    for name in [one for one in sys.modules if one.startswith("build_index.sources.logbooks")]:
        del sys.modules[name]


def test_every_built_profile_has_a_source_and_no_source_an_unknown_profile() -> None:
    assert set(registered()) == set(PROFILES) - {"sites"}


@pytest.mark.usefixtures("stranger")
def test_a_folder_with_a_source_is_found_and_read_without_any_list(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "monday.log").write_text("Calm sea.")
    reading = open_reading("logbook", [("logs", str(tmp_path / "logs"))], tmp_path / "cache", {})
    assert [one.text for one in reading.documents] == ["Calm sea."]  # type: ignore[union-attr]
    with pytest.raises(InputError, match="profile logbook reads logs"):
        open_reading("logbook", [("docs", str(tmp_path))], tmp_path / "cache", {})


def test_a_profile_that_requests_fill_is_told_apart() -> None:
    with pytest.raises(
        InputError, match="'sites': no source reads it; code, docs, roblox, textbook can be built"
    ):
        source_of("sites")
