"""The contract of `ChatMemory`, over SQLite, moto and DynamoDB Local."""

from __future__ import annotations

import base64
import secrets
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.adapters.dynamo import open_dynamo_memory
from quire.adapters.sqlite import SqliteMemory
from quire.documents import Turn
from quire.errors import ConfigError, InputError, StoreUnavailable
from quire.ports import ChatMemory, Remembered
from quire.sessions import RETENTION, session_key
from tests.support.aws import new_table, use_endpoint

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MS = timedelta(milliseconds=1)


class Clock:
    """Seconds since the epoch, as far as a test says."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at.timestamp()


def user(text: str) -> Turn:
    return Turn("user", text)


def texts(turns: list[Remembered]) -> list[str]:
    return [one.turn.text for one in turns]


Open = Callable[[Clock], ChatMemory]


class ChatMemoryContract:
    """What every chat memory promises; a subclass says which one. Each test has sessions of its own."""

    purges_in_pages = False
    messages = 1000
    conversations = 12

    @pytest.fixture
    def opener(self) -> Open:
        raise AssertionError("a subclass opens the store, as often as a test likes, with a clock")

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock(datetime.now(UTC))

    @pytest.fixture
    def memory(self, opener: Open, clock: Clock) -> ChatMemory:
        return opener(clock)

    @pytest.fixture
    def session(self) -> str:
        return session_key("acme", secrets.token_hex(6))

    def test_turns_come_back_in_order_with_ids_and_times(
        self, memory: ChatMemory, session: str, clock: Clock
    ) -> None:
        stored = memory.append(session, [user("hello"), Turn("assistant", "hi")])
        stored += memory.append(session, [user("more")])
        assert memory.recent(session, 10) == stored
        assert [one.turn for one in stored] == [user("hello"), Turn("assistant", "hi"), user("more")]
        assert [one.id for one in stored] == sorted({one.id for one in stored})
        assert all(abs(one.at - clock.at) <= MS for one in stored)

    def test_the_last_turns_are_given_oldest_first(self, memory: ChatMemory, session: str) -> None:
        for number in range(12):
            memory.append(session, [user(str(number))])
        assert texts(memory.recent(session, 5)) == ["7", "8", "9", "10", "11"]
        assert memory.recent(session, 0) == []

    def test_an_unknown_session_is_empty(self, memory: ChatMemory, session: str) -> None:
        assert memory.recent(session, 10) == []
        assert memory.forget(session) == 0

    def test_a_session_never_sees_anothers_turns(self, memory: ChatMemory) -> None:
        salt = secrets.token_hex(4)
        keys = [
            session_key(*parts)
            for parts in (("a", f"b#{salt}"), ("a#b", salt), ("a%23b", salt), (f"a{salt}", ""))
        ]
        assert len(set(keys)) == 4
        for key in keys:
            memory.append(key, [user(key)])
        assert [texts(memory.recent(key, 10)) for key in keys] == [[key] for key in keys]
        assert memory.forget(keys[0]) == 1
        assert [len(memory.recent(key, 10)) for key in keys] == [0, 1, 1, 1]

    def test_equal_timestamps_keep_the_order_of_writing(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        memories = [opener(clock) for _ in range(3)]
        for number in range(30):
            memories[number % 3].append(session, [user(str(number))])
        assert texts(memories[0].recent(session, 30)) == [str(number) for number in range(30)]

    def test_a_machine_whose_clock_is_behind_still_answers_after_the_question(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        behind = opener(Clock(clock.at - timedelta(minutes=3)))
        opener(clock).append(session, [user("question")])
        behind.append(session, [Turn("assistant", "answer")])
        assert texts(opener(clock).recent(session, 10)) == ["question", "answer"]

    def test_a_machine_whose_clock_is_far_ahead_does_not_drag_others_along(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        opener(Clock(clock.at + timedelta(days=300))).append(session, [user("from the future")])
        stored = opener(clock).append(session, [user("now")])
        assert abs(stored[0].at - clock.at) <= MS

    def test_nothing_older_than_thirty_days_is_returned(
        self, memory: ChatMemory, session: str, clock: Clock
    ) -> None:
        memory.append(session, [user("old")])
        clock.at += timedelta(days=1)
        memory.append(session, [user("newer")])
        clock.at += RETENTION - timedelta(days=1) - timedelta(seconds=1)
        assert texts(memory.recent(session, 10)) == ["old", "newer"]
        clock.at += timedelta(seconds=1) + MS
        assert texts(memory.recent(session, 10)) == ["newer"]
        assert memory.forget(session) == 1
        assert memory.recent(session, 10) == []

    def test_nothing_stands_before_a_turn_that_has_expired(
        self, memory: ChatMemory, session: str, clock: Clock
    ) -> None:
        (first,) = memory.append(session, [user("old")])
        clock.at += RETENTION + timedelta(days=1)
        memory.append(session, [user("newer")])
        assert memory.recent(session, 5, before=first.id) == []

    @pytest.mark.parametrize(
        "wrong", [b"5", b"null", b'["a"]', b'{"a": 1, "b": 2}', b'["", ""]', b"[" * 1100]
    )
    def test_a_cursor_that_no_purge_gave_is_refused(self, memory: ChatMemory, wrong: bytes) -> None:
        with pytest.raises(InputError, match="after: wanted"):
            memory.purge(datetime.now(UTC), after=base64.urlsafe_b64encode(wrong).decode())

    def test_as_many_live_turns_as_asked_for_are_found_beside_expired_ones(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        past = opener(Clock(clock.at - RETENTION - timedelta(hours=1)))
        past.append(session, [user(f"old {number}") for number in range(40)])
        memory = opener(clock)
        memory.append(session, [user(f"live {number}") for number in range(15)])
        assert texts(memory.recent(session, 50)) == [f"live {number}" for number in range(15)]
        assert len(memory.recent(session, 10)) == 10

    def test_purging_deletes_what_is_older_and_counts_it(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        memory = opener(clock)
        memory.append(session, [user("first")])
        clock.at += timedelta(hours=1)
        boundary = clock.at
        memory.append(session, [user("second"), user("third")], token="t")
        assert memory.purge(boundary).deleted == 1
        assert memory.purge(boundary).deleted == 0
        assert texts(memory.recent(session, 10)) == ["second", "third"]
        assert memory.purge(boundary + MS).deleted == 2

    def test_a_purge_ends_with_its_time_and_the_next_goes_on_from_there(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        memory = opener(clock)
        for number in range(14):  # more than the megabyte that DynamoDB reads at once
            memory.append(session, [user(str(number) * 80_000)])
        clock.at += RETENTION
        calls, deleted, after = 0, 0, ""
        while after or not calls:
            done = memory.purge(clock.at, after=after, within_s=0)
            calls, deleted, after = calls + 1, deleted + done.deleted, done.next
        assert deleted >= 14
        assert (calls > 1) is self.purges_in_pages
        with pytest.raises(InputError, match="after"):
            memory.purge(clock.at, after="nowhere")

    def test_forgetting_all_of_an_owner_leaves_others_alone(self, memory: ChatMemory, session: str) -> None:
        owner = session.replace("#", "%23")
        keys = [f"{owner}#u1", f"{owner}#u2", f"{owner}2#u1", f"x{owner}#u1", f"{owner.upper()}-#u1"]
        for key in keys:
            memory.append(key, [Turn("user", "a"), Turn("assistant", "b" * 200_000)], token="t")
        assert memory.forget_all(f"{owner}#") == 4
        assert [len(memory.recent(key, 5)) for key in keys] == [0, 0, 2, 2, 2]
        assert memory.append(keys[0], [Turn("user", "new")], token="t")[0].turn.text == "new"
        assert memory.forget_all(f"{owner}#") == 1

    def test_forgetting_deletes_everything_of_the_session_and_counts_it(
        self, memory: ChatMemory, session: str
    ) -> None:
        for number in range(30):
            memory.append(session, [user(str(number))], token=str(number))
        assert memory.forget(session) == 30
        assert memory.recent(session, 10) == []
        assert texts(memory.append(session, [user("again")], token="0")) == ["again"]

    def test_a_token_stores_its_turns_once(self, memory: ChatMemory, session: str) -> None:
        first = memory.append(session, [user("question"), Turn("assistant", "answer")], token="t/1")
        again = memory.append(session, [user("question"), Turn("assistant", "answer")], token="t/1")
        assert again == first
        assert memory.recent(session, 10) == first
        assert memory.append(session + "x", [user("elsewhere")], token="t/1") != first

    def test_what_a_token_stored_can_be_asked_for(self, memory: ChatMemory, session: str) -> None:
        first = memory.append(session, [user("question"), Turn("assistant", "answer")], token="t")
        assert memory.stored(session, "t") == first
        assert memory.stored(session, "u") == memory.stored(session + "x", "t") == []

    def test_side_by_side_repetitions_of_a_token_store_once(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        memories = [opener(clock) for _ in range(4)]
        with ThreadPoolExecutor(8) as pool:
            jobs = [
                pool.submit(memories[number % 4].append, session, [user("x"), user("y")], token="same")
                for number in range(12)
            ]
            stored = [job.result() for job in jobs]
        assert all(one == stored[0] for one in stored)
        assert texts(memories[0].recent(session, 100)) == ["x", "y"]

    def test_side_by_side_appends_are_all_there_and_pairs_stay_together(
        self, opener: Open, clock: Clock, session: str
    ) -> None:
        memories = [opener(clock) for _ in range(4)]
        with ThreadPoolExecutor(8) as pool:
            list(
                pool.map(
                    lambda n: memories[n % 4].append(session, [user(f"q{n}"), Turn("assistant", f"a{n}")]),
                    range(24),
                )
            )
        found = texts(memories[0].recent(session, 100))
        assert sorted(found) == sorted(f"{kind}{n}" for n in range(24) for kind in "qa")
        assert all(found.index(f"q{n}") < found.index(f"a{n}") for n in range(24))

    @pytest.mark.parametrize(
        "text", ["", "\x00", "नमस्ते 👩‍👩‍👧‍👦 \u202e", "é" * 3, "'; DROP TABLE turns; --", "\r\n\t"]
    )
    def test_any_text_comes_back_as_it_was(self, memory: ChatMemory, session: str, text: str) -> None:
        memory.append(session, [user(text)])
        assert texts(memory.recent(session, 1)) == [text]

    def test_messages_of_400_kb_come_back_whole(self, memory: ChatMemory, session: str) -> None:
        long = [secrets.token_hex(200 * 1024), "語" * 136_534]
        memory.append(session, [user(long[0]), Turn("assistant", long[1])], token="t")
        memory.append(session, [user("short")])
        assert texts(memory.recent(session, 10)) == [*long, "short"]
        assert texts(memory.append(session, [user("ignored")], token="t")) == long
        assert memory.forget(session) == 3

    def test_a_long_conversation_is_paged_without_gaps(self, memory: ChatMemory, session: str) -> None:
        for start in range(0, self.messages, 50):
            memory.append(session, [user(str(number)) for number in range(start, start + 50)])
        seen: list[str] = []
        before: str | None = None
        while page := memory.recent(session, 70, before=before):
            seen = texts(page) + seen
            before = page[0].id
        assert seen == [str(number) for number in range(self.messages)]

    def test_random_conversations_are_remembered_as_a_list_would(self, opener: Open, clock: Clock) -> None:
        operation = st.tuples(st.sampled_from(["append", "forget"]), st.integers(0, 2), st.integers(1, 4))

        @settings(max_examples=self.conversations, suppress_health_check=list(HealthCheck))
        @given(st.lists(operation, max_size=14))
        def check(operations: list[tuple[str, int, int]]) -> None:
            memory, salt = opener(clock), secrets.token_hex(6)
            model: dict[int, list[str]] = {0: [], 1: [], 2: []}
            for number, (kind, who, count) in enumerate(operations):
                key = session_key(salt, str(who))
                if kind == "append":
                    said = [f"{number}/{part}" for part in range(count)]
                    memory.append(key, [user(text) for text in said])
                    model[who] += said
                else:
                    assert memory.forget(key) == len(model[who])
                    model[who] = []
                for one in model:
                    found = texts(memory.recent(session_key(salt, str(one)), 8))
                    assert found == model[one][-8:]

        check()


class TestSqliteMemory(ChatMemoryContract):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> Open:
        return lambda clock: SqliteMemory(tmp_path / "chat" / "memory.sqlite", clock=clock)

    def test_expired_turns_are_deleted_at_the_start_and_daily(self, tmp_path: Path) -> None:
        path, clock = tmp_path / "memory.sqlite", Clock(NOW)
        SqliteMemory(path, clock=clock).append("s", [user("old")])
        clock.at += RETENTION + MS
        memory = SqliteMemory(path, clock=clock)
        memory.recent("other", 1)
        assert _rows(path) == []
        memory.append("s", [user("new")])
        clock.at += RETENTION + timedelta(days=1)
        memory.append("s", [user("newer")])
        assert _rows(path) == ["newer"]

    def test_nobody_else_on_the_machine_may_read_the_file(self, tmp_path: Path) -> None:
        SqliteMemory(tmp_path / "memory.sqlite").append("s", [user("x")])
        assert {path.stat().st_mode & 0o077 for path in tmp_path.glob("memory.sqlite*")} == {0}

    def test_a_file_that_is_no_database_is_a_store_that_cannot_be_reached(self, tmp_path: Path) -> None:
        (tmp_path / "memory.sqlite").write_bytes(b"no database at all" * 100)
        with pytest.raises(StoreUnavailable, match=r"memory\.sqlite"):
            SqliteMemory(tmp_path / "memory.sqlite").recent("s", 1)

    def test_it_opens_again_after_it_was_closed(self, tmp_path: Path) -> None:
        memory = SqliteMemory(tmp_path / "memory.sqlite")
        memory.append("s", [user("x")])
        memory.close()
        assert texts(memory.recent("s", 1)) == ["x"]


def _rows(path: Path) -> list[str]:
    database = sqlite3.connect(path)
    try:
        return [row[0] for row in database.execute("SELECT text FROM turns")]
    finally:
        database.close()


class TestDynamoMemoryOverMoto(ChatMemoryContract):
    purges_in_pages = True
    # Each transaction copies all of moto's tables.
    messages = 150
    conversations = 3

    @pytest.fixture
    def opener(self, moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Open:
        return _dynamo(moto_url, monkeypatch)

    def test_a_table_that_is_not_there_is_a_store_that_cannot_be_reached(
        self, moto_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use_endpoint(monkeypatch, moto_url)
        with pytest.raises(StoreUnavailable, match="no-such-table"):
            open_dynamo_memory("dynamodb://no-such-table").recent("s", 1)

    def test_a_location_without_a_table_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="dynamodb://TABLE"):
            open_dynamo_memory("dynamodb://")


class TestDynamoMemoryOverDynamoDbLocal(ChatMemoryContract):
    purges_in_pages = True

    @pytest.fixture
    def opener(self, dynamodb_url: str, monkeypatch: pytest.MonkeyPatch) -> Open:
        return _dynamo(dynamodb_url, monkeypatch)


def _dynamo(url: str, monkeypatch: pytest.MonkeyPatch) -> Open:
    use_endpoint(monkeypatch, url)
    location = f"dynamodb://{new_table(url)}"
    return lambda clock: open_dynamo_memory(location, clock=clock)
