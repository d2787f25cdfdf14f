"""Who may import whom: the table of ARCHITECTURE.md section 4, as a function from a module to what breaks it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.tree import parsed

OURS = frozenset({"quire", "build_index", "functions", "infra", "tests"})
ADAPTERS = "quire.adapters"
PARSING = "quire.parsing"
ARTIFACT = "quire.store"
WIRING = "functions.app.wiring"
ENTRIES = ("quire", "quire.entry")
"""The Python entry: the composition root of who imports Quire as a library."""
CLI = "functions.cli"
SERVERS = frozenset({"fastapi", "mangum", "starlette", "uvicorn"})
INFRA = frozenset({"aws_cdk", "constructs", "cdk_nag", "jsii"})
# Packages that one vendor ships apart: a module that knows one may know the others.
FAMILIES = {
    "botocore": "boto3",
    "mypy_boto3_dynamodb": "boto3",
    "mypy_boto3_s3": "boto3",
    "types_boto3": "boto3",
    "mdit_py_plugins": "markdown_it",
    "httpx2": "google",
}


@dataclass(frozen=True)
class Import:
    """One imported module, by its dotted name; `deferred` when it stands inside a function."""

    module: str
    line: int
    deferred: bool


def imports_of(source: str) -> list[Import]:
    """The imports of a module's source; what only a type checker sees is left out."""
    return list(_imports(parsed(source), deferred=False))


def _imports(node: ast.AST, *, deferred: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, deferred) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from _from_import(child, deferred=deferred)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            yield from _imports(ast.Module(child.orelse, []), deferred=deferred)
        elif not isinstance(child, ast.expr):  # no import stands in an expression, and most nodes do
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(child, deferred=deferred or inside)


def _from_import(node: ast.ImportFrom, *, deferred: bool) -> Iterator[Import]:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        yield Import(f"{module}.{alias.name}", node.lineno, deferred)


def under(module: str, package: str) -> bool:
    """Whether `module` is the package or lies in it.

    >>> under("quire.adapters.s3", "quire.adapters"), under("quire.adapted", "quire.adapters")
    (True, False)
    """
    return module == package or module.startswith(package + ".")


def vendor(module: str) -> str:
    """The vendor of an import from outside; "" for ours, numpy and the standard library."""
    top = module.split(".", maxsplit=1)[0]
    if top in OURS or top == "numpy" or top in sys.stdlib_module_names:
        return ""
    return "tree_sitter" if top.startswith("tree_sitter") else FAMILIES.get(top, top)


def violations(source: str, name: str) -> list[str]:
    """What the module `name` imports against the table, one line each."""
    imports = imports_of(source)
    found = [
        f"line {one.line}: {name} imports {one.module}: {why}"
        for one in imports
        if (why := _judge(name, one))
    ]
    if under(name, "quire"):
        vendors = sorted({vendor(one.module) for one in imports} - {""})
        if len(vendors) > 1:
            found.append(f"{name} knows {len(vendors)} vendors: {', '.join(vendors)}")
    return found


def _judge(name: str, one: Import) -> str:
    if one.module.startswith("."):
        return "imports are absolute"
    if under(one.module, "tests"):
        return "nothing imports the tests"
    if under(one.module, "google") and not one.deferred:
        return "google.genai is imported inside its factory only"
    for folder, judge in _FOLDERS:
        if under(name, folder):
            return judge(name, one.module)
    return f"{name} lies in no folder of the table"


_INSIDE_QUIRE = {
    "analysis": (),
    "parsing": ("analysis",),
    "chunking": ("analysis", "parsing"),
    "embedding": (),
    "index": ("analysis", "embedding"),
    "ingestion": ("analysis", "parsing", "chunking", "embedding", "index"),
    "store": ("index", "embedding"),
    "search": ("analysis", "index"),
    "answering": ("analysis", "index", "parsing", "search"),
    "service": (
        "analysis",
        "parsing",
        "chunking",
        "embedding",
        "index",
        "ingestion",
        "store",
        "search",
        "answering",
    ),
    "adapters": (),
}
"""Which folders of `quire` a folder may import, beside itself and the words in the root."""
_VENDORS = {
    "analysis": {"Stemmer"},
    "parsing": {"mammoth", "markdown_it", "pypdfium2", "selectolax", "tree_sitter", "yaml"},
    "embedding": {"onnxruntime", "tokenizers"},
    "index": {"usearch"},
}
"""Vendors of a folder, one a module; an adapter may know any one."""


def _folder(module: str) -> str:
    """The folder of `quire` that a module lies in; "" for the words in its root."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in _INSIDE_QUIRE else ""


def _judge_core(name: str, module: str) -> str:
    if name in ENTRIES and under(module, "quire"):
        return ""
    own = _folder(name)
    if under(module, "quire"):
        other = _folder(module)
        if not other or other == own:
            return ""
        return (
            ""
            if other in _INSIDE_QUIRE.get(own, ())
            else f"quire.{own or '(root)'} may not look into quire.{other}"
        )
    top = module.split(".", maxsplit=1)[0]
    if top in OURS:
        return f"the core knows nothing of {top}"
    known = vendor(module)
    if known and own != "adapters" and known not in _VENDORS.get(own, ()):
        return f"quire.{own or '(root)'} imports the standard library, numpy and quire"
    return ""


def _judge_build(_: str, module: str) -> str:
    if under(module, "functions") or under(module, "infra") or vendor(module) in SERVERS:
        return "a build needs no server"
    return "an answer model has no part in a build" if vendor(module) == "google" else ""


def _judge_face(name: str, module: str) -> str:
    own = ".".join(name.split(".")[:3])
    if under(module, ADAPTERS) or under(module, WIRING):
        return "a face gets what it needs from its request; wiring alone knows adapters"
    if under(module, "functions") and not under(module, "functions.web") and not under(module, own):
        return "a face imports functions.web and itself"
    return _judge_functions(name, module)


def _judge_functions(name: str, module: str) -> str:
    if under(module, "infra") or under(module, "build_index"):
        return "serving needs neither the build nor the infrastructure"
    if under(module, ADAPTERS) and name != WIRING:
        return f"{WIRING} is the only module in functions that knows adapters"
    return ""


def _judge_cli(_: str, module: str) -> str:
    return "the user's CLI knows nothing of the infrastructure" if under(module, "infra") else ""


def _judge_infra(_: str, module: str) -> str:
    if under(module, "infra") or under(module, "quire.collections") or under(module, "quire.errors"):
        return ""
    if module.split(".", maxsplit=1)[0] in OURS or (vendor(module) and vendor(module) not in INFRA):
        return "infra imports aws_cdk, constructs, quire.collections and itself"
    return ""


_FOLDERS = (
    ("quire", _judge_core),
    ("build_index", _judge_build),
    ("functions.faces", _judge_face),
    (CLI, _judge_cli),
    ("functions", _judge_functions),
    ("infra", _judge_infra),
)
