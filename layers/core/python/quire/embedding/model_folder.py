"""An exported model's folder: its file names, what `model.json` says, and whether the files are what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from quire.errors import ModelError

FACTS_FILE = "model.json"
GRAPH_FILE = "model.onnx"
DATA_FILE = "model.onnx.data"
TOKENIZER_FILE = "tokenizer.json"


class ModelFacts(NamedTuple):
    """What `model.json` says.

    Attributes:
        name: such as `all-MiniLM-L6-v2-int8`.
        digest: hexadecimal sha256 over the files' digests and the next four, see `facts_digest`.
        dimensions: width of a vector.
        window, overlap: in tokens, see `quire.embedding.onnx.cut_windows`.
        query_prefix: put before every question.
        files: `(size in bytes, sha256)` of each file, by name.
    """

    name: str
    digest: str
    dimensions: int
    window: int
    overlap: int
    query_prefix: str
    files: Mapping[str, tuple[int, str]]


def facts_digest(facts: ModelFacts) -> str:
    """Name a model after everything that decides which vectors a text gets, and after nothing else."""
    decisive = [facts.dimensions, facts.window, facts.overlap, facts.query_prefix]
    digests = sorted((name, sha256) for name, (_, sha256) in facts.files.items())
    return hashlib.sha256(json.dumps([decisive, digests]).encode()).hexdigest()


def read_facts(folder: Path) -> ModelFacts:
    """Read `model.json` and check that the files beside it have the sizes that it says.

    Raises:
        ModelError: it is missing or says something else, or a file is missing or has another size.
    """
    path = folder / FACTS_FILE
    try:
        said = json.loads(path.read_bytes())
        facts = ModelFacts(
            name=str(said["name"]),
            digest=str(said["digest"]),
            dimensions=int(said["dimensions"]),
            window=int(said["window"]),
            overlap=int(said["overlap"]),
            query_prefix=str(said["query_prefix"]),
            files={name: (int(one["size_bytes"]), str(one["sha256"])) for name, one in said["files"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: wanted an exported model's facts, found {error!r}") from error
    for name, (size, _) in facts.files.items():
        try:
            found = (folder / name).stat().st_size
        except OSError as error:
            raise ModelError(f"{folder / name}: wanted {size} bytes, found none: {error}") from error
        if found != size:
            raise ModelError(f"{folder / name}: wanted {size} bytes, found {found}")
    return facts


def read_checked(folder: Path, name: str) -> bytes:
    """The bytes of one of the model's files, after a comparison with its digest.

    Raises:
        ModelError: the facts cannot be read, do not list it, or its bytes are others.
    """
    files = read_facts(folder).files
    if name not in files:
        raise ModelError(
            f"{folder / FACTS_FILE}: wanted {name} among its files, found {', '.join(sorted(files))}"
        )
    content = (folder / name).read_bytes()
    found, wanted = hashlib.sha256(content).hexdigest(), files[name][1]
    if found != wanted:
        raise ModelError(f"{folder / name}: sha256 {found}, wanted {wanted}")
    return content


def verify_model(folder: Path) -> ModelFacts:
    """Check every file against its digest, and the model's digest against what it names.

    Raises:
        ModelError: naming the file, what was found and what was wanted.
    """
    facts = read_facts(folder)
    for name in facts.files:
        read_checked(folder, name)
    if facts_digest(facts) != facts.digest:
        raise ModelError(f"{folder / FACTS_FILE}: digest {facts.digest}, wanted {facts_digest(facts)}")
    return facts
