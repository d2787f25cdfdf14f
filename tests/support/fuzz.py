"""`make fuzz MINUTES=10`: requests, readers and artifacts in turn until the time is over; the corpus is kept."""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise

from quire.killable import Killable
from tests.support.fuzz_artifacts import fuzz_artifacts
from tests.support.fuzz_readers import NAMES, mutated, read
from tests.support.fuzz_requests import fuzz_requests
from tests.support.reading_cost import CASES, SHAPES, cost_s, slow_shapes

CORPUS = Path(".quire/fuzz")
EXAMPLES, ARTIFACTS, SHAPES_OF_A_ROUND = 10, 50, 40
"""Of one round: cases of each operation, damaged files, and shapes of text that one reader is timed with."""


def fuzz_readers(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Mutate for so long; how many inputs were read, and what broke. What does is kept in the corpus."""
    drawn, until, count, wrong = random.Random(seed), time.monotonic() + seconds, 0, []
    while time.monotonic() < until:
        data, began = mutated(drawn), time.process_time()
        count += 1
        try:
            read(data)
            found = "took more than 2 s" if time.process_time() - began > 2 else ""
        except Exception as error:  # noqa: BLE001  any error but Quire's own is what is looked for
            found = "".join(traceback.format_exception_only(error)).strip()
        if found:
            kept = CORPUS / "broken" / f"{seed}-{count}"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(data)
            wrong.append(f"{NAMES[data[0] % len(NAMES)]}: {found}: {kept}")
    return count, wrong


def main(minutes: str) -> int:
    """Fuzz, print what was found, and what was done; 1 where something broke."""
    until, seed = time.monotonic() + 60 * float(minutes), int(time.time())
    done: Counter[str] = Counter()
    wrong: list[str] = []
    reading = Killable(cost_s)
    while time.monotonic() < until or not done:
        seed += 1
        with tempfile.TemporaryDirectory() as folder:
            faces = fuzz_requests(Path(folder) / "faces", EXAMPLES, corpus=CORPUS / "requests")
            _, damaged = fuzz_artifacts(Path(folder) / "artifacts", ARTIFACTS, seed)
        atoms, case = random.Random(seed).sample(SHAPES, SHAPES_OF_A_ROUND), CASES[seed % len(CASES)]
        slow = slow_shapes(reading, case, atoms, 6_000)
        count, broken = fuzz_readers(min(30.0, max(until - time.monotonic(), 1)), seed)
        wrong += [*faces.wrong, *damaged, *slow, *broken]
        done.update(
            requests=faces.answered.total(),
            artifacts=ARTIFACTS,
            shapes=len(atoms),
            inputs=count,
            wrong=len(wrong) - done["wrong"],
        )
        done.update({f"status {status}": number for status, number in faces.answered.items()})
        print(json.dumps({**done, "slowest_s": round(faces.slowest[0], 2)}), flush=True)
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed, so that no reader was fuzzed by coverage")
    else:
        command = (
            sys.executable,
            "-m",
            "tests.support.fuzz_readers",
            str(int(float(minutes) * 6)),
            str(CORPUS / "atheris"),
        )
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        print("\n".join(ended.stderr.splitlines()[-4:]))
        wrong += [f"atheris: {ended.stderr[-600:]}"] if ended.returncode else []
    print("\n".join(dict.fromkeys(wrong)))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
