"""What Quire logs while something happens, whatever tests before did to its logger."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from functions.web.logs import LOGGER, JsonLines

Logged: TypeAlias = Callable[[], list[dict[str, Any]]]


@contextmanager
def logged() -> Iterator[Logged]:
    """Gives a function that tells the lines written since, also behind the block. The level is what a server sets."""
    stream = io.StringIO()
    handler, level = JsonLines(stream), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)
