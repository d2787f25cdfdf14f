"""Whether answers can be checked: `make bench BENCH=bench_verify`.

Asks the golden questions of every collection of the store over HTTP, samples 1,000 citations of the answers, and sends
them to `POST /verify`: as they came, and with one character of one entry exchanged. `--store DIR`, `--golden DIR`.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from build_index.evaluation.golden import read_golden
from functions.app.wiring import local_app
from quire.settings import read_settings
from tests.support.shared import shared_root

CITATIONS = 1_000
BATCH = 50
ENTRIES = ("id", "version", "sha256", "quote", "path", "heading", "start_line", "end_line", "url")
WORDINGS = ("{}", "In short: {}", "{} Give an example.", "Explain: {}", "Tell me: {}", "{} Which is it?")
"""Each question is put in so many ways, until there are citations enough."""


def citations(client: TestClient, golden: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every citation of every answer, with its collection; none twice."""
    seen = set()
    questions = {
        name: [one.query for file in golden.glob(f"{name}*.jsonl") for one in read_golden([file])]
        for name in (one["name"] for one in client.get("/collections").json()["collections"])
    }
    for wording in WORDINGS:
        for name, asked in questions.items():
            for question in asked:
                body = {"collection": name, "q": wording.format(question)}
                for cited in client.post("/answer", json=body).json().get("citations", ()):
                    key = (name, cited["id"], cited["sha256"])
                    if key not in seen:
                        seen.add(key)
                        yield name, cited


def verify(client: TestClient, claims: list[tuple[str, dict[str, Any]]]) -> Counter[str]:
    """How many have which verdict."""
    told: Counter[str] = Counter()
    for name in sorted({name for name, _ in claims}):
        of = [one for held, one in claims if held == name]
        for start in range(0, len(of), BATCH):
            body = {"collection": name, "citations": of[start : start + BATCH]}
            response = client.post("/verify", json=body)
            assert response.status_code == 200, response.text
            told.update(one["status"] for one in response.json()["results"])
    return told


def spoil(cited: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """The citation with one character of one entry exchanged, such that it says something else."""
    name = draw.choice([name for name in ENTRIES if cited.get(name) not in (None, "")])
    said = str(cited[name])
    # Browsers alone read what stands behind `#:~:`; a part of a chunk may name fewer of its lines.
    length = len(said.partition("#:~:")[0]) if name == "url" else len(said)
    at = 0 if name in ("start_line", "end_line") else draw.randrange(length)
    if name in ("start_line", "end_line"):
        return {**cited, name: int(f"9{said}")}
    other = draw.choice([one for one in "0123456789abcdefXZ /" if one != said[at]])
    return {**cited, name: said[:at] + other + said[at + 1 :]}


def main() -> None:
    """Print both figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store")
    parser.add_argument("--golden", type=Path, default=shared_root() / "golden")
    args = parser.parse_args()
    settings = read_settings()
    client = TestClient(local_app(replace(settings, store=args.store) if args.store else settings))
    found: list[tuple[str, dict[str, Any]]] = []
    for one in citations(client, args.golden):
        found.append(one)
        if len(found) >= 2 * CITATIONS:
            break
    if not found:
        print("not measured: no collection of the store has golden questions")
        return
    draw = random.Random(5)
    sample = draw.sample(found, min(CITATIONS, len(found)))
    print(f"{len(sample)} citations of {dict(Counter(name for name, _ in sample))}")
    print(f"as they came: {dict(verify(client, sample))} (bar: all verified)")
    spoilt = [(name, spoil(cited, draw)) for name, cited in sample]
    print(f"with one character exchanged: {dict(verify(client, spoilt))} (bar: none verified)")


if __name__ == "__main__":
    main()
