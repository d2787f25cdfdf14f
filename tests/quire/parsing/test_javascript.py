from __future__ import annotations

import pytest

from quire.parsing.javascript import expression_end, literal, statement_end, visible_strings


@pytest.mark.parametrize(
    "expression",
    [
        "{}",
        "{a}",
        "{{b: 1}}",
        "{'}'}",
        '{"\\"}"}',
        "{`}${'}'}`}",
        "{/* } */ 1}",
        "{x // }\n}",
        "{[1, {y: (2)}]}",
        "{it's fine}",
        "{s.replace(/[}]/g, '')}",
    ],
)
def test_an_expression_ends_at_its_own_brace(expression: str) -> None:
    assert expression_end(expression + " } tail", 0) == len(expression)


def test_an_expression_that_is_never_closed_has_no_end() -> None:
    assert expression_end("{a {b}", 0) == -1


@pytest.mark.parametrize(
    "statement",
    [
        "export const a = 1;",
        "export const rows = [\n  'x',\n\n  'y',\n];",
        "export const line =\n  'left ' +\n  'right';",
        "export const show = (id) => {\n  const it = `${id}`;\n\n  return it;\n};",
        "export const find = /(`[^`]+`|[)])/g;",
        "export const chained = rows\n  .filter(Boolean)\n  .length;",
    ],
)
def test_a_statement_ends_where_javascript_would_end_it(statement: str) -> None:
    assert statement_end(statement + "\nProse follows.\n", 0) == len(statement)


@pytest.mark.parametrize(
    ("code", "value"),
    [("'a'", "a"), ('"b\\"c"', 'b"c'), ("`t`", "t"), ("a", None), ("'a' + 'b'", None), (" 'x' ", "x")],
)
def test_a_lone_string_is_its_value(code: str, value: str | None) -> None:
    assert literal(code) == value


def test_shown_strings_are_found_by_their_keys_and_by_reading_like_prose() -> None:
    code = """{
      id: 'quiz-1', className: 'a b c d e f',
      question: 'Why not?', options: ['Heat', 'Cost'], correct: 1,
      remark: 'Five words make some prose', image: '/a/b.png',
      body: (<p>Shown <b>too</b></p>), storyTitle: 'Ends in Title',
    }"""
    shown = {text.strip() for _, text in visible_strings(code)}
    assert shown == {
        "Why not?", "Heat", "Cost", "Five words make some prose", "Shown", "too", "Ends in Title",
    }  # fmt: skip


def test_offsets_of_shown_strings_point_at_them() -> None:
    code = "[{title: 'One'}, {title: `Two`}]"
    assert [(code[at + 1 : at + 4], text) for at, text in visible_strings(code)] == [
        ("One", "One"),
        ("Two", "Two"),
    ]
