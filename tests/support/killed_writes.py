"""Kill -9 at the k-th change of a file: `python -m tests.support.killed_writes SCENARIO FOLDER MOST`.

What is under test runs in a child of a warm process, with `killed_writes.c` preloaded; `run` starts the whole. After
each kill the store must open and serve what was there before or what was written, nothing that was acknowledged may be
missing, and the same work done again must end as if nothing had happened.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise

from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.errors import UnknownCollection
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.service.access import ANYONE
from quire.service.uploads import File
from quire.store.store import SegmentStore
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.lively import Lively
from tests.support.tree import CORE, ROOT

EMBEDDER = HashingEmbedder()
KILLED, ATTEMPTS = -9, 3
OLD, NEW, KEPT = (
    "The tide turns slowly at dawn.",
    "The glacier moves every winter.",
    "Harbours keep their boats.",
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """`prepare` makes the folder once, `work` is killed, `found` says what is served: what it held or holds now."""

    prepare: Callable[[Path], object]
    work: Callable[[Path], object]
    found: Callable[[Path], str]


def _store(folder: Path) -> SegmentStore:
    return SegmentStore(FolderStore(folder / "store"), folder / "cache" / "opened")


def _served(folder: Path, collection: str) -> str:
    """The texts that are served, each found by its own words; opening them reads every file."""
    index = _store(folder).open(collection)
    for text in (OLD, NEW, KEPT):
        for hit in retrieve(index, EMBEDDER, Query(text, 10)).hits:
            assert hit.chunk.text
    texts = [hit.chunk.text for hit in retrieve(index, EMBEDDER, Query(KEPT, 10)).hits]
    assert any(KEPT in text for text in texts), texts
    return (
        "new" if any(NEW in text for text in texts) else "old" if any(OLD in text for text in texts) else "?"
    )


def _ingest(folder: Path, text: str) -> None:
    files = [File("a.md", f"# A\n\n{text}\n"), File("b.md", f"# B\n\n{KEPT}\n")]
    done = Lively(folder).live.library.ingest(ANYONE, "book", files)
    assert not done.failures


def _pages(folder: Path, text: str) -> None:
    (folder / "book").mkdir(exist_ok=True)
    for name, said in {"a.md": text, "b.md": KEPT}.items():
        (folder / "book" / name).write_text(f"# {name}\n\n{said}\n", encoding="utf-8")


def _build(folder: Path) -> None:
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(folder / "book")),))
    report = build(plan, Tools(EMBEDDER, folder / "model", folder / "cache"), _store(folder))
    assert report.published is not None


def _prepare_first(folder: Path) -> None:
    _pages(folder, NEW)
    write_model(folder / "model")


def write_model(folder: Path) -> None:
    """What a store wants of a model, where nothing but a fake embeds."""
    folder.mkdir()
    (folder / "words").write_text("words", encoding="utf-8")
    known = {"size_bytes": 5, "sha256": hashlib.sha256(b"words").hexdigest()}
    numbers = {"dimensions": EMBEDDER.dimensions, "window": 256, "overlap": 0}
    facts = {
        "name": "words",
        "digest": EMBEDDER.digest,
        **numbers,
        "query_prefix": "",
        "files": {"words": known},
    }
    (folder / "model.json").write_text(json.dumps(facts), encoding="utf-8")


def _prepare_build(folder: Path) -> None:
    _prepare_first(folder)
    _pages(folder, OLD)
    _build(folder)
    _pages(folder, NEW)


def _first(folder: Path) -> str:
    try:
        return _served(folder, "book")
    except UnknownCollection:
        return "old"


def _prepare_publish(folder: Path) -> None:
    _publish(folder, "1")


def _publish(folder: Path, version: str) -> None:
    shutil.rmtree(folder / "segment", ignore_errors=True)
    manifest = write_corpus(folder / "segment", EMBEDDER, engine=version)
    _store(folder).publish("roblox", folder / "segment", manifest)


def _published(folder: Path) -> str:
    store = _store(folder)
    assert retrieve(store.open("roblox"), EMBEDDER, Query("walk", 3)).hits
    return {"1": "old", "2": "new"}[store.pointer("roblox").label]


SCENARIOS = {
    "a live write": Scenario(
        lambda folder: _ingest(folder, OLD),
        lambda folder: _ingest(folder, NEW),
        lambda folder: _served(folder, "book"),
    ),
    "a publish": Scenario(_prepare_publish, lambda folder: _publish(folder, "2"), _published),
    "a first build": Scenario(_prepare_first, _build, _first),
    "a build": Scenario(_prepare_build, _build, lambda folder: _served(folder, "book")),
}


def in_child(work: Callable[[], object]) -> tuple[int, str]:
    """How a fork of this process ended that did the work, and what it said."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said, code = "", 0
        try:
            said = str(work())
        except BaseException:  # noqa: BLE001  the parent is told
            said, code = traceback.format_exc(), 1
        os.write(writing, said.encode())
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def strike(scenario: Scenario, base: Path, at: int, *, is_torn: bool) -> tuple[bool, str]:
    """Whether the work was killed, and what is wrong then."""
    folder = base.with_name("struck")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder, symlinks=True)
    harness = ctypes.CDLL(None)

    def work() -> int:
        harness.quire_arm(str(folder).encode(), ctypes.c_long(at), int(is_torn))
        scenario.work(folder)
        return int(harness.quire_seen())

    code, said = in_child(work)
    if code not in (0, KILLED):
        return False, said
    if not at:
        return False, said
    for ended, step in ((code == 0, "what is served"), (True, "the same again")):
        if step == "the same again":
            broke, why = in_child(lambda: scenario.work(folder))
            if broke:
                return True, f"{step}: {why}"
        broke, found = in_child(lambda: scenario.found(folder))
        if broke or found not in (("new",) if ended else ("old", "new")):
            return True, f"{step}: {found}"
    return code == KILLED, ""


def run(name: str, folder: Path, most: int) -> dict[str, str]:
    """By the change that was struck, `most` of them, what was wrong; "changes" says how many there are,
    "kills" how many of these there were: now and then a change less is made than the time before, and the last one
    is struck again.

    Every second kill comes in the midst of a write, where it is one.
    """
    library = folder / "killed_writes.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(("cc", "-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl"), check=True)
    paths = os.pathsep.join((str(ROOT), str(ROOT / CORE)))
    program = subprocess.run(
        (sys.executable, "-m", "tests.support.killed_writes", name, str(folder), str(most)),
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": paths,
            "OPENBLAS_NUM_THREADS": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told: dict[str, str] = json.loads(program.stdout.splitlines()[-1])
    return told


def main(name: str, place: str, most: str) -> None:
    """See `run`."""
    scenario, base = SCENARIOS[name], Path(place) / "base"
    base.mkdir(parents=True)
    scenario.prepare(base)
    changes = strike(scenario, base, 0, is_torn=False)[1]
    told, kills = {"changes": changes}, 0
    numbers = list(range(1, int(changes) + 1))
    for count, at in enumerate(random.Random(name).sample(numbers, min(int(most), len(numbers)))):
        for _ in range(ATTEMPTS):
            was_killed, told[str(at)] = strike(scenario, base, at, is_torn=count % 2 == 1)
            if was_killed or told[str(at)]:
                break
        kills += was_killed
    told["kills"] = str(kills)
    sys.stdout.write(f"\n{json.dumps(told)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
