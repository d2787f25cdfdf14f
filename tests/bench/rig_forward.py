"""A handler that embeds a question and nothing else: the forward pass, in an environment like the function's own."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from quire.embedding import open_embedder

_embedder = open_embedder(next(Path(os.environ["QUIRE_STORE"], "models").iterdir()), threads=1)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """CPU milliseconds of embedding the event's question."""
    text = json.loads(event["body"])["text"]
    began = time.thread_time_ns()
    _embedder.embed([text])
    spent_ms = (time.thread_time_ns() - began) / 1e6
    return {"statusCode": 200, "body": json.dumps(spent_ms), "isBase64Encoded": False}
