"""Opens the store and the search server that a setting names; only the chosen vendor's library is imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quire.errors import ConfigError

if TYPE_CHECKING:
    from quire.adapters.opensearch import OpenSearchServer
    from quire.ports import ObjectStore


def open_objects(location: str) -> ObjectStore:
    """The objects of a folder or of `s3://bucket/prefix`, whose calls are bounded as a build wants them.

    Raises:
        ConfigError: it is neither.
    """
    scheme, separator, _ = location.partition("://")
    if not separator:
        from quire.adapters.folder import FolderStore

        return FolderStore(Path(location))
    if scheme != "s3":
        raise ConfigError(f"store: wanted a folder or s3://bucket/prefix, found {location!r}")
    from quire.adapters.s3 import open_s3_store  # boto3 costs 120 ms of CPU

    return open_s3_store(location)


def open_server(address: str, *, is_serving: bool) -> OpenSearchServer | None:
    """The search server at that address; None for "". Its calls are bounded for questions, else for loading builds.

    Raises:
        ConfigError: that is no address.
    """
    if not address:
        return None
    from quire.adapters.opensearch import open_opensearch  # few collections are searched so
    from quire.adapters.opensearch_wire import LOADING, SEARCHING

    return open_opensearch(address, SEARCHING if is_serving else LOADING)
