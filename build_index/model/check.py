"""Judges an export by what it finds: the same passages, in nearly the same order, as the float reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from build_index.model.reference import encode
from build_index.model.source import ModelConfig, ModelSource
from build_index.model.texts import PASSAGES, QUESTIONS
from quire.embedding.onnx import open_embedder
from quire.embedding.wordpiece import open_tokenizer
from quire.errors import ModelError

Array = NDArray[np.float32]

TOP = 5
# all-MiniLM-L6-v2 reaches .93, .94 and .988 in int8 per column (.95, .95 and .990 if the weights had 8 bits), and
# .80, .76 and .841 with one scale a matrix, which is too coarse to search with.
FLOORS = {"first": 0.88, "overlap": 0.9, "cosine": 0.97}


def check_export(folder: Path, source: ModelSource, config: ModelConfig) -> dict[str, float]:
    """Compare the exported model in `folder` with the reference over a fixed set of texts.

    Returns:
        `first`: share of the questions whose best passage is the reference's; `overlap`: mean share of its best five
        that the export's best five hold; `cosine`: the worst of any text's vector with the reference's.

    Raises:
        ModelError: one of them is below its floor.
    """
    tokenizer = open_tokenizer(folder)
    embedder = open_embedder(folder, tokenizer)
    texts = [*QUESTIONS, *PASSAGES]  # all as questions: the prefix is the same on both sides
    room = config.window - 2
    prepared = [tokenizer.ids(config.query_prefix + text)[:room] for text in texts]
    framed = [[tokenizer.first, *ids, tokenizer.last] for ids in prepared]
    exported, reference = embedder.embed(texts), encode(source, framed, config.pooling)
    count = len(QUESTIONS)
    agreement = compare((exported[:count], exported[count:]), (reference[:count], reference[count:]))
    require(agreement, config.name)
    return agreement


def compare(exported: tuple[Array, Array], reference: tuple[Array, Array]) -> dict[str, float]:
    """The figures of `check_export` for two pairs of (questions, passages), all rows of unit length."""
    best = [
        np.argsort(-(questions @ passages.T), axis=1, kind="stable")
        for questions, passages in (exported, reference)
    ]
    shared = [len({*ours[:TOP]} & {*theirs[:TOP]}) / TOP for ours, theirs in zip(*best, strict=True)]
    cosines = [(ours * theirs).sum(axis=1).min() for ours, theirs in zip(exported, reference, strict=True)]
    return {
        "first": round(float((best[0][:, 0] == best[1][:, 0]).mean()), 4),
        "overlap": round(float(np.mean(shared)), 4),
        "cosine": round(float(min(cosines)), 4),
    }


def require(agreement: Mapping[str, float], name: str) -> None:
    """Refuse an export that a floor is not met by.

    Raises:
        ModelError: naming the figure, what was found and the floor.
    """
    for figure, floor in FLOORS.items():
        if not agreement[figure] >= floor:
            raise ModelError(
                f"model {name}: agreement with the float reference: {figure}: found {agreement[figure]}, wanted {floor}"
            )
