"""The contract of `ObjectStore`, over every implementation, the one in memory included."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from subprocess import PIPE
from uuid import uuid4

import boto3
import pytest

from quire.adapters.circuit_breaker import Timeouts
from quire.adapters.folder import FolderStore
from quire.adapters.ranges import BLOCK_BYTES
from quire.adapters.s3 import S3Store, open_s3_store
from quire.adapters.s3_reader import S3Reader, open_s3_reader
from quire.errors import ArtifactCorrupt, ConfigError, StoreUnavailable, SwapConflict
from quire.ports import ObjectStore
from quire.service.access_file import AccessObject
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, use_endpoint
from tests.support.pace import seconds
from tests.support.s3_faults import (
    GONE,
    SLOW,
    THROTTLED,
    TRICKLE_BYTES,
    TRICKLE_S,
    TRICKLING,
    WELL,
    FaultyS3,
)
from tests.support.stores import MemoryStore

WRITERS, ROUNDS = 16, 25
ROUNDS_IN_CI = 5
KEY = "collections/docs/current.json"
HOLDER = """
import fcntl, sys, time
with open(sys.argv[1], "ab") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    time.sleep(600)
"""


class ObjectStoreContract:
    """What every object store promises; a subclass says which one."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        raise AssertionError("a subclass gives the store")

    def test_what_is_written_is_read(self, store: ObjectStore) -> None:
        etag = store.write(KEY, b"one")
        stored = store.read(KEY)
        assert stored is not None
        assert (stored.data, stored.etag) == (b"one", etag)
        assert store.write(KEY, b"two") != etag
        assert store.read(KEY).data == b"two"  # type: ignore[union-attr]

    def test_an_object_that_is_not_there_reads_as_none(self, store: ObjectStore) -> None:
        assert store.read("nothing/here") is None
        store.write("a", b"a file where a folder might be")
        assert store.read("a/b") is None
        store.write("folder/object", b"x")
        assert store.read("folder") is None

    def test_an_unchanged_object_is_not_read_again(self, store: ObjectStore) -> None:
        etag = store.write(KEY, b"one")
        assert store.read_if_changed(KEY, etag) is None
        again = store.write(KEY, b"two")
        changed = store.read_if_changed(KEY, etag)
        assert changed is not None
        assert (changed.data, changed.etag) == (b"two", again)

    def test_keys_with_scopes_follow_the_object_that_holds_them(self, store: ObjectStore) -> None:
        access = AccessObject(store, "access.toml", 0.0)
        assert access.policy().caller("one") is None
        for key, gone in (("one", "two"), ("two", "one")):
            digest = hashlib.sha256(key.encode()).hexdigest()
            row = (
                f'[[keys]]\nname = "{key}"\nsha256 = "{digest}"\nactions = ["read"]\ncollections = ["docs"]\n'
            )
            store.write("access.toml", row.encode())
            for _ in range(2):  # read, then found unchanged
                assert access.policy().caller(key) is not None
                assert access.policy().caller(gone) is None
        store.delete("access.toml")
        assert access.policy().caller("two") is None

    def test_reading_a_deleted_object_if_changed_says_that_it_is_gone(self, store: ObjectStore) -> None:
        etag = store.write(KEY, b"one")
        store.delete(KEY)
        with pytest.raises(KeyError):
            store.read_if_changed(KEY, etag)

    def test_the_first_write_of_several_wins(self, store: ObjectStore) -> None:
        store.write(KEY, b"one", if_absent=True)
        with pytest.raises(SwapConflict, match=KEY):
            store.write(KEY, b"two", if_absent=True)
        assert store.read(KEY).data == b"one"  # type: ignore[union-attr]

    def test_a_swap_needs_the_etag_that_is_there(self, store: ObjectStore) -> None:
        first = store.write(KEY, b"one")
        second = store.write(KEY, b"two", if_match=first)
        with pytest.raises(SwapConflict):
            store.write(KEY, b"three", if_match=first)
        store.write(KEY, b"three", if_match=second)
        assert store.read(KEY).data == b"three"  # type: ignore[union-attr]

    def test_a_swap_of_what_is_not_there_conflicts(self, store: ObjectStore) -> None:
        with pytest.raises(SwapConflict):
            store.write(KEY, b"one", if_match="0" * 32)
        assert store.read(KEY) is None

    @pytest.mark.parametrize(
        "rounds", [ROUNDS_IN_CI, pytest.param(ROUNDS, marks=pytest.mark.soak)], ids="{} rounds".format
    )
    def test_one_of_many_racing_writers_wins_each_round(self, store: ObjectStore, rounds: int) -> None:
        def swap(round_: int, writer: int, etag: str) -> bool:
            try:
                store.write(KEY, f"{round_}/{writer}".encode(), if_match=etag)
            except SwapConflict:
                return False
            return True

        with ThreadPoolExecutor(WRITERS) as pool:
            etag = store.write(KEY, b"begin")
            for round_ in range(rounds):
                won = list(pool.map(lambda writer, r=round_, e=etag: swap(r, writer, e), range(WRITERS)))
                stored = store.read(KEY)
                assert stored is not None
                assert won.count(True) == 1
                assert stored.data == f"{round_}/{won.index(True)}".encode()
                etag = stored.etag

    def test_names_under_a_prefix_are_listed_one_level_deep(self, store: ObjectStore) -> None:
        for key in ("c/b/current.json", "c/a/current.json", "c/a/segments/d/f", "c/plain"):
            store.write(key, b"x")
        assert store.list("c/") == ["a/", "b/", "plain"]
        assert store.list("c/a/") == ["current.json", "segments/"]
        assert store.list("nothing/") == []
        assert store.list("") == ["c/"]

    def test_deleting_removes_and_deleting_again_is_no_error(self, store: ObjectStore) -> None:
        store.write("c/a", b"x")
        store.delete("c/a")
        store.delete("c/a")
        assert store.read("c/a") is None
        assert store.list("c/") == []

    def test_a_file_goes_in_and_comes_out_checked(self, store: ObjectStore, tmp_path: Path) -> None:
        data = bytes(range(256)) * 80_000  # three ranges of a download
        digest = hashlib.sha256(data).hexdigest()
        (tmp_path / "in").write_bytes(data)
        store.put_file("s/file", tmp_path / "in", digest)
        store.fetch_file("s/file", tmp_path / "deep" / "out", digest)
        assert (tmp_path / "deep" / "out").read_bytes() == data

    def test_a_file_of_another_digest_goes_neither_in_nor_out(
        self, store: ObjectStore, tmp_path: Path
    ) -> None:
        (tmp_path / "in").write_bytes(b"data")
        with pytest.raises(ArtifactCorrupt, match=f"file: sha256 [0-9a-f]{{64}} expected {'0' * 64}"):
            store.put_file("s/file", tmp_path / "in", "0" * 64)
        assert store.read("s/file") is None
        store.write("s/file", b"data")
        with pytest.raises(ArtifactCorrupt):
            store.fetch_file("s/file", tmp_path / "out", "0" * 64)
        assert not (tmp_path / "out").exists()

    def test_an_empty_file_goes_in_and_comes_out(self, store: ObjectStore, tmp_path: Path) -> None:
        digest = hashlib.sha256(b"").hexdigest()
        (tmp_path / "in").write_bytes(b"")
        store.put_file("s/file", tmp_path / "in", digest)
        store.fetch_file("s/file", tmp_path / "out", digest)
        assert (tmp_path / "out").read_bytes() == b""

    def test_fetching_what_is_not_there_is_named(self, store: ObjectStore, tmp_path: Path) -> None:
        with pytest.raises(ArtifactCorrupt, match="no such object"):
            store.fetch_file("s/file", tmp_path / "out", "0" * 64)
        assert not (tmp_path / "out").exists()


class TestMemoryStore(ObjectStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        return MemoryStore()


class TestFolderStore(ObjectStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        return FolderStore(tmp_path / "store")

    def test_files_are_mapped_where_they_lie(self, store: ObjectStore) -> None:
        store.write("a/b", b"x")
        assert (store.local_path("a") / "b").read_bytes() == b"x"  # type: ignore[operator]

    def test_processes_exclude_one_another_too(self, store: ObjectStore, tmp_path: Path) -> None:
        store.write("counter", b"0")
        context = get_context("fork")
        workers = [context.Process(target=_count_up, args=(tmp_path / "store", 20)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0] * 4
        assert store.read("counter").data == b"80"  # type: ignore[union-attr]

    def test_a_folder_that_lost_everything_at_once_is_no_empty_store(self, tmp_path: Path) -> None:
        root, file = tmp_path / "store", tmp_path / "file"
        file.write_bytes(b"x")
        digest = hashlib.sha256(b"x").hexdigest()
        store = FolderStore(root)
        assert store.read("a/b") is None
        store.write("a/b", b"x")
        away = root.rename(tmp_path / "away")
        attempts: list[Callable[[], object]] = [
            lambda: store.read("a/b"),
            lambda: store.read_if_changed("a/b", "etag"),
            lambda: store.list("a/"),
            lambda: store.write("a/c", b"x"),
            lambda: store.put_file("a/c", file, digest),
            lambda: store.fetch_file("a/b", tmp_path / "out", digest),
        ]
        for attempt in attempts:
            with pytest.raises(StoreUnavailable, match="held objects before and is gone: mount its disk"):
                attempt()
        assert not root.exists()
        away.rename(root)
        store.delete("a/b")
        assert store.read("a/b") is None  # of which this store itself left nothing

    def test_a_write_behind_a_stopped_process_gives_up_and_names_the_lock(self, tmp_path: Path) -> None:
        store = FolderStore(tmp_path, busy_s=0.3)
        store.write("a/b", b"one")
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / "a/.b.lock"], stdout=PIPE)
        assert holder.stdout is not None
        with holder:
            holder.stdout.readline()
            holder.send_signal(signal.SIGSTOP)
            try:
                before = time.monotonic()
                with pytest.raises(
                    StoreUnavailable, match=r"a/b: another process has held .*/a/\.b\.lock for 0\.3 s"
                ):
                    store.write("a/b", b"two")
                assert 0.3 <= time.monotonic() - before < seconds(5)
                assert store.read("a/b").data == b"one"  # type: ignore[union-attr]
            finally:
                holder.kill()
        assert holder.returncode == -signal.SIGKILL
        store.write("a/b", b"two")  # the kernel freed it

    @pytest.mark.parametrize("key", ["../outside", "a/../../outside", "/etc/hostname"])
    def test_no_key_leads_out_of_the_folder(self, store: ObjectStore, tmp_path: Path, key: str) -> None:
        (tmp_path / "outside").write_bytes(b"secret")
        with pytest.raises(StoreUnavailable, match="below the store's folder"):
            store.read(key)
        with pytest.raises(StoreUnavailable):
            store.write(key, b"x")

    def test_nothing_half_written_is_left_or_listed(self, store: ObjectStore, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"data")
        with pytest.raises(ArtifactCorrupt):
            store.put_file("s/file", tmp_path / "in", "0" * 64)
        store.write("s/other", b"x")
        assert store.list("s/") == ["other"]
        assert not list((tmp_path / "store" / "s").glob(".new-*"))

    def test_a_write_that_the_disk_refuses_leaves_nothing_behind(
        self, store: FolderStore, tmp_path: Path
    ) -> None:
        large = tmp_path / "large"
        large.write_bytes(bytes(100_000))
        sha256 = hashlib.sha256(large.read_bytes()).hexdigest()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
        try:
            with pytest.raises(StoreUnavailable, match="big: "):
                store.put_file("big", large, sha256)
            with pytest.raises(StoreUnavailable, match="big: "):
                store.write("big", bytes(100_000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [path.name for path in (tmp_path / "store").iterdir()] == [".big.lock"]


class S3Contract(ObjectStoreContract):
    """What a bucket promises besides; a subclass has `url`, of the server."""

    @pytest.fixture
    def url(self) -> str:
        raise AssertionError("a subclass gives the server")

    @pytest.fixture
    def store(self, url: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
        use_endpoint(monkeypatch, url)
        return open_s3_store(f"s3://{bucket_of(url)}/prefix/{uuid4().hex[:4]}")

    def test_an_empty_prefix_is_the_whole_bucket(self, url: str, store: ObjectStore) -> None:
        location = f"s3://{bucket_of(url)}"
        whole, below = open_s3_store(location), open_s3_store(f"{location}/deep/down/")
        below.write("c", b"x")
        assert whole.read("deep/down/c").data == b"x"  # type: ignore[union-attr]
        assert "deep/" in whole.list("")
        assert below.list("") == ["c"]

    def test_a_prefix_with_more_names_than_one_page_is_listed_whole(self, store: ObjectStore) -> None:
        for number in range(45):
            store.write(f"many/{number:04d}", b"")
        assert len(store.list("many/")) == 45

    def test_names_may_hold_what_urls_and_xml_may_not(self, store: ObjectStore) -> None:
        for name in ("a b", "a+b", "a&b", "a<b>", "a%20b", "ä", "a=b?c"):
            store.write(f"odd/{name}/x", name.encode())
            assert store.read(f"odd/{name}/x").data == name.encode()  # type: ignore[union-attr]
        assert store.list("odd/") == sorted(("a b/", "a+b/", "a&b/", "a<b>/", "a%20b/", "ä/", "a=b?c/"))


class TestS3StoreOverMoto(S3Contract):
    @pytest.fixture
    def url(self, moto_url: str) -> str:
        return moto_url


class TestS3StoreOverSeaweed(S3Contract):
    @pytest.fixture
    def url(self, seaweed_url: str) -> str:
        return seaweed_url


class S3ReaderContract(S3Contract):
    """The same bucket as a function reads it, and that it reads without boto3."""

    @pytest.fixture
    def store(self, url: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
        use_endpoint(monkeypatch, url)
        return read_by_itself(f"s3://{bucket_of(url)}/prefix/{uuid4().hex[:4]}")

    def test_what_is_there_and_what_is_not_is_read_without_boto3(
        self, url: str, store: ObjectStore, tmp_path: Path
    ) -> None:
        location = f"s3://{bucket_of(url)}/prefix/{uuid4().hex[:4]}"
        open_s3_store(location).write("c/a", b"data")
        alone = read_by_itself(location, is_alone=True)
        stored = alone.read("c/a")
        assert stored is not None
        assert alone.read_if_changed("c/a", stored.etag) is None
        assert (alone.read("c/b"), alone.list(""), alone.list("c/")) == (None, ["c/"], ["a"])
        alone.fetch_file("c/a", tmp_path / "out", hashlib.sha256(b"data").hexdigest())
        with pytest.raises(KeyError):
            alone.read_if_changed("c/b", stored.etag)


class TestS3ReaderOverMoto(S3ReaderContract):
    @pytest.fixture
    def url(self, moto_url: str) -> str:
        return moto_url


class TestS3ReaderOverSeaweed(S3ReaderContract):
    @pytest.fixture
    def url(self, seaweed_url: str) -> str:
        return seaweed_url


def read_by_itself(location: str, timeouts: Timeouts | None = None, *, is_alone: bool = False) -> S3Reader:
    """A reader that has nothing else to ask where it `is_alone`."""

    def open_rest() -> S3Store:
        assert not is_alone, "boto3 was asked"
        return open_s3_store(location, timeouts)

    # As Lambda sets it, and not this machine's.
    environ = {
        **CREDENTIALS,
        "AWS_REGION": CREDENTIALS["AWS_DEFAULT_REGION"],
        "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
    }
    reader = open_s3_reader(location, timeouts or Timeouts(), open_rest, environ)
    assert reader is not None
    return reader


each_client = pytest.mark.parametrize("open_store", [open_s3_store, read_by_itself], ids=["boto3", "reader"])
OpenStore = Callable[[str, Timeouts], S3Store | S3Reader]


class TestWhatABucketIsCalled:
    def test_an_unknown_bucket_is_a_store_that_cannot_be_reached(
        self, moto_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use_endpoint(monkeypatch, moto_url)
        store = open_s3_store("s3://no-such-bucket/p")
        with pytest.raises(StoreUnavailable, match="NoSuchBucket"):
            store.read("x")
        with pytest.raises(StoreUnavailable, match="NoSuchBucket"):
            store.write("x", b"", if_absent=True)

    def test_a_server_that_is_not_there_is_a_store_that_cannot_be_reached(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use_endpoint(monkeypatch, "http://127.0.0.1:9")
        with pytest.raises(StoreUnavailable, match=r"current\.json"):
            open_s3_store("s3://bucket").read("current.json")

    def test_a_location_without_a_bucket_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        use_endpoint(monkeypatch, "http://127.0.0.1:9")
        with pytest.raises(ConfigError, match="s3://bucket"):
            open_s3_store("s3://")

    def test_who_has_no_credentials_is_told_which_to_set(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for name in CREDENTIALS:
            monkeypatch.delenv(name, raising=False)
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            monkeypatch.setenv(name, str(tmp_path / "none"))
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # which has credentials of tests before
        with pytest.raises(StoreUnavailable, match=r"set AWS_PROFILE, or AWS_ACCESS_KEY_ID .* for books"):
            open_s3_store("s3://books").read("key")

    @pytest.mark.parametrize("endpoint", ["not a url", "http://"])
    def test_an_endpoint_that_is_no_url_is_named(
        self, endpoint: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use_endpoint(monkeypatch, endpoint)
        with pytest.raises(ConfigError, match="s3://bucket"):
            open_s3_store("s3://bucket")


def _count_up(root: Path, times: int) -> None:
    store = FolderStore(root)
    done = 0
    while done < times:
        stored = store.read("counter")
        assert stored is not None
        try:
            store.write("counter", str(int(stored.data) + 1).encode(), if_match=stored.etag)
        except SwapConflict:
            continue
        done += 1


class TestABucketWithShortTimeouts:
    """What a serving process sees of a bucket that fails: a named error within its deadline, then rest."""

    @pytest.fixture
    def s3(self, moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyS3]:
        with FaultyS3(moto_url) as proxy:
            use_endpoint(monkeypatch, proxy.url)
            yield proxy

    @pytest.fixture
    def timeouts(self) -> Timeouts:
        return Timeouts(connect_s=0.5, silence_s=0.5, attempts=2, file_s=0.5, rest_s=0.3)

    @each_client
    def test_bytes_that_trickle_end_at_the_deadline(
        self, s3: FaultyS3, moto_url: str, timeouts: Timeouts, tmp_path: Path, open_store: OpenStore
    ) -> None:
        bucket, prefix = bucket_of(moto_url), uuid4().hex[:4]
        data = bytes(400_000)
        client = boto3.client("s3", endpoint_url=moto_url, **BOTO)
        S3Store(client, bucket, f"{prefix}/").write("large", data)
        store = open_store(f"s3://{bucket}/{prefix}", timeouts)
        s3.state = TRICKLING
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="too slowly"):
            store.fetch_file("large", tmp_path / "out", hashlib.sha256(data).hexdigest())
        spent = time.monotonic() - began - s3.overslept_s
        # A block is whole before the clock is looked at.
        assert spent < timeouts.file_s + BLOCK_BYTES / TRICKLE_BYTES * TRICKLE_S + seconds(1.0)
        assert s3.trickled < 2 * BLOCK_BYTES
        assert list(tmp_path.iterdir()) == []

    @each_client
    @pytest.mark.parametrize("fault", [GONE, SLOW, THROTTLED])
    def test_a_failed_bucket_is_left_alone_for_a_while(
        self, s3: FaultyS3, moto_url: str, timeouts: Timeouts, fault: str, open_store: OpenStore
    ) -> None:
        store = open_store(f"s3://{bucket_of(moto_url)}", timeouts)
        s3.state = fault
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"current\.json"):
            store.read("current.json")
        assert time.monotonic() - began < timeouts.deadline_s + seconds(0.5)
        asked = s3.requests
        assert asked <= timeouts.attempts
        with pytest.raises(StoreUnavailable, match="not asked for"):
            store.list("")
        assert s3.requests == asked
        s3.state = WELL
        time.sleep(timeouts.rest_s)
        assert store.read("current.json") is None

    @each_client
    def test_after_a_restore_nothing_is_known_of_an_outage(
        self, s3: FaultyS3, moto_url: str, timeouts: Timeouts, open_store: OpenStore
    ) -> None:
        store = open_store(f"s3://{bucket_of(moto_url)}", replace(timeouts, rest_s=60))
        s3.state = GONE
        with pytest.raises(StoreUnavailable):
            store.read("x")
        s3.state = WELL
        store.reconnect()
        assert store.read("x") is None
