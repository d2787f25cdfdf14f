from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from quire.errors import ArtifactCorrupt
from quire.index import tensors
from quire.index.lines import read_line
from quire.index.tensors import DTYPES, Streamed, file_facts, read_tensors, write_tensors

ANY_ARRAY = st.sampled_from(sorted(DTYPES.values(), key=str)).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=9))
)


@given(st.dictionaries(st.text(min_size=1, max_size=12), ANY_ARRAY, max_size=6))
def test_arrays_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, written: dict[str, np.ndarray]
) -> None:
    path = tmp_path_factory.mktemp("tensors") / "file.safetensors"
    facts = write_tensors(path, written)
    assert facts == file_facts(path)
    read = read_tensors(path)
    assert read.keys() == written.keys()
    for name, array in written.items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        assert read[name].tobytes() == array.tobytes()
        assert read[name].ctypes.data % array.dtype.itemsize == 0


def test_a_large_file_is_mapped_and_read_only(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    write_tensors(
        path, {"x": np.arange(tensors.MAPPED_FROM_BYTES, dtype=np.uint8), "y": np.ones(3, np.float32)}
    )
    read = read_tensors(path)
    assert not read["x"].flags.writeable
    assert read["y"].tolist() == [1, 1, 1]


def test_streamed_blocks_make_the_same_bytes_as_the_whole(tmp_path: Path) -> None:
    whole = np.arange(60, dtype=np.uint32).reshape(20, 3)
    blocks = Streamed(whole.dtype, whole.shape, (whole[i : i + 7] for i in range(0, 20, 7)))
    assert write_tensors(tmp_path / "a", {"x": whole}) == write_tensors(tmp_path / "b", {"x": blocks})


def test_blocks_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    short = Streamed(np.dtype(np.uint8), (4,), [np.zeros(3, np.uint8)])
    with pytest.raises(ValueError, match="x: 3 bytes streamed, wanted 4"):
        write_tensors(tmp_path / "a", {"x": short})


def test_the_header_is_what_the_safetensors_format_says(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    write_tensors(
        path, {"b": np.ones((2, 2), np.float32), "a": np.ones(3, np.uint8), "c": np.ones(1, np.uint64)}
    )
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert (8 + length) % 64 == 0
    assert header == {
        "c": {"dtype": "U64", "shape": [1], "data_offsets": [0, 8]},
        "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]},
        "a": {"dtype": "U8", "shape": [3], "data_offsets": [24, 27]},
    }
    assert len(data) == 8 + length + 27


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 40,
        (5).to_bytes(8, "little") + b"[1,2]",
        (2).to_bytes(8, "little") + b"{}x"[:1],
        b"\x3e" + b"\0" * 7 + b'{"x":{"dtype":"U64","shape":[9],"data_offsets":[0,72]}}       ',
        b"\x3e" + b"\0" * 7 + b'{"x":{"dtype":"U64","shape":[1],"data_offsets":[1,9]}}        ' + bytes(9),
        b"\x3e" + b"\0" * 7 + b'{"x":{"dtype":"I99","shape":[0],"data_offsets":[0,0]}}        ',
    ],
)
def test_a_broken_header_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    with pytest.raises(ArtifactCorrupt, match=r"bad\.safetensors"):
        read_tensors(path)


def test_an_array_that_lost_its_name_is_damage_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    write_tensors(path, {"codes": np.ones((2, 2), np.int8)})
    path.write_bytes(path.read_bytes().replace(b'"codes"', b'"coder"'))
    with pytest.raises(ArtifactCorrupt, match=r"vectors\.safetensors: wanted an array 'codes', found coder"):
        read_tensors(path)["codes"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArtifactCorrupt, match=r"gone\.safetensors: no such file"):
        read_tensors(tmp_path / "gone.safetensors")


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"\xff", b'{"id": "a", "metadata": []}', b"[" * 100_000])
def test_a_stored_line_that_is_no_chunk_is_damage(line: bytes) -> None:
    with pytest.raises(ArtifactCorrupt, match="wanted a chunk as JSON"):
        read_line(line)
