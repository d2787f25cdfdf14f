"""What goes into a Lambda layer: the installed packages that are needed, without what no function ever reads.

MiB unpacked, Python 3.13 on x86-64, after each step: installed 254; packages that are declared and never used 222;
tests, stubs and headers 208; data of AWS services that are never called 181; onnxruntime's converters 177; the second
copy of its library 149; numpy's Fortran compiler 146; symbols 95 (numkong alone 44 to 4).
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

UNUSED = {
    "tokenizers": {"huggingface-hub"},  # downloads models; ours come from the store
    # For its converters, and for its face to ONNX's own backends.
    "onnxruntime": {"flatbuffers", "packaging", "protobuf"},
    "mcp": {"jsonschema", "python-multipart"},  # for its client, and for signing in through forms
}
"""Packages that one declares and never imports when it is used as Quire uses it."""

PRUNED = (
    "**/tests",
    "**/testing/data",
    "**/*.pyi",
    "**/*.pxd",
    "**/*.pyx",
    "**/*.pxi",
    # Sources that Cython generates and wheels bring along: 3 MB of selectolax.
    "**/*.c",
    "**/*.h",
    "**/*.hpp",
    "**/*.a",
    "**/include",
    "**/__pycache__",
    "bin",
    "onnxruntime/transformers",
    "onnxruntime/tools",
    "onnxruntime/quantization",
    "onnxruntime/datasets",
    "onnxruntime/backend",
    # The extension module has the library inside. libonnxruntime_providers_shared.so stays: every import looks for it.
    "onnxruntime/capi/libonnxruntime.so*",
    "numpy/f2py",
    "numpy/_core/lib",
    "numpy/_pyinstaller",
    "numpy/_core/_simd*",
    "numpy/_core/*_tests*.so",
    # FastAPI asks whether a model is one of the first pydantic's, and takes its absence for no: 35 ms of a start.
    "pydantic/v1",
    "*.dist-info/RECORD",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.dist-info/direct_url.json",
    "*.dist-info/sboms",
    "boto3/examples",
    "jsonschema/benchmarks",
    # Front matter is read by the loader in Python; without its extension PyYAML says so to itself and goes on.
    "yaml/_yaml*.so",
    # Time zones of its own: botocore takes the system's.
    "dateutil/zoneinfo/*.tar.gz",
    "boto3/data/[!s]*",
    "botocore/data/[!_]*",
)
SERVICES = ("s3", "dynamodb", "lambda", "secretsmanager", "sts")
"""What functions call of AWS."""
KEPT = (*(f"botocore/data/{name}" for name in SERVICES), "botocore/data/*.json*", "boto3/data/dynamodb")
_REQUIRES = re.compile(r"^Requires-Dist: *([A-Za-z0-9._-]+)([^\n]*)$", re.MULTILINE)


def read_distributions(site: Path) -> dict[str, Path]:
    """The packages installed in a folder: normalized name -> its `.dist-info`."""
    return {normalized(folder.name.split("-")[0]): folder for folder in sorted(site.glob("*.dist-info"))}


def needed(roots: Iterable[str], distributions: Mapping[str, Path]) -> set[str]:
    """The packages that the roots need, themselves included, as far as they are installed."""
    found: set[str] = set()
    waiting = [normalized(root) for root in roots]
    while waiting:
        name = waiting.pop()
        if name in found or name not in distributions:
            continue
        found.add(name)
        waiting.extend(_requirements(distributions[name]) - UNUSED.get(name, set()))
    return found


def normalized(name: str) -> str:
    """A package's name in the one spelling that all its spellings share.

    >>> normalized("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirements(folder: Path) -> set[str]:
    """What the package declares; a marker other than an extra's was judged when the lock was installed."""
    metadata = (folder / "METADATA").read_text(encoding="utf-8").partition("\n\n")[0]
    return {normalized(name) for name, rest in _REQUIRES.findall(metadata) if "extra ==" not in rest}


def copy_distribution(folder: Path, target: Path) -> None:
    """Copy the files that a package's RECORD lists; scripts beside the site folder are left out."""
    site = folder.parent
    for line in (folder / "RECORD").read_text(encoding="utf-8").splitlines():
        name = line.rsplit(",", 2)[0].strip('"')
        if name.startswith("..") or not (site / name).is_file():
            continue
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, copy)


def prune_tree(root: Path) -> None:
    """Remove what `PRUNED` matches and `KEPT` does not."""
    kept = {path for pattern in KEPT for path in root.glob(pattern)}
    for pattern in PRUNED:
        for path in sorted(root.glob(pattern)):
            if path not in kept and not kept & set(path.parents):
                _remove(path)
    for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def trim_services(root: Path) -> None:
    """Leave of botocore's descriptions what making a client and calling it reads: half of what a client costs.

    Endpoints of other services go, examples, and the documentation of each operation and shape; of a service the newest
    description stays, not packed, for unpacking it takes longer than reading it.
    """
    for place in root.glob("botocore/data/endpoints.json"):
        tree = json.loads(place.read_bytes())
        for partition in tree["partitions"]:
            called = {name: one for name, one in partition["services"].items() if name in SERVICES}
            partition["services"] = called
        _write_json(place, tree)
    for service in SERVICES:
        versions = sorted(root.glob(f"botocore/data/{service}/*"))
        for older in versions[:-1]:
            _remove(older)
        for newest in versions[-1:]:
            _remove(newest / "examples-1.json")
            packed = newest / "service-2.json.gz"
            _write_json(
                packed.with_suffix(""), _undocumented(json.loads(gzip.decompress(packed.read_bytes())))
            )
            _remove(packed)


def _undocumented(tree: Any, name: str = "") -> Any:
    """A description without its documentation; botocore reads that of a client's own settings."""
    if isinstance(tree, list):
        return [_undocumented(one) for one in tree]
    if not isinstance(tree, dict) or name == "clientContextParams":
        return tree
    # A member of a shape may have that name too: then it is no text.
    return {
        key: _undocumented(value, key)
        for key, value in tree.items()
        if not (key.startswith("documentation") and isinstance(value, str))
    }


def _write_json(path: Path, tree: Any) -> None:
    path.write_text(json.dumps(tree, separators=(",", ":")), encoding="utf-8")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
