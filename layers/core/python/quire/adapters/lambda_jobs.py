"""Has a job run in an invocation of its own: nothing goes on in a Lambda function once it has answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from quire.errors import StoreUnavailable

JOB_EVENT = "quire_job"
"""The key of such an event: `{"quire_job": {"collection": ..., "id": ...}}`."""


def open_invoker(function: str, alias: str = "") -> Callable[[str, str], None]:
    """What invokes the function for a collection and a job's id, without waiting for it.

    `alias` is the one that callers go through: what has none meets a deployment's code and layers at different moments.
    """
    qualifier = {"Qualifier": alias} if alias else {}

    @cache
    def client() -> Any:  # few requests leave a job: the others do not pay for it
        return boto3.client("lambda", config=Config(connect_timeout=3, read_timeout=10))

    def invoke(collection: str, job_id: str) -> None:
        payload = json.dumps({JOB_EVENT: {"collection": collection, "id": job_id}}).encode()
        try:
            client().invoke(FunctionName=function, InvocationType="Event", Payload=payload, **qualifier)
        except (ClientError, BotoCoreError) as error:
            raise StoreUnavailable(f"job {job_id}: cannot be started: {error}") from error

    return invoke
