"""Chat memory and the daily token budget in one DynamoDB table: keys `pk` and `sk`, time to live `expires_at`.

    pk = session   sk = 001700000000000#<turn id>   role, text, parts, expires_at    a turn
    pk = session   sk = part#<turn id>#<number>     text, expires_at                 what did not fit into its turn
    pk = session   sk = token#<token>               ids, expires_at                  an append already made
    pk = token-budget   sk = <collection>#2026-11-22   spent, expires_at        what the processes spent that day

A session's partition key has a `#`, so none is the budget's.
An item is at most 400 KB, its names included, so a long text is spread over several. DynamoDB deletes expired items
within days; the range of every query therefore begins where retention ends.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from quire.adapters.circuit_breaker import Outage
from quire.documents import NOTHING, Turn
from quire.errors import ConfigError, InputError, StoreUnavailable
from quire.ports import Purged, Remembered
from quire.sessions import RETENTION_MS, moment, next_ids, oldest_ms, read_turn_id, sort_key, time_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PART_CHARACTERS = 90_000
"""At most 360,000 bytes in UTF-8. Source: DynamoDB quotas, 400 KB an item."""
MOST_ITEMS = 100
"""Of one transaction. Source: DynamoDB quotas."""
BATCH = 25
"""Of one batch of deletions. Source: DynamoDB, BatchWriteItem."""
REST_S = 10.0
"""A chat reads its messages and, an answer later, writes two: where nothing comes back it waits once, not twice."""
_LAST = "9"  # above every turn's key, below those of parts and tokens
_WRITE_ATTEMPTS = 6


class DynamoMemory:
    """`ChatMemory` over a table. Safe to share by threads.

    Args:
        client: a boto3 client of DynamoDB.
        table: its name; it must exist.
        clock: seconds since the epoch.
    """

    def __init__(self, client: DynamoDBClient, table: str, *, clock: Callable[[], float] = time.time) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._outage = Outage(REST_S)

    def append(self, session: str, turns: Sequence[Turn], *, token: str | None = None) -> list[Remembered]:
        """See `quire.ports.ChatMemory`. One transaction: all turns or none."""
        if not turns:
            return []
        with self._translated():
            now_ms = self._now_ms()
            last = next(self._turns(session, "", limit=1), None)
            ids = next_ids(len(turns), now_ms, _id(last) if last else None)
            expires_at = _expiry(now_ms)
            items = [
                item
                for one, turn in zip(ids, turns, strict=True)
                for item in _turn_items(session, one, turn, expires_at)
            ]
            puts: list[Any] = [{"Put": {"TableName": self._table, "Item": item}} for item in items]
            if token is not None:
                marker = {"ids": {"SS": ids}, "expires_at": expires_at}
                puts.append(self._put_once({**_key(session, f"token#{token}"), **marker}))
            if not self._put(puts):
                return self._appended(session, f"token#{token}")
        stamped = zip(ids, turns, strict=True)
        return [Remembered(one, moment(read_turn_id(one)[0]), turn) for one, turn in stamped]

    def stored(self, session: str, token: str) -> list[Remembered]:
        """See `quire.ports.ChatMemory`."""
        with self._translated():
            return self._appended(session, f"token#{token}")

    def recent(self, session: str, limit: int, *, before: str | None = None) -> list[Remembered]:
        """See `quire.ports.ChatMemory`."""
        with self._translated():
            items = list(islice(self._turns(session, before or "", limit=limit), max(limit, 0)))
            return [self._remembered(session, item) for item in reversed(items)]

    def forget(self, session: str) -> int:
        """See `quire.ports.ChatMemory`."""
        with self._translated():
            live = {item["sk"]["S"] for item in self._turns(session, "", limit=BATCH)}
            pages = self._client.get_paginator("query").paginate(
                TableName=self._table,
                ProjectionExpression="pk, sk",
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": session}},
                ConsistentRead=True,
            )
            self._delete(item for page in pages for item in page["Items"])
        return len(live)

    def forget_all(self, prefix: str) -> int:
        """See `quire.ports.ChatMemory`. Reads the whole table: sessions are not kept by what they begin with."""
        with self._translated():
            pages = self._client.get_paginator("scan").paginate(
                TableName=self._table,
                ProjectionExpression="pk, sk",
                FilterExpression="begins_with(pk, :prefix)",
                ExpressionAttributeValues={":prefix": {"S": prefix}},
                ConsistentRead=True,
            )
            return self._delete(item for page in pages for item in page["Items"])

    def purge(self, before: datetime, *, after: str = "", within_s: float = 1e9) -> Purged:
        """See `quire.ports.ChatMemory`. Reads the whole table, which its own expiry makes needless as a rule."""
        before_ms, until, deleted = int(before.timestamp() * 1000), time.monotonic() + within_s, 0
        scan: Any = {
            "TableName": self._table,
            "ProjectionExpression": "pk, sk",
            "FilterExpression": "sk < :before OR (sk > :last AND expires_at < :expired)",
            "ExpressionAttributeValues": {
                ":before": {"S": time_key(before_ms)},
                ":last": {"S": _LAST},
                ":expired": _expiry(before_ms),
            },
        }
        if after:
            scan["ExclusiveStartKey"] = _read_cursor(after)
        with self._translated():
            while True:
                page: Any = self._client.scan(**scan)
                deleted += self._delete(iter(page["Items"]))
                if "LastEvaluatedKey" not in page:
                    return Purged(deleted)
                scan["ExclusiveStartKey"] = page["LastEvaluatedKey"]
                if time.monotonic() > until:
                    return Purged(deleted, _cursor(page["LastEvaluatedKey"]))

    def _turns(self, session: str, before: str, *, limit: int) -> Iterator[dict[str, Any]]:
        """Live turns' items, newest first; pages on past what has expired but is still there."""
        now_ms = self._now_ms()
        oldest, newest = time_key(oldest_ms(now_ms)), sort_key(before) if before else _LAST
        if newest < oldest:  # a turn that has expired; DynamoDB refuses a range that ends before it begins
            return
        query: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :oldest AND :newest",
            "FilterExpression": "expires_at > :now",
            "ExpressionAttributeValues": {
                ":pk": {"S": session},
                ":oldest": {"S": oldest},
                ":newest": {"S": newest},
                ":now": {"N": str(now_ms // 1000)},
            },
            "ScanIndexForward": False,
            "ConsistentRead": True,
            "Limit": max(limit, 0) + 1,
        }
        while True:
            page = self._client.query(**query)
            yield from (item for item in page["Items"] if item["sk"]["S"] != newest)
            if "LastEvaluatedKey" not in page:
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _remembered(self, session: str, item: dict[str, Any]) -> Remembered:
        one = _id(item)
        text = item["text"]["S"]
        for number in range(1, int(item["parts"]["N"])):
            text += self._item(_key(session, f"part#{one}#{number:03d}")).get("text", {}).get("S", "")
        return Remembered(one, moment(read_turn_id(one)[0]), Turn(item["role"]["S"], text))

    def _put_once(self, item: dict[str, Any]) -> Any:
        condition = "attribute_not_exists(pk)"
        return {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": condition}}

    def _put(self, puts: Sequence[Any]) -> bool:
        """Make the puts together; False where the last one, a token, was there already."""
        if len(puts) > MOST_ITEMS:
            raise StoreUnavailable(
                f"chat memory: {len(puts)} items in one append, {MOST_ITEMS} are the limit"
            )
        for attempt in range(_WRITE_ATTEMPTS):
            try:
                self._client.transact_write_items(TransactItems=puts)
                return True
            except self._client.exceptions.TransactionCanceledException as error:
                reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
                if "ConditionalCheckFailed" in reasons[-1:]:
                    return False
                if "TransactionConflict" not in reasons:
                    raise
                time.sleep(0.02 * 2**attempt)
        raise StoreUnavailable(f"chat memory: transactions were in conflict {_WRITE_ATTEMPTS} times")

    def _appended(self, session: str, token_key: str) -> list[Remembered]:
        ids = sorted(self._item(_key(session, token_key)).get("ids", {}).get("SS", []))
        items = [self._item(_key(session, sort_key(one))) for one in ids]
        return [self._remembered(session, item) for item in items if item]

    def _item(self, key: dict[str, Any]) -> dict[str, Any]:
        return self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True).get("Item") or {}

    def _delete(self, keys: Iterator[Any]) -> int:
        """Delete the items of those keys and say how many were turns."""
        turns, batch = 0, []
        for key in keys:
            turns += key["sk"]["S"] < _LAST
            batch.append({"DeleteRequest": {"Key": key}})
            if len(batch) == BATCH:
                self._write_batch(batch)
                batch = []
        if batch:
            self._write_batch(batch)
        return turns

    def _write_batch(self, batch: list[Any]) -> None:
        for attempt in range(_WRITE_ATTEMPTS):
            left = self._client.batch_write_item(RequestItems={self._table: batch})["UnprocessedItems"]
            batch = left.get(self._table, [])
            if not batch:
                return
            time.sleep(0.05 * 2**attempt)
        raise StoreUnavailable(f"chat memory: {len(batch)} items could not be deleted now")

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Give errors their names; a table that is away or silent is left alone for a while."""
        self._outage.demand_over(f"chat memory {self._table}")
        try:
            yield
        except (ClientError, BotoCoreError) as error:
            if not isinstance(error, ClientError):
                self._outage.begin(str(error))
            raise StoreUnavailable(f"chat memory {self._table}: {error}") from error


def open_dynamo_memory(location: str, *, clock: Callable[[], float] = time.time) -> DynamoMemory:
    """The table that `dynamodb://TABLE` names; region, credentials and AWS_ENDPOINT_URL come from the environment.

    Raises:
        ConfigError: the location names no table, or no region is known.
    """
    table = _table(location)
    if not table:
        raise ConfigError(f"chat memory: wanted dynamodb://TABLE, found {location!r}")
    # Somebody waits, and an answer without its history is worth more than none: 9 s at most where nothing comes back.
    return DynamoMemory(_client(f"chat memory {location}", read_s=3, attempts=2), table, clock=clock)


def _table(location: str) -> str:
    return location.removeprefix("dynamodb://").strip("/")


def _client(what: str, *, read_s: int, attempts: int) -> DynamoDBClient:
    config = Config(
        connect_timeout=1, read_timeout=read_s, retries={"mode": "standard", "total_max_attempts": attempts}
    )
    try:
        return boto3.client("dynamodb", config=config)
    except (BotoCoreError, ValueError) as error:
        raise ConfigError(f"{what}: {error}") from error


def _turn_items(session: str, one: str, turn: Turn, expires_at: dict[str, str]) -> list[dict[str, Any]]:
    """The item of a turn and, for a long text, those of its further parts."""
    starts = range(0, max(len(turn.text), 1), PART_CHARACTERS)
    parts = [turn.text[start : start + PART_CHARACTERS] for start in starts]
    first = {"role": {"S": turn.role}, "text": {"S": parts[0]}, "parts": {"N": str(len(parts))}}
    items: list[dict[str, Any]] = [{**_key(session, sort_key(one)), **first, "expires_at": expires_at}]
    for number, text in enumerate(parts[1:], 1):
        key = _key(session, f"part#{one}#{number:03d}")
        items.append({**key, "text": {"S": text}, "expires_at": expires_at})
    return items


def _key(session: str, sort_key: str) -> dict[str, Any]:
    return {"pk": {"S": session}, "sk": {"S": sort_key}}


def _cursor(key: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps([key["pk"]["S"], key["sk"]["S"]]).encode()).decode()


def _read_cursor(after: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        match json.loads(base64.urlsafe_b64decode(after)):
            case [str() as session, str() as one] if session and one:
                return _key(session, one)
    message = f"after: wanted the `next` of an earlier clean-up, found {after[:80]!r}"
    raise InputError(message, field="after")


def _id(item: dict[str, Any]) -> str:
    return str(item["sk"]["S"].rpartition("#")[2])


def _expiry(at_ms: int) -> dict[str, str]:
    """Seconds since the epoch at which what was said then may go; DynamoDB wants whole ones."""
    return {"N": str(-(-(at_ms + RETENTION_MS) // 1000))}


BUDGET = "token-budget"
KEPT_S = 3 * 86_400
"""A day's count decides that day alone; it stays a while for who looks into the table."""


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

    def take(self, collection: str, tokens: int) -> str:
        """See `quire.ports.TokenBudget`: one conditional write."""
        if self._most <= 0:
            return ""
        day = time.strftime("%Y-%m-%d", time.gmtime(self._clock()))
        return day if self._add(f"{collection}#{day}", tokens, {":most": {"N": str(self._most)}}) else ""

    def settle(self, collection: str, day: str, difference: int) -> None:
        """See `quire.ports.TokenBudget`."""
        self._add(f"{collection}#{day}", difference)

    def _add(self, count: str, tokens: int, most: Mapping[str, Any] = NOTHING) -> bool:
        """Add to what a day's count says is spent; False where `:most` is given, and spent."""
        condition: Any = (
            {"ConditionExpression": "attribute_not_exists(spent) OR spent < :most"} if most else {}
        )
        values = {":tokens": {"N": str(tokens)}, ":expires": {"N": str(int(self._clock()) + KEPT_S)}, **most}
        try:
            self._client.update_item(
                TableName=self._table,
                Key={"pk": {"S": BUDGET}, "sk": {"S": count}},
                UpdateExpression="SET expires_at = :expires ADD spent :tokens",
                ExpressionAttributeValues=values,
                **condition,
            )
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, self._client.exceptions.ConditionalCheckFailedException):
                return False
            raise StoreUnavailable(f"token budget: {error}") from error
        return True


def open_dynamo_budget(location: str, tokens_per_day: int) -> DynamoBudget:
    """The budget in the table that `dynamodb://TABLE` names.

    Raises:
        ConfigError: no region is known.
    """
    # It stands before an answer that somebody waits for; without it quotations answer.
    client = _client(f"token budget {location}", read_s=2, attempts=1)
    return DynamoBudget(client, _table(location), tokens_per_day)
