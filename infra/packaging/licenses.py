"""Writes `layers/THIRD_PARTY_LICENSES.md` from the locks and what the installed packages say: `make licenses`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

LISTED = Path("layers/THIRD_PARTY_LICENSES.md")
PARTS = (
    ("In the search layer", "layers/runtime/requirements.txt"),
    ("In the answer layer", "layers/llm/requirements.txt"),
    ("In the layer of workers that build", "layers/grammars/requirements.txt"),
    ("To build indexes and serve locally; in no layer", "build_index/requirements.txt"),
    ("To test; in no layer", "tests/requirements.txt"),
)
HEADER = """# Third-party licences

Quire itself is under the MIT licence (`LICENSE`). What it is shipped or built with has licences of its own, listed here
as the packages state them. `make licenses` writes this file from the locks; the packages carry the full texts.

## The embedding model

| model | licence | from |
| --- | --- | --- |
| sentence-transformers/all-MiniLM-L6-v2 | Apache-2.0 | its safetensors file, pinned by sha256, as an int8 graph |

Nothing of the model is in this repository; `build_index/model/export.py` fetches and converts it.
"""
# Packages whose metadata holds a licence's whole text or nothing: what their licence files say.
KNOWN = {"flatbuffers": "Apache-2.0"}


def locked_names(lock: Path) -> list[str]:
    """Names of the packages that a lock pins, sorted as it sorts them."""
    return re.findall(r"^([A-Za-z0-9][\w.-]*)==", lock.read_text(encoding="utf-8"), re.MULTILINE)


def stated_license(package: str) -> str:
    """The package's licence in its own words: its SPDX expression, else its classifiers, else its `License` field.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    facts = metadata.metadata(package).json
    if expression := facts.get("license_expression"):
        return str(expression)
    rows = [str(one) for one in facts.get("classifier", [])]
    classifiers = [one.rpartition(" :: ")[2] for one in rows if one.startswith("License ::")]
    named = ", ".join(one for one in classifiers if one != "OSI Approved")
    plain = str(facts.get("license", "")).strip()
    return KNOWN.get(package) or named or (plain if plain and "\n" not in plain else "see the package")


def _rows(root: Path) -> Iterator[str]:
    seen: set[str] = set()
    for title, lock in PARTS:
        yield f"\n## {title}\n\n| package | licence |\n| --- | --- |\n"
        for name in locked_names(root / lock):
            if name not in seen and _is_installed(name):
                seen.add(name)
                yield f"| {name} | {stated_license(name)} |\n"


def _is_installed(package: str) -> bool:
    """Whether it is; a lock also pins what only other platforms install."""
    try:
        metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def main() -> int:
    """Write the list below the current folder."""
    root = Path.cwd()
    (root / LISTED).write_text(HEADER + "".join(_rows(root)), encoding="utf-8")
    print(f"licences: {LISTED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
