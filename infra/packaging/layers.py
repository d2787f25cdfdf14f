"""`make layers`: the Lambda layers and the functions asset as archives, with their sizes in `manifest.json`.

    core       quire
    runtime    what searching needs, from layers/runtime/requirements.txt
    model      the embedding model that builds use, so that no start fetches its 23 MB
    llm        what answering needs beyond that, an answer model and MCP, from layers/llm/requirements.txt
    functions  the handlers, `functions/routes.json` and `collections.toml`
    grammars   what cutting code and scanning need beyond `runtime`, from layers/grammars/requirements.txt
    worker     build_index, for builds in shards

Beside them lie bills of materials: `runtime.cdx.json`, `llm.cdx.json`, and `quire.cdx.json` of both.

The same sources and locks give the same bytes. An archive whose inputs did not change is not made again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from infra.packaging.layer_contents import (
    copy_distribution,
    needed,
    prune_tree,
    read_distributions,
    trim_services,
)
from infra.packaging.layer_tools import compile_tree, find_python, install_lock, precompile, strip_symbols
from infra.packaging.sbom import packages_in, write_sbom
from quire.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "layers"
LOCKS = {name: ROOT / "layers" / name / "requirements.txt" for name in ("runtime", "llm", "grammars")}
LAYERS = ("core", "runtime", "llm")
"""What the functions import; they are made after it."""
SERVING = (*LAYERS, "model", "functions")
"""What every deployment has; the others are there for builds in shards."""
SEARCH_LIMIT_BYTES = 136 << 20
"""What `core` and `runtime` may weigh together, unpacked; Lambda takes 250 MiB with the functions and all layers."""
PACKED_AT = 5
"""Level of deflate: 7 takes twice the CPU for 1.3 % less, 9 four times for 1.6 %."""
_DATE = (1980, 1, 1, 0, 0, 0)


class LayersTooLargeError(ConfigError):
    """`core` and `runtime` weigh more than `SEARCH_LIMIT_BYTES`: what was added, not the machine, is at fault."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive's line in the manifest; `inputs` is the sha256 of all that it was made from."""

    sha256: str
    inputs: str
    packed_bytes: int
    unpacked_bytes: int
    files: int


def build_archives(out: Path = OUT, names: tuple[str, ...] = ()) -> dict[str, Archive]:
    """Make the archives of those names (by default all) that are not up to date, and write the manifest.

    `functions` are made with all that they import, so that what they compile at start is compiled already.

    Raises:
        ConfigError: a tool is missing, or the packages cannot be had.
    """
    out.mkdir(parents=True, exist_ok=True)
    made, is_new = read_archives(out), False
    wanted = {*(names or MAKERS), *(LAYERS if "functions" in names else ())}
    with tempfile.TemporaryDirectory(dir=out) as site:
        for name in (one for one in MAKERS if one in wanted):
            inputs = _inputs(name, made)
            if name not in made or made[name].inputs != inputs or not (out / f"{name}.zip").exists():
                made[name], is_new = _make(name, out, inputs, Path(site)), is_new or name in LOCKS
    _check_sizes(made)
    if is_new or not all((out / f"{name}.cdx.json").exists() for name in LOCKS if name in made):
        _write_sboms(out)
    text = json.dumps({name: asdict(one) for name, one in sorted(made.items())}, indent=1)
    (out / "manifest.json").write_text(text + "\n", encoding="utf-8")
    return made


def _write_sboms(out: Path) -> None:
    """A bill of materials for each layer of packages that lies there, and one for both together."""
    inside = {name: packages_in(out / f"{name}.zip") for name in LOCKS if (out / f"{name}.zip").exists()}
    for name, packages in {**inside, "quire": set[tuple[str, str]]().union(*inside.values())}.items():
        write_sbom(out / f"{name}.cdx.json", packages, [*LOCKS.values()], validate=name == "quire")


def read_archives(out: Path = OUT) -> dict[str, Archive]:
    """The archives that lie in the folder already."""
    manifest = out / "manifest.json"
    if not manifest.exists():
        return {}
    return {name: Archive(**one) for name, one in json.loads(manifest.read_text(encoding="utf-8")).items()}


def _make(name: str, out: Path, inputs: str, site: Path) -> Archive:
    with tempfile.TemporaryDirectory(dir=out) as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        MAKERS[name](tree, site, out)
        files = sorted((path for path in tree.rglob("*") if path.is_file()), key=Path.as_posix)
        packed = Path(folder) / f"{name}.zip"
        _zip(packed, tree, files)
        archive = Archive(
            sha256=hashlib.sha256(packed.read_bytes()).hexdigest(),
            inputs=inputs,
            packed_bytes=packed.stat().st_size,
            unpacked_bytes=sum(path.stat().st_size for path in files),
            files=len(files),
        )
        packed.replace(out / f"{name}.zip")
    return archive


def _zip(target: Path, tree: Path, files: list[Path]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=PACKED_AT) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(tree).as_posix(), _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


def _core(tree: Path, *_: Path) -> None:
    _copy_sources(ROOT / "layers/core/python/quire", tree / "python/quire")
    compile_tree(tree, find_python(), "/opt")


def _functions(tree: Path, _: Path, out: Path) -> None:
    _copy_sources(ROOT / "functions", tree / "functions")
    shutil.copyfile(ROOT / "collections.toml", tree / "collections.toml")
    compile_tree(tree, find_python(), "/var/task")
    precompile(tree, (out / f"{one}.zip" for one in LAYERS), find_python())


def _runtime(tree: Path, site: Path, _: Path) -> None:
    _packages(tree, site, _wanted()["runtime"], without=())


def _llm(tree: Path, site: Path, _: Path) -> None:
    _packages(tree, site, _wanted()["llm"], without=_wanted()["runtime"])


def _model(tree: Path, *_: Path) -> None:
    """The export that builds on this machine use; where an index wants another, its functions fetch that."""
    command = (sys.executable, "-m", "build_index", "model")
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise ConfigError("layers: the embedding model cannot be had, see above")
    folder = Path(done.stdout.strip())
    shutil.copytree(folder, tree / "models" / folder.name)


def _wanted() -> dict[str, list[str]]:
    """What the project itself asks for, by layer."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return {"runtime": groups["lambda"], "llm": groups["lambda-llm"], "grammars": groups["lambda-grammars"]}


def _grammars(tree: Path, site: Path, _: Path) -> None:
    _packages(tree, site, _wanted()["grammars"], without=_wanted()["runtime"])


def _worker(tree: Path, *_: Path) -> None:
    _copy_sources(ROOT / "build_index", tree / "build_index")
    compile_tree(tree, find_python(), "/var/task")


def _packages(tree: Path, site: Path, wanted: list[str], without: Sequence[str]) -> None:
    """Keep what `wanted` needs and `without` does not bring; both locks are installed into `site` at the first call."""
    if not any(site.iterdir()):
        for lock in LOCKS.values():
            install_lock(lock, site)
    installed = read_distributions(site)
    kept = needed(map(_name, wanted), installed) - needed(map(_name, without), installed)
    for name in sorted(kept):
        copy_distribution(installed[name], tree / "python")
    prune_tree(tree / "python")
    trim_services(tree / "python")
    strip_symbols(tree)
    compile_tree(tree, find_python(), "/opt")


def _copy_sources(source: Path, target: Path) -> None:
    for path in _sources(source):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        is_read = path.suffix != ".md" and not path.name.startswith(".")
        if path.is_file() and is_read and "__pycache__" not in path.parts:
            yield path


def _inputs(name: str, made: Mapping[str, Archive]) -> str:
    """What the archive is made from, as one digest: sources or locks, archives that it imports, our code."""
    own = sorted(Path(__file__).parent.glob("layer*.py"))
    sources = {
        "core": [*_sources(ROOT / "layers/core/python/quire")],
        "functions": [*_sources(ROOT / "functions"), ROOT / "collections.toml"],
        "worker": [*_sources(ROOT / "build_index")],
        "model": [*_sources(ROOT / "build_index/model")],
    }
    digest = hashlib.sha256(name.encode())
    if name in LOCKS:
        digest.update(json.dumps(_wanted()).encode())
    if name == "functions":
        digest.update("".join(made[one].sha256 for one in LAYERS).encode())
    for path in own + sources.get(name, [*LOCKS.values()]):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=~!; ]", requirement)[0]


def _check_sizes(made: dict[str, Archive]) -> None:
    search = sum(made[name].unpacked_bytes for name in ("core", "runtime") if name in made)
    if search > SEARCH_LIMIT_BYTES:
        raise LayersTooLargeError(
            f"layers: core and runtime weigh {search:,} bytes, {SEARCH_LIMIT_BYTES:,} are the limit: leave out of them "
            "what no function imports"
        )


MAKERS: dict[str, Callable[[Path, Path, Path], None]] = {
    "core": _core,
    "runtime": _runtime,
    "model": _model,
    "llm": _llm,
    "functions": _functions,
    "grammars": _grammars,
    "worker": _worker,
}


def main(arguments: list[str] | None = None) -> int:
    """Make the archives and print their sizes."""
    parser = argparse.ArgumentParser(
        prog="python -m infra.packaging.layers", description="Makes Lambda's archives."
    )
    parser.add_argument("names", nargs="*", choices=[*MAKERS, []], help="archives to make (default: all)")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args(arguments)
    try:
        made = build_archives(asked.out, tuple(asked.names))
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    for name, one in made.items():
        size, packed = one.unpacked_bytes / 2**20, one.packed_bytes / 2**20
        print(
            f"{name:10} {size:6.1f} MiB unpacked, {packed:5.1f} MiB packed, {one.files:5} files  {one.sha256[:12]}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
