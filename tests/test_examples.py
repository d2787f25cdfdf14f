"""The examples in the docstrings of what is shipped hold."""

from __future__ import annotations

import doctest
import importlib

from tests.support.tree import ROOT, module_name, python_files

SHIPPED = python_files("layers/core/python", "build_index", "functions", "infra")
SHOWING = [path for path in SHIPPED if ">>> " in (ROOT / path).read_text(encoding="utf-8")]


def test_the_examples_in_docstrings_hold() -> None:
    found = {name: doctest.testmod(importlib.import_module(name)) for name in map(module_name, SHOWING)}
    assert {name: told for name, told in found.items() if told.failed or not told.attempted} == {}
