"""Ctrl-C acts behind the loading of native libraries and not inside, where they take it for an error of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from quire.interrupts import held_interrupts
from tests.support.tree import ROOT

LOADED = (
    "import os, signal, threading, time, numpy\n"
    "threading.Timer(float({after}), os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "try:\n    import quire.embedding.onnx\n    time.sleep(9)\nexcept KeyboardInterrupt:\n    print('stopped')\n"
)


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """In the background, as a workflow may run tests, Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_inside_is_heard_behind() -> None:
    reached = []

    def press() -> None:
        with held_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append(True)

    with pytest.raises(KeyboardInterrupt):
        press()
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_holds_nothing() -> None:
    seen = []

    def hold() -> None:
        with held_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


@pytest.mark.parametrize("after", [0.02, 0.04, 0.06, 0.1])
def test_ctrl_c_while_the_model_is_loaded_is_ctrl_c(after: float) -> None:
    done = subprocess.run(
        (sys.executable, "-c", LOADED.format(after=after)),
        env={**os.environ, "PYTHONPATH": str(ROOT / "layers/core/python")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert done.stdout == "stopped\n", done.stderr[-500:]
