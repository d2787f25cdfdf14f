"""No regular expression that reads what others wrote takes time that grows faster than its text."""

from __future__ import annotations

import importlib
import random
import re
import time
from pathlib import Path

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise
import pytest

from quire.answering.extractive.showing import plain_words
from quire.parsing.secret_forms import FORMS, SecretForm
from tests.support.attacks import Used, patterns_of, slow
from tests.support.tree import ROOT, module_name

CORE = "layers/core/python/quire"
PATTERNS = {
    f"{CORE}/answering/extractive/rst_text.py": "_LINK _FIELD _DIRECTIVE",
    f"{CORE}/answering/extractive/showing.py": "_TICKS _OPENING _CLOSING",
    f"{CORE}/parsing/secret_forms.py": "_KEY_BEGINS _KEY_BODY",
    "build_index/sources/roblox/api_text.py": "_FENCE_LINE _ROW _BREAK",
}
"""What is attacked, by file: one pattern can take seconds of CPU, so the others are to follow a few at a time."""


@pytest.mark.parametrize("path", PATTERNS)
def test_no_pattern_backtracks_more_than_its_text_grows(path: str) -> None:
    names = PATTERNS[path].split()
    found = patterns_of(ROOT / path, importlib.import_module(module_name(Path(path))))
    used = [one for one in found if one.where.rpartition(": ")[2] in names]
    assert len(used) == len(names)
    assert list(filter(None, map(slow, used))) == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.literal)
def test_no_form_of_a_secret_does(form: SecretForm) -> None:
    text = "".join((form.literal, "a1B_-" * 30, " ")) * 60
    took_s = []
    for _ in range(5):  # the least of them: what else the process does is not the pattern's
        began = time.process_time()
        sum(1 for _ in form.pattern.finditer(text))
        took_s.append(time.process_time() - began)
    assert min(took_s) < 1.0 * len(text) / 100_000


@pytest.mark.parametrize("pattern", [r"\s+$", r"<[^>]*x[^>]*y"])
def test_a_pattern_that_backtracks_is_found(pattern: str) -> None:
    assert slow(Used("here", re.compile(pattern), frozenset({"search"})))


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s++$", r"\n[^\n]*+"])
def test_one_that_does_not_is_let_pass(pattern: str) -> None:
    assert slow(Used("here", re.compile(pattern), frozenset({"search"}))) == ""


_SPANS = re.compile(
    r"""
    ^[ ]*(?P<fence>`{3,})[^\n]*\n.*?^[ ]*(?P=fence)[ \t]*$  # a fence, and the first line that closes it
    | (?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)       # code within a line
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
"""What code is, said as one pattern: right, but its time grows with the square of the text."""


def test_what_is_escaped_is_all_that_is_no_code() -> None:
    drawn = random.Random(16)
    for _ in range(3_000):
        text = "".join(drawn.choices(["`", "``", "```", "````", "\n", "\n```", " ", "a", "[1]"], k=14))
        code = [match[0] for match in _SPANS.finditer(text)]
        prose = _SPANS.sub("\0", text).replace("[1]", "\\[1]").split("\0")
        whole = "".join(one for pair in zip(prose, [*code, ""], strict=True) for one in pair)
        assert plain_words(text) == whole.strip("\n").rstrip(), text
