"""Builds by the state machine that is deployed, in moto's interpreter of Amazon States Language, with injected faults.

What stands in for what: moto interprets the real definition, Distributed Map and retries included; S3 is moto's server,
whose conditional writes are atomic; Lambda is `LambdaFront`, which runs the real step, or the real handler, in a thread
of this process. moto knows no RedriveExecution: a second execution of the same plan stands in for one. Its map ends as
SUCCEEDED where AWS's fails, so that nothing here hangs on that word.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding, make_shard
from build_index.distributed.step_functions import StepFunctionsEngine
from build_index.distributed.worker import handler
from build_index.pipeline.ingest import IngestReport
from build_index.pipeline.pipeline import BuildReport, build
from build_index.pipeline.plan import Tools
from infra.state_machine import definition
from quire.adapters.s3 import open_s3_store
from quire.embedding import open_embedder
from quire.errors import BuildInProgress, SourceError
from quire.ports import ObjectStore
from quire.store.store import SegmentStore
from tests.build_index.distributed.test_shards import Desk, book, whole  # noqa: F401 - fixtures
from tests.support.aws import BOTO, CREDENTIALS
from tests.support.fakes import HashingEmbedder
from tests.support.lambda_front import Event, LambdaFront, served_function

pytestmark = pytest.mark.usefixtures("few_questions")

WORKER = "arn:aws:lambda:us-east-1:123456789012:function:quire-worker:live"
ROLE = "arn:aws:iam::123456789012:role/quire-shards"
MEAN_CHUNKS = 4


@dataclass
class Deployed:
    """The state machine at moto, its worker, and the store."""

    client: Any
    machine: str
    front: LambdaFront
    objects: ObjectStore
    embedder: HashingEmbedder
    bucket: str

    def wait(self) -> None:
        """Until no execution runs."""
        while "RUNNING" in self.executions().values():
            time.sleep(0.05)

    def executions(self) -> dict[str, str]:
        found = self.client.list_executions(stateMachineArn=self.machine)["executions"]
        return {one["name"]: one["status"] for one in found}

    def engine(self, naps: int = 10_000) -> StepFunctionsEngine:
        """The engine of a driver that is interrupted after so many looks at the execution."""
        left = iter(range(naps))

        def nap(_: float) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            time.sleep(0.05)

        return StepFunctionsEngine(self.client, self.machine, self.objects, sleep=nap)


@pytest.fixture
def deployed(moto_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    place = Desk(tmp_path / "worker", tmp_path)
    embedder = HashingEmbedder()

    def work(event: Event) -> dict[str, str]:
        tools = Tools(embedder, tmp_path, place.tools.cache)
        return {"inputs": str(make_shard(lambda: (tools, objects), event)["inputs"])}

    for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL_S3": moto_url}.items():
        monkeypatch.setenv(name, value)
    front = LambdaFront(work)
    bucket = f"shards-{uuid.uuid4().hex[:12]}"
    boto3.client("s3", endpoint_url=moto_url, **BOTO).create_bucket(Bucket=bucket)
    with served_function(front) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        objects = open_s3_store(f"s3://{bucket}")
        with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
            client = boto3.client("stepfunctions")
            made = client.create_state_machine(
                name="quire-shards", definition=json.dumps(_quick(bucket)), roleArn=ROLE
            )
            yield Deployed(client, made["stateMachineArn"], front, objects, embedder, bucket)
            for thread in front.late:
                thread.join()


def _quick(bucket: str) -> dict[str, Any]:
    """The definition with the shortest waits between attempts that there are."""
    value = definition(bucket, WORKER)
    for retry in value["States"]["Shards"]["ItemProcessor"]["States"]["Shard"]["Retry"]:
        if "IntervalSeconds" in retry:
            retry |= {"IntervalSeconds": 1, "BackoffRate": 1}
            del retry["MaxDelaySeconds"]
    return value


def drive(deployed: Deployed, root: Path, pages: Path, naps: int = 10_000, **more: Any) -> BuildReport:
    """A build by a driver of its own."""
    desk = Desk(root, pages, deployed.objects)
    sharding = Sharding(deployed.objects, deployed.engine(naps), desk.open_worker, MEAN_CHUNKS)
    write = partial(ingest_in_shards, sharding=sharding)
    store = SegmentStore(deployed.objects, root / "fetched")
    return build(desk.plan, more.pop("tools", desk.tools), store, write=write, **more)


class Faulty(dict[str, list[str]]):
    """Faults by the order in which items are first asked for."""

    def __init__(self, *faults: list[str]) -> None:
        super().__init__()
        self._faults = iter(faults)

    def get(self, inputs: str, default: Any = None) -> list[str]:
        del default
        return self.setdefault(inputs, next(self._faults, []))


def test_faults_of_the_worker_cost_attempts_and_never_a_shard(
    deployed: Deployed,
    tmp_path: Path,
    book: Path,  # noqa: F811
    whole: IngestReport,  # noqa: F811
    model_folder: Path,
) -> None:
    deployed.front.faults = Faulty(["crash"], ["throttle", "throttle"], ["duplicate"], ["timeout"])
    tools = Tools(HashingEmbedder(), model_folder, tmp_path / "cache")
    report = drive(deployed, tmp_path, book, tools=tools)
    assert report.ingested.manifest.digest == whole.manifest.digest
    assert report.published is not None
    assert set(deployed.executions().values()) == {"SUCCEEDED"}
    calls = deployed.front.calls
    assert len(calls) > 4
    assert sum(calls.values()) == len(calls) + 4  # two throttled, a crash and a time-out were asked for again
    again = drive(deployed, tmp_path, book, tools=tools)  # the schedule is delivered twice
    assert again.published is not None
    assert again.published.segments == report.published.segments
    assert again.ingested.updated == 0
    assert len(deployed.executions()) == 1


def test_a_driver_that_dies_is_followed_by_one_that_joins_its_execution(
    deployed: Deployed,
    tmp_path: Path,
    book: Path,  # noqa: F811
    whole: IngestReport,  # noqa: F811
) -> None:
    deployed.front.faults = Faulty(["throttle", "throttle", "throttle"])
    with pytest.raises(KeyboardInterrupt):
        drive(deployed, tmp_path / "one", book, naps=2, publish=False)
    report = drive(deployed, tmp_path / "two", book, publish=False)
    assert report.ingested.manifest.digest == whole.manifest.digest
    assert list(deployed.executions().values()) == ["SUCCEEDED"]
    assert sum(deployed.front.calls.values()) == len(deployed.front.calls) + 3


def test_two_drivers_at_once_build_once(deployed: Deployed, tmp_path: Path, book: Path) -> None:  # noqa: F811
    store = SegmentStore(deployed.objects, tmp_path / "fetched")
    with store.lock("book"), pytest.raises(BuildInProgress):
        drive(deployed, tmp_path, book, publish=False)
    assert not deployed.front.calls


def test_an_execution_that_failed_is_followed_by_one_for_what_is_left(
    deployed: Deployed,
    tmp_path: Path,
    book: Path,  # noqa: F811
    whole: IngestReport,  # noqa: F811
) -> None:
    deployed.front.faults = Faulty([], ["crash"] * 4)
    report = drive(deployed, tmp_path, book, publish=False)
    assert report.ingested.manifest.digest == whole.manifest.digest
    assert len(deployed.executions()) == 2
    assert sorted(deployed.front.calls.values())[-2:] == [1, 5]  # the others were not asked for again


def test_what_is_redriven_by_hand_is_done_when_the_next_driver_comes(
    deployed: Deployed,
    tmp_path: Path,
    book: Path,  # noqa: F811
    whole: IngestReport,  # noqa: F811
) -> None:
    deployed.front.faults = Faulty([], [], ["crash"] * 4)
    with pytest.raises(KeyboardInterrupt):
        drive(deployed, tmp_path / "one", book, naps=1, publish=False)
    deployed.wait()
    assert len(deployed.executions()) == 1
    folder = "collections/book/shards/"
    [plan] = deployed.objects.list(f"{folder}plans/")
    before = deployed.objects.list(f"{folder}done/")
    redriven = json.dumps({"plan": f"{folder}plans/{plan}"})
    deployed.client.start_execution(stateMachineArn=deployed.machine, name="redriven", input=redriven)
    deployed.wait()
    assert deployed.executions()["redriven"] == "SUCCEEDED"
    calls = deployed.front.calls.total()
    report = drive(deployed, tmp_path / "two", book, publish=False)
    assert report.ingested.manifest.digest == whole.manifest.digest
    assert report.ingested.updated == 0
    assert deployed.front.calls.total() == calls
    assert {*before} <= {*deployed.objects.list(f"{folder}done/")}
    assert deployed.embedder.tokens == whole.embedding["tokens"]  # each passage once


def test_a_worker_of_other_code_is_asked_once_and_named(
    deployed: Deployed,
    tmp_path: Path,
    book: Path,  # noqa: F811
) -> None:
    work = deployed.front.work
    deployed.front.work = lambda event: work({**event, "code": "0" * 64})
    with pytest.raises(SourceError, match=r"6 left after 4 executions"):
        drive(deployed, tmp_path, book, publish=False)
    assert {*deployed.front.calls.values()} == {4}  # once an execution


def test_the_deployed_handler_makes_shards_with_the_model_from_the_store(
    deployed: Deployed,
    tmp_path: Path,
    model_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("ebb", "flood"):
        (pages / f"{name}.md").write_text(f"# {name}\n\nThe {name} comes twice a day.\n")
    tools = Tools(open_embedder(model_folder), model_folder, tmp_path / "cache")
    alone = build(
        Desk(tmp_path, pages).plan, tools, SegmentStore(deployed.objects, tmp_path / "f"), publish=False
    )
    monkeypatch.setenv("QUIRE_STORE", f"s3://{deployed.bucket}")
    monkeypatch.setenv("QUIRE_CACHE", str(tmp_path / "environment"))
    (tmp_path / "environment/shard-left-by-a-timeout").mkdir(parents=True)
    deployed.front.work = lambda event: handler(event, None)
    SegmentStore(deployed.objects, tmp_path / "fetched").put_model(model_folder)
    report = drive(deployed, tmp_path / "sharded", pages, tools=tools, publish=False)
    assert report.ingested.manifest.digest == alone.ingested.manifest.digest
    assert not list((tmp_path / "environment").glob("shard-*"))
    assert {*deployed.executions().values()} == {"SUCCEEDED"}
