"""The real data beside the checkout: `../shared`, or what `QUIRE_SHARED` names. Tests that need it skip without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.tree import ROOT


def shared_root() -> Path:
    """Where the real data lies, whether or not it is there."""
    return Path(os.environ.get("QUIRE_SHARED") or ROOT.parent / "shared")


def shared_path(name: str) -> Path:
    """A file or folder of the real data, such as `data/roblox/0.735`; skips the test where it is missing."""
    path = shared_root() / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the checkout")
    return path
