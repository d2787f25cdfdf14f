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

FAILED = 2


def renew(client: Any, function: str, alias: str, keep: int, *, note: str) -> tuple[str, list[str]]:
    """Publish a version, lead the alias to it once it is active, delete all but the `keep` newest and the alias's.

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
    old = [one for one in _versions(client, function) if one != version]
    gone = old[: max(len(old) - (keep - 1), 0)]
    for one in gone:
        client.delete_function(FunctionName=function, Qualifier=one)
    return version, gone


def _versions(client: Any, function: str) -> list[str]:
    """Numbers of the published versions, oldest first."""
    pages = client.get_paginator("list_versions_by_function").paginate(FunctionName=function)
    found = [one["Version"] for page in pages for one in page["Versions"]]
    return sorted((one for one in found if one.isdecimal()), key=int)


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew each function that is named."""
    parser = argparse.ArgumentParser(
        prog="python -m build_index.release.snapshots", description="Renews snapshots."
    )
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--alias", default="live")
    parser.add_argument("--keep", type=int, default=2)
    asked = parser.parse_args(arguments)
    note = time.strftime("index of %Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        # Without snapshots nothing is named, and neither region nor credentials need be there.
        client = boto3.client("lambda") if asked.functions else None
        for function in asked.functions:
            version, gone = renew(client, function, asked.alias, max(asked.keep, 1), note=note)
            say(f"{function}: version {version} is live; {len(gone)} old versions deleted")
    except (BotoCoreError, ClientError, WaiterError) as error:
        say(f"snapshots: {error}")
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
