"""A folder that is filled somewhere else first: it is there whole or not at all, and the first of several stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.folders import whole_folder


def test_a_folder_takes_its_name_at_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "folder"
    with whole_folder(folder) as work:
        (work / "file").write_text("whole")
        assert not folder.exists()
    assert [path.name for path in folder.iterdir()] == ["file"]
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "folder") as work:
        (work / "missing" / "file").write_text("half")
    assert list(tmp_path.iterdir()) == []


def test_of_several_that_make_the_same_folder_the_first_stands(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "folder", is_shared=True) as late:
        (late / "file").write_text("late")
        with whole_folder(tmp_path / "folder", is_shared=True) as first:
            (first / "file").write_text("first")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "file").read_text() == "first"


def test_a_name_that_is_taken_and_not_shared_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("before")
    with pytest.raises(OSError, match="not empty"), whole_folder(tmp_path / "folder"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
