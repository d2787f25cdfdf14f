"""A call that hangs, recurses, eats memory or kills its process costs that call; the next is answered as ever."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quire.errors import ConfigError, SourceError
from quire.killable import Killable
from quire.limits import READING_CPU_S, READING_CPU_S_A_MB, READING_PROCESSES, READING_WAITS
from tests.support.misbehaving import behave
from tests.support.tree import ROOT


@pytest.fixture(scope="module")
def work() -> Killable[str, object]:
    return Killable(behave, memory_mb=400)


def test_a_call_gives_what_the_function_gives_and_another_process_computed_it(
    work: Killable[str, object],
) -> None:
    first, second = (work("whoami", name="a", size=1) for _ in range(2))
    assert first == second != os.getpid()
    assert work.cpu_s > 0
    assert work.peak_mb > 5


@pytest.mark.parametrize(
    ("value", "said", "cpu_s"),
    [
        ("hang", "took more than 1 s to read", 0.5),
        ("recurse", "nested too deeply", 30.0),
        ("fill", "needs more than 400 MB of memory", 30.0),
        ("die", "died (SIGSEGV)", 30.0),
        ("exit", "died (code 3)", 30.0),
        ("fail", "cannot be read: ValueError: no", 30.0),
    ],
)
def test_what_goes_wrong_is_told_of_the_file_and_the_next_call_is_answered(
    work: Killable[str, object], value: str, said: str, cpu_s: float
) -> None:
    with pytest.raises(SourceError) as failed:
        work(value, name="bad.md", size=1, cpu_s=cpu_s)
    assert "bad.md: " in str(failed.value)
    assert said in str(failed.value)
    assert failed.value.path == "bad.md"
    assert work("whoami", name="good.md", size=1) != os.getpid()


@pytest.mark.parametrize("value", ["half", "stop"])
def test_a_process_that_stands_still_is_given_up_and_the_next_call_is_answered(value: str) -> None:
    work: Killable[str, object] = Killable(behave, least_wait_s=0.2, stall_s=0.2)
    work("whoami", name="a", size=1)
    with pytest.raises(SourceError, match=r"bad\.md: was not read within \d+ s and was given up"):
        work(value, name="bad.md", size=1, cpu_s=0.01)
    assert work("whoami", name="good.md", size=1) != os.getpid()


def test_a_process_that_takes_no_value_in_is_given_up() -> None:
    """A stopped one: what does not fit into the pipe has nowhere to go."""
    work: Killable[str, object] = Killable(behave, stall_s=0.2)
    os.kill(int(str(work("whoami", name="a", size=1))), signal.SIGSTOP)
    with pytest.raises(SourceError, match=r"bad\.md: was not read within \d+ s and was given up"):
        work(f"whoami {' ' * 10_000_000}", name="bad.md", size=1)
    assert work("whoami", name="good.md", size=1) != os.getpid()


def test_errors_of_ours_arrive_as_they_were_raised(work: Killable[str, object]) -> None:
    with pytest.raises(SourceError, match="line 7") as failed:
        work("refuse", name="a", size=1)
    assert failed.value.path == "in.md"
    with pytest.raises(ConfigError, match="no grammar"):
        work("misconfigured", name="a", size=1)


def test_warnings_are_logged_here(work: Killable[str, object], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        work("warn", name="a", size=1)
    assert caplog.record_tuples == [("quire.chunking", logging.WARNING, "100% too long")]


def test_modules_of_the_folder_one_stands_in_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "resource", "numpy"):
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit('ran a file of the folder')\n", encoding="utf-8"
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "path", [place for place in sys.path if place]
    )  # as a program on the PATH has it
    assert Killable(behave)("whoami", name="a", size=1) != os.getpid()


def test_no_more_processes_read_at_once_than_the_limit_says() -> None:
    calls = 3 * READING_PROCESSES
    work: Killable[str, object] = Killable(behave)
    at_once = threading.Barrier(calls)

    def ask(_: int) -> object:
        at_once.wait(30)
        return work("linger", name="a", size=1)

    with ThreadPoolExecutor(calls) as threads:
        processes = set(threads.map(ask, range(calls)))
    assert len(processes) == READING_PROCESSES


def test_ctrl_c_ends_a_program_whose_file_hangs() -> None:
    code = (
        # A suite that runs in the background of a shell hands on that Ctrl-C is ignored.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from quire.killable import Killable\nfrom tests.support.misbehaving import behave\n"
        "work = Killable(behave)\nprint(work('whoami', name='a', size=1), flush=True)\n"
        "work('hang', name='a', size=1, cpu_s=60.0)"
    )
    with subprocess.Popen(
        (sys.executable, "-c", code), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        child = int(program.stdout.readline())
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=30)[1]
    assert program.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in said
    assert not Path(f"/proc/{child}").exists()


def test_a_larger_file_has_as_much_more_time_as_the_limit_says(work: Killable[str, object]) -> None:
    bounds = [float(str(work("bound", name="a", size=size))) for size in (0, 1_000_000, 2_500_000)]
    for bound, megabytes in zip(bounds, (0, 1, 2.5), strict=True):
        wanted = READING_CPU_S + megabytes * READING_CPU_S_A_MB
        assert wanted - 0.5 < bound <= wanted + 1  # the system counts whole seconds


def test_what_takes_longer_by_the_clock_than_the_limit_says_is_given_up() -> None:
    work: Killable[str, object] = Killable(behave, least_wait_s=0.2)
    work("whoami", name="warm", size=1)
    assert work("doze", name="a", size=0, cpu_s=0.3) is None
    began = time.monotonic()
    with pytest.raises(SourceError, match="was not read within 2 s and was given up"):
        work("sleep", name="a", size=0, cpu_s=0.3)
    assert time.monotonic() - began >= READING_WAITS * 0.3 + 0.2
    assert work("whoami", name="b", size=1) != os.getpid()
