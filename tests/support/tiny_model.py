"""A BERT of two small layers with random weights, in the file layout of a published sentence model."""

from __future__ import annotations

import hashlib
import json
import string
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from build_index.model.source import ModelConfig

WIDTH, WIDE, LAYERS, HEADS, POSITIONS = 32, 64, 2, 4, 128


def write_tiny_model(
    folder: Path, *, name_prefix: str = "", dtype: str = "F32", outlier: float = 1.0, **changes: object
) -> ModelConfig:
    """Write `model.safetensors`, `config.json` and `tokenizer.json`, and return their configuration.

    `outlier` multiplies what every neuron takes from its first input: with 1,000 the rest falls below a step of int8.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer()
    tensors = {
        f"{name_prefix}{name}": tensor
        for name, tensor in _tensors(tokenizer.get_vocab_size(), outlier).items()
    }
    shape = {
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
    }
    contents = {
        "model.safetensors": safetensors(tensors, dtype),
        "config.json": json.dumps(shape).encode(),
        "tokenizer.json": tokenizer.to_str().encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    files = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    settings = {"name": "tiny", "files": files, "window": 64, "overlap": 8, **changes}
    return ModelConfig(**settings)  # type: ignore[arg-type]


def safetensors(tensors: Mapping[str, NDArray[np.float32]], dtype: str = "F32") -> bytes:
    """The tensors in a safetensors file, written from the format's description."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        if dtype == "BF16":
            raw = (tensor.view(np.uint32) >> 16).astype("<u2").tobytes()
        else:
            raw = tensor.astype({"F32": "<f4", "F16": "<f2"}[dtype]).tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + body


def _tensors(vocabulary: int, outlier: float) -> dict[str, NDArray[np.float32]]:
    draw = np.random.default_rng(7)

    def normal(*shape: int, spread: float = 0.2) -> NDArray[np.float32]:
        return draw.normal(scale=spread, size=shape).astype(np.float32)

    def norm(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.weight": 1 + normal(WIDTH, spread=0.05), f"{name}.bias": normal(WIDTH, spread=0.05)}

    found = {
        "embeddings.word_embeddings.weight": normal(vocabulary, WIDTH, spread=1.0),
        "embeddings.position_embeddings.weight": normal(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": normal(2, WIDTH),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        sizes = {f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
        sizes |= {
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (WIDE, WIDTH),
            "output.dense": (WIDTH, WIDE),
        }
        for name, size in sizes.items():
            found |= {f"{at}.{name}.weight": normal(*size), f"{at}.{name}.bias": normal(size[0])}
            found[f"{at}.{name}.weight"][:, 0] *= outlier
        found |= {**norm(f"{at}.attention.output.LayerNorm"), **norm(f"{at}.output.LayerNorm")}
    return found


def _tokenizer() -> Tokenizer:
    """One token a character: every text of plain letters is known, and its length is its count of tokens."""
    letters = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_padding(length=40)
    tokenizer.enable_truncation(40)
    return tokenizer
