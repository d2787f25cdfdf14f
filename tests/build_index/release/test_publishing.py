from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from build_index.__main__ import main
from build_index.release.pruning import Pruned, prune
from build_index.release.publishing import (
    ReleaseTarget,
    find_version,
    list_versions,
    publish_built,
    roll_back,
)
from quire.adapters.folder import FolderStore
from quire.embedding.model_folder import FACTS_FILE, ModelFacts, facts_digest, read_facts
from quire.errors import ArtifactCorrupt, BuildInProgress, InputError, ModelError, UnknownVersion
from quire.index.layout import Pointer
from quire.index.writer import SegmentFacts, write_segment
from quire.ports import ObjectStore
from quire.store import pointers as states
from quire.store.catalog import Catalog
from quire.store.store import SegmentStore
from quire.store.write_targets import Site
from tests.support.rows import DIMENSIONS, FACTS, make_rows, plain_row
from tests.support.stores import MemoryStore

pytestmark = pytest.mark.usefixtures("few_questions")

Shell = Callable[..., tuple[int, str]]


class Releases:
    """A collection in a store, with a clock that is moved by hand."""

    def __init__(self, objects: ObjectStore, root: Path) -> None:
        self.now = 1_000_000.0
        self.cache = root / "cache"
        self.place = ReleaseTarget(
            objects, SegmentStore(objects, self.cache / "store", clock=lambda: self.now)
        )

    def build(self, text: str, model: str = "") -> None:
        folder = self.cache / "built" / "docs"
        shutil.rmtree(folder, ignore_errors=True)
        write_segment(folder, [plain_row("a", "0", text)], _facts(model))

    def publish(self, text: str, label: str = "") -> Pointer:
        self.now += 60
        self.build(text)
        return publish_built(self.place, "docs", self.cache, label=label)

    def put(self, key: str, data: bytes) -> None:
        file = self.cache / "file"
        file.write_bytes(data)
        self.place.objects.put_file(key, file, hashlib.sha256(data).hexdigest())

    def text(self) -> str:
        index = self.place.store.open("docs")
        return " ".join(chunk.text for chunk in index.fetch(range(index.chunk_count)))

    def prune(self, keep: int, grace_s: float = 100.0) -> Pruned:
        return prune(self.place, "docs", keep=keep, now=self.now, grace_s=grace_s)

    def segments(self) -> list[str]:
        return self.place.objects.list("collections/docs/segments/")


def _facts(model: str = "") -> SegmentFacts:
    return FACTS._replace(model=model)


@pytest.fixture(params=["folder", "memory"])
def releases(request: pytest.FixtureRequest, tmp_path: Path) -> Releases:
    objects = FolderStore(tmp_path / "store") if request.param == "folder" else MemoryStore()
    return Releases(objects, tmp_path)


def test_what_was_built_is_served_once_it_is_published(releases: Releases) -> None:
    pointer = releases.publish("alpha", "0.1")
    assert (releases.text(), pointer.label) == ("alpha", "0.1")
    assert [one.as_json() for one in list_versions(releases.place, "docs")] == [
        {
            "id": pointer.version,
            "label": "0.1",
            "published_at": pointer.published_at,
            "chunks": 1,
            "current": True,
        }
    ]


def test_a_rollback_serves_the_state_before_and_can_be_taken_back(releases: Releases) -> None:
    first, second = releases.publish("alpha", "0.732"), releases.publish("beta", "0.735")
    assert roll_back(releases.place, "docs").version == first.version
    assert releases.text() == "alpha"
    marks = {one.label: one.is_current for one in list_versions(releases.place, "docs")}
    assert marks == {"0.735": False, "0.732": True}
    with pytest.raises(UnknownVersion, match="is served and the oldest that is kept"):
        roll_back(releases.place, "docs")
    assert roll_back(releases.place, "docs", "newest").version == second.version


@pytest.mark.parametrize("note", range(6))
def test_a_rollback_after_a_live_write_leads_to_the_build_before_and_not_to_the_same(
    releases: Releases, note: int
) -> None:
    """What was written has its build's time, so that the two stand in the order of their ids, which is chance."""
    releases.publish("alpha", "0.732")
    releases.publish("beta", "0.735")
    releases.place.store.pointers.advance(
        "docs", lambda now: states.with_deletion(now, [f"note{note}"]) if now else releases.publish("none")
    )
    assert roll_back(releases.place, "docs").label == "0.732"
    assert releases.text() == "alpha"


@pytest.mark.parametrize("wanted", ["0.732", "0.732.0.77", "previous", "id"])
def test_a_version_goes_by_id_engine_version_or_place(releases: Releases, wanted: str) -> None:
    first = releases.publish("alpha", "0.732.0.77")
    second = releases.publish("beta", "0.735.0.78")
    name = first.version if wanted == "id" else wanted
    assert find_version(releases.place, "docs", name) == first
    assert find_version(releases.place, "docs", "latest") == second
    with pytest.raises(UnknownVersion, match=r"'0\.73' .*0\.735\.0\.78"):
        find_version(releases.place, "docs", "0.73")


def test_latest_and_the_engine_version_address_an_index_that_is_served(releases: Releases) -> None:
    first, second = releases.publish("alpha", "0.732"), releases.publish("beta", "0.735")
    catalog = Catalog(releases.place.store, refresh_s=0.0)
    assert catalog.get("docs", "latest").version == second.version
    assert catalog.get("docs", "0.732").version == first.version


def test_documents_deleted_since_stay_deleted_after_a_rollback(releases: Releases) -> None:
    releases.publish("alpha")
    releases.publish("beta")
    releases.place.store.pointers.advance(
        "docs", lambda pointer: states.with_deletion(_there(pointer), ["a"])
    )
    roll_back(releases.place, "docs", "previous")
    assert releases.place.store.open("docs").find("a#0") is None
    assert releases.text() == ""


def test_what_was_written_live_since_is_kept_by_a_rollback(releases: Releases, tmp_path: Path) -> None:
    releases.publish("alpha")
    releases.publish("beta")
    folder = tmp_path / "live"
    manifest = write_segment(folder, [plain_row("live", "0", "gamma")], _facts())
    releases.place.store.put("docs", folder, manifest)
    releases.place.store.pointers.advance(
        "docs", lambda pointer: states.with_write(_there(pointer), manifest.digest, [])
    )
    roll_back(releases.place, "docs", "previous")
    assert releases.text() == "alpha gamma"


def test_a_rollback_to_a_damaged_version_changes_nothing(tmp_path: Path) -> None:
    releases = Releases(FolderStore(tmp_path / "store"), tmp_path)
    first = releases.publish("alpha")
    releases.publish("beta")
    folder = tmp_path / "store/collections/docs/segments" / first.segments[0].digest
    shard = folder / "payloads/00000.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b"alpha", b"alphb"))
    with pytest.raises(ArtifactCorrupt, match="payloads/00000"):
        roll_back(releases.place, "docs")
    shard.unlink()
    with pytest.raises(ArtifactCorrupt, match="payloads/00000"):
        roll_back(releases.place, "docs")
    assert releases.text() == "beta"


def test_a_damaged_build_is_not_published(releases: Releases) -> None:
    releases.publish("alpha")
    releases.build("beta")
    shard = releases.cache / "built/docs/payloads/00000.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b"beta", b"bera"))
    with pytest.raises(ArtifactCorrupt, match="payloads/00000"):
        publish_built(releases.place, "docs", releases.cache)
    assert releases.text() == "alpha"


def test_a_segment_that_the_store_holds_can_be_published_without_the_cache(releases: Releases) -> None:
    first = releases.publish("alpha")
    releases.publish("beta")
    shutil.rmtree(releases.cache / "built")
    publish_built(releases.place, "docs", releases.cache, segment=first.segments[0].digest)
    assert releases.text() == "alpha"
    with pytest.raises(InputError, match="the cache holds nothing"):
        publish_built(releases.place, "docs", releases.cache)


def test_the_embedding_model_goes_to_the_store_with_the_segment(releases: Releases) -> None:
    digest = write_model_folder(releases.cache / "models" / "one").digest
    releases.build("alpha", digest)
    publish_built(releases.place, "docs", releases.cache)
    assert releases.place.objects.list("models/") == [f"{digest}/"]
    releases.build("beta", "f" * 64)
    with pytest.raises(ModelError, match="neither in the store nor in"):
        publish_built(releases.place, "docs", releases.cache)


def test_nothing_is_published_or_pruned_while_a_build_runs(releases: Releases) -> None:
    releases.publish("alpha")
    releases.build("beta")
    other = SegmentStore(releases.place.objects, releases.cache, clock=lambda: releases.now)
    with other.lock("docs"):
        with pytest.raises(BuildInProgress):
            publish_built(releases.place, "docs", releases.cache)
        with pytest.raises(BuildInProgress):
            releases.prune(1)
    assert releases.text() == "alpha"


def test_pruning_forgets_old_versions_and_removes_their_bytes_after_the_grace_period(
    releases: Releases,
) -> None:
    pointers = [releases.publish(text) for text in ("alpha", "beta", "gamma")]
    first = releases.prune(2)
    assert first.versions == (pointers[0].version,)
    assert (len(first.condemned), first.removed) == (1, ())
    assert len(releases.segments()) == 3
    releases.now += 99
    assert releases.prune(2).removed == ()
    releases.now += 2
    last = releases.prune(2)
    assert last.removed == (f"collections/docs/segments/{pointers[0].segments[0].digest}/",)
    assert len(releases.segments()) == 2
    assert json.loads(_stored(releases, "condemned.json")) == {}
    assert releases.text() == "gamma"
    roll_back(releases.place, "docs")
    assert releases.text() == "beta"


def test_pruning_never_removes_what_the_pointer_says_whatever_is_newer(releases: Releases) -> None:
    for text in ("alpha", "beta", "gamma"):
        releases.publish(text)
    roll_back(releases.place, "docs", list_versions(releases.place, "docs")[-1].id)
    releases.prune(1, grace_s=0)
    assert releases.text() == "alpha"
    assert len(releases.segments()) == 2


def test_a_condemned_segment_that_is_used_again_is_acquitted(releases: Releases) -> None:
    first = releases.publish("alpha")
    releases.publish("beta")
    releases.prune(1)
    publish_built(releases.place, "docs", releases.cache, segment=first.segments[0].digest)
    releases.now += 1_000
    condemned = releases.prune(1).condemned
    assert f"collections/docs/segments/{first.segments[0].digest}/" not in condemned
    assert releases.text() == "alpha"


def test_a_half_uploaded_segment_is_never_served_and_is_pruned(releases: Releases) -> None:
    pointer = releases.publish("alpha")
    releases.put("collections/docs/segments/abc/columns.safetensors", b"half")
    assert releases.text() == "alpha"
    releases.prune(3)
    releases.now += 101
    assert releases.prune(3).removed == ("collections/docs/segments/abc/",)
    assert releases.segments() == [pointer.segments[0].digest + "/"]


def test_a_model_that_another_collection_needs_is_kept(releases: Releases) -> None:
    releases.publish("alpha")
    for digest in ("a" * 64, "b" * 64):
        releases.put(f"models/{digest}/model.json", b"{}")
    folder = releases.cache / "other"
    manifest = write_segment(folder, list(make_rows(3)), _facts("a" * 64))
    releases.place.store.publish("other", folder, manifest)
    assert releases.prune(1, grace_s=0).removed == (f"models/{'b' * 64}/",)
    assert releases.place.objects.list("models/") == [f"{'a' * 64}/"]


def test_a_model_that_only_a_site_needs_is_kept(releases: Releases) -> None:
    releases.publish("alpha")
    for digest in ("a" * 64, "b" * 64):
        releases.put(f"models/{digest}/model.json", b"{}")
    folder = releases.cache / "other"
    manifest = write_segment(folder, list(make_rows(3)), _facts("a" * 64))
    releases.place.store.publish(Site("sites", "acme").name, folder, manifest)
    assert releases.prune(1, grace_s=0).removed == (f"models/{'b' * 64}/",)
    assert releases.place.objects.list("models/") == [f"{'a' * 64}/"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    releases = Releases(FolderStore(tmp_path / "store"), tmp_path)
    releases.publish("alpha", "0.732")
    releases.publish("beta", "0.735")

    def run(command: str, *more: str) -> tuple[int, str]:
        code = main([command, "docs", "--store", str(tmp_path / "store"), *more])
        return code, capsys.readouterr().out

    return run


def test_the_commands_print_json_and_lines(shell: Shell) -> None:
    code, out = shell("rollback", "--to", "0.732", "--json")
    assert (code, json.loads(out)["label"]) == (0, "0.732")
    code, out = shell("versions", "--json")
    assert [(one["label"], one["current"]) for one in json.loads(out)] == [("0.735", False), ("0.732", True)]
    code, out = shell("versions")
    assert [line[0] for line in out.splitlines()] == [" ", "*"]
    code, out = shell("prune", "--keep", "1", "--grace", "0", "--json")
    assert (code, json.loads(out)["removed"]) == (0, [])
    code, out = shell("prune", "--keep", "1")
    assert out.startswith("0 versions forgotten")
    assert shell("prune", "--keep", "0")[0] == 2
    assert shell("rollback", "--to", "9.9")[0] == 2


def write_model_folder(folder: Path) -> ModelFacts:
    """A folder that passes for an exported model as far as carrying it goes."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"graph")
    files = {"model.onnx": (5, hashlib.sha256(b"graph").hexdigest())}
    facts = ModelFacts("tiny", "", DIMENSIONS, 64, 8, "", files)
    facts = facts._replace(digest=facts_digest(facts))
    said = facts._asdict() | {
        "files": {name: {"size_bytes": 5, "sha256": of[1]} for name, of in files.items()}
    }
    (folder / FACTS_FILE).write_text(json.dumps(said), encoding="utf-8")
    return read_facts(folder)


def _stored(releases: Releases, key: str) -> bytes:
    stored = releases.place.objects.read(key)
    assert stored is not None
    return stored.data


def _there(pointer: Pointer | None) -> Pointer:
    assert pointer is not None
    return pointer
