"""Lambda handler of a shard: what the state machine of `infra/sharding.py` invokes, once for each item."""

from __future__ import annotations

import shutil
from functools import cache, partial
from typing import Any

from build_index.distributed.shards import make_shard
from build_index.pipeline.plan import Tools
from quire.adapters.s3 import open_s3_store
from quire.embedding import open_embedder
from quire.ports import ObjectStore
from quire.settings import read_settings
from quire.store.models import model_folder


def handler(event: dict[str, Any], context: Any) -> dict[str, str]:
    """Make the shard. An error is the state machine's to repeat; all that it needs to know lies in the store.

    A call that was stopped half-way leaves its work, which no other call of this environment may lie beside.
    """
    del context
    for left in read_settings().cache.glob("shard-*"):
        shutil.rmtree(left, ignore_errors=True)
    return {"inputs": str(make_shard(partial(_open_worker, event["model"]), event)["inputs"])}


@cache
def _open_worker(model: str) -> tuple[Tools, ObjectStore]:
    settings = read_settings()
    objects = open_s3_store(settings.store)
    folder = model_folder(objects, settings.cache, model)
    return Tools(open_embedder(folder, threads=settings.threads), folder, settings.cache), objects
