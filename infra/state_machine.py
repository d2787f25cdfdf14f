"""The state machine of builds in shards, apart from the CDK, so that tests can run it."""

from __future__ import annotations

from typing import Any

WORKER_S = 900
"""Lambda's longest."""
LEASE_S = 24 * 3600
"""An execution that runs for longer is ended: nobody waits for it any more."""
PASSING = ["Lambda.TooManyRequestsException", "Lambda.ServiceException", "Lambda.SdkClientException"]
FINAL = ["ConfigError"]
"""Another attempt ends as this one did: the worker has other code than who planned the build."""


def definition(bucket: str, worker: str) -> dict[str, Any]:
    """The state machine, in Amazon States Language: a function of ARN `worker`, for each item of a plan in `bucket`.

    A shard's answer is left empty, since those of all together may hold 256 KB. No failed shard is tolerated: the
    execution fails, and the next one, or a redrive, makes what is left.
    """
    shard = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": worker, "Payload.$": "$"},
        "ResultSelector": {},
        "TimeoutSeconds": WORKER_S + 60,
        "Retry": [
            {"ErrorEquals": FINAL, "MaxAttempts": 0},
            _retry(PASSING, interval_s=2, attempts=10),
            _retry(["States.ALL"], interval_s=5, attempts=3),
        ],
        "End": True,
    }
    reader = {
        "Resource": "arn:aws:states:::s3:getObject",
        "ReaderConfig": {"InputType": "JSON"},
        "Parameters": {"Bucket": bucket, "Key.$": "$.plan"},
    }
    processor = {
        # Children of the other type end after five minutes.
        "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
        "StartAt": "Shard",
        "States": {"Shard": shard},
    }
    shards = {"Type": "Map", "Label": "Shards", "ItemReader": reader, "ItemProcessor": processor, "End": True}
    return {"StartAt": "Shards", "TimeoutSeconds": LEASE_S, "States": {"Shards": shards}}


def _retry(errors: list[str], *, interval_s: int, attempts: int) -> dict[str, Any]:
    waits = {"IntervalSeconds": interval_s, "BackoffRate": 2, "MaxDelaySeconds": 120}
    return {"ErrorEquals": errors, "MaxAttempts": attempts, **waits, "JitterStrategy": "FULL"}
