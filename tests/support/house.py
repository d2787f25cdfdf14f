"""The house rules that no linter knows, as a function from a file's source to what breaks them.

Comments left to do, missing docstrings, broad handlers and complexity are ruff's, see `pyproject.toml`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

OWN_PATCH = re.compile(
    r"""patch(?:\.object)?\(\s*["']?(?:quire|functions|build_index|infra)\b|mock[.]patch|[M]agicMock"""
)
MOST_PUBLIC_METHODS = 12
ASSERTING = re.compile(r"^(assert|check|verify)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def broken_rules(source: str, *, shipped: bool) -> list[str]:
    """What breaks the rules, with line numbers; files that are not `shipped` are tests and have rules of their own."""
    tree = ast.parse(source)
    further = _large_classes(tree) if shipped else _in_tests(tree, source)
    return [*_everywhere(tree), *further]


def _everywhere(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node):
            yield f"line {node.lineno}: raises NotImplementedError"


def _large_classes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            public = [one for one in node.body if isinstance(one, Function) and one.name[0] != "_"]
            if len(public) > MOST_PUBLIC_METHODS:
                yield f"line {node.lineno}: {node.name} has {len(public)} public methods, wanted {MOST_PUBLIC_METHODS}"


def _in_tests(tree: ast.Module, source: str) -> Iterator[str]:
    yield from (
        f"line {number}: patches our own code"
        for number, line in enumerate(source.splitlines(), 1)
        if OWN_PATCH.search(line)
    )
    for node in ast.walk(tree):
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
