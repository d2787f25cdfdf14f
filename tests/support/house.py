"""The house rules that a reader would check by eye, as a function from a file's source to what breaks them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

MODULE_LINES = 250
FUNCTION_LINES = 40
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
OWN_PATCH = re.compile(
    r"""patch(?:\.object)?\(\s*["']?(?:quire|functions|build_index|infra)\b|mock[.]patch|[M]agicMock"""
)
ASSERTING = re.compile(r"^(assert|check|verify)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def broken_rules(source: str, *, shipped: bool, outermost: bool = False) -> list[str]:
    """What breaks the rules, with line numbers; files that are not `shipped` are tests and have rules of their own.

    `outermost` files hold the last handler above everything, which may catch everything.
    """
    tree = ast.parse(source)
    found = [f"line {number}: {comment}" for number, comment in _comments(source) if MARKS.search(comment)]
    found.extend(_everywhere(tree))
    if not outermost:
        found.extend(_broad_handlers(tree))
    return found + list(_in_shipped(tree, source) if shipped else _in_tests(tree, source))


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _lines(source: str) -> Iterator[tuple[int, str]]:
    return iter(enumerate(source.splitlines(), 1))


def _everywhere(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node):
            yield f"line {node.lineno}: raises NotImplementedError"


def _in_shipped(tree: ast.Module, source: str) -> Iterator[str]:
    if (lines := len(source.splitlines())) > MODULE_LINES:
        yield f"{lines} lines, {MODULE_LINES} are the limit"
    yield from _undocumented(tree, "the module")
    for node in ast.walk(tree):
        if isinstance(node, Function):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"line {node.lineno}: {node.name} has {lines} lines, {FUNCTION_LINES} are the limit"


def _broad_handlers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node):
            yield f"line {node.lineno}: catches everything"


def _is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether everything is caught and swallowed; translating it is allowed, as tokenizers raises bare `Exception`."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.cause is not None:
        return False
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        one is None or (isinstance(one, ast.Name) and one.id in {"Exception", "BaseException"})
        for one in caught
    )


def _undocumented(node: ast.Module | ast.ClassDef | Function, name: str) -> Iterator[str]:
    """The public definitions under `node`, itself included, that say nothing; what functions hold is their own."""
    if ast.get_docstring(node) is None:
        yield f"line {getattr(node, 'lineno', 1)}: {name} has no docstring"
    if isinstance(node, Function):
        return
    for child in node.body:
        if (
            isinstance(child, ast.ClassDef | Function)
            and not child.name.startswith("_")
            and not _is_overload(child)
        ):
            yield from _undocumented(child, child.name)


def _is_overload(node: ast.ClassDef | Function) -> bool:
    marks = {"overload", "setter", "override"}
    return any(getattr(one, "id", getattr(one, "attr", "")) in marks for one in node.decorator_list)


def _in_tests(tree: ast.Module, source: str) -> Iterator[str]:
    yield from (
        f"line {number}: patches our own code" for number, line in _lines(source) if OWN_PATCH.search(line)
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
