"""An environment of its own for clients that the suite does not lock: generators and wrappers of other ecosystems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.tree import ROOT

PYTHON = (
    "openapi-python-client==0.29.1",
    "langchain-openai==1.7.3",
    "llama-index-llms-openai-like==0.8.1",
    "llama-index-embeddings-openai-like==0.4.0",
)
NODE = ("openai@6.49.0", "openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3")
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Clients:
    """Where the clients are."""

    folder: Path

    def python(self, code: str, *arguments: str, path: str = "") -> str:
        """What a program prints in the clients' own Python."""
        known = {"PATH": f"{self.folder / 'venv/bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
        return _run([str(self.folder / "venv/bin/python"), "-c", code, *arguments], self.folder, known)

    def tool(self, name: str, *arguments: str) -> str:
        """What a tool of the Python environment prints."""
        return _run([str(self.folder / "venv/bin" / name), *arguments], self.folder)

    def node(self, *arguments: str) -> str:
        """What a program prints in Node."""
        return _run(["node", *arguments], self.folder / "js")

    def node_tool(self, name: str, *arguments: str) -> str:
        """What a tool of the Node environment prints."""
        return _run([str(self.folder / "js/node_modules/.bin" / name), *arguments], self.folder / "js")


def clients() -> Clients:
    """The environment in the folder that `QUIRE_TEST_CLIENTS` names; `make test-clients` makes it."""
    folder = os.environ.get("QUIRE_TEST_CLIENTS")
    if not folder:
        pytest.skip("clients of other ecosystems are installed by `make test-clients`")
    return Clients(Path(folder))


def install(folder: Path) -> None:
    """Make the environment from the package indexes; without npm, its Python half."""
    folder.mkdir(parents=True, exist_ok=True)
    uv = str(Path(sys.executable).with_name("uv"))
    if not (folder / "venv").exists():
        _run([uv, "venv", "--quiet", str(folder / "venv")], folder)
    _run([uv, "pip", "install", "--quiet", "--python", str(folder / "venv/bin/python"), *PYTHON], folder)
    if shutil.which("npm"):
        (folder / "js").mkdir(exist_ok=True)
        (folder / "js/package.json").write_text('{"type": "module", "private": true}', encoding="utf-8")
        _run(["npm", "install", "--silent", "--no-audit", "--no-fund", *NODE], folder / "js")


def _run(command: list[str], folder: Path, known: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | (known or {}),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command[:3]}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


if __name__ == "__main__":
    install(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / ".quire/clients")
