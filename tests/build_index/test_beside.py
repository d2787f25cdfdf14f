"""What `make run` calls: a server with its build beside it, and nothing left of either once it is to end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.model import link_models
from tests.support.tree import CORE, ROOT

SERVES = "import pathlib, time; pathlib.Path('served').touch(); time.sleep({})"


def begin(root: Path, name: str, model_folder: Path, serves: str) -> subprocess.Popen[str]:
    cache = root / "cache"
    if not (cache / "models").exists():
        link_models(cache, model_folder)
    (root / "wanted").touch()
    (root / "collections.toml").write_text(f'[book]\nprofile = "docs"\nsource = {{ docs = "{root}/book" }}\n')
    places = (str(root / "store"), str(root / "wanted"), str(root / "done"))
    return subprocess.Popen(
        (sys.executable, "-m", "build_index.beside", name, *places, sys.executable, "-c", serves),
        cwd=root,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{ROOT / CORE}:{ROOT}",
            "QUIRE_STORE": str(root / "store"),
            "QUIRE_CACHE": str(cache),
            "QUIRE_COLLECTIONS": str(root / "collections.toml"),
        },
        stderr=subprocess.PIPE,
        text=True,
    )


def comes(told: Callable[[], object], within_s: float = 60.0) -> bool:
    until = time.monotonic() + within_s
    while not told() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(told())


def below(process: int) -> set[int]:
    """Every process that this one started, and those that they did."""
    listed = subprocess.run(
        ("ps", "-eo", "pid=,ppid=,stat="), capture_output=True, text=True, check=True
    ).stdout
    of = [
        (int(pid), int(parent))
        for pid, parent, state in map(str.split, listed.splitlines())
        if state[0] != "Z"
    ]
    found = {process}
    while more := {pid for pid, parent in of if parent in found} - found:
        found |= more
    return found & {pid for pid, _ in of}


def test_a_build_goes_on_until_it_is_done_and_one_that_cannot_begin_says_why(
    tmp_path: Path, model_folder: Path
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book/river.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    with begin(tmp_path, "book", model_folder, SERVES.format(3)) as first:
        assert comes((tmp_path / "served").exists)
        assert (tmp_path / "store/collections/book/current.json").exists()
        assert comes((tmp_path / "done").exists)
    assert first.returncode == 0
    with begin(tmp_path, "other", model_folder, SERVES.format(0)) as refused:
        assert "other" in refused.communicate()[1]
    assert refused.returncode == 2


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_running_once_it_is_to_end(
    sent: signal.Signals, tmp_path: Path, model_folder: Path
) -> None:
    (tmp_path / "book").mkdir()
    for number in range(500):
        text = "\n\n".join(
            f"The river {number} ends in lake {part} or in the sea of {part * number}." for part in range(9)
        )
        (tmp_path / f"book/river{number}.md").write_text(f"# River {number}\n\n{text}\n")
    with begin(tmp_path, "book", model_folder, SERVES.format(600)) as process:
        assert comes((tmp_path / "served").exists)
        running = below(process.pid)
        assert len(running) >= 4, "itself, the server, the build and what reads its files"
        process.send_signal(sent)
        process.communicate()
    assert process.returncode == 128 + sent
    assert comes(lambda: not any(map(is_running, running)), 20.0)
    assert not (tmp_path / "done").exists()


def is_running(process: int) -> bool:
    return process in below(process)
