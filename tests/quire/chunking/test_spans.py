from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.chunking.spans import CODE, SECTIONS, Span, SpanSizes, cut_spans, read_lines
from quire.parsing.rst import parse_rst
from quire.parsing.source_code import parse_source
from tests.support.code_samples import SAMPLES, Sample

TINY = SpanSizes(whole=60, holder=40, small=20, merged=40)


def spans_of(text: str, language: str, sizes: SpanSizes = CODE) -> list[Span]:
    return cut_spans(parse_source(text, language, long=sizes.whole), read_lines(text), sizes)


def assert_follow_each_other(spans: list[Span], text: str) -> None:
    line = 1
    for span in spans:
        assert span.start_line == line
        assert span.end_line >= line
        line = span.end_line + 1
    assert line == len(read_lines(text).texts) + 1


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
@pytest.mark.parametrize("sizes", [CODE, SECTIONS, TINY], ids=["code", "sections", "tiny"])
def test_spans_hold_every_line_once(sample: Sample, sizes: SpanSizes) -> None:
    assert_follow_each_other(spans_of(sample.text, sample.language, sizes), sample.text)


@given(st.sampled_from(SAMPLES), st.data())
def test_spans_of_a_damaged_file_hold_every_line_once(sample: Sample, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(sample.text)))
    text = sample.text[:cut] + data.draw(st.text("(){}[];'\"\n\r\t x=#", max_size=20)) + sample.text[cut:]
    assert_follow_each_other(spans_of(text, sample.language, TINY), text)


@given(st.text(st.sampled_from("ab\n\n=- .:`"), min_size=1, max_size=300))
def test_spans_of_any_rst_hold_every_line_once(text: str) -> None:
    lines = read_lines(text)
    assert_follow_each_other(cut_spans(parse_rst(text), lines, TINY), text)


def test_a_function_up_to_the_limit_is_whole_and_a_longer_one_is_cut_between_statements() -> None:
    head = "def long():\n"
    block = "    if ready:\n        call_a_function()\n        call_another()\n"
    whole = head + block * 30
    assert len(whole) < CODE.whole
    assert [(span.start_line, span.end_line) for span in spans_of(whole, "python")] == [(1, 91)]
    parts = spans_of(head + block * 90, "python")
    assert len(parts) > 2
    assert {span.path for span in parts} == {("long",)}
    assert [bool(span.defines) for span in parts] == [True] + [False] * (len(parts) - 1)
    for part in parts[1:]:
        assert (part.start_line - 2) % 3 == 0


def test_a_large_class_gives_its_head_with_its_attributes_and_each_method() -> None:
    methods = "".join(
        f"    def method_{n}(self):\n" + "        self.do_something_that_takes_a_line()\n" * 20
        for n in range(3)
    )
    text = f'class Shop(Place):\n    """Sells."""\n\n    limit = 1\n    least = 2\n\n{methods}'
    spans = spans_of(text, "python")
    assert [span.kind for span in spans] == ["class", "method", "method", "method"]
    assert spans[0].defines == (("Shop",), ("Shop", "limit"), ("Shop", "least"))
    assert (spans[0].doc, spans[1].path) == ("Sells.", ("Shop", "method_0"))


def test_small_neighbours_are_joined_but_not_with_large_ones() -> None:
    small = "".join(f"def small_{n}():\n    return {n}\n\n" for n in range(3))
    large = "def large():\n" + "    do_something_that_takes_a_line()\n" * 20
    spans = spans_of(small + large, "python")
    assert [span.defines for span in spans] == [(("small_0",), ("small_1",), ("small_2",)), (("large",),)]


def test_blank_lines_and_closing_brackets_go_to_what_stands_before_them() -> None:
    body = "    return $this->something_that_takes_a_line();\n" * 30
    text = f"<?php\nclass A\n{{\n    function b()\n    {{\n{body}    }}\n}}\n\n\nfunction c()\n{{\n{body}}}\n"
    spans = spans_of(text, "php")
    starts = {span.path: span.start_line for span in spans}
    assert starts[("A", "b")] == 4
    assert starts[("c",)] == 40
    assert_follow_each_other(spans, text)
