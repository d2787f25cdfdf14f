"""The house rules that no linter knows, as a function from a file's source to what breaks them.

Comments left to do, missing docstrings, broad handlers and complexity are ruff's, see `pyproject.toml`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.support.tree import nodes

OWN_PATCH = re.compile(
    r"""patch(?:\.object)?\(\s*["']?(?:quire|functions|build_index|infra)\b|mock[.]patch|[M]agicMock"""
)
MOST_PUBLIC_METHODS = 12
LONGEST_PLAIN_PATTERN = 60
ASSERTING = re.compile(r"^(assert|check|verify)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def broken_rules(source: str, *, shipped: bool) -> list[str]:
    """What breaks the rules, with line numbers; files that are not `shipped` are tests and have rules of their own."""
    further = _large_classes(source) if shipped else _in_tests(source)
    return [*_everywhere(source), *further]


def _everywhere(source: str) -> Iterator[str]:
    for node in nodes(source):
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node):
            yield f"line {node.lineno}: raises NotImplementedError"


def _large_classes(source: str) -> Iterator[str]:
    for node in nodes(source):
        if isinstance(node, ast.ClassDef):
            public = [one for one in node.body if isinstance(one, Function) and one.name[0] != "_"]
            if len(public) > MOST_PUBLIC_METHODS:
                yield f"line {node.lineno}: {node.name} has {len(public)} public methods, wanted {MOST_PUBLIC_METHODS}"


def _in_tests(source: str) -> Iterator[str]:
    yield from (
        f"line {number}: patches our own code"
        for number, line in enumerate(source.splitlines(), 1)
        if OWN_PATCH.search(line)
    )
    for node in nodes(source):
        if isinstance(node, Function) and node.name.startswith("test_") and not _asserts(node):
            yield f"line {node.lineno}: {node.name} asserts nothing"


def _asserts(function: Function) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "raises" or ASSERTING.match(called):
                return True
    return False


def unexplained_patterns(source: str) -> list[str]:
    """Long regular expressions that are not verbose, or say nothing in a comment."""
    found = []
    for node in nodes(source):
        if isinstance(node, ast.Call) and _is_compile(node.func):
            constants = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
            pattern, flags = "".join(map(str, constants)), "".join(map(ast.unparse, node.args[1:]))
            is_explained = "VERBOSE" in flags and "#" in pattern
            if len(pattern) > LONGEST_PLAIN_PATTERN and not is_explained:
                found.append(f"line {node.lineno}: a pattern of {len(pattern)} characters without comments")
    return found


def _is_compile(called: ast.expr) -> bool:
    """Whether it is `re.compile`."""
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "compile"
        and isinstance(called.value, ast.Name)
        and called.value.id == "re"
    )
