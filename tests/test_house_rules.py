"""STYLE's limits and taboos over every file of the checkout."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from quire.collections import read_collections
from quire.profiles import PROFILES
from tests.support.house import broken_rules, unexplained_patterns
from tests.support.tree import ROOT, complaints, nodes, project_files, python_files

TOP_LEVEL = frozenset(
    "functions infra build_index tests layers cdk.json pyproject.toml Makefile README.md LICENSE ARCHITECTURE.md "
    "CHANGELOG.md collections.toml".split()
)
SHIPPED = python_files("layers", "build_index", "functions", "infra")
TEXTS = [
    path
    for path in project_files()
    if path.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".json", ".txt", ""}
]
MACHINE_PATH = re.compile(r"(?<![\w.])/(" + "|".join(("work", "root", "opt/pypi")) + r")\b/?")
LOCKS = [path for path in project_files() if path.name in ("requirements.txt", "dask-requirements.txt")]
PIN = re.compile(r"^([a-z0-9][\w.-]*)==([^\s;]+)", re.MULTILINE)


def test_shipped_code_keeps_the_house_rules() -> None:
    assert complaints(partial(broken_rules, shipped=True), SHIPPED) == {}


def test_tests_keep_the_house_rules() -> None:
    others = [path for path in python_files("tests") if path.name != Path(__file__).name]
    assert complaints(partial(broken_rules, shipped=False), others) == {}


def test_a_long_pattern_is_verbose_and_explained() -> None:
    assert complaints(unexplained_patterns, SHIPPED) == {}


def test_a_long_pattern_without_comments_is_found() -> None:
    assert unexplained_patterns(f"import re\nA = re.compile('{'a' * 60}')") == []
    assert unexplained_patterns(f"import re\nA = re.compile('{'a' * 61}')") == [
        "line 2: a pattern of 61 characters without comments"
    ]
    assert unexplained_patterns(f"import re\nA = re.compile('{'a' * 61} # so', re.VERBOSE)") == []


def test_a_broken_rule_is_found_in_shipped_code() -> None:
    source = '"""Doc."""\ndef _f():\n    raise NotImplementedError'
    assert broken_rules(source, shipped=True) == ["line 3: raises NotImplementedError"]


def test_a_class_of_too_many_public_methods_is_found() -> None:
    methods = "".join(f"    def m{number}(self): pass\n" for number in range(13))
    assert broken_rules(f"class C:\n{methods}", shipped=True) == [
        "line 1: C has 13 public methods, wanted 12"
    ]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def test_nothing():\n    x = 1", "asserts nothing"),
        (
            "def test_a(monkeypatch):\n    with patch('quire.analysis.terms.analyze'):\n        assert True",
            "patches",
        ),
    ],
)
def test_a_broken_rule_is_found_in_a_test(source: str, complaint: str) -> None:
    assert any(complaint in one for one in broken_rules(source, shipped=False))


def test_a_class_name_stands_once_in_the_tree() -> None:
    """Contracts of faces are apart: each says what its own document calls things."""
    places: dict[str, list[str]] = {}
    for path in SHIPPED:
        if not path.is_relative_to("functions/faces"):
            for node in nodes((ROOT / path).read_text(encoding="utf-8")):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name.lstrip("_"), []).append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_the_top_level_holds_what_the_owner_chose() -> None:
    names = {path.parts[0] for path in project_files()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def test_no_file_names_a_path_of_one_machine() -> None:
    others = [path for path in TEXTS if path.name != Path(__file__).name]
    assert complaints(MACHINE_PATH.findall, others) == {}


@pytest.mark.parametrize("path", LOCKS, ids=str)
def test_a_lock_pins_with_digests_and_names_no_host(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text)
    assert len(entries) > 5
    assert [entry.split()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_locks_agree_on_every_version() -> None:
    versions: dict[str, set[str]] = {}
    for path in LOCKS:
        for name, version in PIN.findall((ROOT / path).read_text(encoding="utf-8")):
            versions.setdefault(name, set()).add(version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_every_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for requirements in project["optional-dependencies"].values():
        wanted.extend(requirements)
    names = {re.split(r"[\[<>=~! ]", one)[0].lower() for one in wanted}
    locked = {name for path in LOCKS for name, _ in PIN.findall((ROOT / path).read_text(encoding="utf-8"))}
    assert names - locked == set()


def test_the_functions_need_a_part_of_what_the_command_needs_in_the_same_versions() -> None:
    tree = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(tree["dependency-groups"]["lambda"]) < set(tree["project"]["dependencies"])
    whole = {*tree["project"]["dependencies"], *tree["project"]["optional-dependencies"]["llm"]}
    assert set(tree["dependency-groups"]["lambda-llm"]) < whole


def test_the_search_layer_holds_no_build_tool_and_no_local_server() -> None:
    text = (ROOT / "layers/runtime/requirements.txt").read_text(encoding="utf-8")
    names = {name for name, _ in PIN.findall(text)}
    assert not names & {"onnx", "uvicorn", "typer", "rich", "pytest", "google-genai", "torch"}
    assert {"onnxruntime", "usearch", "tokenizers", "fastapi", "mangum", "numpy", "boto3"} <= names


def test_collections_toml_can_be_read_and_describes_this_repository() -> None:
    collections = read_collections(ROOT / "collections.toml")
    assert collections["quire"].profile in PROFILES
    assert {one.profile for one in collections.values()} <= set(PROFILES)
    assert all(one.sources for one in collections.values() if one.profile != "sites")
