from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from functions.cli.env_file import adopt_env_file, is_tracked

WHERE = "QUIRE_PROVIDER_URL=https://elsewhere.example\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "0")
    monkeypatch.setenv("QUIRE_PROVIDER_URL", "")  # so that what a test adopts goes with it
    monkeypatch.delenv("QUIRE_PROVIDER_URL")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".env").write_text(WHERE)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/.env").write_text(WHERE)
    (tmp_path / "a.env").write_text(WHERE)
    return tmp_path


def add(repository: Path, *paths: str) -> None:
    subprocess.run(["git", "-C", repository, "add", "-f", *paths], check=True)


def test_settings_of_a_file_that_came_with_a_repository_are_not_taken(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(repository, ".env", "inner/.env")
    for folder in (repository, repository / "inner"):
        monkeypatch.chdir(folder)
        adopt_env_file()
        assert "QUIRE_PROVIDER_URL" not in os.environ
        assert "is a file of this repository" in capsys.readouterr().err


def test_settings_of_ones_own_file_are_taken(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(repository, "inner/.env", "a.env")
    monkeypatch.chdir(repository)
    adopt_env_file()
    assert os.environ["QUIRE_PROVIDER_URL"] == "https://elsewhere.example"
    assert capsys.readouterr().err == ""


def test_outside_of_repositories_a_file_is_ones_own(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(WHERE)
    assert not is_tracked(tmp_path / ".env")
    assert not is_tracked(tmp_path / "missing/.env")


def test_a_submodule_or_a_second_work_tree_is_a_repository_too(repository: Path, tmp_path: Path) -> None:
    add(repository, ".env")
    (tmp_path / ".git").rename(tmp_path / "kept")
    (tmp_path / ".git").write_text("gitdir: kept\n")
    assert is_tracked(tmp_path / ".env")
    assert not is_tracked(tmp_path / "a.env")
