"""What the workflows may do and when they run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.settings import StackSettings
from tests.support.tree import ROOT, project_files

WORKFLOWS = [path for path in project_files() if path.match(".github/workflows/*.yml")]


def workflow(name: str) -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load(
        (ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8")
    )
    return loaded


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


def test_a_push_runs_the_tests_and_publishes_nothing() -> None:
    said = workflow("test")
    assert "push" in said[True]  # YAML reads `on` as true
    assert said["permissions"] == {"contents": "read"}
    assert not [step for step in steps("test") if "credentials" in str(step.get("uses", ""))]
    assert not [step for step in steps("test") if "secrets." in str(step) or "make deploy" in str(step)]


@pytest.mark.parametrize("name", ["test", "deploy"])
def test_the_template_is_made_and_validated_before_anything_is_deployed(name: str) -> None:
    lines = [str(step.get("run", "")) for step in steps(name)]
    made = next(place for place, line in enumerate(lines) if line.startswith("make synth"))
    assert lines[made + 1] == "make validate"
    assert "bin/sam validate --lint --template cdk.out/quire.template.json" in (ROOT / "Makefile").read_text()
    assert not [line for line in lines[: made + 1] if "make deploy" in line]


def test_a_push_rehearses_the_whole_deployment() -> None:
    assert "make rehearse" in [str(step.get("run", "")) for step in steps("test")]


@pytest.mark.parametrize(
    ("name", "triggers"), [("publish", {"workflow_dispatch", "schedule"}), ("deploy", {"workflow_dispatch"})]
)
def test_what_touches_aws_is_started_by_hand_or_by_the_week_and_signs_in_through_oidc(
    name: str, triggers: set[str]
) -> None:
    said = workflow(name)
    assert set(said[True]) == triggers
    assert said["permissions"]["id-token"] == "write"
    (sign_in,) = (step for step in steps(name) if "configure-aws-credentials" in step.get("uses", ""))
    assert set(sign_in["with"]) == {"role-to-assume", "aws-region"}
    assert "secrets." not in (ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8")


def test_a_fork_that_names_no_bucket_skips_the_weekly_build() -> None:
    assert workflow("publish")["jobs"]["publish"]["if"] == "vars.QUIRE_BUCKET != ''"


def test_a_published_index_is_tagged_with_its_engine_version() -> None:
    text = " ".join(str(step.get("run")) for step in steps("publish"))
    assert "build_index versions" in text
    assert "git tag" in text
    assert "build_index.release.snapshots" in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=str)
def test_actions_are_pinned_to_commits(path: Any) -> None:
    used = [step["uses"] for step in steps(path.stem) if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", one)] == []


@pytest.mark.parametrize(("code", "goes_on"), [(0, True), (1, True), (2, False)])
def test_publishing_goes_on_where_only_some_files_failed(code: int, goes_on: bool, tmp_path: Path) -> None:
    (line,) = (step["run"] for step in steps("publish") if "build_index build " in step.get("run", ""))
    program = tmp_path / ".venv/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    # As GitHub runs a step.
    done = subprocess.run(("bash", "-e", "-c", line), cwd=tmp_path, check=False)
    assert (done.returncode == 0) == goes_on


def test_a_deployment_keeps_what_was_chosen_before() -> None:
    made = [
        step["run"]
        for step in steps("deploy")
        if step.get("run", "").startswith(("make synth", "make deploy"))
    ]
    assert len(made) == 2
    # Of one name the CDK takes the last: what the context chose is not overwritten.
    wanted = r'CONTEXT="-c repository=[^"]* \$CDK_CONTEXT( --require-approval never)?"'
    assert all(re.search(wanted, line) for line in made)


def test_nothing_is_deployed_without_somebodys_approval() -> None:
    (job,) = workflow("deploy")["jobs"].values()
    assert job["environment"] == StackSettings().environment


@pytest.mark.parametrize("path", WORKFLOWS, ids=str)
def test_no_step_puts_what_a_person_typed_into_a_shell_line(path: Any) -> None:
    for step in steps(path.stem):
        assert "${{ inputs" not in step.get("run", "")
        assert "${{ github.event" not in step.get("run", "")
