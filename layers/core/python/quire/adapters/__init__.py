"""The only place that imports vendor packages: one vendor a module, and no module imports its sibling."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.adapters.onnx_embedder import OnnxEmbedder
    from quire.adapters.s3_reader import S3Reader
    from quire.adapters.s3_store import S3Store
    from quire.patience import Patience

FUNCTION = "AWS_LAMBDA_FUNCTION_NAME"
"""Lambda sets it."""


def open_embedder(folder: Path, threads: int = 1) -> OnnxEmbedder:
    """Open an exported model's folder with its tokenizer; here, because the two modules do not know each other.

    Vendors are imported on the call: naming the package must not load onnxruntime.

    Raises:
        ModelError: a file is missing, has another size than `model.json` says, or is not what it should be.
    """
    from quire.adapters import onnx_embedder, wordpiece

    return onnx_embedder.open_embedder(folder, wordpiece.open_tokenizer(folder), threads=threads)


def open_bucket(location: str, patience: Patience | None = None) -> S3Store | S3Reader:
    """The store at `s3://bucket/prefix`. In Lambda it is read without boto3, which is imported at the first write.

    Raises:
        ConfigError: the location names no bucket, or the endpoint is no URL.
    """
    if patience is not None and FUNCTION in os.environ:
        from quire.adapters.s3_reader import open_s3_reader

        reader = open_s3_reader(location, patience, partial(_open_store, location, patience), os.environ)
        if reader is not None:
            return reader
    return _open_store(location, patience)


def _open_store(location: str, patience: Patience | None) -> S3Store:
    from quire.adapters.s3_store import open_s3_store

    return open_s3_store(location, patience)
