"""Bills of materials of the archives in CycloneDX, on cyclonedx-bom: which packages lie in them, at which digests."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path

from infra.packaging.layer_contents import normalized
from quire.errors import ConfigError

_FOLDER = re.compile(r"python/([^/]+)-([^/-]+)\.dist-info/METADATA")
_PINNED = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;]+)(?:[^\n]*\\\n)*[^\n]*\n", re.MULTILINE)


def packages_in(archive: Path) -> set[tuple[str, str]]:
    """Name and version of each package that lies in a layer's archive."""
    with zipfile.ZipFile(archive) as opened:
        found = map(_FOLDER.fullmatch, opened.namelist())
        return {(normalized(one[1]), one[2]) for one in found if one}


def write_sbom(
    target: Path, packages: Collection[tuple[str, str]], locks: Sequence[Path], *, validate: bool = False
) -> None:
    """Write the packages with the digests that the locks pin. The same input gives the same bytes.

    `validate` holds it against CycloneDX's schema, which takes 5 s of CPU where writing takes 1.

    Raises:
        ConfigError: a package is in no lock, or cyclonedx-bom fails.
    """
    texts = [lock.read_text(encoding="utf-8") for lock in locks]
    pinned = {(one[1], one[2]): one[0] for text in texts for one in _PINNED.finditer(text)}
    if missing := sorted("==".join(one) for one in set(packages) - set(pinned)):
        raise ConfigError(
            f"{target.name}: wanted every package in a lock, found none for {', '.join(missing)}"
        )
    command = (
        sys.executable,
        "-m",
        "cyclonedx_py",
        "requirements",
        "-",
        "--mc-type",
        "library",
        "--short-PURLs",
    )
    done = subprocess.run(
        (
            *command,
            "--validate" if validate else "--no-validate",
            "--output-reproducible",
            "--output-file",
            str(target),
        ),
        input="".join(pinned[one] for one in sorted(packages)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ConfigError(f"{target.name}: cyclonedx-bom: {done.stderr.strip()[-300:]}")
