"""The composition root: settings in, an app out. The only module here that knows adapters."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

# isort: off
# onnxruntime first: some versions of usearch crash when they are imported before it.
from quire.adapters import onnx_embedder  # noqa: F401
# isort: on

from fastapi import FastAPI

from functions.web.access import OneKey
from functions.web.app import create_app
from functions.web.faces import FUNCTIONS
from functions.web.logs import log
from functions.web.models import Models, model_folder
from functions.web.restore import after_restore
from functions.web.service import Knowledge
from quire.adapters import open_embedder
from quire.adapters.folder_store import FolderStore
from quire.artifact.store import SegmentStore
from quire.catalog import Catalog
from quire.collections import Collection, read_collections
from quire.errors import ConfigError, StoreError
from quire.ports import ObjectStore
from quire.settings import Settings


def local_app(settings: Settings) -> FastAPI:
    """Every function in one app, for requests side by side."""
    return _app(settings, FUNCTIONS, concurrent=True)


def lambda_app(settings: Settings, functions: Sequence[str]) -> FastAPI:
    """One function's routes, for one request at a time, with everything opened ahead of the first."""
    app = _app(settings, functions, concurrent=False)
    service: Knowledge = app.state.service
    _warm(service)
    # What a snapshot holds may be days old.
    after_restore(service.catalog.look_again)
    return app


def open_service(settings: Settings) -> Knowledge:
    """The use cases over the store that the settings name."""
    objects = open_objects(settings.store)
    models = Models(
        partial(model_folder, objects, settings.cache), partial(open_embedder, threads=settings.threads)
    )
    catalog = Catalog(SegmentStore(objects, settings.cache), refresh_s=settings.refresh_s)
    return Knowledge(catalog, models, _collections(settings.collections_file))


def open_objects(store: str) -> ObjectStore:
    """The object store of that name.

    Raises:
        ConfigError: the name has a scheme that no adapter knows.
    """
    scheme, separator, _ = store.partition("://")
    if not separator:
        return FolderStore(Path(store))
    if scheme != "s3":
        raise ConfigError(f"QUIRE_STORE: wanted a folder or s3://bucket/prefix, found the scheme {scheme!r}")
    from quire.adapters.s3_store import open_s3_store  # boto3 costs 280 ms to import: only a bucket needs it

    bucket = open_s3_store(store)
    after_restore(bucket.reconnect)
    return bucket


def _app(settings: Settings, functions: Sequence[str], *, concurrent: bool) -> FastAPI:
    return create_app(
        open_service(settings),
        OneKey(settings.api_key),
        functions=functions,
        concurrent=concurrent,
        max_body_bytes=settings.max_body_bytes,
    )


def _collections(path: Path) -> dict[str, Collection]:
    """What a maintainer listed; a store can be served without such a file."""
    return read_collections(path) if path.exists() else {}


def _warm(service: Knowledge) -> None:
    try:
        failed = service.warm()
    except StoreError as error:
        failed = {"": str(error)}
    for name, message in failed.items():
        log("not warm", logging.WARNING, collection=name, message=message)
