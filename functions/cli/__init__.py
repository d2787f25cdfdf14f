"""The user's command line; `program` has its commands."""

from __future__ import annotations


def start() -> None:
    """Run one command as a program of its own."""
    from quire.precompiled import compiled_once

    with compiled_once():
        main()


def main() -> None:
    """Run one command; Ctrl-C while its parts are loaded ends it as at any other time, without a traceback."""
    import sys

    from quire.interrupts import held_interrupts

    try:
        with held_interrupts():
            from functions.cli.program import run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
