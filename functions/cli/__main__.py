"""`python -m functions.cli`, the same as `quire`."""

from functions.cli import start

start()
