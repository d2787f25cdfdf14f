"""Reads values of the API dump's raw JSON: types, defaults, tags, security; joins parameters with the reference's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from build_index.sources.roblox.api_describe import Parameter, list_names, show_default
from build_index.sources.roblox.reference_documents import read_parameters, read_returns
from build_index.sources.roblox.reference_page import ReferenceEntry

Raw: TypeAlias = Mapping[str, Any]

_LUAU_TYPES = {"null": "()", "bool": "boolean", "Instances": "List<Instance>", "CoordinateFrame": "CFrame"}
_OPEN = frozenset({"None", "PluginSecurity", "LocalUserSecurity"})
_REACHED_BY = {
    "PluginSecurity": "plugins and the command bar",
    "LocalUserSecurity": "the command bar and Roblox's own scripts",
    "RobloxScriptSecurity": "Roblox's own scripts only",
    "RobloxSecurity": "the engine only",
}
"""A word of the dump's security -> what it lets through."""


def is_named(raw: object) -> bool:
    """Whether it is an object with a name, as every entry of the dump must be."""
    return isinstance(raw, dict) and isinstance(raw.get("Name"), str) and bool(raw["Name"])


def read_tags(raw: Raw) -> tuple[str, ...]:
    """The tags that are plain words."""
    return tuple(tag for tag in raw.get("Tags") or () if isinstance(tag, str))


def read_preferred(raw: Raw) -> str:
    """The member of the same class to use instead; "" where the dump names none, or the entry itself."""
    named = (tag.get("PreferredDescriptorName") for tag in raw.get("Tags") or () if isinstance(tag, dict))
    preferred = next((str(name) for name in named if name), "")
    return "" if preferred == raw["Name"] else preferred


def read_security(raw: Raw) -> tuple[str, str]:
    """What may read and what may write it; a function, event or callback has one word for both.

    >>> read_security({"Security": "PluginSecurity"}), read_security({"Security": {"Read": "None", "Write": "X"}})
    (('PluginSecurity', 'PluginSecurity'), ('None', 'X'))
    """
    security = raw.get("Security")
    if isinstance(security, dict):
        return str(security.get("Read", "None")), str(security.get("Write", "None"))
    return str(security or "None"), str(security or "None")


def is_internal(raw: Raw) -> bool:
    """Whether neither game scripts nor plugins can reach it."""
    return read_security(raw)[0] not in _OPEN


def say_security(raw: Raw) -> Iterator[str]:
    """Who alone reaches a member that not every script does.

    >>> [*say_security({"Security": {"Read": "None", "Write": "PluginSecurity"}})]
    ['written by plugins and the command bar']
    """
    read, write = read_security(raw)
    if read in _REACHED_BY:
        yield f"for {_REACHED_BY[read]}"
    elif write in _REACHED_BY:
        yield f"written by {_REACHED_BY[write]}"


def read_facts(raw: Raw) -> tuple[str, ...]:
    """The boilerplate of a member, shortest form."""
    read, write = read_security(raw)
    same = f"{read} ({_REACHED_BY[read]})" if read in _REACHED_BY else read
    security = same if read == write else f"read {read}, write {write}"
    return (
        f"Security: {security}",
        f"Thread safety in parallel: {raw.get('ThreadSafety', 'Unknown')}",
        list_names("Tags", read_tags(raw)),
        list_names("Capabilities", _capabilities(raw.get("Capabilities"))),
        f"Category: {raw['Category']}" if raw.get("Category") else "",
    )


def show_type(raw: object) -> str:
    """A type as Luau writes it; several returned types are joined by commas.

    >>> show_type({"Category": "Enum", "Name": "Axis"}), show_type({"Category": "Primitive", "Name": "bool?"})
    ('Enum.Axis', 'boolean?')
    """
    if isinstance(raw, list):
        return ", ".join(show_type(one) for one in raw)
    if not isinstance(raw, dict):
        return "unknown"
    name = str(raw.get("Name", "unknown"))
    base, optional = name.removesuffix("?"), "?" if name.endswith("?") else ""
    return f"Enum.{name}" if raw.get("Category") == "Enum" else f"{_LUAU_TYPES.get(base, base)}{optional}"


def write_declaration(raw: Raw) -> str:
    """A member's name, parameters and types in the dump's own words, to compare versions by.

    >>> parameter = {"Name": "axis", "Type": {"Category": "Enum", "Name": "Axis"}, "Default": "X"}
    >>> write_declaration({"Name": "Turn", "Parameters": [parameter], "ReturnType": {"Name": "null"}})
    'Turn(axis: Enum.Axis = X): null'
    """
    text = str(raw["Name"])
    if isinstance(raw.get("Parameters"), list):
        text += f"({', '.join(map(_declare, raw['Parameters']))})"
    for key in ("ReturnType", "ValueType"):
        if key in raw:
            text += f": {_type_name(raw[key])}"
    default = raw.get("Default")
    return text if default is None else f"{text} = {default}"


def _declare(parameter: Raw) -> str:
    text = f"{parameter.get('Name')}: {_type_name(parameter.get('Type'))}"
    return f"{text} = {parameter['Default']}" if "Default" in parameter else text


def _type_name(raw: object) -> str:
    if isinstance(raw, list):
        return ", ".join(map(_type_name, raw))
    if not isinstance(raw, dict):
        return "unknown"
    return f"Enum.{raw.get('Name')}" if raw.get("Category") == "Enum" else str(raw.get("Name"))


def join_parameters(raw: Raw, entry: ReferenceEntry | None, owner: str) -> tuple[Parameter, ...]:
    """The dump's parameters, with the reference's summaries and its more exact types where the two agree in number."""
    own = [
        Parameter(
            str(value.get("Name", "")), show_type(value.get("Type")), show_default(value.get("Default"))
        )
        for value in raw.get("Parameters") or ()
        if isinstance(value, dict)
    ]
    told = read_parameters(entry, owner) if entry else ()
    if len(told) != len(own):
        return tuple(own)
    return tuple(
        Parameter(mine.name, _exact(mine.type, page.type), mine.default, page.summary)
        for mine, page in zip(own, told, strict=True)
    )


def join_returns(raw: Raw, entry: ReferenceEntry | None, owner: str) -> tuple[Parameter, ...]:
    """The returned values, told by the reference where it names them."""
    own = show_type(raw.get("ReturnType")) if "ReturnType" in raw else ""
    told = read_returns(entry, owner) if entry else ()
    if len(told) == 1:
        return (Parameter("", _exact(own, told[0].type), None, told[0].summary),)
    return told or ((Parameter("", own),) if own else ())


def _exact(mine: str, page: str) -> str:
    """The reference's type where it says more (`List<Wire>` for a list of instances), else the dump's."""
    plain = mine.removeprefix("Enum.")
    return mine if page in {"", plain, "Tuple", "Flyweight", f"Datatype.{mine}"} else page


def _capabilities(raw: object) -> Iterator[str]:
    if isinstance(raw, dict):
        raw = dict.fromkeys(name for names in raw.values() if isinstance(names, list) for name in names)
    if isinstance(raw, (list, dict)):
        yield from (str(name) for name in raw)
