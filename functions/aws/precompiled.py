"""What Python compiles while a function starts, compiled when the archives are made: a seventh of a start's CPU.

dataclasses writes the methods of its classes as text, typing reads annotations that are text, collections writes the
constructors of named tuples, and re makes code of patterns. `write_precompiled` imports what functions import and keeps
all of that; `take_precompiled` has it taken from there. It is found by the text that it was made of, so what is missing
or has changed is compiled as ever, and a file that another Python wrote is left alone.
"""

from __future__ import annotations

import builtins
import collections
import importlib
import importlib.util
import marshal
from pathlib import Path

TYPE_CHECKING = False
"""As in typing, which is not imported before what it compiles can be taken."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_engine: Any = importlib.import_module("_sre")

FILE = Path(__file__).with_name("precompiled.bin")
MADE_BY = importlib.util.MAGIC_NUMBER + _engine.MAGIC.to_bytes(4, "little")
HANDLERS = ("query", "answer", "memory", "jobs")
LATER = (
    "quire.adapters.s3",
    "quire.adapters.s3_reader",
    "quire.adapters.dynamo",
    "quire.index.usearch",
    "functions.app.llms",
)
"""What only some functions import, or only with the first request; the faces besides."""

Text = tuple[str, str]
"""Mode ("exec" or "eval") and text of some code."""
Pattern = tuple[str | bytes, int]
"""A pattern as it is written, and flags. It is kept as what `_sre.compile` takes."""


def take_precompiled(file: Path = FILE) -> None:
    """Have the modules that compile at import take from the file what it has; without a file nothing changes."""
    held = file.read_bytes() if file.exists() else b""
    if not held.startswith(MADE_BY):
        return
    # Values stay packed until they are asked for: one function asks for a third of them.
    kept = marshal.loads(held[len(MADE_BY) :])  # noqa: S302  as trusted as the bytecode beside it

    def known(key: Text | Pattern) -> Any:
        packed = kept.get(key)
        return marshal.loads(packed) if packed else None  # noqa: S302

    _serve(known, known)


def write_precompiled(file: Path) -> None:
    """Import what functions import, and keep what was compiled meanwhile. The same imports give the same bytes."""
    made: dict[Text | Pattern, Any] = {}

    def compiled(key: Text) -> Any:
        return made.setdefault(key, _compile(key[1], key[0]))

    def pattern(key: Pattern) -> Any:
        return made.setdefault(key, _pattern(*key))

    _serve(compiled, pattern)
    for name in HANDLERS:
        importlib.import_module(f"functions.{name}")
    import pkgutil

    faces = importlib.import_module("functions.faces")
    for name in (*LATER, *(one.name for one in pkgutil.walk_packages(faces.__path__, "functions.faces."))):
        importlib.import_module(name)
    # Format 2, since later ones depend on what else refers to a value.
    kept = {key: marshal.dumps(made[key], 2) for key in sorted(made, key=repr)}
    file.write_bytes(MADE_BY + marshal.dumps(kept, 2))


def _serve(code_of: Callable[[Text], Any], pattern_of: Callable[[Pattern], Any]) -> None:
    """Stand between the four modules and the compilers, by names that the modules would find among the builtins."""
    compile_pattern = _compiler.compile

    def compiled(text: str, name: str, mode: str) -> CodeType:
        known = code_of((mode, text)) if name == "<string>" else None
        return known or builtins.compile(text, name, mode, dont_inherit=True)

    def executed(text: str, *places: dict[str, Any]) -> None:
        exec(code_of(("exec", text)) or text, *places)  # noqa: S102  what the module would do itself

    def evaluated(text: str, *places: dict[str, Any]) -> Any:
        return eval(code_of(("eval", text)) or text, *places)  # noqa: S307

    def pattern(text: Any, flags: int = 0) -> Any:
        known = pattern_of((text, int(flags))) if type(text) in (str, bytes) else None
        return _engine.compile(*known) if known else compile_pattern(text, flags)

    vars(collections)["eval"] = evaluated
    _compiler.compile = pattern
    # They import each other's and more named tuples and patterns.
    vars(importlib.import_module("typing"))["compile"] = compiled
    vars(importlib.import_module("dataclasses"))["exec"] = executed


def _compile(text: str, mode: str) -> CodeType:
    code: CodeType = builtins.compile(text, "<string>", mode, dont_inherit=True)
    return code


def _pattern(text: str | bytes, flags: int) -> tuple[Any, ...]:
    """As `re._compiler.compile` does it, in plain numbers."""
    parsed = _parser.parse(text, flags)
    code = [int(one) for one in _compiler._code(parsed, flags)]
    groups = parsed.state.groupdict
    names: list[str | None] = [None] * parsed.state.groups
    for name, number in groups.items():
        names[number] = name
    return text, int(flags | parsed.state.flags), code, parsed.state.groups - 1, dict(groups), tuple(names)
