"""What stands between a built segment and the pointer: shrink guard, publish gate, and what manifests keep of both."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_index.evaluation.golden import GoldenQuestion
from build_index.gate import gate
from build_index.gate.gate import SEED, GateComparison, Judgement
from build_index.gate.guards import MOST_LOST, Shrink, find_shrinks, guard_shrink, take_stock
from build_index.progress import say
from build_index.release.loading import open_loaded, server_named
from quire.errors import ArtifactCorrupt, ModelError, PublishRefused, UnknownCollection
from quire.index.layout import Manifest
from quire.index.opened import OpenedIndex, open_built
from quire.index.reader import manifest_in, verify_segment
from quire.index.writer.segment import amend_manifest
from quire.ports import Embedder
from quire.store.pointers import BUILD
from quire.store.store import SegmentStore


def headline(judgement: Judgement) -> str:
    """The outcome in a line."""
    if not judgement.comparisons:
        return f"gate: {judgement.remarks[0]}"
    first = next(iter(judgement.comparisons.values()))
    better = sum(one.gain > 0 for one in judgement.changes)
    return (
        f"gate: {judgement.questions} questions, mrr@10 {first.served:.3f} -> {first.built:.3f}, "
        f"{better} better, {len(judgement.changes) - better} worse"
    )


def tell_changes(judgement: Judgement, limit: int) -> list[str]:
    """The questions that got worse, worst first, with where the right hit stood and what stands first now."""
    return [
        f"{one.question}: {one.query[:80]!r} rank {one.served_rank or '-'} -> {one.built_rank or '-'}; "
        f"first was {one.served[0] if one.served else 'nothing'}, is {one.built[0] if one.built else 'nothing'}"
        for one in judgement.changes[:limit]
        if one.gain < 0
    ]


def as_json(judgement: Judgement) -> dict[str, Any]:
    """The whole report as a JSON value."""
    return summary(judgement) | {
        "changes": [
            {
                "id": one.question,
                "query": one.query,
                "rank": {"served": one.served_rank, "built": one.built_rank},
                "served": list(one.served),
                "built": list(one.built),
            }
            for one in judgement.changes
        ]
    }


def summary(judgement: Judgement) -> dict[str, Any]:
    """What the manifest's notes keep of it."""
    return {
        "questions": judgement.questions,
        "seed": SEED,
        "mrr@10": {mode: _figures(one) for mode, one in judgement.comparisons.items()},
        "inferior": list(judgement.reasons),
        "remarks": list(judgement.remarks),
    }


def _figures(one: GateComparison) -> dict[str, float]:
    figures = {"served": one.served, "built": one.built, "lower": one.lower, "margin": one.margin}
    return {name: round(value, 4) for name, value in figures.items()}


CHANGES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """What a built version may lose.

    Attributes:
        most_lost: share of any source's documents, chunks, characters or symbols.
        margin: of mean reciprocal rank over the golden questions.
        accept_regression: why a version that answers worse is published all the same; "" refuses it.
    """

    most_lost: float = MOST_LOST
    margin: float = gate.MARGIN
    accept_regression: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """Compares a built segment with the served version; called with the collection's name and the build's folder.

    Attributes:
        store: where the served version is.
        embedder_of: opens the model of a digest, or raises ModelError.
        reports: folder for the gate's reports.
        golden: the collection's golden questions.
        engine: the server that searches what is built, so that it is judged there; "" where it is searched in place.
    """

    store: SegmentStore
    embedder_of: Callable[[str], Embedder]
    reports: Path
    golden: Sequence[GoldenQuestion] = ()
    rules: ReviewRules = field(default_factory=ReviewRules)
    engine: str = ""

    def __call__(self, name: str, folder: Path) -> Manifest:
        """Judge what was built, write the verdict into its manifest's notes, and give the manifest.

        Raises:
            PublishRefused: it lost too much, or answers worse.
            ArtifactCorrupt: what was built is damaged.
        """
        built = self._built(name, folder)
        notes: dict[str, Any] = {**manifest_in(folder).notes}
        try:
            if (served := self._served(name)) is None:
                notes["gate"] = {"remarks": ["first version: there was nothing to compare with"]}
            else:
                notes |= self._guard(served, built)
                notes |= self._judge(name, served[0], built)
        except ArtifactCorrupt as error:  # it cannot be served either, and this build is what mends that
            verify_segment(folder)
            say(f"{name}: what is served is damaged, there is nothing to compare with: {error}")
            notes["gate"] = {"remarks": ["the version before was damaged: there was nothing to compare with"]}
        return amend_manifest(folder, notes=notes)

    def compare(self, name: str, folder: Path) -> tuple[list[Shrink], gate.Judgement]:
        """What guard and gate find of a segment beside the served version; nothing is written.

        Raises:
            UnknownCollection: nothing that was built is served.
        """
        built, served = self._built(name, folder), self._served(name)
        if served is None:
            raise UnknownCollection(f"collection {name!r}: nothing to compare with: no build is served")
        before = take_stock(served[0], built=served[1])
        return find_shrinks(before, take_stock(built), self.rules.most_lost), self._ask_both(served[0], built)

    def _built(self, name: str, folder: Path) -> OpenedIndex:
        if not self.engine:
            return open_built(folder)
        return open_loaded(server_named(self.store, self.engine), name, folder)

    def _ask_both(self, served: OpenedIndex, built: OpenedIndex) -> gate.Judgement:
        return gate.judge(
            gate.ask(self._side(served), self.golden),
            gate.ask(self._side(built), self.golden),
            margin=self.rules.margin,
        )

    def _served(self, name: str) -> tuple[OpenedIndex, int] | None:
        """The served version and how many of its segments were built; None where there is none, or not whole yet."""
        try:
            pointer = self.store.pointer(name)
        except UnknownCollection:
            return None
        origins = [ref.origin for ref in pointer.segments]
        if BUILD not in origins or not self.store.pointers.is_whole(pointer):
            return None
        return self.store.open(name, pointer.version), origins.count(BUILD)

    def _guard(self, served: tuple[OpenedIndex, int], built: OpenedIndex) -> dict[str, Any]:
        before, after = take_stock(served[0], built=served[1]), take_stock(built)
        guard_shrink(before, after, self.rules.most_lost)
        allowed = find_shrinks(before, after) if self.rules.most_lost > MOST_LOST else []
        return {"allowed_shrink": [str(one) for one in allowed]} if allowed else {}

    def _judge(self, name: str, served: OpenedIndex, built: OpenedIndex) -> dict[str, Any]:
        judgement = self._ask_both(served, built)
        report = self.reports / f"{name}.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps(as_json(judgement), ensure_ascii=False, indent=1), encoding="utf-8")
        say(f"{name}: {headline(judgement)}")
        if judgement.reasons and not self.rules.accept_regression:
            told = [*judgement.reasons, *tell_changes(judgement, CHANGES_SHOWN), *judgement.remarks]
            raise PublishRefused(
                "refused: answers worse than the served version\n  "
                + "\n  ".join(told)
                + f'\n  report: {report}\n  if that is right, say --accept-regression "reason"'
            )
        notes: dict[str, Any] = {"gate": {**summary(judgement), "against": served.version}}
        if judgement.reasons:
            notes["accepted_regression"] = self.rules.accept_regression
        return notes

    def _side(self, index: OpenedIndex) -> gate.Side:
        try:
            return gate.Side(index, self.embedder_of(index.manifests[0].model))
        except ModelError:
            return gate.Side(index, None)
