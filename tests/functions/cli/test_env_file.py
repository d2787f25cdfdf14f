from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from functions.cli.user_directories import adopt_env_file
from quire.errors import ConfigError
from quire.settings import NO_ENV_FILES
from tests.support.tree import CORE, ROOT

ASKED = "QUIRE_PROVIDER_URL"
WHERE = f"{ASKED}=https://elsewhere.example\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a `.env`, which one stands in; beside it a home without any settings."""
    for name in (NO_ENV_FILES, ASKED, "QUIRE_ENV_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "")  # so that what a test adopts goes with it
    monkeypatch.delenv(ASKED)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    (unpacked / ".env").write_text(WHERE)
    monkeypatch.chdir(unpacked)
    return unpacked


def test_settings_that_lie_in_a_folder_are_not_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adopt_env_file()
    assert ASKED not in os.environ
    assert "the settings in .env are not read" in capsys.readouterr().err


def test_a_file_that_says_nothing_to_quire_is_not_spoken_of(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ".env").write_text("DATABASE=a\nLD_PRELOAD=b\n")
    adopt_env_file()
    assert capsys.readouterr().err == ""
    assert "DATABASE" not in os.environ


def test_a_file_that_its_reader_names_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUIRE_ENV_FILE", ".env")
    adopt_env_file()
    assert os.environ[ASKED] == "https://elsewhere.example"
    assert capsys.readouterr().err == ""


def test_the_users_own_file_counts_everywhere(folder: Path) -> None:
    own = folder.parent / "home/.config/quire/quire.env"
    own.parent.mkdir(parents=True)
    own.write_text(f"{ASKED}=https://own.example\n")
    adopt_env_file()
    assert os.environ[ASKED] == "https://own.example"


def test_a_named_file_that_is_not_there_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_ENV_FILE", "missing.env")
    with pytest.raises(ConfigError, match=r"QUIRE_ENV_FILE: no file missing\.env"):
        adopt_env_file()


@pytest.mark.parametrize("module", ["functions.local", "build_index.wiring"])
def test_neither_the_server_nor_a_build_that_a_command_starts_reads_it(folder: Path, module: str) -> None:
    read = "module.settings()" if module == "build_index.wiring" else "module.app"
    program = (
        "import os; from functions.cli.user_directories import adopt_env_file; adopt_env_file();"
        f"import importlib; module = importlib.import_module('{module}'); {read};"
        f"print(os.environ.get('{ASKED}'))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / CORE}{os.pathsep}{ROOT}"}
    told = subprocess.run(
        (sys.executable, "-c", program),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "None\n"
