"""A small invented engine: an API dump and the reference that belongs to it, in the form of the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.engine_pages import PAGES

HEAD = "# Written by a test.\n\n"


def primitive(name: str) -> dict[str, str]:
    """A type of the dump."""
    return {"Category": "Primitive", "Name": name}


def member(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A member of the dump with what its kind must have."""
    both = {"Read": "None", "Write": "None"} if kind == "Property" else "None"
    raw: dict[str, Any] = {"MemberType": kind, "Name": name, "Security": both, "ThreadSafety": "Unsafe"}
    if kind == "Property":
        raw |= {"Category": "Data", "Default": "0", "ValueType": primitive("float")}
    else:
        raw |= {"Parameters": []}
    if kind in {"Function", "Callback"}:
        raw |= {"ReturnType": primitive("null")}
    return {**raw, **more}


def engine_class(name: str, superclass: str, members: list[Any], *tags: str) -> dict[str, Any]:
    """A class of the dump."""
    raw: dict[str, Any] = {
        "Name": name,
        "Superclass": superclass,
        "Members": members,
        "MemoryCategory": "Instances",
    }
    return {**raw, "Tags": list(tags)} if tags else raw


DUMP: dict[str, Any] = {
    "Version": 1,
    "Classes": [
        engine_class(
            "Thing", "<<<ROOT>>>", [member("Property", "Name", ValueType=primitive("string"), Default="")]
        ),
        engine_class(
            "Boat",
            "Thing",
            [
                member("Property", "TopSpeed", Default="12.100000001"),
                member(
                    "Function",
                    "SailTo",
                    Parameters=[
                        {"Name": "harbour", "Type": {"Category": "Class", "Name": "Thing"}},
                        {"Name": "slowly", "Type": primitive("bool"), "Default": "false"},
                    ],
                    ReturnType={"Category": "DataType", "Name": "Instances"},
                    Tags=["Yields"],
                ),
                member(
                    "Function",
                    "sailTo",
                    Tags=["Deprecated", {"PreferredDescriptorName": "SailTo", "ThreadSafety": "Unknown"}],
                ),
                member("Event", "Sunk", Security="RobloxScriptSecurity"),
                member("Callback", "OnHail"),
            ],
        ),
        engine_class("Dinghy", "Boat", []),
        engine_class("HarbourService", "Thing", [], "NotCreatable", "Service"),
        engine_class("Wind", "Thing", []),
    ],
    "Enums": [
        {
            "Name": "Wind",
            "Items": [
                {"Name": "Calm", "Value": 0},
                {"Name": "FreshBreeze", "Value": 5, "LegacyNames": ["Brisk"]},
                {"Name": "Gale", "Value": 8, "Tags": ["Deprecated"]},
            ],
        }
    ],
}


def write_engine(folder: Path, dump: object = DUMP, pages: dict[str, str] | None = None) -> tuple[Path, Path]:
    """Write dump, version and reference below the folder; the paths to give to the readers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Full-API-Dump.json").write_text(json.dumps(dump), encoding="utf-8")
    (folder / "version.txt").write_text("0.1.2.3\n", encoding="utf-8")
    for name, text in (PAGES if pages is None else pages).items():
        file = folder / "docs" / "content" / "en-us" / "reference" / "engine" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEAD + text, encoding="utf-8")
    return folder, folder / "docs"
