"""What the commands on versions do: publish, rollback, versions, prune. Each gives its exit code."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from typing import Any

from build_index.gate.options import add_review_options, engine_of_described, review_of_described
from build_index.progress import say
from build_index.release.pruning import GRACE_S, prune
from build_index.release.publishing import (
    LATEST,
    PREVIOUS,
    ReleaseTarget,
    VersionFacts,
    list_versions,
    publish_built,
    roll_back,
)
from build_index.wiring import open_objects, open_store, settings
from quire.errors import BuildInProgress, InputError
from quire.index.layout import Pointer

OK = 0


def add_release_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the four commands to the operator's CLI."""
    publish = commands.add_parser("publish", help="serve what `build --no-publish` left in the cache")
    _common(publish, run_publish)
    publish.add_argument("--segment", default=LATEST, metavar="DIGEST", help="(default: what was built last)")
    publish.add_argument("--label", help="name of the version (default: the sources' own version)")
    add_review_options(publish)
    rollback = commands.add_parser("rollback", help="serve an older version again")
    _common(rollback, run_rollback)
    rollback.add_argument(
        "--to",
        default=PREVIOUS,
        metavar="VERSION",
        help="id, engine version, `previous` (default) or `newest`",
    )
    _common(commands.add_parser("versions", help="list the versions that can be served"), run_versions)
    pruning = commands.add_parser("prune", help="remove what no pointer and no kept version needs")
    _common(pruning, run_prune)
    pruning.add_argument(
        "--keep", type=int, default=3, metavar="N", help="newest versions to keep (default 3)"
    )
    pruning.add_argument(
        "--grace", type=float, default=GRACE_S, metavar="S", help="seconds between condemning and removing"
    )


def run_publish(args: argparse.Namespace) -> int:
    """Publish a built segment and print the version; exit code 0 too where a build is running."""
    try:
        pointer = publish_built(
            _place(args),
            args.name,
            settings().cache,
            segment=args.segment,
            label=args.label,
            review=review_of_described(args, args.name),
            engine=engine_of_described(args.name),
        )
    except BuildInProgress as busy:
        say(str(busy))
        return OK
    _print_pointer(pointer, as_json=args.json)
    return OK


def run_rollback(args: argparse.Namespace) -> int:
    """Serve an older version again and print which."""
    _print_pointer(roll_back(_place(args), args.name, args.to), as_json=args.json)
    return OK


def run_versions(args: argparse.Namespace) -> int:
    """Print every version, newest first; `*` marks the one that is served."""
    facts = list_versions(_place(args), args.name)
    if args.json:
        print(json.dumps([one.as_json() for one in facts], indent=1))
        return OK
    for one in facts:
        print(_line(one))
    return OK


def run_prune(args: argparse.Namespace) -> int:
    """Remove what is no longer needed and print what went, or that a build is running."""
    if args.keep < 1:
        raise InputError(f"--keep: wanted 1 or more, found {args.keep}", field="keep")
    try:
        pruned = prune(_place(args), args.name, keep=args.keep, now=time.time(), grace_s=args.grace)
    except BuildInProgress as busy:
        say(str(busy))
        return OK
    if args.json:
        print(json.dumps(asdict(pruned), indent=1))
        return OK
    print(f"{len(pruned.versions)} versions forgotten, {len(pruned.removed)} segments and models removed")
    if pruned.condemned:
        print(f"{len(pruned.condemned)} are condemned: a prune after the grace period removes them")
    return OK


def _common(parser: argparse.ArgumentParser, run: object) -> None:
    parser.add_argument("name", help="the collection")
    parser.add_argument("--store", help="where collections lie (default: QUIRE_STORE, else .quire/store)")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def _place(args: argparse.Namespace) -> ReleaseTarget:
    return ReleaseTarget(open_objects(args.store), open_store(args.store))


def _line(one: VersionFacts) -> str:
    chunks = "incomplete" if one.chunks is None else f"{one.chunks} chunks"
    return f"{'*' if one.is_current else ' '} {one.id}  {one.published_at:20}  {chunks:>14}  {one.label}".rstrip()


def _print_pointer(pointer: Pointer, *, as_json: bool) -> None:
    if as_json:
        value: dict[str, Any] = {
            "version": pointer.version,
            "label": pointer.label,
            "published_at": pointer.published_at,
            "segments": [ref.digest for ref in pointer.segments],
        }
        print(json.dumps(value))
        return
    print(f"version {pointer.version} {pointer.label}".rstrip())
