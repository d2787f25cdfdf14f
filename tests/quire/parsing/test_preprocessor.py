from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.preprocessor import whole_branches, without_macros
from quire.parsing.source_code import parse_source


def shown(text: str) -> str:
    """The lines that are left, with a stroke between them."""
    return "|".join(line.strip() for line in whole_branches(text).split("\n") if line.strip())


@pytest.mark.parametrize(
    ("torn", "left"),
    [
        ("#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\nstop(); }", "if (a) {|stop(); }"),
        ("class A : B\n#if F\n, C\n#endif\n{ }", "class A : B|, C|{ }"),
        ("run(a,\n#if F\nb,\n#endif\nc);", "run(a,|b,|c);"),
        ("int f()\n#if F\n=> 1;\n#else\n;\n#endif\nint g;", "int f()|=> 1;|int g;"),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif', "int f();"),
        ("#if 0\nint f(a)\n#else\nint f(b)\n#endif\n{ }", "int f(b)|{ }"),
        ("#if A\n#if B\nint f(a)\n#else\nint f(b)\n#endif\n{ }\n#endif", "#if A|int f(a)|{ }|#endif"),
    ],
    ids=("block", "base", "argument", "body", "C++ alone", "cut out", "inner"),
)
def test_of_a_condition_that_tears_what_stands_around_it_one_branch_is_kept(torn: str, left: str) -> None:
    assert shown(torn) == left


@pytest.mark.parametrize(
    "whole",
    [
        "#if A\nint a;\n#else\nint b;\n#endif\nint c;",
        "#ifndef A\n#define A\n#endif\nvoid f() {\n#ifdef B\n  run(1);\n#endif\n}",
        "#ifdef A\nFOO(bar)\n#endif\nint c;",
        "#endif\n#else\n{",
        "no condition { at all",
    ],
)
def test_a_condition_around_whole_statements_stays(whole: str) -> None:
    assert whole_branches(whole) == whole


@given(
    st.lists(
        st.sampled_from(["#if A", "#else", "#elif B", "#endif", "{", "}", "f(a)", "f(", ");", "/*", '"']),
        max_size=14,
    )
)
def test_the_lines_stay_where_they_are(lines: list[str]) -> None:
    text = "\n".join(lines)
    made = whole_branches(text).split("\n")
    assert len(made) == max(len(lines), 1)
    assert all(after in ("", before) for before, after in zip(text.split("\n"), made, strict=True))


@pytest.mark.parametrize(
    "kept",
    [
        "enum E {\n  A_ONE,\n  A_TWO\n};",
        "int f()\nLIB_NOTHING\n{ }",
        "#define BOTH(x) \\\n  LIB_ONE(x)\nint f();",
        "MAX_PATH_T path = LIB_PATH;",
        "LIB_CHECK(a);\nLIB_MAX = 3;",
        "  if (a) LIB_LOG(b);\n  else if (b) LIB_STOP;",
        "#define LIB_ALL(x) LIB_EACH(x)",
        "enum LIB_KIND kind_of(int a) {",
    ],
)
def test_a_macro_that_says_something_stays(kept: str) -> None:
    assert without_macros(kept) == kept


@pytest.mark.parametrize(
    "head", ["static LIB_BOOL is_open", "static inline LIB_INT_32 is_open", "enum LIB_E is_open"]
)
def test_a_type_in_capitals_is_kept_before_a_function_of_c(head: str) -> None:
    (found,) = parse_source(
        f"{head}(int door) {{\n  if (door) LIB_LOG(door);\n  return 1;\n}}\n", "c", long=10
    ).definitions
    assert (found.kind, found.names) == ("function", ("is_open",))


def test_what_macros_stand_before_and_between_is_defined_by_its_own_name() -> None:
    text = """\
class LIB_API Shop : public Store {
    LIB_MEMBERS(Store, Shop)
    constexpr LIB_INLINE Shop(int a) : a_(a) {}
    LIB_NODISCARD int size() const LIB_NOEXCEPT { return 1; }
};
LIB_INLINE std::string Shop::name(int a) const {
    return "";
}
"""
    shop, name = parse_source(text, "cpp", long=10).definitions
    assert (shop.kind, shop.names, [one.names for one in shop.members]) == (
        "class",
        ("Shop",),
        [("Shop",), ("size",)],
    )
    assert [one.replace("::", ".") for one in name.names] == ["Shop.name"]


@given(
    st.lists(
        st.sampled_from(
            ["LIB_A", "LIB_B(x)", "int", "f(a)", "{", "}", ";", "const", "\n", "class", "#define", "\\"]
        )
    )
)
def test_without_macros_all_stands_where_it_stood(words: list[str]) -> None:
    text = " ".join(words)
    made = without_macros(text)
    assert len(made) == len(text)
    assert all(after in (" ", before) for before, after in zip(text, made, strict=True))
