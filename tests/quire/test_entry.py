"""The Python entry: what `import quire` offers, and that four lines are enough."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import quire
from quire.embedding.onnx import OnnxEmbedder
from quire.errors import ConfigError, InputError
from quire.service.access import ANYONE
from tests.support.corpus import api_documents
from tests.support.served import Shelf
from tests.support.tree import ROOT


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, model_folder: Path, embedder: OnnxEmbedder) -> Shelf:
    shelf = Shelf(tmp_path_factory.mktemp("entry"))
    shelf.store.put_model(model_folder)
    shelf.publish(embedder=embedder)
    return shelf


def test_the_exported_names_are_these() -> None:
    assert sorted(quire.__all__) == [
        "Answer",
        "Citation",
        "Hit",
        "Index",
        "QuireError",
        "__version__",
        "open",
    ]
    assert all(getattr(quire, name) for name in quire.__all__)
    with pytest.raises(AttributeError, match="it offers Answer"):
        quire.nothing  # noqa: B018


def test_importing_quire_loads_nothing_heavy() -> None:
    script = (
        "import sys, quire; print([one for one in ('numpy', 'onnxruntime', 'boto3') if one in sys.modules])"
    )
    run = subprocess.run(
        (sys.executable, "-c", script),
        env={"PYTHONPATH": str(ROOT / "layers/core/python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


def test_what_is_found_shows_itself_in_a_line_and_an_answer_as_markdown(shelf: Shelf) -> None:
    index = quire.open(shelf.folder)
    (hit,) = index.search("gravity in studs", top_k=1)
    assert repr(hit).startswith(f"<Hit 1 {hit.score:.2f} ")
    assert hit.chunk.place in repr(hit)
    answer = index.ask("Which event fires when a character has lost its health?")
    assert repr(answer).startswith("<Answer of ")
    assert "\n" not in repr(answer)
    assert repr(answer.citations[0]).startswith(f"<Citation [1] {answer.citations[0].hit.chunk.place}")
    assert str(answer).startswith(answer.text)
    assert f"\n\n[1] {answer.citations[0].hit.chunk.place}" in str(answer)
    assert f"\n\n- [1] {answer.citations[0].hit.chunk.place}" in answer._repr_markdown_()
    refused = index.ask("How do I bake sourdough bread?")
    assert repr(refused).startswith("<Answer, which refuses, ")


def test_four_lines_search_and_answer(shelf: Shelf) -> None:
    index = quire.open(shelf.folder)
    hits = index.search("gravity in studs", top_k=3)
    answer = index.ask("Which event fires when a character has lost its health?")
    assert hits[0].rank == 1
    assert {one.hit.version for one in answer.citations} == {index.version}
    assert answer.citations
    assert index.search("gravity in studs", top_k=3, version=index.version) == hits


def test_terms_count_beside_the_question(shelf: Shelf) -> None:
    index = quire.open(shelf.folder, "roblox")
    question = "let a thing glide somewhere"
    helped = index.search(question, top_k=1, terms="TweenService.Create tween")
    assert helped[0].chunk.symbols[0] == "TweenService.Create"
    assert index.ask(question, terms="TweenService.Create").terms == "TweenService.Create"


def test_it_takes_the_settings_that_a_server_takes(
    tmp_path: Path, model_folder: Path, embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(tmp_path)
    before = shelf.publish(embedder=embedder).version
    brought = tmp_path / "brought"
    brought.mkdir()
    (brought / embedder.facts.digest).symlink_to(model_folder)
    monkeypatch.setenv("QUIRE_MODEL_FOLDERS", str(brought))
    monkeypatch.setenv("QUIRE_THREADS", "2")
    monkeypatch.setenv("QUIRE_REFRESH_S", "600")
    index = quire.open(shelf.folder)
    assert index.search("gravity in studs")  # a missing model would be warned of
    opened = index._knowledge.embedder(index._knowledge.serve(ANYONE, "roblox"))
    assert isinstance(opened, OnnxEmbedder)
    assert opened._threads == 2
    shelf.publish(documents=api_documents()[:1], embedder=embedder)
    assert index.version == before


def test_what_cannot_be_opened_is_said_with_what_is_there(shelf: Shelf, tmp_path: Path) -> None:
    shelf.publish("other", documents=api_documents()[:1])
    with pytest.raises(InputError, match="holds other, roblox; name one of them"):
        quire.open(shelf.folder)
    with pytest.raises(InputError, match="'nothing'"):
        quire.open(shelf.folder, "nothing")
    with pytest.raises(ConfigError, match="wanted a folder or s3"):
        quire.open(tmp_path / "nowhere")
