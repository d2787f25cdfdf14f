"""Clients that ask a server again and again, and what they saw of a version that changes meanwhile."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import httpx

CLIENTS = 8
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Seen:
    """One answer: when it was asked for and had, monotonic; its status; every version that stands in it."""

    begun: float
    ended: float
    status: int
    versions: frozenset[str]
    error: str = ""


class Swarm:
    """`CLIENTS` threads that ask the questions in turn, each over a connection of its own, while the block runs.

    A question is a path with its body. A client rests for `pause_s` after each answer.
    """

    def __init__(
        self, base_url: str, questions: Sequence[tuple[str, Mapping[str, Any]]], pause_s: float = 0.0
    ) -> None:
        self._pause_s = pause_s
        self._base_url = base_url
        self._questions = questions
        self._over = threading.Event()
        self._guard = threading.Lock()
        self.seen: list[Seen] = []
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(CLIENTS)]

    def wait_for(self, answers: int, timeout_s: float = TIMEOUT_S) -> None:
        """Return once so many more answers have come."""
        wanted, until = len(self.seen) + answers, time.monotonic() + timeout_s
        while len(self.seen) < wanted:
            assert time.monotonic() < until, f"{len(self.seen)} answers, wanted {wanted}"
            time.sleep(0.005)

    def wait_for_version(self, version: str, timeout_s: float = TIMEOUT_S) -> None:
        """Return once the last answers, as many as there are clients, are of that version."""
        until = time.monotonic() + timeout_s
        while any(one.versions != {version} for one in self.seen[-CLIENTS:]):
            assert time.monotonic() < until, f"{version} is not served"
            time.sleep(0.005)

    def errors(self) -> list[str]:
        """What went wrong: a status other than 200, a broken connection."""
        return [one.error or str(one.status) for one in self.seen if one.status != 200]

    def mixed(self) -> list[frozenset[str]]:
        """Answers in which more than one version, or none, stands."""
        return [one.versions for one in self.seen if one.status == 200 and len(one.versions) != 1]

    def lag_s(self, since: float, version: str, until: float = float("inf")) -> float:
        """Seconds from `since` to the last question before `until` that another version than this still answered."""
        late = [one.begun for one in self.seen if since < one.begun < until and one.versions != {version}]
        return max(late, default=since) - since

    def p99_ms(self, since: float, until: float) -> float:
        """How long the slowest hundredth of the questions begun in that time took."""
        took = [(one.ended - one.begun) * 1e3 for one in self.seen if since <= one.begun < until]
        return statistics.quantiles(took, n=100)[98]

    def slowest_times(self, since: float, until: float = float("inf")) -> float:
        """How many times as long as the median the slowest of the questions begun in that time took."""
        took = [one.ended - one.begun for one in self.seen if since <= one.begun < until]
        return round(max(took) / statistics.median(took), 2)

    def _ask(self, number: int) -> None:
        with httpx.Client(base_url=self._base_url, timeout=TIMEOUT_S) as client:
            turn = number
            while not self._over.wait(self._pause_s):
                path, body = self._questions[turn % len(self._questions)]
                seen = _one(client, path, body)
                with self._guard:
                    self.seen.append(seen)
                turn += 1

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(TIMEOUT_S)


def _one(client: httpx.Client, path: str, body: Mapping[str, Any]) -> Seen:
    begun = time.monotonic()
    try:
        reply = client.post(path, json=dict(body))
    except httpx.HTTPError as error:
        return Seen(begun, time.monotonic(), 0, frozenset(), repr(error))
    ended = time.monotonic()
    if reply.status_code != 200:
        return Seen(begun, ended, reply.status_code, frozenset(), reply.text[:200])
    return Seen(begun, ended, 200, frozenset(_versions(reply.json())) | _header(reply))


def _header(reply: httpx.Response) -> frozenset[str]:
    return frozenset({reply.headers["x-quire-version"]} if "x-quire-version" in reply.headers else ())


def _versions(value: Any) -> set[str]:
    """Every `version` anywhere in a body, but those of sources."""
    if isinstance(value, list):
        return {found for one in value for found in _versions(one)}
    if not isinstance(value, dict):
        return set()
    found = {value["version"]} if isinstance(value.get("version"), str) else set()
    return found | {one for name, held in value.items() if name != "sources" for one in _versions(held)}
