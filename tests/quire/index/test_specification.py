"""Reads a segment from section 9 of ARCHITECTURE.md alone: json, hashlib and numpy, nothing of Quire's reader."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quire.index.opened import OpenedIndex
from quire.index.writer import write_segment
from tests.support.rows import FACTS, build, make_rows, normalized, open_index

COUNT = 120
DTYPES = {"I8": "i1", "U8": "u1", "U32": "<u4", "U64": "<u8", "F32": "<f4"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("specification") / "s"
    write_segment(folder, make_rows(COUNT), FACTS)
    return folder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OpenedIndex:
    return open_index(build(tmp_path_factory.mktemp("opened") / "s", make_rows(COUNT)))


def tensors(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    data = path.read_bytes()
    base = 8 + int.from_bytes(data[:8], "little")
    assert base % 64 == 0
    arrays = {}
    for name, entry in json.loads(data[8:base]).items():
        begin, end = entry["data_offsets"]
        dtype = np.dtype(DTYPES[entry["dtype"]])
        assert begin % dtype.itemsize == 0
        arrays[name] = np.frombuffer(data[base + begin : base + end], dtype).reshape(entry["shape"])
    return arrays


def lists(arrays: dict[str, np.ndarray[Any, Any]], prefix: str) -> dict[str, list[tuple[int, int]]]:
    data, offsets = arrays[f"{prefix}.bytes"].tobytes(), arrays[f"{prefix}.offsets"].tolist()
    starts, ordinals = arrays[f"{prefix}.starts"].tolist(), arrays[f"{prefix}.ordinals"].tolist()
    weights = arrays.get(f"{prefix}.weights", np.zeros(len(ordinals), int)).tolist()
    strings = [data[a:b] for a, b in itertools.pairwise(offsets)]
    assert strings == sorted(set(strings))
    pairs = list(zip(ordinals, weights, strict=True))
    return {text.decode(): pairs[starts[n] : starts[n + 1]] for n, text in enumerate(strings)}


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_the_manifest_proves_itself_and_every_file(folder: Path) -> None:
    data = (folder / "manifest.json").read_bytes()
    tree = json.loads(data)
    assert data == canonical(tree) + b"\n"
    named = {key: value for key, value in tree.items() if key not in ("digest", "notes", "notes_sha256")}
    assert tree["digest"] == hashlib.sha256(canonical(named)).hexdigest()
    assert tree["notes_sha256"] == hashlib.sha256(canonical(tree["notes"])).hexdigest()
    for name, facts in tree["files"].items():
        file = (folder / name).read_bytes()
        assert (len(file), hashlib.sha256(file).hexdigest()) == (facts["size"], facts["sha256"])


def test_cosines_follow_the_formula(folder: Path, index: OpenedIndex) -> None:
    arrays = tensors(folder / "vectors.safetensors")
    question = normalized(np.random.default_rng(3).standard_normal(64).astype(np.float32))
    sums = arrays["codes"].astype(np.int64) @ np.rint(question * 4096).astype(np.int64)
    cosines = sums.astype(np.float32) * (arrays["scales"] * np.float32(1 / 4096))
    best: dict[int, float] = {}
    for owner, cosine in zip(arrays["owners"].tolist(), cosines.tolist(), strict=True):
        best[owner] = max(cosine, best.get(owner, -1.0))
    found = index.nearest(question, COUNT)
    assert dict(zip(found.ordinals.tolist(), found.scores.tolist(), strict=True)) == best
    rows = arrays["codes"].astype(np.float64) * arrays["scales"][:, None]
    assert np.allclose(arrays["mean"], rows.mean(axis=0), atol=1e-7)
    above = rows.astype(np.float32) > arrays["mean"]
    assert [[bool(word >> j & 1) for j in range(64)] for word in arrays["bits"][0].tolist()] == above.tolist()


def test_keywords_follow_the_formula(folder: Path, index: OpenedIndex) -> None:
    arrays = tensors(folder / "keywords.safetensors")
    lengths, terms = arrays["lengths"] / 4, lists(arrays, "terms")
    asked = dict.fromkeys(list(terms)[10:16], 1.0)
    scores: dict[int, float] = {}
    for term, weight in asked.items():
        df = len(terms[term])
        idf = math.log(1 + (COUNT - df + 0.5) / (df + 0.5))
        for ordinal, quarters in terms[term]:
            tf = quarters / 4
            norm = 1.2 * (0.25 + 0.75 * lengths[ordinal] / lengths.mean())
            scores[ordinal] = scores.get(ordinal, 0.0) + weight * idf * tf * 2.2 / (tf + norm)
    found = index.search(asked, COUNT)
    assert set(found.ordinals.tolist()) == set(scores)
    assert np.allclose(found.scores, sorted(scores.values(), reverse=True), rtol=1e-5)


def test_columns_and_payloads_say_what_the_rows_said(folder: Path) -> None:
    arrays = tensors(folder / "columns.safetensors")
    lines = b"".join(path.read_bytes() for path in sorted((folder / "payloads").iterdir()))
    offsets = arrays["payload.offsets"].tolist()
    assert arrays["payload.shards"].tolist() == [0, COUNT]
    filters, symbols, documents = (lists(arrays, name) for name in ("filters", "symbols", "documents"))
    ids = dict(zip(arrays["ids.sorted"].tolist(), arrays["ids.ordinals"].tolist(), strict=True))
    for ordinal, row in enumerate(make_rows(COUNT)):
        line = lines[offsets[ordinal] : offsets[ordinal + 1]]
        chunk = json.loads(line)
        assert line == canonical(chunk) + b"\n"
        assert chunk["text"] == row.chunk.text
        assert ids[int(chunk["id"], 16)] == ordinal
        assert (ordinal, 0) in filters[f"kind\x00{row.chunk.metadata['kind']}"]
        assert (ordinal, 0) in filters[f"hidden\x00{'true' if row.chunk.metadata['hidden'] else 'false'}"]
        assert (ordinal, 0) in filters[f"tags\x00tag{ordinal % 4}"]
        assert symbols[row.chunk.symbols[0].lower()] == [(ordinal, 0)]
        place = int(arrays["documents.numbers"][ordinal])
        assert (ordinal, 0) in documents[sorted(documents)[place]]


def test_fingerprints_follow_the_formula(folder: Path) -> None:
    arrays = tensors(folder / "columns.safetensors")
    terms = lists(tensors(folder / "keywords.safetensors"), "terms")
    for ordinal in (0, 7, COUNT - 1):
        held = {term: weight for term, pairs in terms.items() for at, weight in pairs if at == ordinal}
        hashes = {
            term: int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")
            for term in held
        }
        expected = 0
        for bit in range(64):
            total = sum(weight * (1 if hashes[term] >> bit & 1 else -1) for term, weight in held.items())
            expected |= (total > 0) << bit
        assert int(arrays["fingerprints"][ordinal]) == expected


def test_spelling_leads_from_trigrams_to_words(folder: Path) -> None:
    arrays = tensors(folder / "spelling.safetensors")
    data, offsets = arrays["words.bytes"].tobytes(), arrays["words.offsets"].tolist()
    words = [data[a:b].decode() for a, b in itertools.pairwise(offsets)]
    trigrams = lists(arrays, "trigrams")
    for place, word in enumerate(words[:40]):
        parts = {f"^{word}$"[i : i + 3] for i in range(len(word))}
        assert arrays["lengths"][place] == len(parts)
        assert all((place, 0) in trigrams[part] for part in parts)
        assert bool(arrays["names"][place]) == word.startswith("member")
