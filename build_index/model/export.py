"""Exports an embedding model: pinned safetensors to an ONNX graph to int8, checked against a float reference."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from build_index.model.source import MINILM, ModelConfig, ModelSource, Progress, load_source
from quire.embedding.model_folder import (
    DATA_FILE,
    FACTS_FILE,
    GRAPH_FILE,
    TOKENIZER_FILE,
    ModelFacts,
    facts_digest,
    verify_model,
)
from quire.errors import ModelError

# Raise it when the graph or its quantization changes, so that folders of older exports are left alone.
EXPORT_VERSION = 2
PRECISIONS = ("int8", "float32")

_log = logging.getLogger(__name__)


def _silent(step: str, done: int, total: int) -> None:
    """The default progress: nobody watches."""


def ensure_model(
    cache: Path, config: ModelConfig = MINILM, progress: Progress = _silent, *, precision: str = "int8"
) -> Path:
    """The folder `models/<digest>/` under `cache`: an export of the model, made unless a sound one is there.

    It holds `model.onnx` with its mapped `model.onnx.data`, `tokenizer.json`, and `model.json` with the facts and
    digests. `progress` is called with a step's name, how much is done, and of how much (bytes or parts).
    Processes may race: the first folder in place wins and the others' equal ones are dropped.

    Raises:
        ModelError: the files cannot be had or are not the pinned ones, or the export's quality is below the floor.
    """
    if precision not in PRECISIONS:
        raise ModelError(f"precision: wanted one of {', '.join(PRECISIONS)}, found {precision!r}")
    models = cache / "models"
    recipe = _recipe(config, precision)
    found = _find(models, recipe)
    if found:
        return found
    from build_index.model.check import check_export  # with it comes onnx: only an export pays for that

    source = load_source(cache, config, progress)
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix=".export-") as scratch:
        folder = Path(scratch) / "model"
        folder.mkdir()
        progress("export the model", 0, 2)
        facts = _write(folder, source, config, precision)
        _write_facts(folder, facts)
        progress("export the model", 1, 2)
        agreement = check_export(folder, source, config)
        _write_facts(folder, {**facts, "agreement": agreement, "recipe": recipe})
        progress("export the model", 2, 2)
        return _put(folder, models / str(facts["digest"]))


def _recipe(config: ModelConfig, precision: str) -> str:
    """What the export is made from and how; two equal recipes give interchangeable folders."""
    asked = {**asdict(config), "wheel": None, "precision": precision, "export": EXPORT_VERSION}
    return _sha256(json.dumps(asked, sort_keys=True).encode())


def _find(models: Path, recipe: str) -> Path | None:
    for path in sorted(models.glob(f"*/{FACTS_FILE}")):
        try:
            if json.loads(path.read_bytes()).get("recipe") != recipe:
                continue
            verify_model(path.parent)
        except (ModelError, ValueError, OSError) as error:
            _log.warning("model cache: a folder is damaged and is made again: %s", error)
            shutil.rmtree(path.parent, ignore_errors=True)
            continue
        return path.parent
    return None


def _write(folder: Path, source: ModelSource, config: ModelConfig, precision: str) -> dict[str, Any]:
    from build_index.model.graph import write_graph

    quantized = precision == "int8"
    graph, data = write_graph(source, pooling=config.pooling, window=config.window, quantized=quantized)
    files = {GRAPH_FILE: graph, DATA_FILE: data, TOKENIZER_FILE: source.tokenizer}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    facts = ModelFacts(
        name=f"{config.name}-{precision}",
        digest="",
        dimensions=len(source.tensors["embeddings.LayerNorm.weight"]),
        window=config.window,
        overlap=config.overlap,
        query_prefix=config.query_prefix,
        files={name: (len(content), _sha256(content)) for name, content in files.items()},
    )
    return facts._asdict() | {
        "digest": facts_digest(facts),
        "files": {
            name: {"size_bytes": size, "sha256": sha256} for name, (size, sha256) in facts.files.items()
        },
        "pooling": config.pooling,
        "precision": precision,
        "licence": config.licence,
        "origin": config.origin,
        "source": dict(config.files),
        "tools": {name: version(name) for name in ("numpy", "onnx", "onnxruntime", "tokenizers")},
    }


def _write_facts(folder: Path, facts: dict[str, Any]) -> None:
    (folder / FACTS_FILE).write_bytes(json.dumps(facts, indent=2, sort_keys=True).encode() + b"\n")


def _put(folder: Path, place: Path) -> Path:
    """Move the finished folder into place; an equal one that came first stays."""
    try:
        folder.replace(place)
    except OSError:
        try:
            verify_model(place)
        except ModelError as error:
            _log.warning("model cache: a folder is damaged and is replaced: %s", error)
            shutil.rmtree(place)
            folder.replace(place)
    return place


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
