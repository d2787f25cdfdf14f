"""After an index is published: new versions of the functions, so that their snapshots hold it; old ones are deleted.

    python -m build_index.release.snapshots quire-query quire-answer --alias live --keep 2

SnapStart keeps the memory of a function as it was when its version was published. A restored function looks at its
pointers anyway, so this saves time, not correctness: without it each restore would fetch the new index first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from build_index.progress import say
from quire.errors import ConfigError

FAILED = 2
NOTE = "index of "
"""How the description of every version begins that is made here."""


def renew(client: Any, function: str, alias: str, keep: int, *, note: str) -> tuple[str, list[str]]:
    """Publish a version, lead the alias to it once it is active, delete all but the `keep` newest of those made here.

    A version that a deployment made stays: CloudFormation leads the alias back to it where the next deployment fails.

    Lambda publishes no version of a function that did not change; its description, which gets `note`, makes it.

    Args:
        client: a boto3 client of Lambda.
        function: its name.
        alias: what callers call.
        keep: how many versions stay, the new one included.
        note: different from the last one's.

    Returns:
        The new version and the deleted ones.
    """
    client.update_function_configuration(FunctionName=function, Description=note)
    client.get_waiter("function_updated").wait(FunctionName=function)
    version: str = client.publish_version(FunctionName=function, Description=note)["Version"]
    client.get_waiter("published_version_active").wait(FunctionName=function, Qualifier=version)
    client.update_alias(FunctionName=function, Name=alias, FunctionVersion=version)
    old = [one for one in _versions(client, function, made_by=NOTE) if one != version]
    gone = old[: max(len(old) - (keep - 1), 0)]
    for one in gone:
        client.delete_function(FunctionName=function, Qualifier=one)
    return version, gone


def roll_back(client: Any, function: str, alias: str) -> tuple[str, str]:
    """Lead the alias back to the version before the one that it leads to; both numbers.

    Raises:
        ConfigError: there is none before it.
    """
    live = client.get_alias(FunctionName=function, Name=alias)["FunctionVersion"]
    before = [one for one in _versions(client, function) if int(one) < int(live)]
    if not before:
        raise ConfigError(f"{function}: version {live} is live, and there is none before it")
    client.update_alias(
        FunctionName=function,
        Name=alias,
        FunctionVersion=before[-1],
        RoutingConfig={"AdditionalVersionWeights": {}},
    )
    return live, before[-1]


def prune(client: Any, function: str, alias: str, keep: int) -> list[str]:
    """Delete the versions that deployments left but for the alias's and the `keep` newest; those that were deleted."""
    live = client.get_alias(FunctionName=function, Name=alias)["FunctionVersion"]
    versions = _versions(client, function)
    gone = [one for one in versions[: max(len(versions) - keep, 0)] if one != live]
    for one in gone:
        client.delete_function(FunctionName=function, Qualifier=one)
    return gone


def _versions(client: Any, function: str, made_by: str = "") -> list[str]:
    """Numbers of the published versions whose description begins so, oldest first."""
    pages = client.get_paginator("list_versions_by_function").paginate(FunctionName=function)
    found = [
        one["Version"]
        for page in pages
        for one in page["Versions"]
        if one.get("Description", "").startswith(made_by)
    ]
    return sorted((one for one in found if one.isdecimal()), key=int)


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew each function that is named."""
    parser = argparse.ArgumentParser(
        prog="python -m build_index.release.snapshots", description="Renews snapshots."
    )
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--alias", default="live")
    parser.add_argument("--keep", type=int, default=2)
    parser.add_argument("--rollback", action="store_true", help="lead the aliases to the versions before")
    parser.add_argument("--prune", action="store_true", help="delete all versions but the newest")
    asked = parser.parse_args(arguments)
    try:
        # Without snapshots nothing is named, and neither region nor credentials need be there.
        client = boto3.client("lambda") if asked.functions else None
        for function in asked.functions:
            say(f"{function}: {_do(client, function, asked)}")
    except (BotoCoreError, ClientError, WaiterError, ConfigError) as error:
        say(f"snapshots: {error}")
        return FAILED
    return 0


def _do(client: Any, function: str, asked: argparse.Namespace) -> str:
    keep = max(asked.keep, 1)
    if asked.rollback:
        left, version = roll_back(client, function, asked.alias)
        return f"version {version} is live in place of {left}"
    if asked.prune:
        return f"{len(prune(client, function, asked.alias, keep))} old versions deleted"
    note = NOTE + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    version, gone = renew(client, function, asked.alias, keep, note=note)
    return f"version {version} is live; {len(gone)} old versions deleted"


if __name__ == "__main__":
    sys.exit(main())
