"""No document holds its reader: marks without an end are looked for once, not once from each of them."""

from __future__ import annotations

import time

import pytest

from quire.chunking import chunk_document
from quire.documents import Document
from quire.errors import SourceError
from quire.parsing.markdown import page_title
from tests.support.pace import cpu_seconds

MOST_S_A_100_KB = 1.0
HOSTILE = {
    "a line of blanks": ("prose", "a.txt", " " * 100_000),
    "expressions without an end": ("docs", "a.mdx", "{/*" * 33_000),
    "templates in templates": ("docs", "a.mdx", "{" + "`${" * 33_000),
    "fences without an end": ("docs", "a.mdx", "~~~a\n" * 20_000),
    "code spans": ("docs", "a.md", "`a`" * 33_000),
    "back quotes of every length": ("docs", "a.md", " ".join("`" * n for n in range(1, 440))),
    "quotes behind backslashes": ("docs", "a.mdx", "export const a = {" + '"\\' * 50_000),
    "keys": ("docs", "a.mdx", "export const a = {" + "a" * 100_000 + "}"),
    "text between tags": ("docs", "a.mdx", "export const a = [<b>" + "b" * 100_000 + "{}]"),
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_a_document_is_read_in_time_that_grows_with_its_size(shape: str) -> None:
    kind, path, text = HOSTILE[shape]
    most_s = cpu_seconds(MOST_S_A_100_KB * len(text) / 100_000 + 0.1)
    took_s = most_s
    for _ in range(5):  # the least of them: what else the process does is not the text's
        if took_s < most_s:
            break
        began = time.process_time()
        try:
            list(chunk_document(Document(path, text, kind, {"path": path})))
            page_title(text, path)
        except SourceError:
            pass  # reading ended, and said why
        took_s = min(took_s, time.process_time() - began)
    assert took_s < most_s
