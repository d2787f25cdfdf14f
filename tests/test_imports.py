"""Who may import whom (ARCHITECTURE.md section 4), read from the code and from running interpreters."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.imports import violations
from tests.support.tree import ROOT, module_name, python_files

SHIPPED = python_files("layers/core/python", "build_index", "functions", "infra")
HANDLERS = [
    path
    for path in python_files("functions")
    if path.parent == Path("functions") and path.stem not in {"cli", "__init__"}
]


def test_a_module_imports_what_its_folder_may() -> None:
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in SHIPPED}
    found = {str(path): violations(text, module_name(path)) for path, text in texts.items()}
    assert {path: said for path, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("quire.search.retrieval", "import onnxruntime"),
        ("quire.search.retrieval", "from quire.adapters import folder"),
        ("quire.search.retrieval", "from quire import adapters"),
        ("quire.search.retrieval", "from .adapters import folder"),
        ("quire.search.retrieval", "from quire.answering import answerer"),
        ("quire.search.retrieval", "import functions.web"),
        ("quire.search.retrieval", "def f():\n    import boto3"),
        ("quire.index.opened", "from quire.search.query import Question"),
        ("quire.index.opened", "from quire.store.store import SegmentStore"),
        ("quire.ranking", "from quire.index.opened import OpenedIndex"),
        ("quire.adapters.s3", "import boto3\nimport usearch"),
        ("quire.adapters.s3", "from quire.store.keys import segment_key"),
        ("quire.adapters.gemini", "from google import genai"),
        ("quire.parsing.markdown", "import markdown_it\nimport tree_sitter"),
        ("quire.parsing.markdown", "from quire.chunking import markdown"),
        ("build_index.pipeline.pipeline", "from functions.web import replies"),
        ("build_index.pipeline.pipeline", "import fastapi"),
        ("functions.faces.roblox.routes", "from functions.faces.native import contract"),
        ("functions.faces.roblox.routes", "from functions.app.wiring import service"),
        ("functions.faces.roblox.routes", "from quire.adapters import folder"),
        ("functions.app.app", "from quire.adapters import folder"),
        ("functions.query", "import build_index"),
        ("functions.cli", "import infra.app"),
        ("infra.app", "from quire.search.retrieval import retrieve"),
        ("infra.app", "import functions.query"),
        ("infra.app", "import boto3"),
        ("quire.search.retrieval", "from tests.support import shared"),
    ],
)
def test_a_forbidden_import_is_found(name: str, source: str) -> None:
    assert violations(source, name) != []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("quire.search.retrieval", "import json\nimport numpy as np\nfrom quire.errors import InputError"),
        ("quire.search.retrieval", "from quire.index.opened import OpenedIndex"),
        ("quire.adapters.s3", "import boto3\nfrom botocore.exceptions import ClientError"),
        ("quire.adapters.gemini", "def open_model():\n    from google import genai"),
        ("quire.parsing.source_code", "import tree_sitter\nimport tree_sitter_python"),
        ("quire.index.usearch", "import usearch.index"),
        ("build_index.pipeline.pipeline", "import yaml\nfrom quire.adapters import folder"),
        ("functions.faces.roblox.routes", "from fastapi import APIRouter\nfrom functions.web import replies"),
        ("functions.app.wiring", "from quire.adapters import folder"),
        ("functions.cli", "from build_index import pipeline\nfrom quire.adapters import folder"),
        ("infra.app", "import aws_cdk\nfrom quire.collections import read_collections"),
        ("quire.ports", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import onnxruntime"),
    ],
)
def test_an_allowed_import_is_let_pass(name: str, source: str) -> None:
    assert violations(source, name) == []


@cache
def _loaded_after(*modules: str) -> list[str]:
    """Names in `sys.modules`, oldest first, after a fresh interpreter imported the modules."""
    script = f"import sys, {', '.join(modules)}; print('\\n'.join(sys.modules))"
    paths = ":".join((str(ROOT), str(ROOT / "layers/core/python")))
    run = subprocess.run(
        (sys.executable, "-c", script),
        cwd=ROOT,
        env={"PYTHONPATH": paths, "PATH": "", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def _started(path: Path) -> list[str]:
    """What a handler loads, and after it the index that a query may need."""
    return _loaded_after(module_name(path), "quire.index.usearch")


@pytest.mark.parametrize("path", HANDLERS, ids=str)
def test_a_handler_starts_without_the_answer_models_library(path: Path) -> None:
    assert "google.genai" not in _started(path)


@pytest.mark.parametrize("path", HANDLERS, ids=str)
def test_onnxruntime_is_loaded_before_usearch(path: Path) -> None:
    loaded = _started(path)
    assert loaded.index("onnxruntime") < loaded.index("usearch")


def test_the_core_starts_without_any_vendor() -> None:
    loaded = {name.split(".")[0] for name in _loaded_after("quire.search.retrieval")}
    assert not loaded & {"onnxruntime", "tokenizers", "usearch", "boto3", "fastapi", "google"}


def test_what_cuts_files_starts_without_numpy() -> None:
    assert "numpy" not in _loaded_after("build_index.pipeline.preparing")


def test_a_build_reads_files_before_it_loads_the_model_chunkers_and_what_calibrates() -> None:
    loaded = set(_loaded_after("build_index.wiring", "build_index.pipeline.folder_job"))
    assert not loaded & {
        "onnxruntime",
        "tokenizers",
        "quire.chunking",
        "markdown_it",
        "quire.answering.findings",
    }
