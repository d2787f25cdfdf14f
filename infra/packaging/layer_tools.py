"""Programs that make a layer's contents: uv installs, `strip` and `compileall` of the functions' Python finish them."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from infra.packaging.install import INSTALL_S, PIP, pip_settings, uv_environment
from quire.errors import ConfigError

PYTHON = "3.13"
PLATFORM = "x86_64-manylinux_2_28"


@cache
def find_python() -> str:
    """Path of a Python of the functions' version: only that one can write its bytecode.

    Raises:
        ConfigError: there is none.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or share / "uv/python")
    candidates = [
        sys.executable,
        f"python{PYTHON}",
        *map(str, sorted(pyenv.glob(f"versions/{PYTHON}.*/bin/python"))),
        *map(str, sorted(uv.glob(f"cpython-{PYTHON}.*/bin/python{PYTHON}"))),
    ]
    for candidate in candidates:
        version, path = _program_of(candidate)
        if version == PYTHON:
            return path
    raise ConfigError(
        f"layers: wanted Python {PYTHON} to compile the layers, found none on this machine; "
        f"`.venv/bin/uv python install {PYTHON}` brings one"
    )


def _program_of(python: str) -> tuple[str, str]:
    """Such as `3.13`, and the program's own path: it runs where there is no `PATH`. Empty where there is no such
    program, or it does not run."""
    script = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
    try:
        done = subprocess.run((python, "-c", script), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "", ""
    version, _, path = done.stdout.strip().partition(" ")
    return version, path


def install_lock(lock: Path, site: Path, *, timeout_s: float = INSTALL_S) -> None:
    """Install a lock for Lambda, whatever this machine is.

    Raises:
        ConfigError: a package cannot be had, not for that platform, or not within `timeout_s`.
    """
    listing = subprocess.run((*PIP, "config", "list"), capture_output=True, text=True, check=False).stdout
    target = ("--python-version", PYTHON, "--python-platform", PLATFORM, "--target", str(site))
    how = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--link-mode", "copy", "--quiet")
    try:
        done = subprocess.run(
            (_uv(), "pip", "install", *target, *how, "-r", str(lock)),
            env=uv_environment(pip_settings(listing), os.environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise ConfigError(
            f"layers: {lock} was not installed after {timeout_s:g} s: see whether the package index answers "
            "(`pip config list` names it), then run this again"
        ) from error
    if done.returncode:
        raise ConfigError(f"layers: {lock} cannot be installed: {done.stderr.strip()[-800:]}")


def _uv() -> str:
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    if not found:
        raise ConfigError("layers: wanted uv, which `make setup` installs, found none")
    return found


def strip_symbols(root: Path) -> None:
    """Take the symbols out of compiled libraries, which nothing but a debugger reads.

    Raises:
        ConfigError: this machine has no `strip` for ELF files.
    """
    libraries = sorted(_libraries(root))
    if libraries and shutil.which("strip") is None:
        raise ConfigError(
            "layers: wanted the program `strip`, found none; on Debian: apt-get install binutils"
        )
    for library in libraries:
        stripped = library.with_name(library.name + ".stripped")
        command = ("strip", "--strip-unneeded", "-o", str(stripped), str(library))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ConfigError(f"layers: strip failed: {done.stderr.strip()[:500]}")
        if is_loadable(stripped.read_bytes()):
            stripped.chmod(library.stat().st_mode)
            stripped.replace(library)
        else:
            stripped.unlink()


def is_loadable(library: bytes) -> bool:
    """Whether a 64-bit ELF file's segments can be mapped: their offsets and addresses agree within a page.

    `strip` moves them in libraries that auditwheel rewrote, such as numpy's OpenBLAS; the loader then refuses the file.
    Source: the ELF-64 object file format, section 7.
    """
    table, (size, count) = struct.unpack_from("<Q", library, 32)[0], struct.unpack_from("<HH", library, 54)
    for number in range(count):
        at = table + number * size
        kind, offset, address = (struct.unpack_from("<I4xQQ", library, at)[one] for one in range(3))
        align = struct.unpack_from("<Q", library, at + 48)[0]
        if kind == 1 and align > 1 and (address - offset) % align:
            return False
    return True


def _libraries(root: Path) -> Iterator[Path]:
    for path in root.rglob("*.so*"):
        if path.is_file() and not path.is_symlink():
            yield path


def compile_tree(root: Path, python: str, installed_at: str) -> None:
    """Write bytecode beside the sources, which Python takes without looking at their dates.

    Lambda mounts layers read-only, and archives that are the same every time carry a date of 1980: bytecode that is
    checked by date is stale at every cold start and cannot be written again (1.55 s of CPU against 0.68 s).

    Raises:
        ConfigError: a source does not compile.
    """
    command = (python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
    done = subprocess.run(
        (*command, "-s", str(root), "-p", installed_at, str(root)),
        env={"PYTHONHASHSEED": "0", "PATH": ""},  # sets in bytecode keep one order
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ConfigError(f"layers: {python} cannot compile: {(done.stdout + done.stderr)[-500:]}")


def precompile(functions: Path, layers: Iterable[Path], python: str) -> None:
    """Write into the tree of the functions what they would compile while they start: `functions.aws.precompiled`.

    It imports them with the layers' archives, which takes a machine like Lambda's; without the file they start slower.

    Raises:
        ConfigError: they cannot be imported, on such a machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        for layer in layers:
            with zipfile.ZipFile(layer) as archive:
                archive.extractall(folder)
        file = functions / "functions/aws/precompiled.bin"
        # Not by `-m`, and without the machine's `site`: what they import would be missing.
        script = "import sys; from functions.aws.precompiled import *; write_precompiled(Path(sys.argv[1]))"
        done = subprocess.run(
            (python, "-S", "-c", script, str(file)),
            cwd=functions,
            env={
                "PATH": "",
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": f"{folder}/python",
                "PYTHONDONTWRITEBYTECODE": "1",
                "QUIRE_API_KEY": "none asks",
                "QUIRE_CACHE": folder,
                "QUIRE_STORE": f"{folder}/nothing",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = f"the functions cannot be imported here: {done.stderr.strip()[-500:]}"
        if (sys.platform, platform.machine()) == ("linux", "x86_64"):
            raise ConfigError(f"layers: {said}")
        print(f"layers: functions will start slower, for {said}", file=sys.stderr)
