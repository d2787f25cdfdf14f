"""Text to vectors: tokens, windows, the ONNX model and its quantized rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.embedding.onnx import OnnxEmbedder


def open_embedder(folder: Path, threads: int = 1) -> OnnxEmbedder:
    """Open an exported model's folder with its tokenizer; here, because neither vendor's module knows the other.

    Vendors are imported on the call: naming the package must not load onnxruntime.

    Raises:
        ModelError: a file is missing, has another size than `model.json` says, or is not what it should be.
    """
    from quire.embedding import onnx, wordpiece

    return onnx.open_embedder(folder, wordpiece.open_tokenizer(folder), threads=threads)
