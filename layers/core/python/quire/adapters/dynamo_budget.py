"""The daily budget of tokens in the table of chat turns, shared by every process: one counter a collection and day.

    pk = token-budget   sk = <collection>#2026-11-22   spent, expires_at

A session's partition key has a `#`, so none is this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from quire.errors import ConfigError, StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PARTITION = "token-budget"
KEPT_S = 3 * 86_400


class DynamoBudget:
    """`TokenBudget` over a table. Safe to share by threads.

    Args:
        client: a boto3 client of DynamoDB.
        table: its name; it must exist.
        tokens_per_day: what each collection has.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        tokens_per_day: int,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._table = table
        self._most = tokens_per_day
        self._clock = clock

    def take(self, collection: str, tokens: int) -> bool:
        """See `quire.ports.TokenBudget`: one conditional write."""
        if self._most <= 0:
            return False
        try:
            self._add(
                collection,
                tokens,
                ConditionExpression="attribute_not_exists(spent) OR spent < :most",
                more={":most": {"N": str(self._most)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                return False
            raise StoreUnavailable(f"token budget: {error}") from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"token budget: {error}") from error
        return True

    def settle(self, collection: str, difference: int) -> None:
        """See `quire.ports.TokenBudget`."""
        try:
            self._add(collection, difference)
        except (BotoCoreError, ClientError) as error:
            raise StoreUnavailable(f"token budget: {error}") from error

    def _add(
        self, collection: str, tokens: int, more: dict[str, Any] | None = None, **condition: Any
    ) -> None:
        now = self._clock()
        day = time.strftime("%Y-%m-%d", time.gmtime(now))
        self._client.update_item(
            TableName=self._table,
            Key={"pk": {"S": PARTITION}, "sk": {"S": f"{collection}#{day}"}},
            UpdateExpression="SET expires_at = :expires ADD spent :tokens",
            ExpressionAttributeValues={
                ":tokens": {"N": str(tokens)},
                ":expires": {"N": str(int(now) + KEPT_S)},
                **(more or {}),
            },
            **condition,
        )


def open_dynamo_budget(location: str, tokens_per_day: int) -> DynamoBudget:
    """The budget in the table that `dynamodb://TABLE` names.

    Raises:
        ConfigError: no region is known.
    """
    table = location.removeprefix("dynamodb://").strip("/")
    # It stands before an answer that somebody waits for; without it quotations answer.
    config = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 1})
    try:
        return DynamoBudget(boto3.client("dynamodb", config=config), table, tokens_per_day)
    except (BotoCoreError, ValueError) as error:
        raise ConfigError(f"token budget {location}: {error}") from error
