"""The review between a built segment and the pointer: what passes, what is refused, and what the notes keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from build_index.evaluation.golden import GoldenQuestion
from build_index.gate.review import Review, ReviewRules
from build_index.release.publishing import ReleaseTarget, publish_built
from quire.adapters.folder import FolderStore
from quire.documents import Document
from quire.errors import ArtifactCorrupt, ModelError, PublishRefused
from quire.index.layout import MANIFEST, Manifest, Pointer, read_manifest
from quire.ports import Embedder
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents, write_corpus
from tests.support.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder()
GUIDES = api_documents()[8:]


def members(count: int) -> list[Document]:
    """Numbered members, each with a word of its own."""
    first = api_documents()[0]
    return [
        first._replace(
            id=f"api_dump/Part.Member{n}",
            text=f"Part.Member{n} does thing{n} and wonder{n % 7}",
            metadata={**first.metadata, "member_name": f"Member{n}", "symbols": (f"Part.Member{n}",)},
        )
        for n in range(count)
    ]


def mixed_up(count: int) -> list[Document]:
    """The same members, each told with the next one's words."""
    right = members(count)
    told = [*right[1:], right[0]]
    return [one._replace(text=other.text) for one, other in zip(right, told, strict=True)]


def questions(count: int) -> list[GoldenQuestion]:
    return [
        GoldenQuestion(f"q{n}", f"what does thing{n}", "question", (({"member_name": f"Member{n}"},),))
        for n in range(count)
    ]


class Desk:
    """A store, a cache that a build wrote into, and a review between the two."""

    def __init__(self, root: Path) -> None:
        objects = FolderStore(root / "store")
        self.cache = root / "cache"
        self.place = ReleaseTarget(objects, SegmentStore(objects, self.cache))

    def build(self, documents: Sequence[Document]) -> Path:
        folder = self.cache / "built" / "roblox"
        for old in [folder] if folder.exists() else []:
            old.rename(self.cache / f"old-{len(list(self.cache.iterdir()))}")
        write_corpus(folder, HashingEmbedder(), documents)
        manifest = read_manifest((folder / MANIFEST).read_bytes())
        (folder / MANIFEST).write_bytes(manifest._replace(model="").to_json())
        return folder

    def review(self, golden: Sequence[GoldenQuestion] = (), **rules: object) -> Review:
        reports = self.cache / "reports"
        return Review(self.place.store, self._embedder, reports, golden, ReviewRules(**rules))  # type: ignore[arg-type]

    def _embedder(self, digest: str) -> Embedder:
        if digest:
            raise ModelError(f"model {digest}: not here")
        return EMBEDDER

    def publish(self, documents: Sequence[Document], review: Review) -> tuple[Pointer, Manifest]:
        self.build(documents)
        pointer = publish_built(self.place, "roblox", self.cache, review=review)
        return pointer, self.place.store.open("roblox").manifests[0]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_first_version_passes_and_says_that_it_was_compared_with_nothing(desk: Desk) -> None:
    _, manifest = desk.publish(members(70), desk.review(questions(70)))
    assert manifest.notes["gate"]["remarks"] == ["first version: there was nothing to compare with"]


def test_an_equal_version_passes_with_the_figures_in_its_notes(desk: Desk) -> None:
    first, _ = desk.publish(members(70), desk.review(questions(70)))
    _, manifest = desk.publish([*members(70), *GUIDES], desk.review(questions(70)))
    gate = manifest.notes["gate"]
    assert gate["against"] == first.version
    assert gate["questions"] == 70
    assert gate["mrr@10"]["hybrid"]["built"] > 0.9
    assert gate["inferior"] == []


def test_a_damaged_build_is_not_taken_for_what_mends_a_damaged_version(desk: Desk) -> None:
    desk.publish(members(70), desk.review())
    folder = desk.build([*members(70), *GUIDES])
    shard = folder / "payloads" / "00000.jsonl"
    whole = shard.read_bytes()
    shard.write_bytes(bytes(len(whole)))
    with pytest.raises(ArtifactCorrupt, match=r"00000\.jsonl: sha256"):
        desk.review(questions(70))("roblox", folder)
    shard.write_bytes(whole)
    for served in (desk.cache.parent / "store").rglob("00000.jsonl"):
        served.write_bytes(bytes(served.stat().st_size))
    manifest = desk.review(questions(70))("roblox", folder)
    assert manifest.notes["gate"]["remarks"] == [
        "the version before was damaged: there was nothing to compare with"
    ]


def test_a_version_that_lost_documents_is_refused_and_the_pointer_stays(desk: Desk) -> None:
    first, _ = desk.publish(members(70), desk.review())
    with pytest.raises(PublishRefused, match=r"api_dump: documents 70 -> 35 \(-50 %\), gone: api_dump/Part"):
        desk.publish(members(35), desk.review())
    assert desk.place.store.pointer("roblox").version == first.version
    _, manifest = desk.publish(members(35), desk.review(most_lost=1.0))
    assert "documents 70 -> 35" in manifest.notes["allowed_shrink"][0]


def test_a_version_that_answers_worse_is_refused_with_both_rankings_in_the_report(desk: Desk) -> None:
    first, _ = desk.publish(members(70), desk.review())
    worse = mixed_up(70)
    with pytest.raises(PublishRefused) as refused:
        desk.publish(worse, desk.review(questions(70)))
    told = str(refused.value)
    assert "answers: mrr@10 " in told
    assert "'what does thing0' rank 1 -> " in told
    assert '--accept-regression "reason"' in told
    assert desk.place.store.pointer("roblox").version == first.version
    report = json.loads((desk.cache / "reports" / "roblox.json").read_text())
    assert report["changes"][0]["served"]
    assert report["inferior"]


def test_a_regression_that_is_accepted_is_recorded_with_its_reason(desk: Desk) -> None:
    desk.publish(members(70), desk.review())
    worse = mixed_up(70)
    review = desk.review(questions(70), accept_regression="the upstream renamed everything")
    pointer, manifest = desk.publish(worse, review)
    assert manifest.notes["accepted_regression"] == "the upstream renamed everything"
    assert manifest.notes["gate"]["inferior"]
    assert desk.place.store.pointer("roblox").version == pointer.version


def test_without_golden_questions_a_version_passes_with_a_note(desk: Desk) -> None:
    desk.publish(members(70), desk.review())
    _, manifest = desk.publish([*members(70), *GUIDES], desk.review())
    assert manifest.notes["gate"]["remarks"] == ["no golden questions: nothing was compared"]


def test_what_the_notes_say_does_not_change_the_version(desk: Desk) -> None:
    folder = desk.build(members(20))
    before = read_manifest((folder / MANIFEST).read_bytes()).digest
    assert desk.review()("roblox", folder).digest == before


def test_a_served_version_whose_model_is_gone_is_compared_by_keywords(desk: Desk) -> None:
    folder = desk.build(members(70))
    manifest = read_manifest((folder / MANIFEST).read_bytes())
    lost = manifest._replace(model="f" * 64)
    (folder / MANIFEST).write_bytes(lost.to_json())
    desk.place.store.publish("roblox", folder, lost)
    _, manifest = desk.publish([*members(70), *GUIDES], desk.review(questions(70)))
    assert list(manifest.notes["gate"]["mrr@10"]) == ["keyword"]
