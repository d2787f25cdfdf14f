"""What README, Makefile, `.env.example` and CI promise is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.tree import ROOT, project_files

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = [
    path
    for path in project_files()
    if path.suffix == ".md" and path.name not in {"THIRD_PARTY_LICENSES.md", "CHANGELOG.md"}
]
PAGE_TEXT = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in PAGES)
SERVING = (ROOT / "functions/README.md").read_text(encoding="utf-8")
README_LINES = 120
CODE = "\n".join(
    (ROOT / path).read_text(encoding="utf-8")
    for path in project_files()
    if path.suffix == ".py" and path.parts[0] in ("layers", "build_index", "functions")
)
OF_A_DEPLOYMENT = {"QUIRE_JOB_ALIAS", "QUIRE_JOB_FUNCTION", "QUIRE_MODEL_SECRET"}
"""Read in Lambda alone, where the stack sets it."""
VARIABLES = sorted(
    set(re.findall(r'"((?:QUIRE_[A-Z_]+)|(?:GEMINI|OPENAI)_API_KEY|OLLAMA_ENDPOINT)"', CODE))
    - OF_A_DEPLOYMENT
)


def _make(*arguments: str) -> str:
    run = subprocess.run(("make", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_help_is_the_default_and_lists_every_target() -> None:
    phony = set(re.findall(r"^\.PHONY: (\S+)$", MAKEFILE, re.MULTILINE))
    listed = set(re.findall(r"^  make (\S+)", _make(), re.MULTILINE))
    assert listed == phony
    assert {
        "setup",
        "run",
        "dev",
        "test",
        "check",
        "lint",
        "format",
        "index",
        "bench",
        "eval",
        "soak",
        "clean",
    } <= phony


def test_quality_is_asked_of_the_store_that_is_used_and_of_the_collection_that_is_named() -> None:
    assert "--store elsewhere" in _make("-n", "eval", "QUIRE_STORE=elsewhere").replace("\\\n", "")
    asked = _make("-n", "eval", "QUIRE_STORE=", "COLLECTION=roblox")
    assert re.search(r"--store \S+[\s\\]+--collection roblox", asked)
    assert "--collection" not in _make("-n", "eval")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", PAGE_TEXT))))
def test_a_target_that_a_page_names_exists(target: str) -> None:
    assert f".PHONY: {target}\n" in MAKEFILE


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_setting_stands_in_the_guide_to_serving_and_in_the_example(variable: str) -> None:
    assert f"`{variable}`" in SERVING
    assert f"# {variable}=" in (ROOT / ".env.example").read_text(encoding="utf-8")


def test_the_example_and_the_guide_name_no_other_settings() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^# (QUIRE_[A-Z_]+)=", example, re.MULTILINE)) <= set(VARIABLES)
    assert set(re.findall(r"^\| `(QUIRE_[A-Z_]+)`", SERVING, re.MULTILINE)) <= set(VARIABLES)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_pages_links_lead_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert [one for one in targets if not (ROOT / page.parent / one).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_code_path_that_a_page_names_exists(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:functions|infra|build_index|tests|layers)/[\w./-]+)`", text))
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < README_LINES


@pytest.mark.parametrize("script", [".ci/run", ".github/workflows/test.yml"])
def test_ci_runs_the_two_targets_that_people_run(script: str) -> None:
    text = (ROOT / script).read_text(encoding="utf-8")
    assert re.search(r"make check$", text, re.MULTILINE)
    assert re.search(r"make test$", text, re.MULTILINE)


def test_every_promise_of_security_names_tests_that_are_there() -> None:
    page = (ROOT / ".github/SECURITY.md").read_text(encoding="utf-8").partition("## What is promised")[2]
    rows = re.findall(r"^\| (?!promise|---)[^|]+\| ([^|]+) \|$", page, re.MULTILINE)
    named = [path for row in rows for path in re.findall(r"`([\w/]+\.py)`", row)]
    assert len(rows) <= len(named)
    assert [path for path in named if not (ROOT / path).is_file()] == []
