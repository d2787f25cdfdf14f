"""Lambda handler of jobs that requests leave, such as large documents: nobody waits, so a failure is told elsewhere."""

from __future__ import annotations

from typing import Any

# isort: off
from functions.aws.starting import end_start  # before all that it leaves for later
# isort: on

from functions.app.wiring import lambda_app
from functions.web.faces import MEMORY
from quire.settings import read_settings

_app = lambda_app(read_settings(), [MEMORY])
end_start()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Do the job. An error is Lambda's to repeat twice, and then the failed jobs' queue's."""
    del context
    job = event["quire_job"]
    done = _app.state.live().jobs.run(job["collection"], job["id"], is_repeated=True)
    return {"job": done.id, "state": done.state}
