"""One contract over every budget of tokens."""

from __future__ import annotations

from collections.abc import Callable

import boto3
import pytest

from quire.adapters.dynamo import DynamoBudget
from quire.errors import StoreUnavailable
from quire.ports import TokenBudget
from quire.service.token_budget import ProcessBudget
from tests.support.aws import BOTO, new_table

NOON = 1_800_000_000.0
DAY_S = 86_400.0
Open = Callable[[int], TokenBudget]


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


class Contract:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    def test_tokens_are_taken_until_they_are_used_up(self, opener: Open) -> None:
        budget = opener(100)
        assert [bool(budget.take("a", 60)) for _ in range(3)] == [True, True, False]

    def test_each_collection_has_its_own(self, opener: Open) -> None:
        budget = opener(100)
        assert [bool(budget.take(name, 100)) for name in ("a", "b", "a")] == [True, True, False]

    def test_what_a_call_did_not_need_is_given_back(self, opener: Open) -> None:
        budget = opener(100)
        day = budget.take("a", 100)
        budget.settle("a", day, -40)
        assert budget.take("a", 10)

    def test_a_call_over_midnight_is_settled_with_the_day_that_it_was_taken_of(
        self, opener: Open, clock: Clock
    ) -> None:
        budget = opener(100)
        day = budget.take("a", 90)
        clock.now += DAY_S
        assert budget.take("a", 1)
        budget.settle("a", day, -85)
        assert [bool(budget.take("a", 99)), bool(budget.take("a", 1))] == [True, False]

    def test_the_next_day_begins_anew(self, opener: Open, clock: Clock) -> None:
        budget = opener(100)
        assert [bool(budget.take("a", 100)), bool(budget.take("a", 1))] == [True, False]
        clock.now += DAY_S
        assert budget.take("a", 1)

    def test_a_budget_of_nothing_gives_nothing(self, opener: Open) -> None:
        assert not opener(0).take("a", 1)


class TestProcessBudget(Contract):
    @pytest.fixture
    def opener(self, clock: Clock) -> Open:
        return lambda most: ProcessBudget(most, clock=clock)


class TestDynamoBudget(Contract):
    @pytest.fixture
    def opener(self, moto_url: str, clock: Clock) -> Open:
        client = boto3.client("dynamodb", endpoint_url=moto_url, **BOTO)
        table = new_table(moto_url)
        return lambda most: DynamoBudget(client, table, most, clock=clock)


def test_a_table_that_is_away_is_told_apart_from_an_empty_budget(moto_url: str) -> None:
    client = boto3.client("dynamodb", endpoint_url=moto_url, **BOTO)
    budget = DynamoBudget(client, "no-such-table", 100)
    with pytest.raises(StoreUnavailable, match="token budget"):
        budget.take("a", 1)
    with pytest.raises(StoreUnavailable, match="token budget"):
        budget.settle("a", "2027-01-15", 1)
