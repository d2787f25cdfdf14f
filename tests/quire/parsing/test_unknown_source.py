from __future__ import annotations

import pytest

from quire.chunking.source_code import chunk_source_code
from quire.documents import Document
from quire.parsing.unknown_source import parse_unknown_source


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.jq", "def row: . + 1;\ndef rows(f; $n):\n  def inner: f;\n  inner;\n", ["row", "rows"]),
        ("a.nim", "proc total*(prices: seq[int]): int =\n  1\nfunc half(a: int): int = a\n", ["total", "half"]),
        ("a.pl", "sub row {\n}\nsub Boat::row($self) {\n}\n", ["row", "Boat::row"]),
        ("a.el", "(defun boat-row (a) a)\n(defmacro when-rowing (&rest b) b)\n", ["boat-row", "when-rowing"]),
        ("a.scm", "(define (row boat) 1)\n(define oars 2)\n", ["row", "oars"]),
        ("a.fish", "function row --description 'Rows'\nend\nfunction stop\nend\n", ["row", "stop"]),
        ("a.vim", "function! s:row(a) abort\nendfunction\nfunction! boat#row()\nendfunction\n", []),
        ("a.r", "row <- function(boat) {\n}\nboat.stop = function() 1\n", ["row", "boat.stop"]),
        ("a.ps1", "function Start-Row {\n}\nfunction global:Stop-Row()\n{\n}\n", ["Start-Row", "global:Stop-Row"]),
        ("a.groovy", "def boat = 1\ndef oars = 2\ndef crew = 3\n", []),
        ("a.awk", "function row(a) {\n}\n", []),  # one alone
        ("a.page", "function of a boat is to row\nsub section three\ndef leppard\n", []),
        ("a.y", "int a:1;\n%%\nBoat: Oars\n;\nOars[x]:\n%empty\n;\n%%\ndone: x;\n", ["Boat", "Oars"]),
    ],
)  # fmt: skip
def test_what_a_line_at_the_margin_defines_is_known_by_name(path: str, text: str, names: list[str]) -> None:
    assert [one.names[0] for one in parse_unknown_source(text, path).definitions] == names


CODE = "# Rows the boat.\ndef row(f): [.[] | f];\n\n# Stops it.\ndef stop: empty;\n"


def test_code_of_an_unknown_language_is_cut_at_its_definitions_and_found_by_their_names() -> None:
    [chunk] = chunk_source_code(
        Document("src/a.jq", CODE, "source_code", {"path": "src/a.jq", "lang": "text"})
    )
    assert chunk.symbols == ("row", "a.row", "stop", "a.stop")
    assert (chunk.metadata["symbol"], chunk.text) == ("row", CODE.rstrip("\n"))


@pytest.mark.parametrize("facts", [{"path": "notes.txt"}, {"path": "tests/a.jq", "is_test": True}])
def test_plain_texts_and_tests_are_cut_in_windows(facts: dict[str, str | bool]) -> None:
    [chunk] = chunk_source_code(Document("a", CODE, "source_code", {**facts, "lang": "text"}))
    assert (chunk.symbols, chunk.metadata["kind"]) == ((), "window")
