"""`evaluate --candidate`: what the publish gate would say of a build that is not published yet."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from build_index.evaluation.golden import read_golden
from build_index.gate.options import review_of_described
from build_index.gate.report import as_json, headline, tell_changes
from build_index.wiring import settings
from quire.errors import InputError
from quire.index.layout import MANIFEST

CHANGES_SHOWN = 10


def judge_candidate(args: argparse.Namespace) -> tuple[str, bool]:
    """What `build --no-publish` left in the cache beside what is served, as text or JSON, and whether it may pass.

    Raises:
        InputError: the cache holds no build of the collection.
        UnknownCollection: nothing is served to compare it with.
    """
    folder = settings().cache / "built" / args.name
    if not (folder / MANIFEST).exists():
        raise InputError(f"candidate: {folder} holds no build of {args.name!r}", field="name")
    review = review_of_described(args, args.name)
    if args.golden:
        review = replace(review, golden=read_golden([Path(file) for file in args.golden]))
    shrinks, judgement = review.compare(args.name, folder)
    reasons = [*map(str, shrinks), *judgement.reasons]
    if args.json:
        told = json.dumps({**as_json(judgement), "shrinks": [str(one) for one in shrinks]}, indent=1)
    else:
        lines = [*reasons, *tell_changes(judgement, CHANGES_SHOWN), *judgement.remarks]
        told = "\n  ".join([f"{args.name}: {headline(judgement)}", *lines])
    return told, not reasons
