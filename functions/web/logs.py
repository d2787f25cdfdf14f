"""Structured logs: one JSON object a line. Never the text of a question, a document or an answer.

In Lambda a request's line carries its metrics in CloudWatch's embedded format. The collection is their one dimension:
no call to any service, and no cost a request but the log's. Source: AWS, "Specification: Embedded metric format".
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

LOGGER = logging.getLogger("quire")
NAMESPACE = "Quire"
UNITS = {
    "took_ms": ("TookMs", "Milliseconds"),
    "open_ms": ("OpenMs", "Milliseconds"),
    "search_ms": ("SearchMs", "Milliseconds"),
    "answer_ms": ("AnswerMs", "Milliseconds"),
    "degraded": ("Degraded", "Count"),
    "abstained": ("Abstained", "Count"),
    "prompt_tokens": ("PromptTokens", "Count"),
    "answer_tokens": ("AnswerTokens", "Count"),
    "model_failures": ("ModelFailures", "Count"),
    "index_age_h": ("IndexAgeHours", "None"),
}
"""Fact -> name and unit of its metric."""
DISK_SHARE = "DiskShare"
TOLD_DISK_SHARE = 0.5
"""Of a function's own disk; below it nothing is told, since a metric that nobody sends costs nothing."""


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


def embedded(facts: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What makes a log line carry metrics; nothing outside Lambda, and nothing for a request to no collection.

    Whether an answer was degraded or refused becomes 0 or 1, so that averages are rates.
    """
    known = os.environ if environ is None else environ
    if "AWS_LAMBDA_FUNCTION_NAME" not in known or not facts.get("collection"):
        return {}
    values = {
        UNITS[name][0]: float(value) for name, value in facts.items() if name in UNITS and value is not None
    }
    directives = [_directive(["collection"], values)]
    share = disk_share(Path(known["QUIRE_CACHE"])) if "QUIRE_CACHE" in known else 0.0
    if share >= TOLD_DISK_SHARE:
        disk = {DISK_SHARE: round(share, 4)}
        directives.append(_directive([], disk))
        values |= disk
    return {"_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": directives}, **values}


def _directive(dimensions: list[str], values: Iterable[str]) -> dict[str, Any]:
    units = dict([*UNITS.values(), (DISK_SHARE, "None")])
    metrics = [{"Name": name, "Unit": units[name]} for name in values]
    return {"Namespace": NAMESPACE, "Dimensions": [dimensions], "Metrics": metrics}


def disk_share(folder: Path) -> float:
    """How much of the folder's disk is used, 0 to 1; 0 where the folder is not there yet."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return 0.0
    return 1 - disk.f_bavail / disk.f_blocks if disk.f_blocks else 0.0
