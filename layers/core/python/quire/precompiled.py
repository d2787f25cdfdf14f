"""What Python compiles while a program starts, compiled once: a fifth of the CPU that a command takes to start.

dataclasses writes the methods of its classes as text, typing reads annotations that are text, collections writes the
constructors of named tuples, and re makes code of patterns. A program has all of that taken from a file, where it is
found by the text that it was made of: what is missing or has changed is compiled as ever. A file that another Python
wrote is left alone.

Functions have a file in their archive (`functions.aws.precompiled`). Other programs keep one as Python keeps bytecode:
beside the code, where one may write there. `python -m quire.precompiled MODULE` runs a module so.
"""

from __future__ import annotations

import builtins
import collections
import importlib
import importlib.util
import marshal
import os
import stat
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path

TYPE_CHECKING = False
"""As in typing, which is not imported before what it compiles can be taken."""

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_engine: Any = importlib.import_module("_sre")

Key = tuple[str | bytes, str | int]
"""A text and how it is compiled: as code in the mode "exec" or "eval", as a pattern with flags, which is kept as what
`_sre.compile` takes."""

MADE_BY = importlib.util.MAGIC_NUMBER + _engine.MAGIC.to_bytes(4, "little")
SUM = 4
"""Bytes of the checksum behind it: a disk may lose a part of what was written."""
FORMAT = 2
"""Of marshal: what later ones write of a value depends on what else refers to it."""
MOST = 16 << 20
"""Bytes of a file that is added to. What code does not have any more goes when it is begun anew."""
IMPORTING = "<frozen importlib._bootstrap>"
"""The file of functions that import, as their code tells it."""
LATER = "_compiled"
"""The name of functions that compile patterns of the code, and of nothing else, when they are first wanted."""


class Compiled:
    """What is kept in a file, packed until it is asked for: one program asks for a third of it."""

    def __init__(self, file: Path | None = None) -> None:
        self._packed: dict[int, memoryview | bytes] = {}
        if file:
            self._open(file)

    def _open(self, file: Path) -> None:
        try:
            held = memoryview(file.read_bytes())
            begin, body = len(MADE_BY) + SUM, held[len(MADE_BY) + SUM :]
            if held[:begin] == MADE_BY + zlib.crc32(body).to_bytes(SUM, "big"):
                self._packed = dict(_read(body))
        except (OSError, EOFError, ValueError, TypeError):
            pass  # without a file, or with half a one, all is compiled as ever

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, key: Key) -> Any:
        """What was made of the key; None where that is not known."""
        packed = self._packed.get(_number(key))
        if packed is None:
            return None
        of, made = marshal.loads(packed)  # noqa: S302  as trusted as the bytecode beside it
        return made if of == key else None

    def add(self, key: Key) -> Any:
        """Make it now."""
        made = _compile(key)
        self._packed.setdefault(_number(key), marshal.dumps((key, made), FORMAT))
        return made

    def update(self, other: Compiled) -> None:
        """Add what the other has."""
        self._packed |= other._packed

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return sum(map(len, self._packed.values()))

    def write(self, file: Path) -> None:
        """Write all to a file. The same values give the same bytes."""
        packed = sorted(self._packed.items())
        lengths = marshal.dumps([(number, len(value)) for number, value in packed], FORMAT)
        body = b"".join([len(lengths).to_bytes(4, "big"), lengths, *(value for _, value in packed)])
        file.write_bytes(MADE_BY + zlib.crc32(body).to_bytes(SUM, "big") + body)


def take(file: Path) -> None:
    """Have the modules that compile at import take from the file what it has; without a file nothing changes."""
    kept = Compiled(file)
    if kept:
        _serve(kept.get)


def note() -> Compiled:
    """Keep what the modules compile from now on."""
    noted = Compiled()
    _serve(lambda key: noted.get(key) or noted.add(key))
    return noted


@contextmanager
def compiled_once(file: Path | None = None) -> Iterator[None]:
    """Have what is compiled in the block taken from what programs kept, and keep of the code what they did not.

    Args:
        file: where; by default `kept_file()`.
    """
    file = file or kept_file()
    kept, new = Compiled(file), Compiled()
    may_write = _may_write(file)
    if kept or may_write:
        _serve(lambda key: kept.get(key) or (new.add(key) if may_write and _is_of_code() else None))
    try:
        yield
    finally:
        if new:
            _add(file, new)


def kept_file() -> Path:
    """Where programs keep it. Each release of Python has its own: what `re` makes of a pattern was mended in some."""
    beside = importlib.util.cache_from_source(__file__)
    return Path(beside).with_name(f"precompiled-{sys.hexversion:x}.bin")


def _add(file: Path, new: Compiled) -> None:
    """Write what is new and what others kept meanwhile."""
    others = Compiled(file)
    if others.size < MOST:
        new.update(others)
    work = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        new.write(work)
        work.replace(file)
    except OSError:  # a full disk costs the next start what this one took
        work.unlink(missing_ok=True)


def _may_write(file: Path) -> bool:
    """As Python keeps bytecode: where it is not told not to, into the folder that is there after an import.

    One that is read-only by its mode is left as it is by root too.
    """
    try:
        is_open = bool(file.parent.stat().st_mode & stat.S_IWUSR)
    except OSError:
        return False
    return not sys.dont_write_bytecode and is_open and os.access(file.parent, os.W_OK)


def _read(held: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The values by their numbers.

    Raises:
        ValueError, EOFError, TypeError: it is not what `write` writes.
    """
    place = 4 + int.from_bytes(held[:4], "big")
    for number, length in marshal.loads(held[4:place]):  # noqa: S302
        yield number, held[place : place + length]
        place += length
    if place != len(held):
        raise ValueError("torn")


def _number(key: Key) -> int:
    """A short name for a key. Where two have the same, one is compiled as ever."""
    text, how = key
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return len(data) << 32 | zlib.crc32(data, zlib.crc32(f"{type(text).__name__} {how}".encode()))


def _is_of_code() -> bool:
    """Whether what is compiled now stands in the code: others may have words of a question, which nobody is to keep."""
    frame = sys._getframe(2)
    while frame.f_back:
        frame = frame.f_back
        if frame.f_code.co_filename == IMPORTING or frame.f_code.co_name == LATER:
            return True
    return False


def _serve(made_of: Callable[[Key], Any]) -> None:
    """Stand between the four modules and the compilers, by names that the modules would find among the builtins."""
    compile_anew = _compiler.compile

    def compiled(text: str, name: str, mode: str) -> CodeType:
        known = made_of((text, mode)) if name == "<string>" else None
        return known or builtins.compile(text, name, mode, dont_inherit=True)

    def executed(text: str, *places: dict[str, Any]) -> None:
        exec(made_of((text, "exec")) or text, *places)  # noqa: S102  what the module would do itself

    def evaluated(text: str, *places: dict[str, Any]) -> Any:
        return eval(made_of((text, "eval")) or text, *places)  # noqa: S307

    def pattern(text: Any, flags: int = 0) -> Any:
        known = made_of((text, int(flags))) if type(text) in (str, bytes) else None
        return _engine.compile(*known) if known else compile_anew(text, flags)

    vars(collections)["eval"] = evaluated
    _compiler.compile = pattern
    # They import each other's and more named tuples and patterns.
    vars(importlib.import_module("typing"))["compile"] = compiled
    vars(importlib.import_module("dataclasses"))["exec"] = executed


def _compile(key: Key) -> Any:
    text, how = key
    if isinstance(how, str):
        return builtins.compile(text, "<string>", how, dont_inherit=True)
    return _compile_pattern(text, how)


def _compile_pattern(text: str | bytes, flags: int) -> tuple[Any, ...]:
    """As `re._compiler.compile` does it, in plain numbers."""
    parsed = _parser.parse(text, flags)
    code = [int(one) for one in _compiler._code(parsed, flags)]
    groups = parsed.state.groupdict
    names: list[str | None] = [None] * parsed.state.groups
    for name, number in groups.items():
        names[number] = name
    return text, int(flags | parsed.state.flags), code, parsed.state.groups - 1, dict(groups), tuple(names)


if __name__ == "__main__":
    import runpy

    del sys.argv[0]
    with compiled_once():
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
