"""A function that does what files may make a parser do."""

from __future__ import annotations

import logging
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Mapping

from quire.errors import ConfigError, SourceError


def behave(value: str) -> object:
    """Do what the value begins with; `whoami` gives the number of the process, `linger` after a while."""
    return _DOES[value.partition(" ")[0]]()


def _hang() -> None:
    while True:
        pass


def _recurse() -> None:
    _recurse()


def _fill() -> int:
    held = []
    while True:
        held.append(bytearray(1 << 20))


def _fail() -> None:
    raise ValueError("no")


def _refuse() -> None:
    raise SourceError("in.md:7: line 7 is malformed", path="in.md")


def _misconfigure() -> None:
    raise ConfigError("no grammar")


def _linger() -> int:
    time.sleep(0.3)
    return os.getpid()


def _say_half() -> None:
    """Begin an answer of 1,000 bytes, and stand still."""
    os.write(int(sys.argv[1]), struct.pack("!i", 1_000) + b"half")
    _stop()


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _bound() -> float:
    return resource.getrlimit(resource.RLIMIT_CPU)[0] - time.process_time()


_DOES: Mapping[str, Callable[[], object]] = {
    "whoami": os.getpid,
    "hang": _hang,
    "recurse": _recurse,
    "fill": _fill,
    "die": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "fail": _fail,
    "bound": _bound,
    "linger": _linger,
    "doze": lambda: time.sleep(0.1),
    "half": _say_half,
    "stop": _stop,
    "sleep": lambda: time.sleep(60),
    "refuse": _refuse,
    "misconfigured": _misconfigure,
    "warn": lambda: logging.getLogger("quire.chunking").warning("%s too long", "100%"),
}
