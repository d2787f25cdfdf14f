"""Bytes for everything that reads what others wrote: no error but one of Quire's own, and none that takes long.

`read` takes what hypothesis or atheris made: the first byte says which reader, the others are what it reads.
`python -m tests.support.fuzz_readers SECONDS FOLDER` runs atheris over it, with a corpus that is kept in the folder.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise

from build_index.sources.roblox.api_dump import read_roblox_api
from quire.adapters.jwt import JwtTokens
from quire.answering.citations import read_marks
from quire.answering.extractive.plain_words import plain_words
from quire.answering.generative.cleaning import as_data, without_embeds
from quire.chunking import chunk_document
from quire.collections import read_collections
from quire.documents import Document
from quire.errors import QuireError
from quire.index.layout import read_manifest, read_pointer
from quire.index.lines import read_line
from quire.index.reader import open_segment
from quire.index.tensors import read_tensors
from quire.parsing.readable import readable_markdown
from quire.search.retrieval import Query, retrieve
from quire.service.access_file import parse_policy
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.reading_cost import SHAPES
from tests.support.rows import open_index

MOST_BYTES = 4_000
EMBEDDER = HashingEmbedder()
QUERIES = (
    Query("How fast does the character walk?", 5),
    Query("Humanoid.WalkSpeed", 5, mode="keyword", filters={"class_name": "Humanoid"}),
)
TOKENS = JwtTokens("https://issuer.example", "quire", "http://127.0.0.1:9/keys")
WORK = Path(tempfile.mkdtemp(prefix="fuzz-"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _in_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def reading(data: bytes) -> object:
        path = WORK / name
        path.write_bytes(data)
        return read(path)

    return reading


def _chunks(kind: str, path: str, **facts: str) -> Callable[[bytes], object]:
    return lambda data: list(chunk_document(Document(path, _text(data), kind, {"path": path, **facts})))


@cache
def _segment() -> dict[Path, bytes]:
    """The files of a small segment, in a folder of their own."""
    write_corpus(WORK / "segment", EMBEDDER)
    return {path: path.read_bytes() for path in sorted((WORK / "segment").rglob("*")) if path.is_file()}


def _search_damaged(data: bytes) -> object:
    """Search a segment in which each five bytes of the data (file, place, bits) changed a byte."""
    whole = _segment()
    files, damaged = list(whole), dict[Path, bytearray]()
    for number in range(0, len(data) - 4, 5):
        path = files[data[number] % len(files)]
        held = damaged.setdefault(path, bytearray(whole[path]))
        held[int.from_bytes(data[number + 1 : number + 4], "big") % len(held)] ^= data[number + 4]
    try:
        for path, held in damaged.items():
            path.write_bytes(held)
        index = open_index(open_segment(WORK / "segment"))
        return [retrieve(index, EMBEDDER, query) for query in QUERIES]
    finally:
        for path in damaged:
            path.write_bytes(whole[path])


READERS: dict[str, Callable[[bytes], object]] = {
    "access.toml": lambda data: parse_policy(data, "access.toml"),
    "collections.toml": _in_file("collections.toml", read_collections),
    "pointer": read_pointer,
    "manifest": read_manifest,
    "tensors": _in_file("a.safetensors", read_tensors),
    "payload": read_line,
    "segment": _search_damaged,
    "token": lambda data: TOKENS.claims(data.decode("latin-1")),
    "API dump": _in_file("dump.json", lambda path: list(read_roblox_api(path))),
    "marks": lambda data: read_marks(_text(data), range(3)),
    "shown": lambda data: plain_words(_text(data)),
    "as read": lambda data: readable_markdown(_text(data), "a.mdx"),
    "as data": lambda data: without_embeds(as_data(_text(data))),
    "md": _chunks("docs", "a.md"),
    "mdx": _chunks("docs", "a.mdx"),
    "textbook": _chunks("textbook", "a.mdx"),
    "prose": _chunks("prose", "a.txt"),
    "rst": _chunks("source_code", "a.rst", lang="rst"),
    "adoc": _chunks("source_code", "a.adoc", lang="asciidoc"),
}
NAMES = tuple(READERS)
SEEDS: dict[str, bytes] = {
    "access.toml": b'[[keys]]\nname = "a"\nsha256 = "'
    + b"0" * 64
    + b'"\nactions = ["search"]\ncollections = ["*"]\n',
    "collections.toml": b'[book]\nprofile = "docs"\n[book.source]\ndocs = "a"\n[book.options]\nrewrite = "off"\n',
    "pointer": b'{"collection": "a", "version": "b", "segments": [{"digest": "c"}], "tombstones": []}',
    "manifest": b'{"format": 1, "profile": "docs", "files": {}, "counts": {}}',
    "tensors": b"\x3e" + bytes(7) + b'{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}         ab',
    "payload": b'{"id": "a", "document_id": "a", "text": "b", "metadata": {"c": [1]}, "symbols": ["d"]}',
    "segment": bytes((0, 0, 1, 0, 1)),
    "token": b"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJzdWIiOiJhIn0.AAAA",
    "API dump": json.dumps(
        {"Classes": [{"Name": "A", "Superclass": "<<<ROOT>>>", "Members": [], "Tags": []}], "Enums": []}
    ).encode(),
    "md": b"---\ntitle: a\n---\n# A\n\n- [ ] b\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```py\nx = 1\n```\n",
    "mdx": b"import A from 'a'\n\n<A b={1}>\n\n# T {/* c */}\n\n:::note[t]\nx\n:::\n</A>\n",
    "as read": b"  b='c'\n/>\n\n{% hint %}\n<tr><td>x</td></tr>\n{{< y\n >}}\n> [!NOTE] t\n<A\n  d={1}\n",
    "rst": b"A\n=\n\n.. note:: x\n\n`a <b>`_ ::\n\n  c\n",
    "adoc": b"= A\n:a: b\n\n[source]\n----\nx\n----\nlink:a[b]\n",
}
"""What readers accept, to be mutated; the shapes of markup are put between."""


def read(data: bytes) -> bool:
    """Whether a reader takes it; where it refuses with an error of Quire's own it does not, any other passes on."""
    try:
        READERS[NAMES[data[0] % len(NAMES)]](data[1 : MOST_BYTES + 1])
    except QuireError:
        return False
    return True


def mutated(drawn: random.Random) -> bytes:
    """A reader's number, and a sample for it in which bytes were flipped, cut, doubled or put between."""
    number = drawn.randrange(len(NAMES))
    data = bytearray(SEEDS.get(NAMES[number], b"a [1](b) `c` __d__"))
    for _ in range(drawn.randint(1, 8)):
        place = drawn.randrange(len(data) + 1)
        match drawn.randrange(5):
            case 0 if data:
                data[place % len(data)] ^= 1 << drawn.randrange(8)
            case 1:
                del data[place : place + drawn.randint(1, 20)]
            case 2:
                data[place:place] = data[place : place + 40]
            case 3:
                data[place:place] = drawn.choice(SHAPES).encode() * drawn.choice((1, 2, 50, 400))
            case _:
                data[place:place] = drawn.choice(
                    (b"\0", b"\xff", b"[" * 1_500, b"{" * 1_500, b"1e999", b"null", b"-1", b"\r")
                )
    return bytes((number,)) + bytes(data)


def main(seconds: str, folder: str) -> None:
    """Run atheris; it ends the process."""
    import atheris

    corpus = Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(NAMES):
        (corpus / f"seed-{number}").write_bytes(bytes((number,)) + SEEDS.get(name, b"a [1](b) `c` __d__"))
    for name in list(sys.modules):
        if name.startswith(("quire.", "build_index.")):
            module = sys.modules[name]
            for one in vars(module).values():
                if callable(one) and getattr(one, "__module__", "") == name and hasattr(one, "__code__"):
                    atheris.instrument_func(one)
    limits = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", "-timeout=20", "-rss_limit_mb=3000"]
    atheris.Setup(
        [sys.argv[0], *limits, f"-artifact_prefix={folder}/crash-", str(corpus)],
        lambda data: read(data or b"\0"),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
