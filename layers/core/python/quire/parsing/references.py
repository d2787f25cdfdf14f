"""Cross references of the Roblox creator documentation, such as `Class.Part.Touched|Touched`, as readable names."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"(Class|Datatype|Enum|Library|Global)\.([A-Za-z_][^|]*?)(?:\|(.+))?\Z", re.DOTALL)
_IN_CODE = re.compile(r"`((?:Class|Datatype|Enum|Library|Global)\.[A-Za-z_][^`]*)`")
_GLOBALS = re.compile(r"(?:LuaGlobals|RobloxGlobals)\.")


def read_reference(code: str) -> str | None:
    """The readable form of a code span's content, keeping the identifier; None where it is no reference.

    >>> read_reference("Class.Constraint.Attachment0|Attachment0")
    'Constraint.Attachment0'
    >>> read_reference("Class.Part|Parts"), read_reference("Class.DataModel|game")
    ('Parts', 'game (DataModel)')
    """
    match = _REFERENCE.fullmatch(code.strip())
    if not match:
        return None
    kind, name, shown = match[1], match[2].strip(), (match[3] or "").strip()
    if kind == "Enum":
        name = f"Enum.{name}"
    elif kind == "Global":
        name = _GLOBALS.sub("", name)
    last = re.split(r"[.:]", name)[-1]
    if not shown or shown == last or shown.rstrip("()") == last.rstrip("()"):
        return name
    if kind == "Enum" and name.count(".") == 1 and shown.isidentifier():
        return f"{name}.{shown}"
    if shown in name:
        return name
    if shown.startswith(last.rstrip("()")):
        return name[: len(name) - len(last)] + shown
    return shown if name in shown else f"{shown} ({name})"


def read_references(text: str) -> str:
    """The text with the references in its code spans made readable."""
    return _IN_CODE.sub(lambda match: f"`{read_reference(match[1]) or match[1]}`", text)
