"""Process start to first hybrid result, beside other engines fed the same vectors and texts in the same run.

`python -m tests.bench.bench_start COLLECTION --store DIR [--runs N]`

Each engine's question runs in a fresh process: imports, open the model and the index, embed, search both sides, fuse,
print the parts. The peers (sqlite-vec with FTS5, LanceDB with its own full-text index, Chroma with its dense index)
live in an environment of their own under `.quire/bench`, made at the first run. Wall and CPU milliseconds, medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np

from build_index.model.export import ensure_model
from build_index.wiring import open_store, settings
from quire.embedding.quantization import restore

PLACE = Path(".quire") / "bench"
PEERS = ("sqlite_vec", "lancedb", "chroma")
PACKAGES = (
    "sqlite-vec==0.1.9",
    "pysqlite3-binary; sys_platform == 'linux'",
    "lancedb==0.40.0",
    "pyarrow",
    "chromadb==1.5.9",
    "onnxruntime",
    "tokenizers",
    "numpy",
)
QUESTION = "how do I keep a part from falling"


def environment() -> Path:
    """The peers' Python, made at the first run."""
    python = PLACE / "venv" / "bin" / "python"
    if not python.exists():
        print("bench: installing the peers into", PLACE / "venv", file=sys.stderr)
        venv.create(PLACE / "venv", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def export(collection: str, store: str | None) -> tuple[Path, str]:
    """The collection's first vector of each chunk with its text, as the peers load them; and the served folder."""
    index = open_store(store).open(collection)
    segment = index.segments[0]
    arrays = segment.vectors
    firsts = np.unique(np.asarray(arrays.owners), return_index=True)[1]
    rows = (
        restore(arrays.rows(firsts))
        if hasattr(arrays, "rows")
        else arrays.codes[firsts] * arrays.scales[firsts, None]
    )
    rows = rows.astype(np.float32)
    folder = PLACE / f"{collection}-{segment.manifest.digest[:12]}"
    if not (folder / "rows.npy").exists():
        folder.mkdir(parents=True, exist_ok=True)
        texts = [chunk.text for chunk in index.fetch(range(len(rows)))]
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        np.save(folder / "rows.npy", rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return folder, collection


def run_once(command: list[str]) -> dict[str, float]:
    """One fresh process: its own parts, and wall and CPU milliseconds until it tells its first result."""
    # Installers compile the peers' packages; Quire's modules are compiled by the turn that does not count.
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    known["OPENBLAS_NUM_THREADS"] = "1"
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known
    ) as process:
        assert process.stdout is not None
        told = next((line for line in process.stdout if line.startswith("{")), "")
        wall = (time.perf_counter() - started) * 1000
        _, said = process.communicate()
    if process.returncode or not told:
        raise SystemExit(f"{' '.join(command[:2])}: {said[-2000:]}")
    return {**json.loads(told), "wall": wall}


def measure(commands: dict[str, list[str]], runs: int) -> dict[str, dict[str, float]]:
    """Medians of each engine, the engines taking turns so that a slow moment hits all alike."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            figures = run_once(command)
            if turn:
                found[name].append(figures)
    return {
        name: {part: statistics.median(one[part] for one in rows) for part in rows[0]}
        for name, rows in found.items()
    }


def main() -> None:
    """Print a row an engine: the parts, wall and CPU, all in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("--store")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    store = args.store or settings().store
    folder, _ = export(args.collection, store)
    model = str(ensure_model(settings().cache))
    python = str(environment())
    here = Path(__file__).parent / "peers"
    commands = {
        "quire": [sys.executable, str(here / "quire_start.py"), str(store), args.collection, model, QUESTION]
    }
    for peer in PEERS:
        subprocess.run([python, str(here / f"{peer}_start.py"), "load", str(folder)], check=True)
        commands[peer] = [python, str(here / f"{peer}_start.py"), "ask", str(folder), model, QUESTION]
    figures = measure(commands, args.runs)
    print(
        f"{'engine':<12}{'import':>9}{'open':>9}{'embed':>9}{'search':>9}{'wall':>9}{'cpu':>9}"
        f"   ms, medians of {args.runs}"
    )
    for name, row in sorted(figures.items(), key=lambda item: item[1]["cpu"]):
        print(
            f"{name:<12}"
            + "".join(f"{row[part]:>9.0f}" for part in ("import", "open", "embed", "search", "wall", "cpu"))
        )


if __name__ == "__main__":
    main()
