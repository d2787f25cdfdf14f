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
        renew(client, "quire-query", "live", 9, note=f"index {number}")
    assert renew(client, "quire-query", "live", 2, note="index 3") == ("4", ["1", "2"])
    assert (versions(client), live(client)) == (["3", "4"], "4")


def test_the_command_renews_each_function_and_names_one_that_is_missing(
    client: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quire-query", "--keep", "1"]) == 0
    assert versions(client) == ["2"]
    assert main(["quire-nothing"]) == 2
    assert "quire-nothing" in capsys.readouterr().err


def test_renewing_takes_no_right_that_the_build_job_has_not(client: Any) -> None:
    called: set[str] = set()

    def note(model: Any, **_: Any) -> None:
        called.add(model.name)

    client.meta.events.register("before-call.lambda", note)
    renew(client, "quire-query", "live", 1, note="index of today")
    allowed = re.findall(r'"lambda:(\w+)"', (ROOT / "infra/building.py").read_text(encoding="utf-8"))
    assert called == set(allowed)


def test_without_a_function_there_need_be_no_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    assert main([]) == 0
    assert main(["quire-query"]) == 2
