"""From the start of `quire index FOLDER` to its first search, and what commands cost to start.

`python -m tests.bench.bench_first FOLDER [--runs 3] [--alone]`

Each run has an empty store and cache but for the exported model. `--alone` takes the processor before other programs
(SCHED_RR, which root may have, for 95 % of the time): a busy machine then tells what an idle one would. Prints medians:
seconds by the clock until a running server finds something and until `quire search`, begun then, has replied beside the
embedding; CPU seconds until the first, and of commands. Exit code 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build_index.model.export import ensure_model
from build_index.wiring import settings

FIRST_S, START_CPU_S = 4.0, 0.5
QUIRE = (sys.executable, "-m", "functions.cli")
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--question", default="How is a failed task tried again?")
    given = parser.parse_args()
    model = ensure_model(settings().cache)
    if given.alone:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    runs = [_first(given.folder.resolve(), given.question, model) for _ in range(given.runs)]
    searchable, cpu, replied, started = map(statistics.median, zip(*runs, strict=True))
    helped = statistics.median(_cpu_of("--help") for _ in range(5))
    print(
        f"can be searched {searchable:.2f} s (bar {FIRST_S}; CPU {cpu:.2f}), `quire search` replied {replied:.2f} s"
    )
    print(f"CPU to start: --help {helped:.2f}, search {started:.2f} s (bar {START_CPU_S})")
    return int(searchable > FIRST_S or max(helped, started) > START_CPU_S)


def _first(folder: Path, question: str, model: Path) -> tuple[float, float, float, float]:
    """Seconds until searchable, CPU seconds until then, seconds until the reply, CPU seconds of the search."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(model, Path(place, "cache", "models", model.name))
        store, environment = Path(place, "store"), {"QUIRE_CACHE": str(Path(place, "cache"))}
        pointer = store / "collections" / "first" / "current.json"
        command = (*QUIRE, "index", str(folder), "--store", str(store), "--name", "first")
        began = time.perf_counter()
        process = subprocess.Popen(
            command, env=_environment(environment), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            while not pointer.exists():
                if process.poll() is not None:
                    raise SystemExit(f"{folder}: the build ended with {process.returncode}")
                time.sleep(0.005)
            searchable, cpu = time.perf_counter() - began, _cpu_below(process.pid)
            started = _cpu_of("search", question, "--store", str(store), environment=environment)
            replied = time.perf_counter() - began
        finally:
            process.kill()
            process.wait()
    return searchable, cpu, replied, started


def _cpu_of(*words: str, environment: dict[str, str] | None = None) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run((*QUIRE, *words), env=_environment(environment or {}), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _cpu_below(process: int) -> float:
    """CPU seconds of a process and all that it started, as Linux tells them."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS + sum(_cpu_below(int(child)) for child in children)


def _environment(more: dict[str, str]) -> dict[str, str]:
    """The process's own, with bytecode kept, as an installed command has it."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        **more,
    }


if __name__ == "__main__":
    sys.exit(main())
