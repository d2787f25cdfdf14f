"""Text to unit vectors with an exported model, by onnxruntime on the CPU.

One text a run: dynamic quantization scales activations over a whole batch, so only alone does a text always get the
same bytes. Speed comes from running texts side by side, because a run releases the interpreter's lock.
"""

from __future__ import annotations

import os

# From 1.29 on it sends Microsoft events of sessions, with a mark that it leaves in the home folder, unless told before
# it is imported. Source: "Disabling Telemetry" in its Privacy.md.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from quire.embedding.model_folder import GRAPH_FILE, ModelFacts, read_facts
from quire.errors import ModelError
from quire.interrupts import held_interrupts

with held_interrupts():
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as binding

if TYPE_CHECKING:
    from quire.ports import Vectors

if TYPE_CHECKING:
    from concurrent.futures import Future

LOOK_AHEAD = 256

# The binding's exceptions have no base of their own; they and the conversions' errors are all that it raises.
_FAILURES: tuple[type[Exception], ...] = (
    *(kind for kind in vars(binding).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    RuntimeError,
    ValueError,
)

Item = TypeVar("Item")
Result = TypeVar("Result")


class Tokenizer(Protocol):
    """What the embedder asks of a tokenizer; `quire.embedding.wordpiece` has the real one."""

    first: int
    last: int

    def ids(self, text: str) -> Sequence[int]:
        """All token ids of the text, without special tokens."""


class OnnxEmbedder:
    """`quire.ports.Embedder` over one onnxruntime session, shared by the threads.

    Attributes:
        facts: the model's.
        tokens: tokens that `embed_passages` embedded so far, special ones included.
    """

    def __init__(
        self, session: onnxruntime.InferenceSession, tokenizer: Tokenizer, facts: ModelFacts, *, threads: int
    ) -> None:
        self.facts = facts
        self.tokens = 0
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads

    @property
    def dimensions(self) -> int:
        """Width of a row."""
        return self.facts.dimensions

    @property
    def digest(self) -> str:
        """Hexadecimal sha256 that names the model's files and how texts are prepared for them."""
        return self.facts.digest

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Questions to rows, shape (n, dimensions), in order, each truncated at the window."""
        if len(texts) > 1 and self._threads > 1:
            rows = list(_in_order(self._question, texts, self._threads))
        else:
            rows = [self._question(text) for text in texts]
        if len(rows) == 1:
            return rows[0]
        return np.concatenate(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
        """Passages `(prefix, text)` to rows of shape (windows, dimensions), lazily and in order.

        The threads work ahead of the consumer by up to 256 passages; closing the iterator stops them.
        """
        for tokens, rows in _in_order(self._passage, passages, self._threads):
            self.tokens += tokens
            yield rows

    def has_word(self, word: str) -> bool:
        """See `quire.ports.WordList`."""
        return len(self._tokenizer.ids(word)) == 1

    def _question(self, text: str) -> Vectors:
        return self._run(self._tokenizer.ids(self.facts.query_prefix + text)[: self.facts.window - 2])

    def _passage(self, passage: tuple[str, str]) -> tuple[int, Vectors]:
        prefix, text = passage
        before = self._tokenizer.ids(prefix) if prefix else ()
        body = self._tokenizer.ids(text)
        windows = cut_windows(before, body, window=self.facts.window, overlap=self.facts.overlap)
        rows = np.concatenate([self._run(window) for window in windows])
        return sum(map(len, windows)) + 2 * len(windows), rows

    def _run(self, ids: Sequence[int]) -> Vectors:
        framed = np.array([[self._tokenizer.first, *ids, self._tokenizer.last]], np.int64)
        try:
            row: Vectors = self._session.run(None, {"ids": framed})[0]
        except _FAILURES as error:
            raise ModelError(
                f"model {self.facts.name}: cannot embed {framed.shape[1]} tokens: {error}"
            ) from error
        return row


def open_embedder(folder: Path, tokenizer: Tokenizer, *, threads: int = 1) -> OnnxEmbedder:
    """Open an exported model; its weights are mapped, not read.

    Raises:
        ModelError: a file is missing, has another size than `model.json` says, or is not a model.
    """
    facts = read_facts(folder)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # The export writes fused operators already: optimizing again changes nothing and takes time.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Every text has its own length: remembering a memory plan for each would only grow.
    options.enable_mem_pattern = False
    try:
        session = onnxruntime.InferenceSession(
            str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"]
        )
    except _FAILURES as error:
        raise ModelError(f"{folder / GRAPH_FILE}: cannot be opened: {error}") from error
    return OnnxEmbedder(session, tokenizer, facts, threads=threads)


def _in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Results in the order of the items, at most `LOOK_AHEAD` ahead of the consumer."""
    # 6 ms of import, logging's included, that a process which embeds a question has not got.
    from concurrent.futures import ThreadPoolExecutor

    source = iter(items)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="embed")
    try:
        ahead: deque[Future[Result]] = deque(pool.submit(work, item) for item in islice(source, LOOK_AHEAD))
        while ahead:
            result = ahead.popleft().result()
            ahead.extend(pool.submit(work, item) for item in islice(source, 1))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def cut_windows(
    prefix: Sequence[int], body: Sequence[int], *, window: int, overlap: int
) -> list[tuple[int, ...]]:
    """Token windows without their special tokens, each beginning with the prefix; at least one.

    `window` counts two special tokens, so that a result has at most `window - 2` ids. The prefix is cut to a third of
    the window. Where the body needs several windows, they are of even size and neighbours share at least `overlap` ids
    (less in a window too small for that), so no window is a mere tail.

    >>> cut_windows([7], [1, 2, 3, 4, 5, 6], window=7, overlap=1)
    [(7, 1, 2, 3, 4), (7, 3, 4, 5, 6)]
    """
    head = tuple(prefix[: window // 3])
    room = window - 2 - len(head)
    if room < 1:
        raise ValueError(
            f"window: wanted room for one token beside {len(head)} of the prefix, found {window}"
        )
    if len(body) <= room:
        return [(*head, *body)]
    shared = min(overlap, room // 2)
    count = -(-(len(body) - shared) // (room - shared))
    size = -(-(len(body) + (count - 1) * shared) // count)
    last = len(body) - size
    starts = [last * number // (count - 1) for number in range(count)]
    return [(*head, *body[start : start + size]) for start in starts]
