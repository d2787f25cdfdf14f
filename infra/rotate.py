"""Rotates the first caller's key: `python -m infra.rotate rotate`, and `retire` once its callers have moved on.

Each generation is a secret of its own, because CloudFormation reads a value again only where the reference to it
changes. Both generations count until the older one is retired. The numbers stand in cdk.json, to be committed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

CHOICES = Path(__file__).resolve().parent.parent / "cdk.json"
NEWEST, OLDEST = "key_generation", "key_oldest"
WRONG = 2


def rotate(path: Path) -> str:
    """Have the next deployment make a new key beside those that count; says what to do then."""
    newest = 1 + _read(path).get(NEWEST, 1)
    _write(path, {NEWEST: newest})
    return (
        f"key {newest} comes with `make deploy`, and the older one counts beside it. "
        "Then hand out the new one (KeyArn), and run `make retire-key`"
    )


def retire(path: Path) -> str:
    """Have the next deployment take back every key but the newest; says what to do then."""
    newest = _read(path).get(NEWEST, 1)
    _write(path, {OLDEST: newest})
    return f"every key but {newest} goes with `make deploy`"


def main(arguments: Sequence[str] | None = None, path: Path = CHOICES) -> int:
    """Run what is named."""
    asked = list(sys.argv[1:] if arguments is None else arguments)
    acts = {"rotate": rotate, "retire": retire}
    if len(asked) != 1 or asked[0] not in acts:
        sys.stderr.write(f"infra.rotate: wanted rotate or retire, found {' '.join(asked) or 'nothing'}\n")
        return WRONG
    sys.stdout.write(f"{acts[asked[0]](path)}\n")
    return 0


def _read(path: Path) -> dict[str, int]:
    context: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))["context"]
    return context


def _write(path: Path, changed: dict[str, int]) -> None:
    tree = json.loads(path.read_text(encoding="utf-8"))
    tree["context"].update(changed)
    path.write_text(json.dumps(tree, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
