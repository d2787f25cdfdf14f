"""Metrics of a request: in Lambda its log line carries them in CloudWatch's embedded format.

The collection is their one dimension: no call to any service, and no cost a request but the log's.
Source: AWS, "Specification: Embedded metric format".
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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
