from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from functions.aws.precompiled import FILE
from tests.support.rig import Root, run_python
from tests.support.tree import ROOT

TAKING = """
import sys
from pathlib import Path
from functions.aws.precompiled import take_precompiled

take_precompiled(Path(sys.argv[1]))
import collections, dataclasses, re, typing
print("taken" if "exec" in vars(dataclasses) else "left alone")

@dataclasses.dataclass(frozen=True, slots=True)
class Boat:
    name: str
    length_m: float = 9.5

Crew = collections.namedtuple("Crew", "skipper mate", defaults=["nobody"])
assert repr(Boat("Fulmar")) == "Boat(name='Fulmar', length_m=9.5)" and Boat("a") == Boat("a") != Boat("b")
assert Crew("Ada") == ("Ada", "nobody")
assert typing.get_type_hints(typing.TypedDict("Log", {"speed": "list[int]"})) == {"speed": list[int]}
found = re.compile(r"(?P<knots>\\d+) kn", re.IGNORECASE).search("about 12 KN")
assert found.group("knots") == "12" and found.re.flags == re.compile("a", re.I).flags and found.re.groups == 1
assert re.compile(rb"\\d").findall(b"4 2") == [b"4", b"2"]
"""


def python(*arguments: str) -> str:
    done = subprocess.run(
        (sys.executable, *arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},  # some patterns are made of sets
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert not done.returncode, done.stderr
    return done.stdout


WRITING = """
import functions.aws.precompiled as kept, sys
from pathlib import Path
kept.HANDLERS = kept.LATER = ()
kept.write_precompiled(Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What importing the faces compiles, kept."""
    file = tmp_path_factory.mktemp("kept") / "precompiled.bin"
    python("-c", WRITING, str(file))
    return file


def test_a_class_and_a_pattern_are_what_they_are_without_a_file(file: Path) -> None:
    assert python("-c", TAKING, str(file)) == "taken\n"
    assert python("-c", TAKING, str(file.with_name("missing.bin"))) == "left alone\n"


def test_what_another_python_wrote_is_left_alone(file: Path) -> None:
    other = file.with_name("other.bin")
    other.write_bytes(b"\0" + file.read_bytes()[1:])
    assert python("-c", TAKING, str(other)) == "left alone\n"


def test_sources_carry_no_such_file() -> None:
    assert not FILE.exists()


def test_a_function_compiles_no_class_while_it_starts(lambda_root: Root, tmp_path: Path) -> None:
    counting = (
        "import sys\n"
        "from pathlib import Path\n"
        "texts = []\n"
        "sys.addaudithook(lambda event, about: texts.append(about[0]) if event == 'compile' else None)\n"
        "import functions.query\n"
        "print(*filter(None, texts), sep='\\n', file=Path(sys.argv[1]).open('w'))\n"
    )
    environment = {
        "QUIRE_STORE": str(tmp_path / "nothing"),
        "QUIRE_CACHE": str(tmp_path),
        "QUIRE_API_KEY": "k",
    }
    run_python(lambda_root, "-S", "-c", counting, str(tmp_path / "told"), environment=environment)
    compiled = (tmp_path / "told").read_text(encoding="utf-8").splitlines()
    assert compiled  # typing_inspection's own
    assert not [text for text in compiled if "__create_fn__" in text or "lambda _cls" in text]
