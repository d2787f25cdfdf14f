"""Runs a function as Lambda does: the unpacked archives, its Python, AWS's own runtime client, one CPU, bounded memory.

`lambda_root` unpacks the archives read-only as `opt` (the layers of every function), `llm` (the one that answering has
besides), `task` (the functions) and `runtime` (what Lambda brings itself). `Function` is one execution environment.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

import pytest

from infra.packaging.install import PIP, locked_entry, pip_settings, uv_environment
from infra.packaging.layer_tools import PLATFORM, PYTHON, compile_tree, find_python
from infra.packaging.layers import OUT, SERVING, LayersTooLargeError, build_archives
from infra.settings import STARTING
from quire.errors import ConfigError
from tests.support.alone import alone
from tests.support.runtime_api import NAME, Reply, RuntimeApi
from tests.support.tree import ROOT

START_S = 60.0
MEMORY_MB = 1769
CLIENT = ("awslambdaric", "simplejson", "snapshot-restore-py")
PLACES = {"core": "opt", "runtime": "opt", "model": "opt", "llm": "llm", "functions": "task"}
Root = Path


BEGUN = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a new checkout, begin with the archives: they take 30 s, and who collects tests leaves other cores idle."""
    is_whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if is_whole and session.config.option.numprocesses and not (OUT / "manifest.json").exists():
        command = (sys.executable, "-c", f"from {__name__} import unpacked; unpacked()")
        begun = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        session.config.stash[BEGUN] = begun


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave none running; what they could not be made for is told by the tests that want them."""
    if begun := config.stash.get(BEGUN, None):
        begun.kill()
        begun.wait()


@cache
def unpacked() -> Root:
    """The archives, unpacked once for each content; raises ConfigError where they cannot be made."""
    with alone("archives"):
        made = build_archives(OUT, SERVING)
        key = "-".join(made[name].sha256[:8] for name in SERVING)
        root = ROOT / "build" / "rig" / key
        if root.exists():
            os.utime(root)  # in use: not to be removed for another hour
        else:
            _unpack_all(root)
    return root


def _unpack_all(root: Root) -> None:
    root.parent.mkdir(parents=True, exist_ok=True)
    _remove_old(root.parent)
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        work = Path(folder) / "root"
        for name, target in PLACES.items():
            _unpack(OUT / f"{name}.zip", work / target)
        _install_client(work / "runtime")
        compile_tree(work / "runtime", find_python(), "/var/runtime")
        _make_read_only(work)
        work.chmod(0o755)
        work.rename(root)


@pytest.fixture(scope="session")
def lambda_root() -> Root:
    """Where the archives lie unpacked; skips where Python 3.13 or the packages cannot be had, and only there."""
    try:
        return unpacked()
    except LayersTooLargeError:
        raise
    except ConfigError as error:
        pytest.skip(str(error))


class Function:
    """One execution environment of a function, alive in a `with` block.

    Args:
        root: of `unpacked`.
        handler: such as `functions.query.handler`.
        environment: what the deployment sets.
        streaming: start the client of `functions.aws.streaming`, as its exec wrapper does.
        snapshot: go through SnapStart: the environment is ready once `restore` was called.
    """

    def __init__(
        self,
        root: Root,
        handler: str,
        environment: Mapping[str, str],
        *,
        streaming: bool = False,
        snapshot: bool = False,
    ) -> None:
        self.api = RuntimeApi()
        self._key = environment.get("QUIRE_API_KEY", "")
        self._root = root
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        known = _environment(root, handler, self.api.address)
        if snapshot:
            known["AWS_LAMBDA_INITIALIZATION_TYPE"] = "snap-start"
        command = [find_python(), "-m", "awslambdaric", handler]
        if streaming:
            command = [str(root / "task/functions/aws/stream-runtime"), find_python(), "bootstrap.py"]
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            (*bounds(), *command),
            cwd=root / "task",
            env=known | dict(environment),
            stdout=self._output,
            stderr=self._output,
        )

    def wait_ready(self) -> float:
        """Wait until the function asks for its first event; CPU ms that starting took."""
        self._wait(self.api.is_ready)
        assert self.api.init_error is None, self.api.init_error
        return self.cpu_ms()

    def wait_snapshotted(self) -> None:
        """Wait until the function may be frozen."""
        self._wait(self.api.is_snapshotted)

    def restore(self) -> None:
        """Go on from the snapshot."""
        self.api.restored.set()

    def invoke(self, event: Any, *, key: str | None = None) -> Reply:
        """One event, one answer. The caller has the deployment's key, or that one; "" for none."""
        sent = self._key if key is None else key
        return self.api.invoke(with_key(event, sent) if sent else event)

    def cpu_ms(self) -> float:
        """CPU time of all its threads so far, of those that have ended too, in milliseconds.

        Source: clock_getcpuclockid(3), whose number for a process Linux makes so.
        """
        return time.clock_gettime_ns((~self.process.pid << 3) | 2) / 1e6

    def memory_mb(self, field: str = "VmRSS") -> float:
        """Resident memory now, or at its highest (`VmHWM`)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{field}:\s+(\d+)", status, re.MULTILINE).group(1)) / 1024  # type: ignore[union-attr]

    def output(self) -> str:
        """What it wrote to its log so far."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace")

    def _wait(self, event: Any) -> None:
        until = time.monotonic() + START_S
        while not event.wait(0.02):
            assert self.process.poll() is None, self.output()
            assert time.monotonic() < until, self.output()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.api.restored.set()
        self.api.waiting.put(("", b""))  # wakes the thread that holds the dead client's request
        self.api.close()
        self._output.close()


def with_key(event: Any, key: str) -> Any:
    """The event with the header that a caller's key travels in; untouched where it has no headers."""
    if "headers" not in event:
        return event
    several = event.get("multiValueHeaders")
    more = {"multiValueHeaders": {**several, "x-api-key": [key]}} if several else {}
    return {**event, **more, "headers": {**event["headers"], "x-api-key": key}}


def run_python(root: Root, *arguments: str, environment: Mapping[str, str] | None = None) -> float:
    """Run the functions' Python as a function would see it; CPU ms of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        (*bounds(), find_python(), *arguments),
        cwd=root / "task",
        env=_environment(root, "", "") | dict(environment or {}),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def _environment(root: Root, handler: str, address: str) -> dict[str, str]:
    """What Lambda sets, and what the deployment has libraries read. Nothing of this machine's is handed on."""
    answers = ("llm/python",) if handler.startswith("functions.answer.") else ()
    return {
        **STARTING,
        "PATH": "/usr/bin:/bin",
        "HOME": tempfile.gettempdir(),
        "TZ": ":UTC",
        "LANG": "en_US.UTF-8",
        "_HANDLER": handler,
        "LAMBDA_TASK_ROOT": str(root / "task"),
        "LAMBDA_RUNTIME_DIR": str(root / "runtime"),
        "PYTHONPATH": ":".join(str(root / one) for one in ("task", "opt/python", *answers, "runtime")),
        "AWS_LAMBDA_RUNTIME_API": address,
        "AWS_LAMBDA_FUNCTION_NAME": NAME,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(MEMORY_MB),
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{NAME}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "2026/11/19/[$LATEST]0123456789abcdef",
        "AWS_EXECUTION_ENV": f"AWS_Lambda_python{PYTHON}",
        "AWS_REGION": "us-west-2",
        "AWS_DEFAULT_REGION": "us-west-2",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def bounds() -> tuple[str, ...]:
    """What a command begins with to get one CPU, and no more memory of its own than the function is given.

    Programs, not a hook between fork and exec: that one's CPU, 250 ms here, would count as the function's.
    """
    cpus = sorted(os.sched_getaffinity(0), reverse=True)
    worker = re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", ""))
    cpu = cpus[int(worker or 0) % len(cpus)]
    return ("taskset", "--cpu-list", str(cpu), "prlimit", f"--data={MEMORY_MB << 20}")


def _unpack(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as held:
        held.extractall(target)
        for entry in held.infolist():
            (target / entry.filename).chmod(entry.external_attr >> 16 & 0o777)


def _install_client(target: Path) -> None:
    """The runtime client for Lambda's Python, from the tests' lock."""
    lock = (ROOT / "tests/requirements.txt").read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as pinned:
        pinned.write("\n".join(locked_entry(lock, name) for name in CLIENT) + "\n")
        pinned.flush()
        listing = subprocess.run((*PIP, "config", "list"), capture_output=True, text=True, check=False).stdout
        where = ("--target", str(target), "--python-version", PYTHON, "--python-platform", PLATFORM)
        how = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--quiet", "-r", pinned.name)
        done = subprocess.run(
            (str(Path(sys.executable).with_name("uv")), "pip", "install", *where, *how),
            env=uv_environment(pip_settings(listing), os.environ),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise ConfigError(f"rig: the runtime client cannot be installed: {done.stderr.strip()[:500]}")


def _remove_old(folder: Path) -> None:
    """What was asked for over an hour ago, and is of other archives, is in nobody's use."""
    for path in folder.iterdir():
        if time.time() - path.stat().st_mtime > 3600:
            for one in [path, *path.rglob("*")]:
                one.chmod(one.stat().st_mode | 0o200)
            shutil.rmtree(path)


def _make_read_only(root: Path) -> None:
    for path in sorted(root.rglob("*"), reverse=True):
        path.chmod(path.stat().st_mode & 0o555)
