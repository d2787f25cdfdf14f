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

from build_index.model_check import check_export
from build_index.model_graph import DATA_FILE, write_graph
from build_index.model_source import MINILM, ModelConfig, ModelSource, Progress, load_source
from quire.adapters.onnx_embedder import FACTS_FILE, MODEL_FILE
from quire.errors import ModelError

__all__ = ["MINILM", "ModelConfig", "ensure_model", "verify_model"]

# Raise it when the graph or its quantization changes, so that folders of older exports are left alone.
EXPORT_VERSION = 1
TOKENIZER_FILE = "tokenizer.json"
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


def verify_model(folder: Path) -> None:
    """Check every file of an exported model against the digests in its `model.json`.

    Raises:
        ModelError: a file is missing or differs; the message names it and both digests.
    """
    try:
        facts = json.loads((folder / FACTS_FILE).read_bytes())
        found = {name: _sha256((folder / name).read_bytes()) for name in facts["files"]}
        wanted = {name: entry["sha256"] for name, entry in facts["files"].items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder / FACTS_FILE}: wanted an exported model's facts and files: {error!r}"
        ) from error
    for name, digest in wanted.items():
        if found[name] != digest:
            raise ModelError(f"{folder / name}: sha256 {found[name]}, wanted {digest}")
    if facts["digest"] != folder.name:
        raise ModelError(f"{folder}: the folder should be named {facts['digest']}")


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
    quantized = precision == "int8"
    graph, data = write_graph(source, pooling=config.pooling, window=config.window, quantized=quantized)
    files = {MODEL_FILE: graph, DATA_FILE: data, TOKENIZER_FILE: source.tokenizer}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    facts: dict[str, Any] = {
        "dimensions": len(source.tensors["embeddings.LayerNorm.weight"]),
        "files": {
            name: {"sha256": _sha256(content), "size_bytes": len(content)} for name, content in files.items()
        },
        "overlap": config.overlap,
        "query_prefix": config.query_prefix,
        "window": config.window,
    }
    # Everything above decides what vectors a text gets; what follows is for the reader.
    facts["digest"] = _sha256(json.dumps(facts, sort_keys=True).encode())
    return facts | {
        "name": f"{config.name}-{precision}",
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
