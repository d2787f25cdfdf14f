from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from build_index.cache.inputs import digest_code
from infra.packaging.layer_contents import (
    SERVICES,
    copy_distribution,
    needed,
    prune_tree,
    read_distributions,
    trim_services,
)
from infra.packaging.layer_tools import find_python
from infra.packaging.layers import OUT, SEARCH_LIMIT_BYTES, SERVING, Archive, build_archives
from quire.embedding.model_folder import verify_model
from quire.errors import ConfigError
from tests.support.tree import ROOT

MIB = 1 << 20


def entries(folder: Path, name: str) -> list[zipfile.ZipInfo]:
    with zipfile.ZipFile(folder / f"{name}.zip") as archive:
        return archive.infolist()


def names(folder: Path, name: str) -> set[str]:
    return {entry.filename for entry in entries(folder, name)}


def test_search_fits_into_its_share_of_a_function(archives: dict[str, Archive]) -> None:
    assert archives["core"].unpacked_bytes + archives["runtime"].unpacked_bytes <= SEARCH_LIMIT_BYTES
    assert SEARCH_LIMIT_BYTES == 136 * MIB


def test_everything_fits_into_lambda(archives: dict[str, Archive]) -> None:
    assert sum(archives[name].unpacked_bytes for name in SERVING) <= 250 * MIB
    assert archives["llm"].unpacked_bytes <= 40 * MIB


@pytest.mark.soak  # making what builds in shards alone have takes a minute
def test_the_worker_of_builds_in_shards_fits_and_finds_all_that_it_imports(tmp_path: Path) -> None:
    names = ("core", "runtime", "grammars", "worker")
    made = build_archives(OUT, names)
    assert sum(made[name].unpacked_bytes for name in names) <= 250 * MIB
    for name in names:
        with zipfile.ZipFile(OUT / f"{name}.zip") as archive:
            archive.extractall(tmp_path)
    script = (
        "import sys; sys.path[:0] = ['.', 'python']\n"
        "import build_index.distributed.worker, quire.embedding.onnx, tree_sitter_python, re2\n"
        "from build_index.cache.inputs import digest_code\n"
        "from build_index.pipeline.preparing import prepare\n"
        "from quire.documents import Document\n"
        "about = {'path': 'a.py', 'language': 'python'}\n"
        "assert prepare(Document('a.py', 'def sail():\\n    pass\\n', 'source_code', about)).ids\n"
        "print(digest_code())"
    )
    done = subprocess.run(
        (find_python(), "-ISc", script), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest_code()  # so that what it makes is what the driver asked for


def test_the_manifest_says_what_lies_there(archives: dict[str, Archive], archive_folder: Path) -> None:
    said = json.loads((archive_folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(said) >= set(SERVING)  # the others are made for builds in shards alone
    for name in SERVING:
        one = said[name]
        packed = (archive_folder / f"{name}.zip").read_bytes()
        assert hashlib.sha256(packed).hexdigest() == one["sha256"] == archives[name].sha256
        held = entries(archive_folder, name)
        assert (len(held), sum(entry.file_size for entry in held)) == (one["files"], one["unpacked_bytes"])


def test_entries_are_sorted_and_carry_no_date_of_the_build(archive_folder: Path, archives: object) -> None:
    for name in ("core", "functions", "runtime", "llm"):
        held = entries(archive_folder, name)
        assert {entry.date_time for entry in held} == {(1980, 1, 1, 0, 0, 0)}
        assert [entry.filename for entry in held] == sorted(entry.filename for entry in held)


def test_every_source_has_bytecode_that_is_taken_unchecked(archive_folder: Path) -> None:
    for name in ("core", "functions", "runtime", "llm"):
        with zipfile.ZipFile(archive_folder / f"{name}.zip") as archive:
            held = set(archive.namelist())
            compiled = {one for one in held if one.endswith(".cpython-313.pyc")}
            sources = {one for one in held if one.endswith(".py")}
            assert len(compiled) == len(sources) > 0
            # PEP 552: bit 0 says that a hash stands where the date would, bit 1 that it is to be checked.
            assert {archive.read(one)[4:8] for one in compiled} == {b"\x01\x00\x00\x00"}


def test_tracebacks_name_the_place_where_lambda_mounts_a_layer(archive_folder: Path) -> None:
    with zipfile.ZipFile(archive_folder / "core.zip") as archive:
        code = archive.read("python/quire/__pycache__/ranking.cpython-313.pyc")
    assert b"/opt/python/quire/ranking.py" in code


def test_the_models_layer_holds_the_one_that_builds_use_under_its_digest(
    archive_folder: Path, model_folder: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive_folder / "model.zip") as archive:
        archive.extractall(tmp_path)
    [folder] = (tmp_path / "models").iterdir()
    assert folder.name == verify_model(folder).digest == model_folder.name


def test_the_layers_hold_what_they_should_and_nothing_else(archive_folder: Path) -> None:
    runtime, llm, core = (names(archive_folder, name) for name in ("runtime", "llm", "core"))
    tops = {name.split("/")[1] for name in runtime}
    assert {"numpy", "onnxruntime", "usearch", "tokenizers", "fastapi", "mangum", "boto3"} <= tops
    assert not tops & {
        "huggingface_hub",
        "hf_xet",
        "fsspec",
        "flatbuffers",
        "google",
        "pytest",
        "bin",
    }
    assert "python/onnxruntime/capi/libonnxruntime_providers_shared.so" in runtime
    assert {"python/google/genai/client.py", "python/mcp/server/streamable_http_manager.py"} <= llm
    assert not tops & {"mcp", "mcp_types", "sse_starlette"}
    assert not runtime & llm
    assert {name.split("/")[1] for name in core} == {"quire"}


def test_the_functions_keep_their_dotted_names(archive_folder: Path) -> None:
    held = names(archive_folder, "functions")
    assert {"functions/query.py", "functions/routes.json", "collections.toml"} <= held
    assert not [name for name in held if "tests" in name or name.endswith(".md")]


def test_the_same_sources_give_the_same_bytes(tmp_path: Path, archives: dict[str, Archive]) -> None:
    said = json.loads((OUT / "manifest.json").read_text(encoding="utf-8"))
    packages = {name: said[name] for name in ("runtime", "llm")}
    for name in packages:  # with their bills of materials, which are not what is made again here
        for suffix in (".zip", ".cdx.json"):
            (tmp_path / name).with_suffix(suffix).symlink_to(OUT / f"{name}{suffix}")
    (tmp_path / "manifest.json").write_text(json.dumps(packages), encoding="utf-8")
    made = build_archives(tmp_path, ("functions", "model"))
    assert {name: made[name] for name in SERVING} == {name: archives[name] for name in SERVING}
    for name in ("core", "functions", "model"):
        assert (tmp_path / f"{name}.zip").read_bytes() == (OUT / f"{name}.zip").read_bytes()


def test_an_archive_whose_inputs_stand_is_not_made_again(archives: object) -> None:
    before = (OUT / "runtime.zip").stat().st_mtime_ns
    build_archives(OUT, ("runtime",))
    assert (OUT / "runtime.zip").stat().st_mtime_ns == before


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Packages as an installer leaves them: `app` needs `lib` and, on paper, `heavy`; `lib` needs `app` again."""
    site = tmp_path / "site"
    for name, requires in {
        "app": ["Lib_x>=1", "heavy", "toys; extra == 'all'"],
        "lib-x": ["app"],
        "heavy": [],
    }.items():
        folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir(parents=True)
        lines = "".join(f"Requires-Dist: {one}\n" for one in requires)
        (folder / "METADATA").write_text(f"Name: {name}\n{lines}\nRequires-Dist: prose\n", encoding="utf-8")
        module = site / f"{name.replace('-', '_')}.py"
        module.write_text("x = 1\n", encoding="utf-8")
        record = f"{module.name},sha256=0,6\n{folder.name}/METADATA,,\n../bin/tool,,\ngone.py,,\n"
        (folder / "RECORD").write_text(record, encoding="utf-8")
    return site


def test_what_a_package_declares_and_never_uses_is_left_out(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from infra.packaging import layer_contents

    installed = read_distributions(site)
    assert needed(["App"], installed) == {"app", "lib-x", "heavy"}
    monkeypatch.setitem(layer_contents.UNUSED, "app", {"heavy"})
    assert needed(["App"], installed) == {"app", "lib-x"}
    assert needed(["unknown"], installed) == set()


def test_a_package_is_copied_by_its_record(site: Path, tmp_path: Path) -> None:
    copy_distribution(read_distributions(site)["app"], tmp_path / "tree")
    copied = sorted(path.name for path in (tmp_path / "tree").rglob("*") if path.is_file())
    assert copied == ["METADATA", "app.py"]


def test_pruning_keeps_the_services_that_are_called(tmp_path: Path) -> None:
    kept = ["botocore/data/s3/2006/service.json", "botocore/data/endpoints.json.gz", "numpy/core.py"]
    gone = [
        "botocore/data/ec2/2016/service.json",
        "numpy/tests/test_x.py",
        "numpy/f2py/run.py",
        "numpy/x.pyi",
    ]
    for name in kept + gone:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    prune_tree(tmp_path)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == sorted(kept)
    assert not (tmp_path / "numpy/tests").exists()


def test_what_describes_a_service_keeps_all_but_its_documentation(tmp_path: Path) -> None:
    data = tmp_path / "botocore/data"
    old, new = data / "s3/2005-01-01", data / "s3/2006-03-01"
    for folder in (old, new):
        folder.mkdir(parents=True)
    documented = {"documentation": "<p>Long.</p>", "type": "structure"}
    member = {
        "documentation": {"shape": "Text", "documentation": "Said of it."},
        "documentationUrl": "https://a",
    }
    settings = {"Accelerate": {"documentation": "Read by botocore.", "type": "boolean"}}
    told = {"shapes": {"A": {**documented, "members": member}}, "clientContextParams": settings}
    for folder in (old, new):
        (folder / "service-2.json.gz").write_bytes(gzip.compress(json.dumps(told).encode()))
    (new / "examples-1.json").write_text("{}", encoding="utf-8")
    (data / "endpoints.json").write_text(
        json.dumps({"partitions": [{"services": {"s3": {}, "ec2": {}}, "regions": {}}]}), encoding="utf-8"
    )
    trim_services(tmp_path)
    left = sorted(path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file())
    assert left == ["endpoints.json", "s3/2006-03-01/service-2.json"]
    kept = json.loads((new / "service-2.json").read_bytes())
    member_left = {"documentation": {"shape": "Text"}}
    assert kept["shapes"] == {"A": {"type": "structure", "members": member_left}}
    assert kept["clientContextParams"] == settings
    endpoints = json.loads((data / "endpoints.json").read_bytes())
    assert endpoints == {"partitions": [{"services": {"s3": {}}, "regions": {}}]}


CLIENTS = """
import sys, boto3
for name in sys.argv[1:]:
    client = boto3.client(name, region_name="us-west-2", aws_access_key_id="a", aws_secret_access_key="b")
    model = client.meta.service_model
    for operation in map(model.operation_model, model.operation_names):
        for shape in (operation.input_shape, operation.output_shape, *operation.error_shapes):
            shape is None or list(getattr(shape, "members", {}).values())
    print(name, client.meta.endpoint_url, len(model.operation_names))
"""


def test_a_client_of_each_service_is_made_from_the_layer(lambda_root: Path) -> None:
    program = (find_python(), "-ISc", f"import sys; sys.path[:0] = ['python']\n{CLIENTS}", *SERVICES)
    opt = lambda_root / "opt"
    told = subprocess.run(program, cwd=opt, capture_output=True, text=True, check=True).stdout
    made = [line.split() for line in told.splitlines()]
    assert [name for name, _, _ in made] == [*SERVICES]
    assert all(url.startswith(f"https://{name}.us-west-2.") for name, url, _ in made)
    assert all(int(operations) > 5 for _, _, operations in made)


def test_a_source_that_does_not_compile_is_refused(tmp_path: Path, archives: object) -> None:
    from infra.packaging.layer_tools import compile_tree, find_python

    (tmp_path / "broken.py").write_text("def", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"broken\.py"):
        compile_tree(tmp_path, find_python(), "/opt")


@pytest.mark.skipif(sys.version_info[:2] == (3, 13), reason="the Python that runs this is Lambda's")
def test_where_no_python_of_lambda_is_the_command_that_brings_one_is_told(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(("PATH", "PYENV_ROOT", "XDG_DATA_HOME", "UV_PYTHON_INSTALL_DIR"), str(tmp_path))
    command = (sys.executable, "-m", "infra.packaging.layers", "core", "--out", str(tmp_path / "out"))
    done = subprocess.run(command, env=nowhere, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "`.venv/bin/uv python install 3.13` brings one" in done.stderr


@pytest.mark.skipif(sys.version_info[:2] == (3, 13), reason="the Python that runs this is Lambda's")
def test_a_python_that_the_path_names_is_told_by_its_own_path(tmp_path: Path, archives: object) -> None:
    (tmp_path / "python3.13").symlink_to(find_python())
    nowhere = dict.fromkeys(("PATH", "PYENV_ROOT", "XDG_DATA_HOME", "UV_PYTHON_INSTALL_DIR"), str(tmp_path))
    script = "from infra.packaging.layer_tools import find_python; print(find_python())"
    done = subprocess.run(
        (sys.executable, "-c", script), env=nowhere, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == tmp_path / "python3.13"
