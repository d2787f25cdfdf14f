"""How much of anything is taken, in one place. `functions/README.md` shows the same numbers as a table.

A bound holds before anything reads what it bounds: a pattern, a model or a loop over a million characters would keep
every other request waiting.
"""

from __future__ import annotations

BODY_BYTES = 1_000_000
"""Of a request's body, where settings say nothing else."""
LARGE_BODY_TIMES = 6
"""Times as many for files: what Lambda accepts of a request."""
BODY_VALUES = 20_000
"""Values in a body, by its commas: 400,000 wrong ones took a minute to be told. 2,000 files have 8,000."""
TOLD_ERRORS = 20
"""Of a body's wrong values, those that a reply names."""
QUESTION_CHARACTERS = 8_000
"""Of a question, and of all that is searched for together. The model reads 1,000, keywords gain nothing beyond."""
TERMS_CHARACTERS = 400
"""Of the names and words that are searched for beside a question: some forty, where eight to sixteen are of use."""
SELECTION_CHARACTERS = 8_000
"""Of what a reader had marked; a prompt holds the first 4,000."""
HISTORY_TURNS = 24
"""Earlier messages that are looked at, the last ones."""
TURN_CHARACTERS = 4_000
"""Of each of them."""
HEADING_CHARACTERS = 1_000
"""Of a heading or a title, which every chunk below it carries."""
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
MESSAGE_CHARACTERS = 20_000
"""Of a chat's message and of a text to embed; a longer one is refused, one over the question's bound is cut."""
EMBEDDED_TEXTS = 2_048
"""That one request to `/v1/embeddings` may send, as to OpenAI's."""
EMBEDDED_CHARACTERS = 400_000
"""Of all of them together: about 10 s of CPU, where API Gateway waits for 29."""
MARKED_CHARACTERS = 50_000
"""Of what a chat's reader marked; a longer one is refused."""
SENT_TURNS = 200
"""Earlier messages that a chat may send."""
SENT_TURN_CHARACTERS = 100_000
"""Of each of them."""
KEPT_MESSAGE_CHARACTERS = 400_000
"""Of a message that a site keeps."""
ID_CHARACTERS = 200
"""Of the id of a site, a user or a session."""
FILES = 2_000
"""That one ingest may send."""
PATH_CHARACTERS = 500
"""Of the path of each."""
CODE_FILE_BYTES = 1_000_000
"""Of a file that an index of code reads; larger ones are left out."""
DOCUMENT_FILE_BYTES = 8_000_000
"""Of any other file of a build; larger ones are failures."""
CONVERTED_FILE_BYTES = 50_000_000
"""Of a PDF, a notebook, a book, an office document or a message, which are mostly pictures."""
TABLE_ROWS = 10_000
"""Of a sheet or a file of separated values; one with more is a failure of its build."""
ANSWERS_AT_ONCE = 64
"""Answers that a model writes at one time. A waiting thread costs 50 KB; providers' own quotas are lower."""
CHECKS_AT_ONCE = 8
"""Callers whose key or token is looked up elsewhere, at work."""
CHECKS_WAITING = 128
"""And in line."""
