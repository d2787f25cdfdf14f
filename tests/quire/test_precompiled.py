from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tree import CORE, ROOT

PROGRAM = """
import re, sys
from pathlib import Path
from quire.precompiled import compiled_once

parsed, parse = [], re._parser.parse
re._parser.parse = lambda text, *more: parsed.append(text) or parse(text, *more)
with compiled_once(Path(sys.argv[1])):
    import quire.analysis.terms, quire.documents, quire.search.intent
    assert quire.search.intent.read_intent("Where is the lid defined?").is_place
    found = re.compile(f"(?P<word>{sys.argv[2]})|x", re.I).fullmatch("X" + sys.argv[2][1:])
assert found["word"] and quire.documents.chunk_id("a", "b") == quire.documents.chunk_id(document_id="a", key="b")
print(len(parsed))
"""
WORD = "xylophonist"


def patterns_read(file: Path, *, python: tuple[str, ...] = ()) -> int:
    """How many patterns a program had to compile; one of them has a word that it was given."""
    done = subprocess.run(
        (sys.executable, *python, "-c", PROGRAM, str(file), WORD),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / CORE), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def test_what_one_program_compiled_the_next_one_finds_and_nothing_of_what_it_was_asked(
    tmp_path: Path,
) -> None:
    file = tmp_path / "kept.bin"
    assert patterns_read(file) > 1
    kept = file.read_bytes()
    assert patterns_read(file) == 1
    assert file.read_bytes() == kept
    assert b"lambda _cls" in kept
    assert WORD.encode() not in kept
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_file_that_is_torn_or_another_pythons_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "kept.bin"
    assert patterns_read(file) > 1
    kept = file.read_bytes()
    lost = (
        kept[: len(kept) // 2] + bytes(4096) + kept[len(kept) // 2 + 4096 :]
    )  # what a power cut may leave of a block
    for broken in (kept[:400], kept[: len(kept) // 2], b"\0" + kept[1:], lost, b""):
        file.write_bytes(broken)
        assert patterns_read(file) > 1
        assert patterns_read(file) == 1


@pytest.mark.parametrize("closed", ["folder", "-B"])
def test_nothing_is_written_where_python_keeps_no_bytecode(tmp_path: Path, closed: str) -> None:
    tmp_path.chmod(0o700 if closed == "-B" else 0o500)
    assert patterns_read(tmp_path / "kept.bin", python=("-B",) if closed == "-B" else ()) > 1
    assert not [*tmp_path.iterdir()]
