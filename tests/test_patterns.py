"""No regular expression that reads what others wrote takes time that grows faster than its text."""

from __future__ import annotations

import random
import re
import time

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise
import pytest

from quire.answering.extractive.plain_words import plain_words
from quire.parsing.secret_forms import FORMS, SecretForm
from tests.support.attacks import BOUNDED, NOTED, NOTHING, Used, digest, product_patterns, slow
from tests.support.pace import takes_cpu_within

MADE_LATER = {
    "build_index/scan/phrases.py: self.written": "the phrases of the scan, which RE2 sieves first",
    "build_index/scan/phrases.py: written": "what `self.written` is given to",
    "build_index/scan/poison.py: words": "escaped words, some signs apart",
    "functions/app/plain.py: '|'.join(map(re.escape, sorted(stems, key=len, reverse=True)))": "escaped words",
    **{
        f"layers/core/python/quire/answering/extractive/definitions.py: {made}": "around a term, attacked in its test"
        for made in ("name", "form", "spelled")
    },
    "layers/core/python/quire/answering/extractive/entries.py: form.replace('NAME', re.escape(name))": (
        "around a name, attacked in its test"
    ),
    "layers/core/python/quire/answering/about_answers.py: form": "its table, over `LONGEST` characters",
    "layers/core/python/quire/answering/unmentioned.py: f'\\b{re.escape(word)}[ -]v?\\d'": "an escaped word",
    "layers/core/python/quire/answering/unmentioned.py: wording": "around escaped names, attacked in its test",
    "layers/core/python/quire/answering/section_kinds.py: said": "its table, over titles and questions",
    "layers/core/python/quire/answering/recalling.py: form": "its table, over `about_answers.LONGEST` characters",
    "layers/core/python/quire/answering/citations.py: f'^#+ {re.escape(heading)}$'": "an escaped heading",
    "layers/core/python/quire/analysis/word_forms.py: ending": "endings, of a word of at most `LONGEST`",
    r"layers/core/python/quire/parsing/anchors.py: f'[{re.escape(rules.separator)}\s]+'": "one class",
    r"layers/core/python/quire/parsing/markup.py: f'^[ \t>]*{mark[0]}{{{len(mark)},}}[ \t]*$'": "a line's fence",
    "layers/core/python/quire/parsing/secret_forms.py: pattern": "`FORMS`, tried below",
    "layers/core/python/quire/search/excerpts.py: '|'.join(map(re.escape, longest_first))": "escaped words",
    "layers/core/python/quire/search/intent.py: form": (
        "its tables, over the beginning of a question or a short one; around escaped words, over `PRODUCT_CHARACTERS`"
    ),
    "layers/core/python/quire/search/intent.py: pattern": "what `form` is given to",
}
"""Patterns that are made of what a function was given, and why none of them backtracks."""


@pytest.fixture(scope="module")
def patterns() -> list[Used]:
    return product_patterns()


def test_no_pattern_backtracks_more_than_its_text_grows(patterns: list[Used]) -> None:
    """Every one of the product; those that were attacked before are noted, `python -m tests.support.attacks` does."""
    noted = set(NOTED.read_text(encoding="utf-8").split())
    new = [one for one in patterns if one.pattern is not NOTHING and digest(one) not in noted]
    assert [found for one in new if (found := slow(one, BOUNDED.get(one.where, (0, ""))[0]))] == []


@pytest.mark.soak
def test_no_pattern_does_though_it_was_attacked_before(patterns: list[Used]) -> None:
    assert [found for one in patterns if (found := slow(one, BOUNDED.get(one.where, (0, ""))[0]))] == []


def test_what_is_said_of_single_patterns_is_said_of_such_as_there_are(patterns: list[Used]) -> None:
    assert {one.where for one in patterns if one.pattern is NOTHING} == set(MADE_LATER)
    assert set(BOUNDED) <= {one.where for one in patterns}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.literal)
def test_no_form_of_a_secret_does(form: SecretForm) -> None:
    text = "".join((form.literal, "a1B_-" * 30, " ")) * 60
    took_s = []
    for _ in range(5):  # the least of them: what else the process does is not the pattern's
        began = time.process_time()
        sum(1 for _ in form.pattern.finditer(text))
        took_s.append(time.process_time() - began)
    assert takes_cpu_within(min(took_s), 1.0 * len(text) / 100_000)


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
