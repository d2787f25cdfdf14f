"""The list of third-party licences holds what is shipped and used."""

from __future__ import annotations

import re

from infra.packaging.licenses import LISTED, PARTS, locked_names, stated_license
from tests.support.tree import ROOT

# Locked for other platforms than the one that the list was written on.
ELSEWHERE = {"colorama", "pywin32", "httpx2-jsfetch"}


def test_every_locked_package_is_listed_with_a_licence() -> None:
    text = (ROOT / LISTED).read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", text, re.MULTILINE))
    locked = {name for _, lock in PARTS for name in locked_names(ROOT / lock)}
    assert locked - ELSEWHERE - set(listed) == set()
    assert all(licence.strip() for licence in listed.values())


def test_the_model_is_listed() -> None:
    assert "all-MiniLM-L6-v2 | Apache-2.0" in (ROOT / LISTED).read_text(encoding="utf-8")


def test_a_package_states_its_licence() -> None:
    assert stated_license("numpy").startswith("BSD-3-Clause")
    assert stated_license("pytest") == "MIT"
