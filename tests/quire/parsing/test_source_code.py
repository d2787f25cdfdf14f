from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.languages import GRAMMARS, open_grammar
from quire.parsing.outline import Definition
from quire.parsing.source_code import parse_source
from tests.support.code_samples import SAMPLES, Sample
from tests.support.outlines import assert_apart

LONG = 2000


def described(definitions: tuple[Definition, ...], holder: str = "") -> Iterator[str]:
    for definition in definitions:
        name = holder + definition.names[0]
        doc = f" | {definition.doc}" if definition.doc else ""
        yield f"{name}: {definition.kind} {definition.start_line}-{definition.end_line}{doc}"
        yield from described(definition.members, name + ".")


def test_every_grammar_has_a_sample() -> None:
    assert {sample.language for sample in SAMPLES} == set(GRAMMARS)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_an_outline_finds_what_a_file_defines_with_its_lines_and_comments(sample: Sample) -> None:
    outline = parse_source(sample.text, sample.language, long=LONG)
    assert tuple(described(outline.definitions)) == sample.finds


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_an_outline_finds_the_names_that_a_file_refers_to(sample: Sample) -> None:
    outline = parse_source(sample.text, sample.language, long=LONG)
    assert sample.calls <= {name for _, name in outline.references}
    lines = sample.text.split("\n")
    assert all(name in lines[line - 1] for line, name in outline.references)


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_the_tables_name_nodes_that_the_grammar_has(language: str) -> None:
    opened = open_grammar(language)
    known = opened.parser.language
    missing = [kind for kind in opened.grammar.kinds if known.id_for_node_kind(kind, True) is None]
    # JavaScript's and TypeScript's tables, and Lua's and Luau's, are shared: each lacks a node of the other's.
    assert set(missing) <= {"field_definition", "type_definition"}


def test_several_names_of_one_declaration_are_all_kept() -> None:
    outline = parse_source("package a\n\nvar (\n\tX = 1\n\tY = 2\n)\n", "go", long=LONG)
    assert outline.definitions[0].names == ("X", "Y")


def test_the_file_has_its_own_words_and_package() -> None:
    python = parse_source('#!/usr/bin/env python\n"""Says hello."""\nx = 1\n', "python", long=LONG)
    java = parse_source(
        "/* Copyright 2020 */\n/* Says hello. */\npackage org.a;\nclass A {}\n", "java", long=LONG
    )
    php = parse_source("<?php\nnamespace Shop\\Basket;\n", "php", long=LONG)
    assert (python.doc, java.doc, java.package, php.package) == (
        "Says hello.",
        "Says hello.",
        "org.a",
        "Shop.Basket",
    )


def test_only_long_functions_show_what_is_defined_inside() -> None:
    inner = "    def inner():\n        return 1\n"
    short = f"def outer():\n{inner}    local = 2\n"
    long = short + "    print('a sentence that fills the function')\n" * 60
    assert parse_source(short, "python", long=LONG).definitions[0].members == ()
    [member] = parse_source(long, "python", long=LONG).definitions[0].members
    assert member.names == ("inner",)


def test_statements_of_a_long_function_may_be_cut_at_the_shallowest_first() -> None:
    body = "".join(f"    if x{n}:\n        call_number({n})\n        another({n})\n" for n in range(100))
    cuts = dict(parse_source(f"def long():\n{body}", "python", long=LONG).cuts)
    assert all(2 + 3 * n in cuts for n in range(100))
    assert cuts[5] < 9
    assert 4 not in cuts


def test_a_broken_file_still_shows_what_can_be_read() -> None:
    text = "def fine():\n    return 1\n\ndef broken():\n    x = = 2\n\nclass Also:\n    pass\n"
    names = {definition.names[0] for definition in parse_source(text, "python", long=LONG).definitions}
    assert {"fine", "Also"} <= names


@given(st.sampled_from(SAMPLES), st.data())
def test_any_damage_leaves_definitions_inside_the_file_and_apart(sample: Sample, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(sample.text)))
    noise = data.draw(st.text("(){}[];:'\"\\\n\t x=#/*é\x00\r", max_size=12))
    text = sample.text[:cut] + noise + sample.text[cut:]
    outline = parse_source(text, sample.language, long=40)
    assert_apart(outline.definitions, 1, text.count("\n") + 1)
    assert list(outline.cuts) == sorted(outline.cuts)


def outline_of(text: str, language: str) -> tuple[str, ...]:
    return tuple(described(parse_source(text, language, long=LONG).definitions))


def test_a_field_of_c_sharp_is_called_by_its_name_and_not_by_its_type() -> None:
    text = "class Store\n{\n    readonly Clock _clock, _spare;\n    int Size => 1;\n}\n"
    assert outline_of(text, "c_sharp")[:2] == ("Store: class 1-5", "Store._clock: variable 3-3")
    assert parse_source(text, "c_sharp", long=LONG).definitions[0].members[0].names == ("_clock", "_spare")


def test_two_heads_of_one_method_leave_its_class_whole() -> None:
    text = (
        "class Store\n{\n#if SPAN\n    public int Read(Span a)\n#else\n    public int Read(string a)\n#endif\n"
        "    {\n        return 1;\n    }\n\n    void Close() { }\n}\n"
    )
    assert outline_of(text, "c_sharp") == (
        "Store: class 1-13",
        "Store.Read: method 4-10",
        "Store.Close: method 12-12",
    )


def test_what_a_block_of_ruby_or_an_enum_of_java_defines_is_found() -> None:
    ruby = "begin\n  class Adapter\n    def push; end\n  end\nrescue LoadError\nend\n"
    assert outline_of(ruby, "ruby") == ("Adapter: class 2-4", "Adapter.push: method 3-3")
    java = (
        "enum Policy {\n  PLAIN, UPPER;\n\n  static String apply(String name) {\n    return name;\n  }\n}\n"
    )
    assert outline_of(java, "java") == ("Policy: enum 1-7", "Policy.apply: method 4-6")


def test_a_comment_between_a_head_and_its_body_belongs_to_what_comes_first() -> None:
    ruby = "module Shop\n  # Holds what one wants.\n  class Basket\n    # Adds one.\n    def add\n    end\n  end\nend\n"
    python = "class Basket:\n    # Adds one.\n    def add(self):\n        pass\n"
    outline = parse_source(ruby, "ruby", long=LONG)
    assert tuple(described(outline.definitions)) == (
        "Shop: module 1-8",
        "Shop.Basket: class 2-7 | Holds what one wants.",
        "Shop.Basket.add: method 4-6 | Adds one.",
    )
    assert tuple(described(parse_source(python, "python", long=LONG).definitions))[1] == (
        "Basket.add: method 2-4 | Adds one."
    )


def test_what_is_said_to_an_interpreter_does_not_document_a_file() -> None:
    text = "# frozen_string_literal: true\n\n# Sells baskets.\n\nmodule Shop\nend\n"
    assert parse_source(text, "ruby", long=LONG).doc == "Sells baskets."


@pytest.mark.parametrize(
    ("language", "text", "finds"),
    [
        (
            "ruby",
            'RSpec.describe Basket, "#add" do\n  it "adds one" do\n    add\n  end\n\n  it { add }\nend\n',
            ("Basket #add: test 1-7", "Basket #add.adds one: test 2-4"),
        ),
        (
            "typescript",
            """\
describe('basket', () => {
  it.each(rows)(`adds one`, async () => {
    add()
  })
  it('is planned')
})
""",
            ("basket: test 1-6", "basket.adds one: test 2-4"),
        ),
        (
            "elixir",
            """\
defmodule BasketTest do
  describe "add/1" do
    test "adds one", %{a: a} do
      a
    end
  end
end
""",
            ("BasketTest: module 1-7", "BasketTest.add/1: test 2-6", "BasketTest.add/1.adds one: test 3-5"),
        ),
        (
            "cpp",
            'TEST_CASE("adds one", "[basket]")\n{\n  add();\n}\nTEST_F(Basket, AddsTwo) {\n  add();\n}\n',
            ("adds one: test 1-4", "Basket.AddsTwo: function 5-7"),
        ),
    ],
)
def test_a_test_is_called_by_its_title(language: str, text: str, finds: tuple[str, ...]) -> None:
    assert tuple(described(parse_source(text, language, long=1).definitions)) == finds


def test_a_method_that_is_called_like_a_macro_of_tests_is_a_method() -> None:
    outline = parse_source("def context\n  1\nend\n", "ruby", long=LONG)
    assert tuple(described(outline.definitions)) == ("context: function 1-3",)
