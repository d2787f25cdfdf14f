"""README's blocks do what they are pasted for, and what it shows of an answer is what comes.

The served index holds the few files of this repository that answer, read by the same command and settings as the whole:
embedding everything takes a minute and changes nothing in what is compared.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.app.wiring import local_app
from quire.settings import Settings
from tests.support.model import link_models
from tests.support.pages import running
from tests.support.tree import CORE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
ANSWERING = ("build_index/gate", "build_index/README.md", "infra/README.md")
ADDRESS = "http://127.0.0.1:8000"


def blocks(title: str, language: str) -> list[str]:
    """The fenced blocks of a language below a heading."""
    section = README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, flags=re.DOTALL)


def is_shown(shown: Any, given: Any) -> bool:
    """Whether `given` holds what the README shows of it: fewer fields, fewer items, the beginning of a text.

    >>> is_shown({"n": 1, "quote": "def …"}, {"n": 1, "quote": "def f()", "id": "a"})
    True
    """
    if isinstance(shown, dict):
        return all(is_shown(value, given.get(key)) for key, value in shown.items())
    if isinstance(shown, list):
        return len(given) >= len(shown) and all(map(is_shown, shown, given))
    if isinstance(shown, str) and shown.endswith("…"):
        return str(given).startswith(shown[:-1])
    return bool(shown == given)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Path:
    """A folder as `make run` leaves the checkout: `.quire/store` with the collection `quire`."""
    home = tmp_path_factory.mktemp("readme")
    for name in ANSWERING:
        (home / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, home / name)
    link_models(home / ".quire/cache", model_folder)
    table = tomllib.loads((ROOT / "collections.toml").read_text(encoding="utf-8"))["quire"]
    build(home, "quire", "--profile", table["profile"], "--source", f"repository={home}")
    return home


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join((str(ROOT / CORE), str(ROOT))),
        "QUIRE_STORE": str(home / ".quire/store"),
        "QUIRE_CACHE": str(home / ".quire/cache"),
        "QUIRE_COLLECTIONS": str(ROOT / "collections.toml"),
    }


def run(command: list[str], home: Path) -> str:
    done = subprocess.run(
        command, cwd=home, env=environment(home), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def build(home: Path, *arguments: str) -> str:
    return run([sys.executable, "-m", "build_index", "build", *arguments], home)


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    settings = Settings(
        store=str(home / ".quire/store"),
        cache=home / ".quire/cache",
        collections_file=ROOT / "collections.toml",
        refresh_s=0.0,
    )
    with running(local_app(settings)) as address:
        yield address


def test_the_question_that_is_pasted_gets_the_answer_that_is_shown(home: Path, address: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    [asking] = [block for block in blocks("Start", "sh") if "curl" in block]
    [shown] = blocks("Start", "json")
    given = json.loads(run(["bash", "-c", asking.replace(ADDRESS, address)], home))
    assert is_shown(json.loads(shown), given), given
    verified = run(
        ["curl", "-s", f"{address}/verify", "-H", "content-type: application/json", "-d", json.dumps(given)],
        home,
    )
    assert json.loads(verified)["verified"] == len(given["citations"])


def test_the_lines_of_python_search_and_answer(home: Path) -> None:
    [code] = blocks("From Python", "python")
    shown = json.loads(blocks("Start", "json")[0])["answer"]
    printed = run([sys.executable, "-c", f"{code}\nassert len(hits) == 3"], home)
    assert is_shown(shown, printed)


def test_a_folder_of_ones_own_is_built_and_asked_with_two_commands(home: Path) -> None:
    (home / "handbook").mkdir()
    (home / "handbook/leave.md").write_text(
        "# Leave\n\nAsk for leave in the portal, two weeks ahead.\n", encoding="utf-8"
    )
    [block] = blocks("Your own documents", "sh")
    activate, *commands = block.strip().splitlines()
    assert activate == ". .venv/bin/activate"
    for command in commands:
        words = command.replace("path/to/markdown", "handbook").replace("python", f"'{sys.executable}'", 1)
        printed = run(["bash", "-c", words], home)
    assert "portal" in printed
