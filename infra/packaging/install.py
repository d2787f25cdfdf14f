"""Installs a lock file into the environment that runs this file: `.venv/bin/python infra/packaging/install.py LOCK`.

Standard library only, because it runs before anything else is installed. The lock itself names uv with its digests:
pip fetches that one wheel, uv does the rest. Measured with empty caches, the 57 packages that `make run` needs take
20 s through pip alone and 10 s this way. uv does not read pip's configuration, so what pip was told about
indexes, certificates and proxies is handed over; where uv fails all the same, pip installs everything.
"""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

ROOT = Path(__file__).resolve().parents[2]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
UV_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "trusted-host": "UV_INSECURE_HOST",
    "no-index": "UV_NO_INDEX",
    "no-cache-dir": "UV_NO_CACHE",
}
COMMA_SEPARATED = {"UV_FIND_LINKS"}
INSTALL_S = 1800
"""An installation takes seconds, on a slow line minutes; half an hour is an index that does not answer."""
CALL_S = 5.0


def pip_settings(listing: str) -> dict[str, str]:
    """Read `pip config list`: option name to value. The environment outranks files, `install` outranks `global`.

    >>> pip_settings("global.index-url='https://a/simple'\\n:env:.index-url='https://b/simple'")
    {'index-url': 'https://b/simple'}
    """
    ranks = {"global": 0, "install": 1, ":env:": 2}
    found: dict[str, tuple[int, str]] = {}
    for section, name, value in re.findall(r"^(\S+?)\.([\w-]+)=(.*)$", listing, re.MULTILINE):
        rank = ranks.get(section, -1)
        if rank >= 0 and rank >= found.get(name, (0, ""))[0]:
            found[name] = (rank, str(ast.literal_eval(value)))
    return {name: value for name, (_, value) in found.items()}


def uv_environment(settings: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for uv: `environ`, and pip's settings in uv's words where `environ` does not have them.

    Every package is pinned by digest, so it does not matter which of several indexes it comes from.
    """
    told = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_SYSTEM_CERTS": "1", "UV_HTTP_RETRIES": "2"}
    for name, variable in UV_SETTINGS.items():
        if settings.get(name):
            told[variable] = (",".join if variable in COMMA_SEPARATED else " ".join)(settings[name].split())
    return {**told, **environ}


def locked_entry(lock: str, package: str) -> str:
    """The lines of the lock that pin `package` with its digests; "" where it does not name it."""
    match = re.search(rf"^{re.escape(package)}==.*(?:\n[ \t]+--hash=.*)*", lock, re.MULTILINE)
    return match.group() if match else ""


def run_bounded(
    command: tuple[str, ...], environ: Mapping[str, str] | None = None, *, timeout_s: float = INSTALL_S
) -> bool:
    """Whether a command ended well; one that runs for `timeout_s` is ended, and that is said with a way out."""
    try:
        return subprocess.run(command, env=environ, check=False, cwd=ROOT, timeout=timeout_s).returncode == 0
    except subprocess.TimeoutExpired:
        print(
            f"environment: {' '.join(command[:4])} was not done after {timeout_s:g} s and was ended: see whether the "
            "package index answers (`pip config list` names it), then run this again; what came is kept",
            file=sys.stderr,
        )
        return False


def _installed_uv(lock: Path) -> str:
    """Path of the uv that the lock pins, installed if need be; "" where it cannot be had."""
    entry = locked_entry(lock.read_text(encoding="utf-8"), "uv")
    uv = Path(sys.executable).parent / "uv"
    wanted = entry.partition(" ")[0].removeprefix("uv==")
    if uv.is_file():
        found = subprocess.run(
            (str(uv), "--version"), capture_output=True, text=True, check=False
        ).stdout.split()
        if wanted in found:
            return str(uv)
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder) / "requirements.txt"
        pinned.write_text(entry + "\n", encoding="utf-8")
        install = (*PIP, "install", "--quiet", "--only-binary=:all:", "--require-hashes", "-r", str(pinned))
        return str(uv) if entry and run_bounded(install) and uv.is_file() else ""


def _install(lock: Path) -> bool:
    locked = ("--require-hashes", "-r", str(lock))
    editable = ("--no-deps", "--no-build-isolation", "--editable", ".")
    if uv := _installed_uv(lock):
        environ = uv_environment(_pip_settings_here(), os.environ)
        install = (uv, "pip", "install", "--python", sys.executable)
        if run_bounded((*install, *locked), environ) and run_bounded(
            (*install, "--quiet", *editable), environ
        ):
            return True
    print(f"environment: uv could not install {lock}; pip does, which takes longer", flush=True)
    return run_bounded((*PIP, "install", *locked)) and run_bounded((*PIP, "install", "--quiet", *editable))


def _pip_settings_here() -> dict[str, str]:
    listing = subprocess.run((*PIP, "config", "list"), capture_output=True, text=True, check=False).stdout
    return pip_settings(listing)


def why_not(settings: Mapping[str, str]) -> str:
    """What is missing where nothing can be installed, and what to do: most often the package index is out of reach."""
    index = urlsplit(settings.get("index-url", "https://pypi.org/simple"))
    if settings.get("proxy") or getproxies() or not index.hostname:
        return "the lines above say why"
    try:
        port = index.port or (80 if index.scheme == "http" else 443)
        socket.create_connection((index.hostname, port), timeout=CALL_S).close()
    except OSError as error:
        return (
            f"this machine does not reach the package index {index.hostname} ({error.strerror or error}): connect it, "
            "or name an index that it reaches (`pip config set global.index-url URL`), and run this again; what came "
            "is kept"
        )
    return "the lines above say why"


def main(arguments: list[str]) -> int:
    """Install the one lock file that is named; the exit code is 0 when everything is there."""
    lock = Path(arguments[0])
    count = len(re.findall(r"^[\w.-]+==", lock.read_text(encoding="utf-8"), re.MULTILINE))
    print(f"environment: {count} packages of {lock}", flush=True)
    started = time.monotonic()
    if not _install(lock):
        print(f"environment: {lock} could not be installed: {why_not(_pip_settings_here())}", file=sys.stderr)
        return 1
    print(f"environment: ready after {time.monotonic() - started:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
