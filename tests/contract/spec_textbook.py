"""`textbook-chatbot-backend.md`, sentence by sentence, in its order: one test a requirement.

Names of the parts that it would use (Qdrant, `text-embedding-004`, OpenAI Agents) stand for what Quire has in their
place. What a reader asks is asked of the textbook itself where it lies beside the checkout, else of a small book in our
own words; what an author does is done to the small book. Both are built by the command, with the real model.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from build_index import wiring
from build_index.__main__ import main
from build_index.cache.store import FILE, VECTORS, ContentStore
from functions.app.wiring import local_app
from functions.faces.textbook.routes import DEADLINE_S
from quire.adapters.folder import FolderStore
from quire.answering.answerer import answer
from quire.answering.citations import section_at, where_of
from quire.answering.findings import AskedCollection
from quire.answering.generative.context import overlap
from quire.answering.request import Inquiry
from quire.chunking import chunk_document
from quire.chunking.packing import estimate_tokens
from quire.collections import Collection
from quire.documents import Chunk, Document
from quire.embedding.onnx import OnnxEmbedder
from quire.errors import ConfigError
from quire.index.opened import OpenedIndex
from quire.settings import Settings, read_settings
from quire.store.store import SegmentStore
from tests.support.client import TestClient
from tests.support.model import kept_pages, link_models
from tests.support.served import Shelf
from tests.support.shared import shared_root
from tests.support.shelves import Scripted
from tests.support.small_book import FILES, NODE, ONE, THREE, TWO, write_book
from tests.support.tree import CORE, ROOT

TITLE = "Physical AI & Humanoid Robotics"
CHANGED = f"{ONE}/01-digital-vs-physical-ai.mdx"
ADDED = f"{ONE.split('/')[0]}/04-chapter-4-planning/01-three-tiers.mdx"
BROKEN = f"{TWO}/09-broken.mdx"
SETTINGS = "from build_index.wiring import settings; s = settings(); print(s.store, s.cache, s.provider)"
LATER = """# Three Tiers

The planner of the architecture lives in the cloud and speaks to the robot once a minute.
"""
LONG_CODE = "\n".join(f"print('a step of the calibration, number {n}, is done')" for n in range(120))
READ = (
    "01-chapter-1-embodied-ai/index 01-chapter-1-embodied-ai/01-digital 02-chapter-2-hardware-setup/01-hardware "
    "02-chapter-2-hardware-setup/04-sensor 02-chapter-2-hardware-setup/index 02-chapter-2-hardware-setup/02-work "
    "03-chapter-3-physical-ai-architecture/01-three 03-chapter-3-physical-ai-architecture/04-lab "
    "02-chapter-2-hardware-setup/00-intro 02-chapter-2-hardware-setup/03-edge "
    "03-chapter-3-physical-ai-architecture/02-sim"
).split()
"""The textbook's files that are asked about here: a third of it."""


class Library:
    """A folder with docs, a store and a cache, in which the command builds collection `textbook`."""

    def __init__(self, folder: Path, model_folder: Path) -> None:
        self.folder, self.docs = folder, folder / "frontend/docs"
        self.docs.mkdir(parents=True)
        link_models(folder / "cache", model_folder)
        described = (
            f'[textbook]\nprofile = "textbook"\ntitle = "{TITLE}"\nsource = {{ docs = "{self.docs}" }}\n'
        )
        (folder / "collections.toml").write_text(described, encoding="utf-8")
        self.settings = Settings(
            store=str(folder / "store"), cache=folder / "cache", collections_file=folder / "collections.toml"
        )

    def ingest(self, *more: str) -> tuple[int, str, str]:
        """Run the command; its exit code and what it printed to standard output and to standard error."""
        out, error = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(error):
            patch.setenv("QUIRE_STORE", self.settings.store)
            patch.setenv("QUIRE_CACHE", str(self.settings.cache))
            patch.setenv("QUIRE_COLLECTIONS", str(self.settings.collections_file))
            wiring.settings.cache_clear()
            code = main(["build", "textbook", *more])
            wiring.settings.cache_clear()
        return code, out.getvalue(), error.getvalue()

    @property
    def store(self) -> SegmentStore:
        return SegmentStore(FolderStore(self.folder / "store"), self.folder / "cache/store")

    def index(self) -> OpenedIndex:
        return self.store.open("textbook")

    def chunks(self) -> list[Chunk]:
        index = self.index()
        return [one for one in index.fetch(range(index.chunk_count)) if index.find(one.id) is not None]

    def client(self, **settings: Any) -> TestClient:
        app = local_app(replace(self.settings, **settings))
        return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


@dataclass
class Runs:
    """What the command printed for the small book as its author goes on writing, and the chunks after each run."""

    library: Library
    told: dict[str, tuple[int, str, str]]
    chunks: dict[str, list[Chunk]]
    client: TestClient
    before: dict[str, Any]

    def run(self, name: str, *more: str) -> None:
        self.told[name] = self.library.ingest(*more)
        self.chunks[name] = self.library.chunks()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[Runs]:
    """First, again without a change, with a page changed, with a chapter added, with a broken file.

    A server runs on from the first of them.
    """
    library = Library(tmp_path_factory.mktemp("small"), model_folder)
    write_book(library.docs)
    runs = Runs(library, {}, {}, library.client(refresh_s=0.0), {})
    runs.run("first")
    runs.before = ask(runs.client, "What is the sensorimotor loop?")
    runs.run("again")
    page = library.docs / CHANGED
    page.write_text(FILES[CHANGED] + "\n## Exercises\n\nLift a jar and guess its weight.\n", encoding="utf-8")
    runs.run("changed", "--json")
    (library.docs / ADDED).parent.mkdir()
    (library.docs / ADDED).write_text(LATER, encoding="utf-8")
    runs.run("added")
    (library.docs / BROKEN).write_text("# Sails\n\n<Note>never closed\n", encoding="utf-8")
    runs.run("broken")
    with runs.client:
        yield runs


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[TestClient]:
    """A client of the textbook where it is beside the checkout, else of the small book."""
    library = Library(tmp_path_factory.mktemp("book"), model_folder)
    textbook = shared_root() / "data/textbook/split-layout/frontend/docs"
    write_book(library.docs) if not textbook.exists() else _copy(textbook, library.docs)
    kept, cache = kept_pages(model_folder), library.folder / "cache"
    if (kept / FILE).exists():
        with closing(ContentStore(cache)) as store:
            store.take(kept, [VECTORS])
    code, told, _ = library.ingest()
    assert code == 0, told
    kept.mkdir(exist_ok=True)
    with closing(ContentStore(kept)) as store:
        store.take(cache, [VECTORS])
    with library.client() as client:
        yield client


def _copy(textbook: Path, docs: Path) -> None:
    for file in textbook.rglob("*.mdx"):
        path = str(file.relative_to(textbook))
        if any(one in path for one in READ):
            (docs / path).parent.mkdir(parents=True, exist_ok=True)
            (docs / path).write_bytes(file.read_bytes())


def ask(book: TestClient, query: str, selected: str | None = None) -> dict[str, Any]:
    body = {"query": query} if selected is None else {"query": query, "selected_text": selected}
    answer = book.post("/textbook/api/query", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def places(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Chapter and section of each source."""
    return [(one["chapter"], one["section"]) for one in told["sources"]]


# User story 1: query book content


def test_us_1_1_a_question_is_answered_from_its_chapter_which_is_cited(book: TestClient) -> None:
    told = ask(book, "What is embodied intelligence?")
    assert "mbodied intelligence" in told["answer"]
    assert any(chapter == "Chapter 1: Embodied Intelligence" and section for chapter, section in places(told))


def test_us_1_2_a_selection_and_related_sections_are_searched(book: TestClient) -> None:
    told = ask(book, "Why is this hardware required?", "Jetson Orin Nano")
    assert "Jetson" in told["answer"]
    assert len(set(places(told))) > 1


def test_us_1_3_each_source_of_a_question_over_several_chapters_is_cited(book: TestClient) -> None:
    told = ask(book, "How does ROS 2 connect to Isaac Sim?")
    assert "bridge" in told["answer"].lower()
    assert [one["n"] for one in told["sources"]] == sorted(
        {int(n) for n in re.findall(r"\[(\d+)\]", told["answer"])}
    )
    tiers = ask(book, "How do the three tiers of Physical AI work together?")
    assert max(len({chapter for chapter, _ in places(one)}) for one in (told, tiers)) > 1


# User story 2: automatic content ingestion


def test_us_2_1_a_new_chapter_is_stored_with_its_metadata_and_said(runs: Runs) -> None:
    code, told, _ = runs.told["added"]
    assert code == 0
    assert f"Processing {ADDED}... 1 chunks created\n" in told
    [stored] = [one.metadata for one in runs.chunks["added"] if one.metadata["path"] == ADDED]
    assert stored["chapter"] == "Chapter 4: Planning"
    assert (stored["section"], stored["filename"]) == ("01-three-tiers", "01-three-tiers.mdx")


def test_us_2_1_and_queries_retrieve_it(runs: Runs) -> None:
    told = ask(runs.client, "Where does the planner live?")
    assert "in the cloud" in told["answer"]
    assert places(told)[0] == ("Chapter 4: Planning", "01-three-tiers")


def test_us_2_2_of_a_changed_chapter_only_the_change_is_embedded_and_the_count_is_said(runs: Runs) -> None:
    code, told, _ = runs.told["changed"]
    report = json.loads(told)
    of_page = [one for one in runs.chunks["changed"] if one.metadata["path"] == CHANGED]
    assert (code, report["updated"]) == (0, len(of_page))
    assert 0 < report["embedding"]["embedded"] < len(runs.chunks["changed"])
    texts = [one.text for one in runs.chunks["changed"]]
    assert len(texts) == len(set(texts))
    assert sum("guess its weight" in text for text in texts) == 1
    assert "; 1 chunks updated\n" in runs.told["added"][1]


def test_us_2_3_a_malformed_file_is_said_on_stdout_skipped_and_listed_at_the_end(runs: Runs) -> None:
    code, told, _ = runs.told["broken"]
    assert code != 0
    assert told.rstrip().rpartition("\n")[2].startswith(f"failed: {BROKEN}: ")
    assert "1 files failed" in told
    assert {one.id for one in runs.chunks["broken"]} == {one.id for one in runs.chunks["added"]}


# User story 3: contextual text selection queries


def test_us_3_what_is_an_alternative_to_a_selected_sensor_is_found_elsewhere(book: TestClient) -> None:
    for query in ("What are the alternatives to this sensor?", "What are alternatives?"):
        told = ask(book, query, "Intel RealSense D435i")
        assert "OAK-D" in told["answer"]
        assert len(set(places(told))) > 1


def test_us_3_1_a_selected_device_is_explained_by_its_role(book: TestClient) -> None:
    told = ask(book, "What is this used for?", "NVIDIA Jetson Orin Nano")
    assert "perception" in told["answer"].lower()
    assert any(chapter.startswith("Chapter 2") for chapter, _ in places(told))


def test_us_3_2_selected_code_is_known_as_code_and_found_with_its_section(book: TestClient) -> None:
    told = ask(book, "How does this work?", NODE)
    assert "create_publisher" in told["answer"]
    assert any(chapter.startswith("Chapter 3") for chapter, _ in places(told))


def test_us_3_2_a_model_is_told_to_go_through_selected_code_step_by_step(
    runs: Runs, embedder: OnnxEmbedder
) -> None:
    assert "which is code; go through it step by step" in prompt_for(
        runs, embedder, "How does this work?", NODE
    )


def prompt_for(runs: Runs, embedder: OnnxEmbedder, query: str, selected: str = "") -> str:
    """What a model reads for the question."""
    model = Scripted(["It does. [1]"])
    answer(AskedCollection(runs.library.index(), embedder, TITLE), Inquiry(query, selected, top_k=5), model)
    return str(model.asked[-1])


# Edge cases


def test_edge_a_topic_that_is_not_covered_is_said_not_to_be_with_topics_that_are(book: TestClient) -> None:
    told = ask(book, "How do I build a quantum computer?")
    assert told["answer"].startswith(f"This topic is not covered in the {TITLE} textbook.")
    assert "Related topics that are covered:\n\n- " in told["answer"]
    assert told["sources"] == []


@pytest.mark.parametrize(
    "query",
    [
        "¿Dónde está el sensor de profundidad?",
        "donde esta el sensor de profundidad",
        "Robot kya hota hai aur kaise kaam karta hai?",
        "روبوٹ کیا ہوتا ہے؟",
    ],
)
def test_edge_a_question_in_another_language_is_asked_for_in_english(book: TestClient, query: str) -> None:
    notices = ask(book, query)["notices"]
    assert notices == ["Please ask your question in English."], "a visitor cannot send `terms`"


def test_edge_an_unreachable_database_is_said_in_a_sentence_and_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish("textbook", profile="textbook", engine="")
    shutil.rmtree(shelf.folder / "collections/textbook/segments")
    listed = {"textbook": Collection("textbook", "textbook")}
    refused = shelf.client(collections=listed).post("/textbook/api/query", json={"query": "What is a boat?"})
    said = "The knowledge base is temporarily unavailable. Please try again in a moment."
    assert (refused.status_code, refused.json()["detail"]) == (503, said)
    logged = [line for line in capsys.readouterr().out.split("\n") if '"event":"fault"' in line]
    assert any('"level":"ERROR"' in line and "no such file in the segment" in line for line in logged)


def test_edge_a_long_query_is_truncated_to_500_words_with_a_warning(book: TestClient) -> None:
    told = ask(book, "What is embodied intelligence? " + "please " * 1001)
    assert told["notices"][0] == "Your query was truncated to 500 words. Please be more concise."


def test_edge_the_same_content_in_two_files_is_stored_once(runs: Runs) -> None:
    stored = {one.metadata["path"] for one in runs.chunks["first"]}
    assert [f"{ONE}/{name}" in stored for name in ("00-intro.mdx", "index.mdx")] == [True, False]
    hashes = [one.metadata["content_hash"] for one in runs.chunks["first"]]
    assert len(hashes) == len(set(hashes))


def test_edge_code_beyond_the_size_of_a_chunk_is_one_chunk_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = f"# Steps\n\nBefore it.\n\n```python\n{LONG_CODE}\n```\n\nBehind it.\n"
    with caplog.at_level("WARNING"):
        chunks = list(chunk_document(Document("a.mdx", text, "textbook", {"path": "a.mdx"})))
    assert sum(LONG_CODE in one.text for one in chunks) == 1
    assert "larger than a chunk" in caplog.text


def test_edge_a_follow_up_without_context_is_asked_back(book: TestClient) -> None:
    told = ask(book, "Tell me more")["answer"]
    assert told == "I need more context. Please ask a specific question about the textbook content."


def test_edge_a_second_run_at_the_same_time_ends_gracefully(runs: Runs) -> None:
    with runs.library.store.lock("textbook"):
        code, _, said = runs.library.ingest()
    assert code == 0
    assert "Ingestion already in progress" in said


# Functional requirements: ingestion


def test_fr_001_mdx_and_md_files_are_found_in_every_folder(runs: Runs) -> None:
    paths = {str(one.metadata["path"]) for one in runs.chunks["first"]}
    assert paths == FILES.keys() - {f"{ONE}/index.mdx"}
    assert {Path(one).suffix for one in paths} == {".md", ".mdx"}


def test_fr_002_chunks_have_500_to_800_tokens_and_overlap_within_a_section(runs: Runs) -> None:
    page = [one for one in runs.chunks["first"] if one.metadata["path"] == CHANGED]
    sizes = [estimate_tokens(one.text) for one in page]
    assert len(page) > 1
    assert all(400 <= size <= 800 for size in sizes[:-1])
    shared = [overlap(one.text, other.text) for one, other in pairwise(page)]
    assert any(
        60 <= estimate_tokens(one.text[-size:]) <= 100
        for one, size in zip(page, shared, strict=False)
        if size
    )


def test_fr_002_chunks_overlap_from_section_to_section_and_what_is_repeated_keeps_its_heading() -> None:
    sections = {
        name: " ".join(f"Robot {n} of {name} lifts jar {n}." for n in range(58)) for name in ("Ana", "Ben")
    }
    text = "# Jars\n\n" + "\n\n".join(f"## {name}\n\n{said}" for name, said in sections.items())
    first, second = chunk_document(Document("a.mdx", text, "textbook", {"path": "a.mdx"}))
    shared = overlap(first.text, second.text)
    assert 60 <= estimate_tokens(second.text[:shared]) <= 100
    assert estimate_tokens(second.text) <= 800
    at = second.text.index("## Ben")
    assert [where_of(second, section_at(second, place))[1] for place in (0, at)] == ["Ana", "Ben"]


def test_fr_003_a_code_block_is_in_one_chunk(runs: Runs) -> None:
    assert sum(NODE.strip() in one.text for one in runs.chunks["first"]) == 1


def test_fr_003_a_code_block_that_is_never_closed_ends_with_its_page() -> None:
    page = "# Harbours\n\nBoats moor.\n\n```python\nboat.moor()\n"
    chunks = list(chunk_document(Document("a.mdx", page, "textbook", {"path": "a.mdx"})))
    assert "boat.moor()" in chunks[-1].text


def test_fr_004_every_chunk_has_an_embedding_of_the_models_size(runs: Runs, embedder: OnnxEmbedder) -> None:
    index = runs.library.index()
    manifest = index.manifests[0]
    assert manifest.counts.vectors >= manifest.counts.chunks
    assert {one.dimensions for one in index.manifests} == {embedder.dimensions}


def test_fr_005_a_chunk_has_chapter_section_filename_index_and_text(runs: Runs) -> None:
    page = [one for one in runs.chunks["first"] if one.metadata["path"] == CHANGED]
    for number, one in enumerate(page):
        assert one.metadata["chapter"] == "Chapter 1: Embodied Intelligence"
        assert one.metadata["section"] == "01-digital-vs-physical-ai"
        assert one.metadata["filename"] == "01-digital-vs-physical-ai.mdx"
        assert one.metadata["chunk_index"] == number
        assert one.text.strip()


# Functional requirements: the index


def test_fr_006_the_collection_is_stored_under_its_name(book: TestClient) -> None:
    assert [one["name"] for one in book.get("/collections").json()["collections"]] == ["textbook"]


def test_fr_007_a_second_run_changes_nothing(runs: Runs) -> None:
    assert runs.chunks["again"] == runs.chunks["first"]
    assert "; 0 chunks updated\n" in runs.told["again"][1]


def test_fr_008_only_the_changed_files_chunks_are_updated(runs: Runs) -> None:
    kept = {one for one in map(_identity, runs.chunks["first"]) if one[0] != CHANGED}
    assert kept <= set(map(_identity, runs.chunks["changed"]))


def _identity(chunk: Chunk) -> tuple[str, str, str]:
    return str(chunk.metadata["path"]), chunk.id, chunk.text


# Functional requirements: queries


def test_fr_009_a_query_has_up_to_500_words_and_a_selection_up_to_200(book: TestClient) -> None:
    words = " ".join(["robot"] * 496)
    assert ask(book, f"What is a robot? {words}", "robot " * 200)["notices"] == []
    cut = ask(book, "What is a robot?", "loop " * 201)["notices"]
    assert cut[0] == "The selected text was truncated to 200 words."


def test_fr_010_a_question_is_embedded_by_the_model_of_the_index(runs: Runs, embedder: OnnxEmbedder) -> None:
    assert {one.model for one in runs.library.index().manifests} == {embedder.digest}


def test_fr_011_the_five_best_chunks_are_searched(book: TestClient) -> None:
    hits = book.post("/query", json={"collection": "textbook", "q": "robot", "top_k": 5}).json()["hits"]
    scores = [one["score"] for one in hits]
    assert (len(hits), scores) == (5, sorted(scores, reverse=True))


def test_fr_012_a_model_reads_text_chapter_section_and_filename(runs: Runs, embedder: OnnxEmbedder) -> None:
    prompt = prompt_for(runs, embedder, "What is embodied intelligence?")
    assert "what heavy means by the" in prompt
    assert "Chapter 1: Embodied Intelligence" in prompt
    assert "01-digital-vs-physical-ai.mdx" in prompt


def test_fr_013_a_model_writes_the_answer_where_there_is_one(runs: Runs, embedder: OnnxEmbedder) -> None:
    model = Scripted(["It is intelligence that comes from having a body. [1]"])
    shelf = AskedCollection(runs.library.index(), embedder, TITLE)
    given = answer(shelf, Inquiry("What is embodied intelligence?", top_k=5), model)
    assert given.text.startswith("It is intelligence that comes from having a body")
    assert given.model_used == model.name


def test_fr_014_an_answer_cites_chapter_section_and_filename(book: TestClient) -> None:
    for one in ask(book, "What is the sensorimotor loop?")["sources"]:
        assert one["chapter"].startswith("Chapter ")
        assert one["filename"] == f"{one['section']}.mdx"


def test_fr_015_query_answers_with_answer_and_sources(book: TestClient) -> None:
    told = ask(book, "What is the sensorimotor loop?")
    assert isinstance(told["answer"], str)
    assert {"chapter", "section", "filename", "relevance_score"} <= told["sources"][0].keys()
    assert 0 <= told["sources"][0]["relevance_score"] <= 1


@pytest.mark.parametrize("query", ["", "  \n"])
def test_fr_015_a_blank_query_is_refused_in_a_sentence(book: TestClient, query: str) -> None:
    refused = book.post("/textbook/api/query", json={"query": query})
    assert (refused.status_code, refused.json()["detail"]) == (422, "Please write a question about the book.")


def test_fr_015_content_cannot_be_ingested_over_http(book: TestClient) -> None:
    assert book.post("/textbook/api/ingest", json={}).status_code in (404, 405)


def test_fr_016_the_command_says_files_chunks_and_progress_and_exits_with_0(runs: Runs) -> None:
    code, told, _ = runs.told["first"]
    counts = re.findall(r"Processing .+\.mdx?\.\.\. (\d+) chunks created\n", told)
    assert (code, len(counts)) == (0, len(FILES) - 1)
    total = sum(map(int, counts))
    assert f"{len(FILES) - 1} documents, {total} chunks, " in told


@pytest.mark.parametrize("body", [{}, {"query": 7}, {"query": ["x"]}, {"query": "x", "selected_text": 1}, []])
def test_fr_017_input_is_validated_strictly(book: TestClient, body: Any) -> None:
    refused = book.post("/textbook/api/query", json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"]


@pytest.mark.parametrize("name", ["embeddings", "rag_retrieval", "chunking", "ingest_cli"])
def test_fr_018_the_tests_that_it_names_exist(name: str) -> None:
    assert len(list((ROOT / "tests").rglob(f"test_{name}.py"))) == 1


def test_fr_019_answers_are_printed_to_the_terminal(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    with runs.library.client(print_answers=True) as client:
        told = ask(client, "What is the sensorimotor loop?")
    assert f"{told['answer']}\n" in capsys.readouterr().out


def test_fr_020_keys_come_from_the_environment_or_env_and_stand_in_no_file(tmp_path: Path) -> None:
    assert read_settings({"GEMINI_API_KEY": "k"}).provider_key == "k"
    (tmp_path / ".env").write_text(
        "QUIRE_STORE=from-a-file\nQUIRE_CACHE=from-a-file\nGEMINI_API_KEY=k\n", encoding="utf-8"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / CORE}{os.pathsep}{ROOT}",
        "PYTHON_DOTENV_DISABLED": "",
        "QUIRE_STORE": "exported",
    }
    command = [sys.executable, "-c", SETTINGS]
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["exported", "from-a-file", "gemini"]


def test_fr_020_a_gemini_key_alone_chooses_gemini() -> None:
    assert read_settings({"GEMINI_API_KEY": "k"}).provider == "gemini"


def test_fr_021_a_missing_key_is_named_at_startup() -> None:
    with pytest.raises(ConfigError, match=re.escape("Required environment variable GEMINI_API_KEY not set.")):
        read_settings({"QUIRE_PROVIDER": "gemini"})


def test_fr_022_a_failed_file_is_logged_with_its_place_and_reason(runs: Runs) -> None:
    told = runs.told["broken"][1]
    assert re.search(rf"failed: {re.escape(BROKEN)}: .*{re.escape(BROKEN)}:3: .*Note", told)


# Key entities


def test_a_chunk_has_an_id_and_the_hash_of_its_text(runs: Runs) -> None:
    chunks = runs.chunks["first"]
    assert len({one.id for one in chunks}) == len(chunks)
    assert all(one.metadata["content_hash"] == sha256(one.text.encode()).hexdigest() for one in chunks)


def test_a_response_names_model_and_latency(book: TestClient) -> None:
    told = ask(book, "What is the sensorimotor loop?")
    assert told["model_used"] == "extractive"
    assert told["latency_ms"] > 0


# Success criteria


def test_sc_001_an_answer_is_bound_to_three_seconds_with_any_model() -> None:
    assert DEADLINE_S < 3


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("What is the sensorimotor loop?", "sensors"),
        ("Why is a Jetson Orin Nano needed?", "Jetson"),
        ("Which depth camera does the robot have?", "D435i"),
        ("What is Physical AI?", "Physical AI"),
    ],
)
def test_sc_002_questions_about_the_chapters_are_answered(book: TestClient, query: str, says: str) -> None:
    assert says in ask(book, query)["answer"]


def test_sc_003_all_chapters_are_ingested_without_a_hand(runs: Runs) -> None:
    assert runs.told["first"][0] == 0
    assert {str(one.metadata["path"]).split("/")[1] for one in runs.chunks["first"]} == {
        one.split("/")[1] for one in (ONE, TWO, THREE)
    }


def test_sc_004_ten_users_at_once_are_all_answered(book: TestClient) -> None:
    with ThreadPoolExecutor(10) as users:
        told = list(users.map(lambda _: ask(book, "What is the sensorimotor loop?"), range(10)))
    assert len({one["answer"] for one in told}) == 1


def test_sc_006_an_answer_leads_to_its_sections(book: TestClient) -> None:
    for query in ("What is embodied intelligence?", "Why is a Jetson Orin Nano needed?"):
        told = ask(book, query)
        assert told["sources"]
        assert all(one["filename"] and one["heading"] for one in told["sources"])


def test_sc_007_and_sc_008_what_is_added_is_found_by_a_server_that_runs_on(runs: Runs) -> None:
    assert "never ends" in runs.before["answer"]
    assert "in the cloud" in ask(runs.client, "Where does the planner live?")["answer"]


# Assumptions, constraints and what is out of scope


def test_users_need_no_key(book: TestClient) -> None:
    assert book.post("/textbook/api/query", json={"query": "What is a robot?"}).status_code == 200


def test_python_is_3_11_or_later_and_the_code_is_linted_and_typed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["requires-python"] == ">=3.11"
    assert {"ruff", "mypy"} <= project["tool"].keys()


def test_each_query_is_independent(book: TestClient) -> None:
    first = ask(book, "Tell me more")["answer"]
    ask(book, "What is the sensorimotor loop?")
    assert ask(book, "Tell me more")["answer"] == first
