"""Lambda handler of live documents and chat messages, of every face. May write to the bucket and the table."""

from __future__ import annotations

from typing import Any

from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import MEMORY
from quire.settings import read_settings

_settings = read_settings()
_app = lambda_app(_settings, [MEMORY])
_handler = LambdaHandler(_app, base_path=_settings.base_path)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request; or do a job that a request left, in an invocation that nobody waits for."""
    job = event.get("quire_job")
    if job is None:
        return _handler(event, context)
    done = _app.state.live().jobs.run(job["collection"], job["id"])
    return {"job": done.id, "state": done.state}
