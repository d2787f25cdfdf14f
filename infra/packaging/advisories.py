"""`make advisories`: what is known against the packages that the locks pin, on pip-audit and npm; asked by every push.

Where the network fails that is told and is no fault: an answer that cannot be had says nothing against a package.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ANSWER_S = 300
LOCKS = ("layers/runtime", "layers/llm", "build_index", "infra", "tests")
_PIP = (
    "-m",
    "pip_audit",
    "--disable-pip",
    "--require-hashes",
    "--progress-spinner",
    "off",
    "-f",
    "json",
    "-r",
)


def advisories(command: Sequence[str]) -> list[str] | None:
    """A line for each; None where nobody answers, which is told."""
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=ANSWER_S
        )
        said = json.loads(done.stdout)
        if "vulnerabilities" in said:
            return [f"infra, npm: {name}: {one['severity']}" for name, one in said["vulnerabilities"].items()]
        return list(_of_python(said["dependencies"]))
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    except (ValueError, KeyError):
        why = ((done.stderr or done.stdout).strip().splitlines() or ["it said nothing"])[-1]
    print(f"advisories could not be asked for with {' '.join(command[-3:])}: {why[:200]}", file=sys.stderr)
    return None


def _of_python(packages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in packages:
        for found in one.get("vulns", ()):
            mended = ", ".join(found["fix_versions"]) or "no version"
            yield f"{one['name']} {one['version']}: {found['id']}, mended in {mended}"


def main() -> int:
    """Ask for every lock; 1 where something is known."""
    commands = [(sys.executable, *_PIP, f"{lock}/requirements.txt") for lock in LOCKS]
    said = [advisories(one) for one in (*commands, ("npm", "audit", "--json", "--prefix", "infra"))]
    found = dict.fromkeys(line for one in said for line in one or ())
    asked = sum(one is not None for one in said)
    print("\n".join([*found, f"advisories: {len(found)} known, {asked} of {len(said)} locks asked about"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
