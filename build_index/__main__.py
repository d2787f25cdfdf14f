"""The operator's CLI: `python -m build_index COMMAND`. Exit codes: 0 done, 1 some files failed, 2 refused or wrong."""

from __future__ import annotations

import sys

from build_index.progress import say
from quire.interrupts import held_interrupts
from quire.precompiled import compiled_once

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit code."""
    try:
        with held_interrupts():
            from build_index.cli.program import run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        command = next(iter(sys.argv[1:] if arguments is None else arguments), "")
        say(f"build_index {command}: stopped; what is embedded is kept, the same command goes on from there")
        return INTERRUPTED


def start() -> int:
    """Run one command as a program of its own."""
    with compiled_once():
        return main()


if __name__ == "__main__":
    sys.exit(start())
