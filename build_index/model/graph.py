"""Writes the encoder as an ONNX graph of onnxruntime's operators, in float32 or int8, straight from tensors.

One text a run, without padding: input `ids` int64 (1, tokens), output `vector` float32 (1, dimensions), unit length.
There is no attention mask, because there is nothing to mask; the token type is always 0 and is folded into the
positions. Dynamic quantization takes one activation scale over a whole tensor, so a second text in the batch would
change the first one's vector: a run of one text is what keeps "same text, same bytes".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from build_index.model.source import ModelSource
from quire.embedding.model_folder import DATA_FILE
from quire.errors import ModelError

OPSET = 17
IR_VERSION = 8
MICROSOFT = "com.microsoft"

# int8 weights use 7 bits: the AVX2 and AVX512 kernels without VNNI add two u8*s8 products in 16 bits, and
# 2 * 255 * 64 = 32,640 is the largest that does not saturate. It is what onnxruntime calls reduce_range.
WEIGHT_LIMIT = 64
WORD_LIMIT = 127


# Weights in a file of their own are mapped instead of parsed and copied: a session opens in 18 ms instead of 44 and
# takes 68 MB instead of 86 (measured, onnxruntime 1.31).
INLINE_BYTES = 1024
ALIGNMENT = 64


@dataclass(slots=True)
class _Graph:
    """Nodes and initializers in the order in which they are written; deterministic names."""

    quantized: bool
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)

    def constant(self, name: str, array: NDArray[np.generic]) -> str:
        """Add an initializer, a large one to the data file, and return its name."""
        tensor = numpy_helper.from_array(np.asarray(array, order="C"), name)
        if array.nbytes > INLINE_BYTES:
            self.data.extend(bytes(-len(self.data) % ALIGNMENT))
            place = {"location": DATA_FILE, "offset": len(self.data), "length": array.nbytes}
            self.data.extend(tensor.raw_data)
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in place.items():
                tensor.external_data.add(key=key, value=str(value))
        self.initializers.append(tensor)
        return name

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output and return the output's name."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def weight(self, name: str, matrix: NDArray[np.float32]) -> tuple[str, str]:
        """Add int8 codes and one scale per column; returns both names."""
        codes, scales = quantize_columns(matrix)
        return self.constant(f"{name}.codes", codes), self.constant(f"{name}.scales", scales)

    def product(self, source: str, name: str, matrix: NDArray[np.float32], *, bias: str) -> str:
        """`source @ matrix + bias`."""
        if not self.quantized:
            self.node("MatMul", [source, self.constant(name, matrix)], f"{name}.product")
            return self.node("Add", [f"{name}.product", bias], f"{name}.sum")
        codes, scales = self.weight(name, matrix)
        return self.node("DynamicQuantizeMatMul", [source, codes, scales, "", bias], f"{name}.sum", MICROSOFT)

    def attention(self, source: str, name: str, matrix: NDArray[np.float32], *, bias: str, heads: int) -> str:
        """Self-attention over the joined query, key and value `matrix`, shape (d, 3 d)."""
        output = f"{name}.context"
        if not self.quantized:
            inputs = [source, self.constant(name, matrix), bias]
            return self.node("Attention", inputs, output, MICROSOFT, num_heads=heads)
        activation = [f"{name}.input", f"{name}.input_scale", f"{name}.input_zero"]
        self.nodes.append(
            helper.make_node("DynamicQuantizeLinear", [source], activation, name=f"{name}.input")
        )
        codes, scales = self.weight(name, matrix)
        zero = self.constant(f"{name}.zeros", np.zeros(matrix.shape[1], np.int8))
        inputs = [activation[0], codes, bias, activation[1], scales, "", activation[2], zero]
        return self.node("QAttention", inputs, output, MICROSOFT, num_heads=heads)


def write_graph(source: ModelSource, *, pooling: str, window: int, quantized: bool) -> tuple[bytes, bytes]:
    """The bytes of the ONNX model and of its data file: the same for the same tensors and the same onnx version.

    Raises:
        ModelError: a tensor is missing, or the pooling is unknown.
    """
    graph = _Graph(quantized)
    try:
        hidden = _embeddings(graph, source, window)
        for number in range(source.layers):
            hidden = _layer(graph, source, number, hidden)
    except KeyError as error:
        raise ModelError(
            f"model.safetensors: wanted the tensor {error}, found {len(source.tensors)} others"
        ) from None
    _pool(graph, hidden, pooling)
    width = source.tensors["embeddings.LayerNorm.weight"].shape[0]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, width])],
            graph.initializers,
        ),
        producer_name="quire",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)],
    )
    return model.SerializeToString(deterministic=True), bytes(graph.data)


def quantize_columns(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric 7-bit codes and one scale per output column, so that `codes * scales` is near `matrix`."""
    scales = np.maximum(np.abs(matrix).max(axis=0), np.finfo(np.float32).tiny) / np.float32(WEIGHT_LIMIT)
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def quantize_rows(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric 8-bit codes and one scale per row, shape (n, 1): a rare word's scale is its own."""
    scales = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), np.finfo(np.float32).tiny) / np.float32(
        WORD_LIMIT
    )
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def _embeddings(graph: _Graph, source: ModelSource, window: int) -> str:
    tensors = source.tensors
    table = tensors["embeddings.word_embeddings.weight"]
    if graph.quantized:
        codes, scales = quantize_rows(table)
        graph.node("Gather", [graph.constant("words.codes", codes), "ids"], "words.taken")
        graph.node("Cast", ["words.taken"], "words.float", to=TensorProto.FLOAT)
        graph.node("Gather", [graph.constant("words.scales", scales), "ids"], "words.scale")
        graph.node("Mul", ["words.float", "words.scale"], "words")
    else:
        graph.node("Gather", [graph.constant("words.table", table), "ids"], "words")
    positions = tensors["embeddings.position_embeddings.weight"]
    if len(positions) < window:
        raise ModelError(f"model: window: wanted at most {len(positions)} tokens, found {window}")
    folded = positions[:window] + tensors["embeddings.token_type_embeddings.weight"][0]
    graph.node("Shape", ["ids"], "tokens", start=1, end=2)
    start = graph.constant("positions.start", np.zeros(1, np.int64))
    graph.node("Slice", [graph.constant("positions.table", folded), start, "tokens"], "positions")
    graph.node("Add", ["words", "positions"], "embedded")
    return _normalize(graph, source, "embeddings.LayerNorm", "embedded")


def _normalize(graph: _Graph, source: ModelSource, name: str, value: str) -> str:
    # SkipLayerNormalization would add and normalize in one node, but its CPU kernel takes 0.35 ms for 128 tokens
    # where Add and LayerNormalization together take 0.06; BiasGelu 0.43 where Gelu takes 0.23 (onnxruntime 1.31).
    parts = [
        graph.constant(f"{name}.{part}", source.tensors[f"{name}.{part}"]) for part in ("weight", "bias")
    ]
    return graph.node("LayerNormalization", [value, *parts], f"{name}.out", axis=-1, epsilon=source.epsilon)


def _layer(graph: _Graph, source: ModelSource, number: int, hidden: str) -> str:
    tensors, at = source.tensors, f"encoder.layer.{number}"

    def affine(name: str, value: str) -> str:
        bias = graph.constant(f"{at}.{name}.bias", tensors[f"{at}.{name}.bias"])
        return graph.product(value, f"{at}.{name}", tensors[f"{at}.{name}.weight"].T, bias=bias)

    def residual(name: str, value: str, skip: str) -> str:
        added = graph.node("Add", [affine(f"{name}.dense", value), skip], f"{at}.{name}.added")
        return _normalize(graph, source, f"{at}.{name}.LayerNorm", added)

    parts = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
    joined = np.concatenate([tensors[f"{part}.weight"].T for part in parts], axis=1)
    bias = graph.constant(f"{at}.attention.bias", np.concatenate([tensors[f"{part}.bias"] for part in parts]))
    context = graph.attention(hidden, f"{at}.attention", joined, bias=bias, heads=source.heads)
    attended = residual("attention.output", context, hidden)
    wide = affine("intermediate.dense", attended)
    return residual("output", graph.node("Gelu", [wide], f"{at}.gelu", MICROSOFT), attended)


def _pool(graph: _Graph, hidden: str, pooling: str) -> None:
    if pooling == "mean":
        graph.node("ReduceMean", [hidden], "pooled", axes=[1], keepdims=0)
    elif pooling == "cls":
        first = graph.constant("pooled.first", np.zeros((), np.int64))
        graph.node("Gather", [hidden, first], "pooled", axis=1)
    else:
        raise ModelError(f"model: pooling: wanted 'mean' or 'cls', found {pooling!r}")
    graph.node("LpNormalization", ["pooled"], "vector", axis=1, p=2)
