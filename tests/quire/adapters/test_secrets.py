from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from quire.adapters.secrets import read_secret
from quire.errors import ConfigError, StoreUnavailable


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from moto import mock_aws  # takes long, and few tests need it

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    with mock_aws():
        yield boto3.client("secretsmanager")


def test_a_secret_gives_its_variables(secrets: Any) -> None:
    held = {"QUIRE_PROVIDER": "gemini", "GEMINI_API_KEY": "k-1"}
    secrets.create_secret(Name="s", SecretString=json.dumps(held))
    assert read_secret("s") == held


@pytest.mark.parametrize("held", ["k-secret", '["k-secret"]', '{"GEMINI_API_KEY": 5}'])
def test_a_secret_of_another_form_is_refused_without_repeating_it(secrets: Any, held: str) -> None:
    secrets.create_secret(Name="s", SecretString=held)
    with pytest.raises(ConfigError) as refused:
        read_secret("s")
    assert "k-secret" not in str(refused.value)


def test_a_secret_that_is_missing_is_named(secrets: Any) -> None:
    with pytest.raises(StoreUnavailable, match="secret s"):
        read_secret("s")
