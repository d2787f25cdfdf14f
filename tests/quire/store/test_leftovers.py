"""What killed processes left behind is removed a day later; what others write is left alone."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from quire.folders import ARRIVING
from quire.store.leftovers import LEFT_S, OF_CACHES, OF_STORES, sweep
from tests.support.tree import ROOT, python_files

OLD = time.time() - LEFT_S - 60


def old(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("half")
    for one in (path, path.parent):
        os.utime(one, (OLD, OLD))
    return path


def test_what_was_left_a_day_ago_goes_and_all_else_stays(tmp_path: Path) -> None:
    left = old(tmp_path / "live" / "write-abc" / "segment")
    object_left = old(tmp_path / "collections" / "book" / ".new-x")
    stored = old(tmp_path / "collections" / "book" / "current.json")
    fresh = tmp_path / "live" / "merge-def"
    fresh.mkdir()
    assert sweep(tmp_path, OF_CACHES + OF_STORES) == 2
    assert not left.parent.exists()
    assert not object_left.exists()
    assert stored.exists()
    assert fresh.exists()


def test_what_is_written_to_or_open_in_a_process_stays(tmp_path: Path) -> None:
    written = old(tmp_path / "clean-abc" / "deep" / "file")
    (written.parent / "new").write_text("now")
    used = old(tmp_path / "sources" / "one" / "fetching-x" / "download")
    with used.open() as _:
        assert sweep(tmp_path, OF_CACHES) == 0
    assert sweep(tmp_path, OF_CACHES) == 1
    assert written.exists()


def test_every_temporary_name_of_the_product_is_one_that_is_swept() -> None:
    made = set()
    for path in python_files("layers/core/python/quire", "build_index", "functions"):
        text = (ROOT / path).read_text()
        for maker, call in re.findall(
            r"(mkdtemp|mkstemp|TemporaryDirectory|NamedTemporaryFile|whole_folder)\(([^\n]*)\)", text
        ):
            usual = {"whole_folder": ARRIVING, "mkdtemp": "prefix" if "prefix=prefix" in call else ""}
            made.add((re.findall(r'(?:prefix=|, )f?"([^"{]*)', call) or [usual.get(maker, "")])[0])
    swept = " ".join(OF_CACHES + OF_STORES)
    # A bundle's work lies where its user wants the bundle, so nobody may look for others there; `whole_folder` takes
    # its name from its callers.
    assert {one for one in made - {"."} if one not in swept or not one} == {".bundle-", "prefix"}
