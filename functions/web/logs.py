"""Structured logs: one JSON object a line. Never the text of a question, a document or an answer."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any, TextIO

LOGGER = logging.getLogger("quire")


class JsonLines(logging.Handler):
    """Writes each record as one line of JSON, by default to whatever `sys.stdout` is at that moment."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line at once, so that a frozen Lambda sandbox holds none back."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        stream = self._stream or sys.stdout
        stream.write(json.dumps(line, separators=(",", ":"), default=str) + "\n")
        stream.flush()


def configure_logs(level: int = logging.INFO) -> None:
    """Send Quire's log lines to standard output; a second call changes nothing."""
    LOGGER.setLevel(level)
    LOGGER.propagate = False
    if not any(isinstance(handler, JsonLines) for handler in LOGGER.handlers):
        LOGGER.addHandler(JsonLines())
    # Mangum logs each request a second time at INFO.
    logging.getLogger("mangum").setLevel(logging.WARNING)


def log(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Write one line: `event` says what happened, `fields` the facts."""
    if LOGGER.isEnabledFor(level):
        # Not `LOGGER.log`: looking for the caller's file and line is a third of a line's cost, and no line shows them.
        LOGGER.handle(LOGGER.makeRecord(LOGGER.name, level, "", 0, event, (), None, extra={"fields": fields}))
