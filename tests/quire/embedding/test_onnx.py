"""The real model behind its adapter: windows, threads, determinism, and what happens when files are wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from quire.embedding import open_embedder
from quire.embedding.onnx import LOOK_AHEAD, OnnxEmbedder, cut_windows
from quire.embedding.wordpiece import open_tokenizer
from quire.errors import ModelError
from tests.support.indexed import PATHS

LONG = " ".join(
    f"Section {number} explains how part {number % 13} is welded to its neighbour." for number in range(90)
)
PASSAGES = [("Guide › Welds", LONG[:length]) for length in range(20, 3000, 500)]


@pytest.fixture(scope="module")
def float_embedder() -> OnnxEmbedder:
    from tests.support.model import exported_model

    return open_embedder(exported_model("float32"), threads=1)


def test_threads_change_no_byte(model_folder: Path) -> None:
    rows = [
        list(open_embedder(model_folder, threads=threads).embed_passages(PASSAGES)) for threads in (1, 2, 3)
    ]
    for one, two, three in zip(*rows, strict=True):
        assert one.tobytes() == two.tobytes() == three.tobytes()


def test_the_runtime_leaves_no_mark_for_telemetry_and_sends_none(model_folder: Path, tmp_path: Path) -> None:
    script = "from quire.embedding import open_embedder; from pathlib import Path; open_embedder(Path({!r}))"
    command = [sys.executable, "-c", script.format(str(model_folder))]
    subprocess.run(command, env={"HOME": str(tmp_path), "PYTHONPATH": PATHS}, check=True)
    assert list(tmp_path.iterdir()) == []


def test_a_second_session_gives_the_same_bytes(model_folder: Path, embedder: OnnxEmbedder) -> None:
    questions = ["how are parts welded", "", "task.spawn"]
    assert open_embedder(model_folder).embed(questions).tobytes() == embedder.embed(questions).tobytes()


def test_each_row_is_the_vector_of_its_window(embedder: OnnxEmbedder, model_folder: Path) -> None:
    tokenizer = open_tokenizer(model_folder)
    facts = embedder.facts
    windows = cut_windows(
        tokenizer.ids("Welds"), tokenizer.ids(LONG), window=facts.window, overlap=facts.overlap
    )
    (rows,) = embedder.embed_passages([("Welds", LONG)])
    assert len(rows) == len(windows) > 4
    for row, window in zip(rows, windows, strict=True):
        assert len(window) <= facts.window - 2
        assert row.tobytes() == embedder._run(window).tobytes()


def test_a_question_is_truncated_at_the_window_not_at_128(embedder: OnnxEmbedder) -> None:
    base = " ".join(["part"] * 200)
    longer = " ".join(["part"] * 254)
    assert embedder.embed([base])[0].tobytes() != embedder.embed([f"{base} sourdough bread"])[0].tobytes()
    assert embedder.embed([longer])[0].tobytes() == embedder.embed([f"{longer} sourdough bread"])[0].tobytes()


def test_int8_stays_near_float(embedder: OnnxEmbedder, float_embedder: OnnxEmbedder) -> None:
    ours = np.concatenate(list(embedder.embed_passages(PASSAGES)))
    theirs = np.concatenate(list(float_embedder.embed_passages(PASSAGES)))
    assert ((ours * theirs).sum(axis=1) > 0.96).all()


def test_tokens_are_counted(model_folder: Path) -> None:
    embedder = open_embedder(model_folder, threads=2)
    tokenizer = open_tokenizer(model_folder)
    texts = ["one short text", "another one that is a little longer"]
    list(embedder.embed_passages([("", text) for text in texts]))
    assert embedder.tokens == sum(len(tokenizer.ids(text)) + 2 for text in texts)


def test_the_threads_work_ahead_by_a_bounded_number(embedder: OnnxEmbedder) -> None:
    taken: list[int] = []

    def passages() -> Iterator[tuple[str, str]]:
        for number in range(3 * LOOK_AHEAD):
            taken.append(number)
            yield "", f"{number}"

    rows = embedder.embed_passages(passages())
    for count in range(1, 20):
        next(rows)
        assert LOOK_AHEAD <= len(taken) <= LOOK_AHEAD + count


def test_closing_the_iterator_stops_the_threads(embedder: OnnxEmbedder) -> None:
    rows = embedder.embed_passages([("", LONG)] * 50)
    next(rows)
    assert any(thread.name.startswith("embed") for thread in threading.enumerate())
    rows.close()  # type: ignore[attr-defined]
    assert not any(thread.name.startswith("embed") for thread in threading.enumerate())


def test_an_error_of_the_source_reaches_the_consumer(embedder: OnnxEmbedder) -> None:
    def passages() -> Iterator[tuple[str, str]]:
        yield "", "one"
        raise LookupError("the source broke")

    with pytest.raises(LookupError, match="the source broke"):
        list(embedder.embed_passages(passages()))


def test_many_callers_share_one_embedder(embedder: OnnxEmbedder) -> None:
    wanted = embedder.embed(["how are parts welded"]).tobytes()
    found: list[bytes] = []

    def ask() -> None:
        found.extend(embedder.embed(["how are parts welded"]).tobytes() for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 20


@pytest.mark.parametrize("name", ["model.json", "model.onnx", "model.onnx.data", "tokenizer.json"])
def test_a_missing_file_is_named(model_folder: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(model_folder, tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        open_embedder(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(model_folder: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(model_folder, tmp_path / "model")
    (folder / name).write_bytes(bytes((model_folder / name).stat().st_size))
    with pytest.raises(ModelError, match=name):
        open_embedder(folder)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"files": []}', b'{"name": "x"}', b"\xff"])
def test_facts_that_say_something_else_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ModelError, match="wanted an exported model's facts"):
        open_embedder(tmp_path)


def test_a_token_beyond_the_vocabulary_is_a_model_error(model_folder: Path) -> None:
    embedder = open_embedder(model_folder)
    said = json.loads((model_folder / "model.json").read_text())

    class Broken:
        first, last = 10**6, 10**6

        def ids(self, text: str) -> list[int]:
            return [10**6]

    broken = OnnxEmbedder(embedder._session, Broken(), embedder.facts, threads=1)
    with pytest.raises(ModelError, match=f"model {said['name']}: cannot embed 3 tokens"):
        broken.embed(["anything"])
