"""Files that are written, emptied, renamed and removed while a build reads them: it ends, and serves whole files."""

from __future__ import annotations

import os
import random
import re
import shutil
import threading
from pathlib import Path

import pytest

from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.index.opened import OpenedIndex
from quire.profiles import profile_named
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder
from tests.support.killed_writes import write_model

pytestmark = pytest.mark.usefixtures("few_questions")

QUIET, RESTLESS = 20, 40
KINDS = {"docs": ("docs", "md", "# {name}\n\n"), "code": ("repository", "py", "# {name}\n")}
EDITION = re.compile(r"edition-(\d+)-line-(\d+)-of-(\d+)")
LINES = 60


def page(head: str, name: str, edition: int) -> str:
    lines = (f"# edition-{edition}-line-{number}-of-{name}\n" for number in range(LINES))
    return head.format(name=name) + "".join(lines)


class Restless(threading.Thread):
    """Does to the files of a folder what editors, version control and people do, until told to stop."""

    def __init__(self, folder: Path, suffix: str, head: str) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.done = 0
        self._drawn = random.Random(16)
        self._folder, self._suffix, self._head = folder, suffix, head

    def run(self) -> None:
        while not self.over.wait(0.0005):
            number = self._drawn.randrange(RESTLESS)
            self.done += 1
            self._touch(self._folder / f"sub{number % 4}" / f"r{number}.{self._suffix}", number)

    def _touch(self, path: Path, number: int) -> None:
        path.parent.mkdir(exist_ok=True)
        text = page(self._head, f"{number:03d}", self.done)
        match self._drawn.randrange(12):
            case 0:
                _remove(path)
            case 1:
                _remove(path)
                path.mkdir()
            case 2:
                _remove(path)
                path.symlink_to(path.name)  # a loop
            case 6:
                _remove(path)
                os.mkfifo(path)
            case 3:
                shutil.rmtree(path.parent)
            case 4 if path.is_file() and not path.is_symlink():
                path.chmod(0)
            case 5 if path.is_file():
                path.write_text("", encoding="utf-8")
            case _:
                if path.is_dir():
                    _remove(path)
                new = path.with_suffix(".tmp")
                new.write_text(text, encoding="utf-8")
                new.replace(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rounds", [3, pytest.param(40, marks=pytest.mark.soak)], ids="{} builds".format)
def test_a_build_over_files_that_change_ends_and_serves_each_file_whole(
    tmp_path: Path, kind: str, rounds: int
) -> None:
    key, suffix, head = KINDS[kind]
    source, model = tmp_path / "src", tmp_path / "model"
    for number in range(QUIET):
        path = source / f"q{number}.{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(head, f"9{number:02d}", 0), encoding="utf-8")
    write_model(model)
    store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store")
    tools = Tools(HashingEmbedder(), model, tmp_path / "cache")
    restless = Restless(source, suffix, head)
    restless.start()
    try:
        for number in range(rounds):
            before = restless.done
            # A collection of its own each: the shrink guard would rather keep the last.
            plan = BuildPlan(f"book{number}", profile_named(kind), ((key, str(source)),))
            report = build(plan, tools, store)
            assert restless.done > before
            assert not [one for one in report.ingested.failures if one.path.startswith("q")]
            _check_whole(store.open(plan.name))
    finally:
        restless.over.set()
        restless.join()
    assert restless.done > 50


def _check_whole(index: OpenedIndex) -> None:
    """Each quiet file is there, and no file holds lines of two editions or lacks some of its own."""
    held: dict[str, dict[str, set[str]]] = {}
    for chunk in index.fetch(range(index.chunk_count)):
        for edition, line, name in EDITION.findall(chunk.text):
            held.setdefault(name, {}).setdefault(edition, set()).add(line)
    assert {f"9{number:02d}" for number in range(QUIET)} <= held.keys()
    for name, editions in held.items():
        assert len(editions) == 1, f"{name} is torn: {sorted(editions)}"
        assert all(len(lines) == LINES for lines in editions.values()), name
