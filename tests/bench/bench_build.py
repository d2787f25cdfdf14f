"""A build from nothing beside rebuilds after edits: each in a process of its own, start and publishing included.

`python -m tests.bench.bench_build PROFILE --source KEY=PATH ... [--share 0.01] [--rounds 3] [--scratch]`

Sources are copied, and edited between builds: one file, or a share of them. Caches and store are the bench's own. The
vectors that the usual cache knows are taken along, so that the first build shows what all but the model costs; with
`--scratch` none is, and the first build embeds all. At the end the last state is built again from nothing: same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_index.cache.last_build import record_of
from build_index.cache.prepared import chunks_of
from build_index.cache.store import FILE, VECTORS, ContentStore
from build_index.model.export import ensure_model
from build_index.wiring import settings

EDITED = (".md", ".mdx", ".py", ".php")


@dataclass(frozen=True, slots=True)
class Bench:
    """Folders of a bench: copies of the sources by key, the cache and the store."""

    profile: str
    sources: tuple[tuple[str, Path], ...]
    work: Path

    @property
    def cache(self) -> Path:
        """Where models, vectors and documents are kept."""
        return self.work / "cache"

    def build(self, store: str = "store") -> tuple[dict[str, Any], float, float]:
        """What a build reports, its wall seconds and its CPU seconds."""
        command = [sys.executable, "-m", "build_index", "build", "bench", "--profile", self.profile]
        command += ["--source", *(f"{key}={path}" for key, path in self.sources)]
        command += ["--store", str(self.work / store), "--json"]
        before, began = cpu_s(), time.perf_counter()
        environ = {**os.environ, "QUIRE_CACHE": str(self.cache)}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - began
        if not done.stdout:
            raise SystemExit(done.stderr[-2000:])
        return json.loads(done.stdout), wall, cpu_s() - before

    def files(self) -> list[Path]:
        """The files that edits may touch, sorted."""
        found = {file for _, root in self.sources for file in root.rglob("*") if file.suffix in EDITED}
        return sorted(file for file in found if file.is_file())


def cpu_s() -> float:
    """CPU seconds of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def open_bench(profile: str, sources: Sequence[str], work: Path, *, scratch: bool) -> Bench:
    """Copy sources, model and, unless `scratch`, the vectors that are known."""
    cache, known = work / "cache", settings().cache
    model = ensure_model(known)
    shutil.copytree(model, cache / "models" / model.name)
    if not scratch and (known / FILE).exists():
        with closing(ContentStore(cache)) as store:
            store.take(known, [VECTORS])
    copied = []
    for number, source in enumerate(sources):
        key, _, path = source.partition("=")
        target = work / "sources" / str(number)
        shutil.copytree(path, target)
        copied.append((key, target))
    return Bench(profile, tuple(copied), work)


def edit(files: Sequence[Path], seed: int) -> None:
    """Add a line to the end of each file."""
    for file in files:
        file.chmod(0o644)
        mark = "A line of round" if file.suffix in (".md", ".mdx") else "# round"
        text = file.read_text(encoding="utf-8")
        file.write_text(f"{text}\n\n{mark} {seed}: {file.stem}.\n", encoding="utf-8")


def show(name: str, report: dict[str, Any], wall: float, cpu: float) -> None:
    """Print one build."""
    embedded = report["embedding"]
    fresh = (
        f"{embedded.get('embedded', 0):,} embedded ({embedded.get('tokens', 0):,} tokens)"
        if embedded
        else "-"
    )
    print(f"{name:<28} {wall:>8.2f} s wall {cpu:>8.2f} s CPU  {report['peak_memory_mb']:>5} MB  {fresh}")


def main() -> None:
    """Build, edit and build again, build unchanged, and build the end from nothing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile")
    parser.add_argument("--source", nargs="+", required=True)
    parser.add_argument("--share", type=float, default=0.0, help="of the files to edit; 0 edits one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scratch", action="store_true", help="embed everything in the first build")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-build-") as folder:
        bench = open_bench(args.profile, args.source, Path(folder), scratch=args.scratch)
        run(bench, share=args.share, rounds=args.rounds)


def run(bench: Bench, *, share: float, rounds: int) -> None:
    """All builds of the bench, printed."""
    first, wall, cpu = bench.build()
    show("everything new", first, wall, cpu)
    files = bench.files()
    size = sum(file.stat().st_size for file in files) / 1e6
    count = max(1, round(share * len(files)))
    walls, cpus, last = [], [], first
    for seed in range(rounds):
        edit(random.Random(seed).sample(files, count), seed)
        last, one_wall, one_cpu = bench.build()
        walls.append(one_wall)
        cpus.append(one_cpu)
        show(f"{count} of {len(files)} files edited", last, one_wall, one_cpu)
    same, same_wall, same_cpu = bench.build()
    show("nothing changed", same, same_wall, same_cpu)
    shutil.rmtree(bench.cache / "built")
    with closing(ContentStore(bench.cache)) as store:
        for kind in (chunks_of("bench"), record_of("bench")):
            store.retain(kind, ())
    again, again_wall, again_cpu = bench.build("again")
    show("again, vectors known", again, again_wall, again_cpu)
    print(f"{again['chunks']:,} chunks; {size:.1f} MB in files that may be edited")
    print(f"edits against everything new: {wall / statistics.median(walls):.1f} times faster by wall clock")
    print(
        "the bytes of a build from nothing:", "same" if again["segment"] == last["segment"] else "DIFFERENT"
    )


if __name__ == "__main__":
    main()
