"""The synthesized deployments: the CDK app runs once a session, and cdk-nag judges each on the way."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from infra.packaging.layers import MAKERS
from quire.profiles import PROFILES
from tests.support.alone import alone
from tests.support.tree import CORE, ROOT

CONTEXT = {
    "repository": "acme/quire",
    "alarm_email": "ops@example.com",
    "snap_start": "true",
    "key_generation": "2",
}
KEPT = {"bucket": "quire-artifacts-of-before", "table": "quire-turns-of-before", "build_retries": "3"}
SMALL_ACCOUNT = {
    "build_size": "SMALL",
    "build_timeout_h": "3",
    "reserved_concurrency": "2",
    "query_timeout_s": "20",
    "answer_timeout_s": "60",
    "job_timeout_s": "300",
}
"""What an account may choose that has not the limits of others."""
SEARCHED = {
    "opensearch_url": "https://search-quire-abc.us-west-2.es.amazonaws.com",
    "opensearch_arn": "arn:aws:es:us-west-2:111111111111:domain/quire",
}
SHARDED = {"distributed": "true", "shard_concurrency": "8"}
REGIONS = {"many": "mx-central-1"}
"""Of a deployment that is not made for us-west-2."""
Resource = dict[str, Any]


@dataclass
class Deployment:
    """A cloud assembly: the template, and the text that the synthesis printed."""

    folder: Path
    printed: str

    @cached_property
    def template(self) -> dict[str, Any]:
        return json.loads((self.folder / "quire.template.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def of_type(self, kind: str) -> dict[str, Resource]:
        """Properties of the resources of that type, by logical id; `kind` is without `AWS::`."""
        return {
            name: one.get("Properties", {})
            for name, one in self.template["Resources"].items()
            if one["Type"] == f"AWS::{kind}"
        }

    def kept(self) -> set[str]:
        """Types of the resources that outlive the stack."""
        return {
            one["Type"]
            for one in self.template["Resources"].values()
            if one.get("DeletionPolicy") == "Retain"
        }

    def statements(self, role: str) -> list[Resource]:
        """What a role may do, the stack's own managed policies included; `role` is part of its logical id."""
        roles = [name for name in self.of_type("IAM::Role") if role in name]
        assert len(roles) == 1, roles
        found: list[Resource] = []
        for one in self.of_type("IAM::Policy").values():
            if {"Ref": roles[0]} in one["Roles"]:
                found += one["PolicyDocument"]["Statement"]
        managed = self.of_type("IAM::ManagedPolicy")
        for arn in self.of_type("IAM::Role")[roles[0]].get("ManagedPolicyArns", []):
            if arn.get("Ref") in managed:
                found += managed[arn["Ref"]]["PolicyDocument"]["Statement"]
        return found

    def actions(self, role: str) -> set[str]:
        """Every action that a role may take."""
        return {action for one in self.statements(role) for action in listed(one["Action"])}


def listed(value: Any) -> list[Any]:
    """CloudFormation writes a list of one as the one."""
    return value if isinstance(value, list) else [value]


def flat(value: Any) -> str:
    """A value with its references as text: `{GetAtt X.Arn}/collections/*`."""
    if isinstance(value, dict):
        if "Fn::Join" in value:
            separator, parts = value["Fn::Join"]
            return str(separator).join(map(flat, parts))
        if "Fn::GetAtt" in value:
            return f"<{'.'.join(value['Fn::GetAtt'])}>"
        if "Ref" in value:
            return f"<{value['Ref']}>"
    return str(value)


@pytest.fixture(scope="session")
def deployments() -> dict[str, Deployment]:
    """Every deployment that tests look at, by name, out of one process: what costs is the CDK's first synthesis.

    Kept until what it is made of changes; of archives and checkout a template has digests alone, which no test reads.
    Fails with what it printed where it, or cdk-nag, refuses.
    """
    if shutil.which("node") is None:
        pytest.skip("the CDK's library needs Node.js, and there is none on this machine")
    kept = ROOT / ".quire" / "cache" / "cdk"
    folder = kept / _digest_of_inputs()
    choices = {
        "deployment": CONTEXT,
        "other_deployment": CONTEXT | OTHER | {"collections": str(folder / "other.toml")},
        "many": CONTEXT | KEPT | SHARDED | SMALL_ACCOUNT | {"collections": str(folder / "many.toml")},
    }
    told = folder / "printed.txt"
    with alone("cdk"):
        if not told.exists():
            shutil.rmtree(kept, ignore_errors=True)
            archives = folder / "archives"
            archives.mkdir(parents=True)
            for name in MAKERS:
                with zipfile.ZipFile(archives / f"{name}.zip", "w") as archive:
                    archive.writestr("stand-in", name)
            (folder / "other.toml").write_text(OTHER_COLLECTIONS, encoding="utf-8")
            (folder / "many.toml").write_text(many_collections(), encoding="utf-8")
            printed = _run_app(folder, archives, choices)
            for staged in folder.glob("*/asset.*"):
                shutil.rmtree(staged) if staged.is_dir() else staged.unlink()
            told.write_text(printed, encoding="utf-8")
    printed = told.read_text(encoding="utf-8")
    return {name: Deployment(folder / name, printed) for name in choices}


def _digest_of_inputs() -> str:
    """Of all that the deployments are made of: the code that is imported, what it reads, libraries and Node.js."""
    node = subprocess.run(("node", "--version"), capture_output=True, check=True).stdout
    read = hashlib.sha256(sys.version.encode() + node)
    code = sorted([*(ROOT / "infra").rglob("*.py"), *(ROOT / CORE / "quire").glob("*.py")])
    named = ("cdk.json", "collections.toml", "functions/routes.json", "tests/requirements.txt")
    for file in (*code, *(ROOT / one for one in named), Path(__file__)):
        read.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return read.hexdigest()


def synthesize(
    folder: Path, archives: Path, choices: Mapping[str, Mapping[str, str]]
) -> dict[str, Deployment]:
    """A deployment with `CONTEXT` and each of the choices, below the folder, out of one process."""
    folder.mkdir()
    printed = _run_app(folder, archives, {name: {**CONTEXT, **more} for name, more in choices.items()})
    return {name: Deployment(folder / name, printed) for name in choices}


def _run_app(folder: Path, archives: Path, choices: Mapping[str, Mapping[str, str]]) -> str:
    """Synthesize each choice into a folder of its name; what was printed."""
    first, *others = choices
    said = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        # The first as the CDK's command line would run it.
        "CDK_OUTDIR": str(folder / first),
        "CDK_DEFAULT_REGION": "us-west-2",
        "CDK_CONTEXT_JSON": json.dumps(said | {"archives": str(archives)} | choices[first]),
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1",
        # The CDK's library is unpacked once for a machine, where `cdk` keeps it: that takes as long as the synthesis.
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(Path.home() / ".cache/aws/jsii/package-cache"),
    }
    done = subprocess.run(
        (sys.executable, "-c", SYNTHESIZE),
        input=json.dumps(
            [(str(folder / name), REGIONS.get(name, "us-west-2"), choices[name]) for name in others]
        ),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed[-4_000:]
    return printed


SYNTHESIZE = """
import json, os, sys
import aws_cdk
from infra.app import main, synthesize

main()
for folder, region, context in json.load(sys.stdin):
    os.environ["CDK_DEFAULT_REGION"] = region
    synthesize(aws_cdk.App(outdir=folder, post_cli_context=context))
"""


OTHER_COLLECTIONS = """
[handbook]
profile = "docs"
public = true
source = { docs = "docs" }
options = { origins = "https://pages.example/" }

[book]
profile = "textbook"
source = { docs = "docs" }
schedule = "30 5 * * ? *"
"""
OTHER = {
    "snap_start": "false",
    "keys_required": "false",
    "keep_data": "false",
    "key_generation": "1",
    "api_logging": "true",
    "dashboard": "true",
    "canary": "false",
    "firewall": "true",
    "tracing": "true",
    "domain": "api.example.com",
    "certificate_arn": "arn:aws:acm:us-west-2:111111111111:certificate/abc",
    "github_provider_arn": "arn:aws:iam::111111111111:oidc-provider/token.actions.githubusercontent.com",
    "alarm_email": "",
    **SEARCHED,
}


def many_collections() -> str:
    """200 collections of every profile, two of them public, one of which a model answers for anyone."""
    profiles = sorted(PROFILES)
    tables = [
        f'[c{number}]\nprofile = "{profiles[number % len(profiles)]}"\nsource = {{ docs = "docs" }}\n'
        for number in range(198)
    ]
    tables.append('[open]\nprofile = "docs"\npublic = true\npublic_answers = true\n')
    tables.append('[read]\nprofile = "textbook"\npublic = true\nschedule = "0 0 ? * THU *"\n')
    return "\n".join(tables)


@pytest.fixture(scope="session")
def deployment(deployments: Mapping[str, Deployment]) -> Deployment:
    """The deployment with a repository, a mail address and snapshots, otherwise as it comes."""
    return deployments["deployment"]


@pytest.fixture(scope="session")
def other_deployment(deployments: Mapping[str, Deployment]) -> Deployment:
    """The deployment with every choice made the other way, and a collection that pages of another site may ask."""
    return deployments["other_deployment"]


@pytest.fixture(scope="session")
def many(deployments: Mapping[str, Deployment]) -> Deployment:
    """The deployment of `many_collections`."""
    return deployments["many"]
