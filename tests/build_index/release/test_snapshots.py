from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from build_index.release.snapshots import main, renew
from tests.support.tree import ROOT


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Lambda with one function, whose alias `live` points to its first version."""
    from moto import mock_aws  # takes long, and few tests need it

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    with mock_aws(config={"lambda": {"use_docker": False}}):
        trust = '{"Version": "2012-10-17", "Statement": []}'
        role = boto3.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("x.py", "handler = print")
        client = boto3.client("lambda")
        client.create_function(
            FunctionName="quire-query",
            Runtime="python3.13",
            Role=role,
            Handler="x.handler",
            Code={"ZipFile": code.getvalue()},
            Publish=True,
        )
        client.create_alias(FunctionName="quire-query", Name="live", FunctionVersion="1")
        yield client


def versions(client: Any) -> list[str]:
    listed = client.list_versions_by_function(FunctionName="quire-query")["Versions"]
    return [one["Version"] for one in listed if one["Version"] != "$LATEST"]


def live(client: Any) -> str:
    version: str = client.get_alias(FunctionName="quire-query", Name="live")["FunctionVersion"]
    return version


def test_the_alias_leads_to_a_version_published_after_the_index(client: Any) -> None:
    version, gone = renew(client, "quire-query", "live", 2, note="index of today")
    assert (version, gone) == ("2", [])
    assert live(client) == "2"


def test_only_the_newest_versions_are_kept(client: Any) -> None:
    for number in range(2):
        renew(client, "quire-query", "live", 9, note=f"index of {number}")
    assert renew(client, "quire-query", "live", 2, note="index of 3") == ("4", ["2"])
    # The first is the deployment's: CloudFormation would lead the alias back to it.
    assert (versions(client), live(client)) == (["1", "3", "4"], "4")


def test_code_is_rolled_back_to_the_version_before_and_old_ones_go_but_for_the_newest(
    client: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        client.update_function_configuration(FunctionName="quire-query", Description=f"{number}")
        made = client.publish_version(FunctionName="quire-query", Description="deployed")["Version"]
    client.update_alias(FunctionName="quire-query", Name="live", FunctionVersion=made)
    assert main(["quire-query", "--rollback"]) == 0
    assert live(client) == "4"
    assert main(["quire-query", "--prune", "--keep", "3"]) == 0
    assert (versions(client), live(client)) == (["3", "4", "5"], "4")
    assert main(["quire-query", "--rollback"]) == 0
    assert main(["quire-query", "--rollback"]) == 2
    assert "version 3 is live, and there is none before it" in capsys.readouterr().err


def test_the_command_renews_each_function_and_names_one_that_is_missing(
    client: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quire-query", "--keep", "1"]) == 0
    assert versions(client) == ["1", "2"]
    assert main(["quire-nothing"]) == 2
    assert "quire-nothing" in capsys.readouterr().err


def test_renewing_takes_no_right_that_the_build_job_has_not(client: Any) -> None:
    called: set[str] = set()

    def note(model: Any, **_: Any) -> None:
        called.add(model.name)

    client.meta.events.register("before-call.lambda", note)
    for day in ("yesterday", "today"):
        renew(client, "quire-query", "live", 1, note=f"index of {day}")
    allowed = re.findall(r'"lambda:(\w+)"', (ROOT / "infra/building.py").read_text(encoding="utf-8"))
    assert called == set(allowed)


def test_without_a_function_there_need_be_no_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    assert main([]) == 0
    assert main(["quire-query"]) == 2
