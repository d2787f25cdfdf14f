"""The command line of the review: its options, and the Review that they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from build_index.evaluation.golden import GoldenQuestion, read_golden
from build_index.gate import gate
from build_index.gate.guards import MOST_LOST
from build_index.gate.review import Review, ReviewRules
from build_index.wiring import open_model, open_objects, open_store, settings
from quire.collections import read_collections, server_in
from quire.errors import ConfigError, InputError
from quire.store.models import model_folder


def add_review_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that a refused build can be insisted on with."""
    parser.add_argument(
        "--allow-shrink",
        type=_share,
        metavar="SHARE",
        help=f"share of a source that may be gone (default {MOST_LOST}; 1 allows any loss)",
    )
    parser.add_argument(
        "--accept-regression", default="", metavar="REASON", help="publish though answers got worse, and why"
    )


def open_review(
    args: argparse.Namespace, name: str, *, golden: str = "", options: Mapping[str, Any] | None = None
) -> Review:
    """The review that the options, the collection's `golden` path and its `max_shrink` and `gate_margin` ask for."""
    known = options or {}
    allowed, margin = _number(known, "max_shrink", MOST_LOST), _number(known, "gate_margin", gate.MARGIN)
    most_lost = args.allow_shrink if args.allow_shrink is not None else allowed
    rules = ReviewRules(most_lost, margin, args.accept_regression)
    cache, objects = settings().cache, open_objects(args.store)
    return Review(
        open_store(args.store),
        lru_cache(lambda digest: open_model(model_folder(objects, cache, digest))),
        cache / "reports",
        _golden(name, golden),
        rules,
        engine=server_in(known),
    )


def review_of_described(args: argparse.Namespace, name: str) -> Review:
    """The review of a collection as `collections.toml` has it, if it does."""
    file = settings().collections_file
    described = read_collections(file).get(name) if file.exists() else None
    if described is None:
        return open_review(args, name)
    return open_review(args, name, golden=described.golden, options=described.options)


def engine_of_described(name: str) -> str:
    """The server that searches the collection's builds as `collections.toml` has it; "" where none does."""
    file = settings().collections_file
    described = read_collections(file).get(name) if file.exists() else None
    return server_in(described.options) if described else ""


def _number(options: Mapping[str, Any], name: str, default: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigError(f"options.{name}: wanted a number from 0 to 1, found {value!r}")
    return float(value)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"wanted a number from 0 to 1, found {text!r}")
    return value


def _golden(name: str, path: str) -> list[GoldenQuestion]:
    if not path:
        return []
    if not Path(path).exists():
        raise InputError(
            f"golden: collection {name!r} names {path!r}, and there is no such file", field="golden"
        )
    return read_golden([Path(path)])
