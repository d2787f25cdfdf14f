"""How the publish gate's judgement reads: in a line, question by question, as JSON, and in the manifest's notes."""

from __future__ import annotations

from typing import Any

from build_index.gate.gate import SEED, GateComparison, Judgement


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
