"""The real Lambda archives, made once and kept in `build/layers`; tests skip where they cannot be made."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from infra.packaging.layers import OUT, SERVING, Archive, build_archives
from quire.errors import ConfigError
from tests.support.alone import alone


@cache
def _built() -> dict[str, Archive] | str:
    try:
        with alone("archives"):
            return build_archives(OUT, SERVING)
    except ConfigError as error:
        return str(error)


@pytest.fixture(scope="session")
def archives() -> dict[str, Archive]:
    """The manifest of the archives, which are up to date."""
    made = _built()
    if isinstance(made, str):
        pytest.skip(made)
    return made


@pytest.fixture(scope="session")
def archive_folder(archives: dict[str, Archive]) -> Path:
    """The folder that the archives lie in."""
    assert archives
    return OUT
