"""The composition root: settings in, an app out. The only module here that knows adapters."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

# isort: off
# onnxruntime first: some versions of usearch crash when they are imported before it.
from quire.embedding import onnx as onnx_embedder  # noqa: F401
# isort: on

from functions.app.cloud import guarded
from functions.app.models import LateModel, Models
from functions.web.access import Access, OneKey, Policies, ScopedKeys, Tokens
from functions.web.logs import TOLD_DISK_SHARE, configure_logs, disk_share, log
from quire.adapters.chosen import open_answer_model, open_objects, open_server
from quire.adapters.circuit_breaker import SERVING
from quire.collections import Collection, read_collections
from quire.embedding import open_embedder
from quire.errors import ConfigError, StoreError
from quire.ports import AnswerModel, ChatMemory, Embedder, ObjectStore, TokenBudget
from quire.service.access_file import AccessFile, AccessObject, TokenPolicy
from quire.service.knowledge import Knowledge
from quire.service.token_budget import ProcessBudget
from quire.settings import Settings, read_settings
from quire.store.catalog import STEADY_S, Catalog
from quire.store.live_catalog import LiveCatalog
from quire.store.models import model_folder, newest_model
from quire.store.store import SegmentStore
from quire.store.write_targets import LIVE

if TYPE_CHECKING:
    from datetime import datetime

    from fastapi import FastAPI

    from functions.web.live import Live
    from quire.adapters.s3 import S3Store

WRITERS = 8
MIB = 1 << 20


def local_app(settings: Settings) -> FastAPI:
    """Every function in one app, for requests side by side."""
    from functions.web.faces import FUNCTIONS

    return _app(settings, FUNCTIONS, concurrent=True)


def lambda_app(settings: Settings, functions: Sequence[str]) -> FastAPI:
    """One function's routes, for one request at a time, with what fits opened ahead of the first."""
    app = _app(settings, functions, concurrent=False)
    service: Knowledge = app.state.service
    _warm(service, lambda: disk_share(settings.cache) < TOLD_DISK_SHARE)
    # What a snapshot holds may be days old.
    after_restore(service.catalog.look_again)
    return app


def open_service(settings: Settings) -> Knowledge:
    """The use cases over the store that the settings name."""
    return _open(settings).service


@dataclass(frozen=True, slots=True)
class _OpenedStore:
    """A process's store with what reads it."""

    objects: ObjectStore
    store: SegmentStore
    models: Models
    live: LiveCatalog
    service: Knowledge


def _open(settings: Settings, steady_s: float = math.inf, *, is_late: bool = False) -> _OpenedStore:
    objects, server = _open_objects(settings.store), open_server(settings.opensearch, is_serving=True)
    if server is not None:
        after_restore(server.reconnect)
    store = SegmentStore(
        objects, settings.cache, most_bytes=int(settings.cache_mb * MIB), is_late=is_late, server=server
    )
    models = Models(
        partial(model_folder, objects, settings.cache, brought=settings.models),
        partial(open_embedder, threads=settings.threads),
    )
    live = LiveCatalog(store, steady_s=steady_s)
    catalog = Catalog(store, refresh_s=settings.refresh_s, steady_s=steady_s)
    service = Knowledge(
        catalog,
        models,
        _collections(settings.collections_file),
        live=live,
        stale_after_days=settings.stale_after_days,
        model_of=_model_of(settings),
        public_budget=_public_budget(settings),
        print_answers=settings.print_answers,
    )
    service.answer_s = settings.answer_s
    service.rewrite = settings.rewrite
    return _OpenedStore(objects, store, models, live, service)


def _model_of(settings: Settings) -> Callable[[], AnswerModel | None]:
    """What gives the answer model: it is opened now, or once the secret that names it can be read."""
    if not settings.model_secret:
        model = _answer_model(settings)
        return lambda: model
    from quire.adapters.secrets import read_secret

    late = LateModel(
        lambda: _answer_model(read_settings({**os.environ, **read_secret(settings.model_secret)}))
    )
    late()  # at start, so that no question waits for it
    return late


def _public_budget(settings: Settings) -> TokenBudget | None:
    """Shared through the table where there is one; a process alone counts for itself."""
    if not any(one.public_answers for one in _collections(settings.collections_file).values()):
        return None
    if not settings.memory.startswith("dynamodb://"):
        return ProcessBudget(settings.public_tokens_per_day)
    from quire.adapters.dynamo import open_dynamo_budget

    return open_dynamo_budget(settings.memory, settings.public_tokens_per_day)


def _answer_model(settings: Settings) -> AnswerModel | None:
    """The model that writes answers; None where quotes answer."""
    model = open_answer_model(settings)
    if model is not None:
        log("answer model", provider=model.provider, model=model.name, chosen_by=settings.provider_chosen_by)
    return model


def _open_objects(store: str) -> ObjectStore:
    """The object store of that name; a bucket that is served is read without boto3 where that can be.

    Raises:
        ConfigError: the name has a scheme that no adapter knows.
    """
    if not store.startswith("s3://"):
        return open_objects(store)

    def open_whole() -> S3Store:
        from quire.adapters.s3 import open_s3_store  # boto3 costs 120 ms of CPU

        return open_s3_store(store, SERVING)

    from quire.adapters.s3_reader import open_s3_reader

    bucket = open_s3_reader(store, SERVING, open_whole) or open_whole()
    after_restore(bucket.reconnect)
    return bucket


def _app(settings: Settings, functions: Sequence[str], *, concurrent: bool) -> FastAPI:
    # The shell's commands open the same service and want no web framework, which takes half a second to import.
    from functions.app.app import create_app
    from functions.web.calls import Once
    from functions.web.faces import MEMORY
    from functions.web.hosts import hosts_of

    configure_logs()  # first: what is opened says what was chosen
    opened = _open(
        settings,
        math.inf if concurrent else STEADY_S,
        # Somebody waits for a function's start; a snapshot's nobody does, and jobs read what is stored from end to end.
        is_late=not concurrent and MEMORY not in functions and not is_snapshotted(),
    )
    app = create_app(
        opened.service,
        guarded(_access(settings, opened.objects), settings, opened.service.collections),
        functions=functions,
        concurrent=concurrent,
        max_body_bytes=settings.max_body_bytes,
        hosts=hosts_of(settings, in_cloud=not concurrent),
    )
    app.state.writers = ThreadPoolExecutor(WRITERS, "write") if concurrent else None
    app.state.live = Once(partial(_live, settings, opened, concurrent=concurrent))
    return app


def _live(settings: Settings, opened: _OpenedStore, *, concurrent: bool) -> Live:
    """The use cases that write, which import parsers: nothing but a request for one of them opens them."""
    from functions.web.live import Foundation, open_live
    from quire.parsing.site_pages import PublishedSite, site_of

    def embedder_for(digest: str) -> Embedder:
        return opened.models(digest or newest_model(opened.objects, settings.cache, opened.service.catalog))

    def site_of_collection(collection: str) -> PublishedSite:
        listed = opened.service.collections.get(collection)
        return site_of(listed.options) if listed else PublishedSite()

    return open_live(
        Foundation(
            store=opened.store,
            objects=opened.objects,
            live=opened.live,
            work=settings.cache / "live",
            embedder_for=embedder_for,
            memory=open_memory(settings.memory),
            site_of=site_of_collection,
            concurrent=concurrent,
            invoke=None if concurrent else _invoke(),
            resume=[name for name, one in opened.service.collections.items() if one.profile in LIVE]
            if concurrent
            else (),
        )
    )


def purge_of(location: str) -> Callable[[datetime], int] | None:
    """What deletes old messages from a memory that is a file; None of a table, which does so by itself."""
    if "://" in location:
        return None
    from quire.adapters.sqlite import SqliteMemory

    def purge(before: datetime) -> int:
        if not Path(location).exists():
            return 0
        memory = SqliteMemory(Path(location))
        try:
            return memory.purge(before).deleted
        finally:
            memory.close()

    return purge


def open_memory(location: str) -> ChatMemory:
    """The chat memory of that name.

    Raises:
        ConfigError: the name has a scheme that no adapter knows.
    """
    scheme, separator, _ = location.partition("://")
    if not separator:
        from quire.adapters.sqlite import SqliteMemory

        return SqliteMemory(Path(location))
    if scheme != "dynamodb":
        raise ConfigError(f"QUIRE_MEMORY: wanted a file or dynamodb://TABLE, found the scheme {scheme!r}")
    from quire.adapters.dynamo import open_dynamo_memory

    return open_dynamo_memory(location)


def _invoke() -> Callable[[str, str], None] | None:
    """In Lambda nothing goes on after the answer: a job runs in an invocation of its own."""
    if not (function := os.environ.get("QUIRE_JOB_FUNCTION")):
        return None
    from quire.adapters.lambda_jobs import open_invoker

    return open_invoker(function, os.environ.get("QUIRE_JOB_ALIAS", ""))


def _access(settings: Settings, objects: ObjectStore) -> Access:
    master = OneKey(settings.api_key, settings.api_keys_before)
    if not settings.access:
        return master
    scheme, _, key = settings.access.partition(":")
    if scheme == "store":
        found: Policies = AccessObject(objects, key, settings.refresh_s, complain=_access_unusable)
    else:
        found = AccessFile(Path(settings.access), complain=_access_unusable)
    return ScopedKeys(found, master, _open_tokens)


def _access_unusable(message: str) -> None:
    log("access file unusable", logging.ERROR, message=message)


def _open_tokens(policy: TokenPolicy) -> Tokens:
    from quire.adapters.jwt import JwtTokens

    return JwtTokens(policy.issuer, policy.audience, policy.jwks_url)


def _collections(path: Path) -> dict[str, Collection]:
    """What a maintainer listed; a store can be served without such a file."""
    return read_collections(path) if path.exists() else {}


def _warm(service: Knowledge, has_room: Callable[[], bool]) -> None:
    try:
        failed = service.warm(has_room)
    except StoreError as error:
        failed = {"": str(error)}
    for name, message in failed.items():
        log("not warm", logging.WARNING, collection=name, message=message)


def is_snapshotted() -> bool:
    """Whether Lambda keeps a snapshot of this process once it has started."""
    return os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


def after_restore(work: Callable[[], object]) -> None:
    """Have `work` done after each restore, in the order of these calls. Outside Lambda nothing is ever restored."""
    try:
        from snapshot_restore_py import register_after_restore
    except ModuleNotFoundError:  # a part of Lambda's runtime
        return
    register_after_restore(work)
