"""The engine of builds that outgrow a machine: AWS Step Functions' Distributed Map over a worker on AWS Lambda."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from build_index.distributed.engines import ATTEMPTS
from build_index.distributed.shards import Item, Record, done_key, plan_key
from build_index.progress import say
from quire.canonical_json import canonical_json
from quire.errors import SourceError, SwapConflict
from quire.ports import ObjectStore

POLL_S = 5.0
MEAN_CHUNKS = 2_000
"""A function has 15 minutes, and a pack of four times the mean takes 4 of them at 32 passages a second and CPU."""
RUNNING = "RUNNING"


class StepFunctionsEngine:
    """Executions of the state machine that `infra/sharding.py` describes; `build_index.distributed.worker` is its step.

    An execution is named by its collection and the digest of the build's inputs: whoever starts it a second time joins
    it. One that ended without every shard is followed by another for what is left.

    Args:
        client: a boto3 client of Step Functions.
        machine: the state machine's ARN.
        objects: the store, where plans and records lie.
    """

    def __init__(
        self, client: Any, machine: str, objects: ObjectStore, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._client, self._machine, self._objects, self._sleep = client, machine, objects, sleep

    def map(self, step: Callable[[Item], Record], items: Sequence[Item]) -> Iterator[Record]:
        """See `build_index.distributed.shards.Engine`; `step` stays here, the worker has its own.

        Raises:
            SourceError: AWS refuses, or shards are left after several executions.
        """
        del step
        left = {str(item["inputs"]): item for item in items}
        number, followed, status = 1, 0, ""
        while left and followed < ATTEMPTS:
            execution = self._begin(number, left)
            number += 1
            if execution:
                followed += 1
                status = yield from self._follow(execution, left)
        if left:
            raise SourceError(
                f"shards: {len(left)} left after {followed} executions: {status}; its log says why",
                path=min(left),
            )

    def _begin(self, number: int, left: dict[str, Item]) -> str:
        """ARN of the build's execution of that number, which runs now; "" where it ended before."""
        item = next(iter(left.values()))
        name = f"{item['collection'][:40]}-{item['build'][:32]}-{number}"
        key = plan_key(item["collection"], name)
        with suppress(SwapConflict):
            self._objects.write(key, canonical_json(list(left.values())), if_absent=True)
        with self._asking():
            try:
                started = self._client.start_execution(
                    stateMachineArn=self._machine, name=name, input=json.dumps({"plan": key})
                )
                return str(started["executionArn"])
            except self._client.exceptions.ExecutionAlreadyExists:
                execution = f"{self._machine.replace(':stateMachine:', ':execution:')}:{name}"
        return execution if self._status(execution)[0] == RUNNING else ""

    def _follow(self, execution: str, left: dict[str, Item]) -> Generator[Record, None, str]:
        """Records as they arrive until the execution ends; returns how it ended."""
        name = execution.rpartition(":")[2]
        say(f"execution {name}: {len(left)} shards")
        try:
            while True:
                status, cause = self._status(execution)
                yield from self._arrived(left)
                if status != RUNNING:
                    if left:
                        say(f"execution {name}: {status}, {len(left)} shards left; {cause}".rstrip("; "))
                    return f"{name} {status} {cause}".rstrip()
                self._sleep(POLL_S)
        except KeyboardInterrupt:
            say(f"execution {name} goes on; the same command joins it, stop-execution ends it")
            raise

    def _arrived(self, left: dict[str, Item]) -> Iterator[Record]:
        some = next(iter(left.values()), None)
        if some is None:
            return
        there = {*self._objects.list(done_key(some["collection"], ""))}
        for inputs in [one for one in left if f"{one}.json" in there]:
            stored = self._objects.read(done_key(left[inputs]["collection"], inputs))
            if stored is not None:
                del left[inputs]
                yield json.loads(stored.data)

    def _status(self, execution: str) -> tuple[str, str]:
        with self._asking():
            told = self._client.describe_execution(executionArn=execution)
        return told["status"], " ".join(filter(None, (told.get("error"), told.get("cause"))))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except (BotoCoreError, ClientError) as error:
            raise SourceError(f"{self._machine}: {error}", path=self._machine) from error


def open_step_functions(machine: str, objects: ObjectStore) -> StepFunctionsEngine:
    """The engine of that state machine; credentials, region and AWS_ENDPOINT_URL come from the environment.

    Raises:
        SourceError: the environment names no region.
    """
    try:
        return StepFunctionsEngine(boto3.client("stepfunctions"), machine, objects)
    except BotoCoreError as error:
        raise SourceError(f"{machine}: {error}", path=machine) from error
