"""Judges an export by what it finds: the same passages, in nearly the same order, as the float reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from build_index.model.source import ModelConfig, ModelSource
from quire.embedding.onnx import open_embedder
from quire.embedding.wordpiece import open_tokenizer
from quire.errors import ModelError

Array = NDArray[np.float32]


def judged_texts() -> tuple[list[str], list[str]]:
    """Questions and passages that judge an export: neighbours on purpose, so that a coarse model confuses them."""
    told = Path(__file__).with_name("judged_texts.txt").read_text(encoding="utf-8")
    questions, passages = (part.splitlines() for part in told.split("\n\n"))
    return questions, passages


def encode(source: ModelSource, texts: Sequence[Sequence[int]], pooling: str) -> Array:
    """Unit vectors, shape (n, dimensions), of the texts' token ids with their special tokens, by BERT's formulas.

    All tokens pass through a layer together and only attention goes text by text: a product of two large matrices
    takes a fifth of the time of many small ones. Source: Devlin et al., NAACL 2019; attention by Vaswani et al.,
    NeurIPS 2017.
    """
    tensors, epsilon = source.tensors, source.epsilon
    ends = np.cumsum([len(ids) for ids in texts])
    spans = [slice(end - len(ids), end) for ids, end in zip(texts, ends, strict=True)]
    positions = np.concatenate([np.arange(len(ids)) for ids in texts])
    hidden = (
        tensors["embeddings.word_embeddings.weight"][np.concatenate([np.asarray(ids) for ids in texts])]
        + tensors["embeddings.position_embeddings.weight"][positions]
        + tensors["embeddings.token_type_embeddings.weight"][0]
    )
    hidden = _normalize(source, "embeddings.LayerNorm", hidden)
    for number in range(source.layers):
        at = f"encoder.layer.{number}"
        context = _attend(source, f"{at}.attention.self", hidden, spans)
        attended = _affine(source, f"{at}.attention.output.dense", context) + hidden
        attended = _normalize(source, f"{at}.attention.output.LayerNorm", attended)
        wide = gelu(_affine(source, f"{at}.intermediate.dense", attended))
        hidden = _normalize(
            source, f"{at}.output.LayerNorm", _affine(source, f"{at}.output.dense", wide) + attended
        )
    pooled = np.stack([hidden[span].mean(axis=0) if pooling == "mean" else hidden[span][0] for span in spans])
    return np.asarray(pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), epsilon), np.float32)


def gelu(x: Array) -> Array:
    """x times the normal distribution's cumulative function at x, with erf to 1.5e-7.

    erf by Abramowitz and Stegun, Handbook of Mathematical Functions, formula 7.1.26.

    >>> [round(float(y), 4) for y in gelu(np.array([-1.0, 0.0, 2.0], np.float32))]
    [-0.1587, 0.0, 1.9545]
    """
    z = np.abs(x) / np.sqrt(np.float32(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return np.asarray(x * (1 + erf) / 2, np.float32)


def _affine(source: ModelSource, name: str, x: Array) -> Array:
    return np.asarray(x @ source.tensors[f"{name}.weight"].T + source.tensors[f"{name}.bias"], np.float32)


def _normalize(source: ModelSource, name: str, x: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + source.epsilon)
    return np.asarray(scaled * source.tensors[f"{name}.weight"] + source.tensors[f"{name}.bias"], np.float32)


def _attend(source: ModelSource, name: str, x: Array, spans: Sequence[slice]) -> Array:
    def heads(part: str) -> Array:
        return _affine(source, f"{name}.{part}", x).reshape(len(x), source.heads, -1).transpose(1, 0, 2)

    query, key, value = heads("query"), heads("key"), heads("value")
    context = np.empty_like(value)
    for span in spans:
        weights = query[:, span] @ key[:, span].transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[-1]))
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        context[:, span] = weights @ value[:, span]
    return np.asarray(context.transpose(1, 0, 2).reshape(len(x), -1), np.float32)


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
    questions, passages = judged_texts()
    texts = [*questions, *passages]  # all as questions: the prefix is the same on both sides
    room = config.window - 2
    prepared = [tokenizer.ids(config.query_prefix + text)[:room] for text in texts]
    framed = [[tokenizer.first, *ids, tokenizer.last] for ids in prepared]
    exported, reference = embedder.embed(texts), encode(source, framed, config.pooling)
    count = len(questions)
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
