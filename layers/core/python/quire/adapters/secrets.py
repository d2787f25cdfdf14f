"""Settings that are secrets, from AWS Secrets Manager: a function's environment can be read in the console."""

from __future__ import annotations

import json
from collections.abc import Mapping

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from quire.errors import ConfigError, StoreUnavailable

_TIMEOUTS = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 1})
"""A function's start waits for it, and quotations answer without it."""


def read_secret(name: str) -> Mapping[str, str]:
    """The variables in a secret: a JSON object such as `{"QUIRE_PROVIDER": "gemini", "GEMINI_API_KEY": "..."}`.

    Raises:
        ConfigError: it holds something else; the message does not repeat it.
        StoreUnavailable: it cannot be read.
    """
    try:
        held = boto3.client("secretsmanager", config=_TIMEOUTS).get_secret_value(SecretId=name)[
            "SecretString"
        ]
    except (BotoCoreError, ClientError) as error:
        raise StoreUnavailable(f"secret {name}: {error}") from error
    try:
        variables = json.loads(held)
        if not all(isinstance(value, str) for value in variables.values()):
            raise TypeError
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(f"secret {name}: wanted a JSON object of strings") from None
    return {str(key): str(value) for key, value in variables.items()}
