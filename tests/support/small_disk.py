"""A real disk with next to no room: a tmpfs of its own, mounted for as long as a test runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size_kb: int) -> Iterator[Path]:
    """The folder, as a disk of that size. Skips the test where this user may mount nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    sudo = () if os.geteuid() == 0 else ("sudo", "-n")
    if sudo and not shutil.which("sudo"):
        pytest.skip("mounting a small disk takes root or sudo")
    options = f"size={size_kb}k,mode=777"
    mount = (*sudo, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder))
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()[:200]}")
    try:
        yield folder
    finally:
        # Lazily: what is still mapped goes when its reader does.
        subprocess.run((*sudo, "umount", "--lazy", str(folder)), check=True)


def fill(folder: Path, left_bytes: int = 0) -> None:
    """Use up the disk of the folder but for about so many bytes."""
    with (folder / "filler").open("wb", buffering=0) as file:
        free = shutil.disk_usage(folder).free - left_bytes
        if free > 0:
            file.write(bytes(free))
