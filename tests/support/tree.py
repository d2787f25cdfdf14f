"""The files of this checkout, for the tests that read the code itself."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = Path("layers/core/python")


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that git tracks or would track, relative to the root, sorted."""
    command = (
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    )
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = sorted({Path(name) for name in listing.split("\0") if name})
    return tuple(path for path in paths if (ROOT / path).is_file())


def python_files(*folders: str) -> list[Path]:
    """Python files, of `folders` alone where any are given."""
    return [
        path
        for path in project_files()
        if path.suffix == ".py" and (not folders or any(path.is_relative_to(folder) for folder in folders))
    ]


def module_name(path: Path) -> str:
    """The dotted name that a file of the checkout is imported by.

    >>> module_name(Path("layers/core/python/quire/store/__init__.py"))
    'quire.store'
    """
    inside = path.relative_to(CORE) if path.is_relative_to(CORE) else path
    return ".".join(inside.with_suffix("").parts).removesuffix(".__init__")


def complaints(
    check: Callable[[str], Sequence[object]], paths: Iterable[Path]
) -> dict[str, Sequence[object]]:
    """What the check finds in the text of each file where it finds something: one test for a rule, not one a file."""
    found = {str(path): check((ROOT / path).read_text(encoding="utf-8", errors="replace")) for path in paths}
    return {path: said for path, said in found.items() if said}


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of a source; several rules read the same one."""
    return ast.parse(source)


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Every node of the syntax tree of a source: to walk them is dearer than to read them, and several rules do."""
    return tuple(ast.walk(parsed(source)))
