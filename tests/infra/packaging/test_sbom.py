"""Bills of materials name what lies in an archive, at the digests of the locks; advisories are asked for."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from infra.packaging.advisories import advisories
from infra.packaging.layers import LOCKS
from infra.packaging.licenses import locked_names
from infra.packaging.sbom import packages_in, write_sbom
from quire.errors import ConfigError
from tests.support.tree import ROOT


def layer(folder: Path, *packages: str) -> Path:
    path = folder / "layer.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in packages:
            archive.writestr(f"python/{name}.dist-info/METADATA", "")
        archive.writestr("python/numpy/__init__.py", "")
    return path


def pinned(name: str) -> tuple[str, set[str]]:
    """The version and the digests that the lock of the search layer has for a package."""
    entry = LOCKS["runtime"].read_text(encoding="utf-8").partition(f"\n{name}==")[2].partition("    # via")[0]
    version, *digests = entry.replace("\\", "").split()
    return version, {one.removeprefix("--hash=sha256:") for one in digests}


def test_a_bill_holds_what_the_archive_holds_and_nothing_else(tmp_path: Path) -> None:
    (numpy, digests), (pydantic_core, _) = pinned("numpy"), pinned("pydantic-core")
    found = packages_in(layer(tmp_path, f"numpy-{numpy}", f"pydantic_core-{pydantic_core}"))
    for name in ("a.json", "b.json"):
        write_sbom(tmp_path / name, found, [*LOCKS.values()])
    said = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert said["bomFormat"] == "CycloneDX"
    assert [one["purl"] for one in said["components"]] == [
        f"pkg:pypi/numpy@{numpy}",
        f"pkg:pypi/pydantic-core@{pydantic_core}",
    ]
    told = {one["content"] for one in said["components"][0]["externalReferences"][0]["hashes"]}
    assert told == digests
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_package_that_no_lock_pins_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"found none for numpy==0\.1"):
        write_sbom(tmp_path / "a.json", packages_in(layer(tmp_path, "numpy-0.1")), [*LOCKS.values()])


SAYS = {
    "dependencies": [
        {"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]},
        {"name": "b", "version": "1", "vulns": []},
    ]
}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (json.dumps(SAYS), ["a 1: CVE-1, mended in 2"]),
        (json.dumps({"dependencies": []}), []),
        (json.dumps({"vulnerabilities": {"cdk": {"severity": "high"}}}), ["infra, npm: cdk: high"]),
        (json.dumps({"error": {"code": "ENOTFOUND"}}), None),
        ("ConnectionError: no route to host", None),
    ],
)
def test_what_is_known_is_listed_and_silence_is_told(
    said: str, found: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advisories((sys.executable, "-c", f"print({said!r})")) == found
    assert bool(capsys.readouterr().err) is (found is None)
    assert advisories(("no-such-program",)) is None


def test_sam_and_the_auditor_are_pinned_by_digest() -> None:
    lock = ROOT / "infra" / "tools-requirements.txt"
    assert {"aws-sam-cli", "pip-audit"} <= set(locked_names(lock))
    text = lock.read_text(encoding="utf-8")
    assert text.count("==") <= text.count("--hash=sha256:")
