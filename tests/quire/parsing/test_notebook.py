"""Notebooks as people save them, whatever their schema says."""

from __future__ import annotations

import json

import pytest


def test_a_notebook_that_does_not_follow_its_schema_is_read_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from quire.parsing.notebook import notebook_cells  # 2 s of CPU, for each process that collects tests

    cell = {"cell_type": "markdown", "id": "of a later version", "metadata": {}, "source": "# Pumps"}
    told = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    assert notebook_cells(json.dumps(told), "a.ipynb") == ["# Pumps"]
    assert caplog.text == ""
