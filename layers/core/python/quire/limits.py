"""How much of anything is taken, in one place. `functions/README.md` shows the same numbers as a table.

A bound holds before anything reads what it bounds: a pattern, a model or a loop over a million characters would keep
every other request waiting.
"""

from __future__ import annotations

QUESTION_CHARACTERS = 8_000
"""Of a question, and of all that is searched for together. The model reads 1,000, keywords gain nothing beyond."""
SELECTION_CHARACTERS = 8_000
"""Of what a reader had marked; a prompt holds the first 4,000."""
HISTORY_TURNS = 12
"""Earlier messages that are looked at, the last ones."""
TURN_CHARACTERS = 4_000
"""Of each of them."""
EMBEDDED_CHARACTERS = 20_000
"""Of a text that is embedded by request; the model reads its first 1,000."""
READING_CPU_S = 4.0
"""CPU seconds that reading one file may take, see `quire.killable`."""
READING_CPU_S_A_MB = 10.0
"""And so many more a megabyte: ten times what the slowest real file takes."""
READING_WAITS = 5.0
"""Times as many seconds by the clock, on a machine that does much else."""
READING_MEMORY_MB = 1_000
"""What the process that reads it may hold."""
READING_PROCESSES = 4
"""Files that are read at once."""
INDEX_JOB_S = 6 * 3600.0
"""An index build that a request started is ended after so long."""
SYMBOL_CHARACTERS = 500
"""Of the name of a symbol, a document, a passage or a version that is looked up."""


def cut(text: str, most: int, what: str) -> tuple[str, tuple[str, ...]]:
    """The first `most` characters, with a sentence where something is missing.

    >>> cut("abcdef", 4, "question"), cut("abc", 4, "question")
    (('abcd', ('question: read the first 4 of 6 characters',)), ('abc', ()))
    """
    if len(text) <= most:
        return text, ()
    return text[:most], (f"{what}: read the first {most:,} of {len(text):,} characters",)
