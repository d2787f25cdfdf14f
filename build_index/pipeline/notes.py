"""How and where a segment was built: tool versions and CPU flags, for the manifest's notes."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

TOOLS = ("numpy", "onnxruntime", "tokenizers", "usearch")
FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp")


def describe_machine() -> dict[str, object]:
    """Python, tool versions, and those CPU flags that change how int8 models compute."""
    return {
        "python": platform.python_version(),
        "tools": {name: version(name) for name in TOOLS},
        "machine": platform.machine(),
        "cpu_flags": _cpu_flags(),
    }


def _cpu_flags() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    present = set(line.partition(":")[2].split())
    return [flag for flag in FLAGS if flag in present]
