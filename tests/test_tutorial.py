"""A stranger adds a source and a face by the two guides: the files that they name, and no others."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.model import link_models
from tests.support.tree import CORE, ROOT, project_files

GUIDES = ("build_index/README.md", "functions/README.md")
BLOCK = re.compile(r"^```\w+\n# (\S+/\S+|\S+\.toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block that begins with the path of its file."""
PACKAGES = ("build_index/sources/glossary", "functions/faces/glossary")
GLOSSARY = "stud: the unit of length of the engine.\n\nharbour: a place that shelters boats from waves.\n"
FOLLOW = """
import json, sys
from build_index.__main__ import main
from functions.app.route_table import route_table
from functions.app.wiring import local_app
from quire.settings import read_settings
from tests.support.client import TestClient

assert main(["build", "words"]) == 0
asked = TestClient(local_app(read_settings()), "http://localhost").post("/words/define", json={"term": "harbour"})
print(json.dumps([asked.status_code, asked.json(), route_table()["glossary"]]))
"""


def blocks() -> dict[str, str]:
    """The files of the tutorial with what stands in them."""
    return {path: text for guide in GUIDES for path, text in BLOCK.findall((ROOT / guide).read_text("utf-8"))}


def test_a_source_and_a_face_are_added_by_the_files_that_the_guides_name(
    tmp_path: Path, model_folder: Path
) -> None:
    copy = tmp_path / "checkout"
    for path in project_files():
        if path.parts[0] in ("build_index", "functions", "layers") or path.name == "collections.toml":
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, copy / path)
    written = blocks()
    profiles = copy / CORE / "quire/profiles.py"
    (line,) = (written.pop(path) for path in list(written) if path.endswith("profiles.py"))
    before, last, rest = profiles.read_text("utf-8").rpartition('        Profile("sites"')
    profiles.write_text(before + line + last + rest, encoding="utf-8")
    collections = copy / "collections.toml"
    collections.write_text(collections.read_text("utf-8") + written.pop("collections.toml"), encoding="utf-8")
    for package in PACKAGES:
        (copy / package).mkdir()
        (copy / package / "__init__.py").write_text('"""Glossaries."""\n', encoding="utf-8")
    assert {str(Path(path).parent) for path in written} == set(PACKAGES)
    for name, text in written.items():
        (copy / name).write_text(text, encoding="utf-8")
    (copy / "words").mkdir()
    (copy / "words" / "engine.terms").write_text(GLOSSARY, encoding="utf-8")
    link_models(copy / ".quire/cache", model_folder)
    done = subprocess.run(
        (sys.executable, "-c", FOLLOW),
        cwd=copy,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{copy}:{copy / CORE}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    status, found, routes = json.loads(done.stdout.splitlines()[-1])
    assert status == 200, found
    assert found[0]["path"] == "engine.terms"
    assert "shelters boats" in found[0]["text"]
    assert routes == {"query": ["POST /define"]}
