"""What every test starts from: no settings of this machine, no credentials, no network names, and steady properties."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import ssl
import sys
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

from tests.support.schedule import LongFirst, long_first

settings.register_profile("quire", deadline=None, max_examples=100)
settings.register_profile("soak", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quire"))

pytest_plugins = (
    "tests.support.model",
    "tests.support.layers",
    "tests.support.rig",
    "tests.support.deployment",
    "tests.support.aws",
)

# What is imported and collected stays to the end: looking through it for garbage, again and again, is lost time.
gc.disable()

TLS_CONTEXT = cache(ssl.create_default_context)
"""One for all HTTP clients of a process: reading the certificates takes each 20 ms, and none speaks to a stranger."""
CONNECT = sqlite3.connect
KEPT = frozenset({"QUIRE_SHARED", "QUIRE_TEST_CACHE", "QUIRE_TEST_CLIENTS", "QUIRE_TEST_GGUF"})
CLEARED = ("QUIRE_", "RAG_", "AWS_", "GEMINI_", "GOOGLE_", "OPENAI_", "OLLAMA_")


MEMORY = Path("/dev/shm")
"""Where Linux has files that no disk holds."""
ROOM_BYTES = 6 << 30
"""The suite writes up to 1 GB at once, and keeps what failing tests wrote."""


WRITTEN = pytest.StashKey[str]()
"""The folder of temporary files there, which goes with the run; pytest's own keep what failing tests wrote."""


def pytest_configure(config: pytest.Config) -> None:
    """What is shared by many tests is made before the first of them clears the environment."""
    for name in settings_of_this_machine():
        del os.environ[name]
    if "TMPDIR" not in os.environ and _is_roomy(MEMORY):
        written = config.stash[WRITTEN] = tempfile.mkdtemp(prefix="quire-tests-", dir=MEMORY)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
        os.environ["TMPDIR"] = tempfile.tempdir = written


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what processes left that were ended in the middle."""
    if written := config.stash.get(WRITTEN, ""):
        shutil.rmtree(written, ignore_errors=True)


def _is_roomy(folder: Path) -> bool:
    """Whether tests can write and run their files there, at a tenth less CPU than on a disk."""
    try:
        about = os.statvfs(folder)
    except OSError:
        return False
    may_run = not about.f_flag & getattr(os, "ST_NOEXEC", 0)
    return may_run and os.access(folder, os.W_OK) and about.f_bavail * about.f_frsize >= ROOM_BYTES


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: some wait for a browser, a server or an outage to end."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LongFirst | None:
    """Take the place of `--dist loadfile`."""
    return LongFirst(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the processes of a run, long files come first; alone, pytest keeps its own order."""
    if hasattr(config, "workerinput"):
        items[:] = long_first(items)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In the processes of a run, tell the one that hands out the tests how each ended, and not that it was set up.

    Each message takes CPU on both sides, and six of them for a test as much as most tests do.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed or report.user_properties:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish() -> None:
    """Leave all that there is to itself, and collect from here on, as seldom as memory allows: it took a twentieth."""
    gc.set_threshold(50_000, 20, 50)
    gc.enable()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Remove the small collections that this process made, where it made any."""
    if shelves := sys.modules.get("tests.support.shelves"):
        shelves.remove_shelves()


@pytest.fixture(scope="module")
def settled_heap() -> None:
    """For modules that collect garbage or look at every object: what other files made is spared both, seconds of it."""
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()
    gc.freeze()


def connect_unsynced(*place: Any, **more: Any) -> sqlite3.Connection:
    """SQLite's `connect`, with no wait for the disk in a transaction: that took tens of ms, and ten times the CPU."""
    connection: sqlite3.Connection = CONNECT(*place, **more)
    with suppress(sqlite3.Error):  # whose the file is, or that it is damaged, is told to who uses it
        connection.execute("PRAGMA synchronous = OFF")
    return connection


def settings_of_this_machine() -> list[str]:
    """Names of the variables that tests must not see."""
    return [name for name in os.environ if name.startswith(CLEARED) and name not in KEPT]


@pytest.fixture(autouse=True)
def _neutral_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests say what they need: nothing leaks in from the shell that runs them."""
    for name in settings_of_this_machine():
        monkeypatch.delenv(name)
    # What a test writes need not outlive this machine's next crash, and each file waited for a disk that others use.
    monkeypatch.setattr(os, "fsync", os.fstat)
    monkeypatch.setattr(sqlite3, "connect", connect_unsynced)
    monkeypatch.setattr(ssl, "create_default_context", TLS_CONTEXT)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")
