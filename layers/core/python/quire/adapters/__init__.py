"""The only place that imports vendor packages: one vendor a module, and no module imports its sibling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.adapters.onnx_embedder import OnnxEmbedder


def open_embedder(folder: Path, threads: int = 1) -> OnnxEmbedder:
    """Open an exported model's folder with its tokenizer; here, because the two modules do not know each other.

    Vendors are imported on the call: naming the package must not load onnxruntime.

    Raises:
        ModelError: a file is missing, has another size than `model.json` says, or is not what it should be.
    """
    from quire.adapters import onnx_embedder, wordpiece

    return onnx_embedder.open_embedder(folder, wordpiece.open_tokenizer(folder), threads=threads)
