from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.support.model import link_models
from tests.support.tree import CORE, ROOT


def begin(root: Path, name: str, model_folder: Path) -> subprocess.CompletedProcess[str]:
    cache = root / "cache"
    if not (cache / "models").exists():
        link_models(cache, model_folder)
    (root / "collections.toml").write_text(f'[book]\nprofile = "docs"\nsource = {{ docs = "{root}/book" }}\n')
    return subprocess.run(
        (sys.executable, "-m", "build_index.beside", name, str(root / "store"), str(root / "done")),
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{ROOT / CORE}:{ROOT}",
            "QUIRE_STORE": str(root / "store"),
            "QUIRE_CACHE": str(cache),
            "QUIRE_COLLECTIONS": str(root / "collections.toml"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_build_goes_on_until_it_is_done_and_one_that_cannot_begin_says_why(
    tmp_path: Path, model_folder: Path
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book/river.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    assert begin(tmp_path, "book", model_folder).returncode == 0
    assert (tmp_path / "store/collections/book/current.json").exists()
    until = time.monotonic() + 60
    while not (tmp_path / "done").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert (tmp_path / "done").exists()

    refused = begin(tmp_path, "other", model_folder)
    assert refused.returncode != 0
    assert "other" in refused.stderr
