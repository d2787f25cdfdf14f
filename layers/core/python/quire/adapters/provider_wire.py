"""What the wire protocols of model providers share: lines of a stream, server-sent events, and what a status means."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from quire.errors import AnswerModelError, ModelMisconfigured, ModelUnavailable, QuotaExceeded

LONGEST_LINE = 1_000_000
LONGEST_MESSAGE = 300


def lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a byte stream in UTF-8, as they become complete; the last needs no end.

    Raises:
        ModelUnavailable: a line is longer than a million characters, or no UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    held = ""
    try:
        for piece in pieces:
            *whole, held = (held + decoder.decode(piece)).split("\n")
            yield from (line.rstrip("\r") for line in whole)
            if len(held) > LONGEST_LINE:
                raise ModelUnavailable(
                    f"provider: wanted lines of a stream, found {len(held):,} characters without one"
                )
        held += decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ModelUnavailable(f"provider: wanted a stream in UTF-8: {error}") from error
    if held:
        yield held


def event_data(pieces: Iterable[bytes]) -> Iterator[str]:
    """The `data` of each server-sent event, its lines joined; comments and other fields are passed over.

    >>> list(event_data([b"data: a\\n", b"\\n: beat\\n\\ndata: b\\ndata: c\\n\\n"]))
    ['a', 'b\\nc']
    """
    held: list[str] = []
    for line in lines(pieces):
        name, _, value = line.partition(":")
        if not line and held:
            yield "\n".join(held)
            held = []
        elif name == "data":
            held.append(value.removeprefix(" "))
    if held:
        yield "\n".join(held)


def read_event(provider: str, text: str) -> dict[str, Any]:
    """An event of a stream, which is an object in JSON.

    Raises:
        ModelUnavailable: it is none.
    """
    try:
        event = json.loads(text)
    except ValueError as error:
        raise ModelUnavailable(f"{provider}: wanted JSON in the stream, found {text[:80]!r}") from error
    if not isinstance(event, dict):
        raise ModelUnavailable(f"{provider}: wanted an object in the stream, found {text[:80]!r}")
    return event


def fields(value: Any) -> Mapping[str, Any]:
    """A part of an event that is an object; none of it where a server wrote something else there."""
    return value if isinstance(value, dict) else {}


def each(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list in an event."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def tokens(value: Any) -> int:
    """A count of tokens; 0 where none is told."""
    return value if isinstance(value, int) and value > 0 else 0


def text_of(content: Any) -> str:
    """The text of a message, which is a string, or a list of parts as reasoning models of Mistral and others have it.

    >>> text_of([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Yes."}]), text_of({"a": 1})
    ('Yes.', '')
    """
    if isinstance(content, str):
        return content
    return "".join(one["text"] for one in each(content) if isinstance(one.get("text"), str))


def failure(provider: str, status: int, message: str, retry_after_s: float | None = None) -> AnswerModelError:
    """The error that an HTTP status of a provider means.

    A wrong key or model name is told from an overload: the first will not go away by itself.
    """
    text = f"{provider}: {status} {message[:LONGEST_MESSAGE]}".strip()
    error: AnswerModelError = ModelMisconfigured(text)
    if status == 429:
        error = QuotaExceeded(text, retry_after_s=retry_after_s)
    elif status in (408, 409, 425) or status >= 500 or status < 400:
        error = ModelUnavailable(text, retry_after_s=retry_after_s)
    error.provider_status = status
    return error


def without_key(text: str, key: str) -> str:
    """What a provider said, without the key: some repeat it in their refusal.

    >>> without_key("invalid key: sk-1", "sk-1")
    'invalid key: [key]'
    """
    return text.replace(key, "[key]") if key else text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a `retry-after` header; None without one, or where it is a date.

    >>> retry_after({"retry-after": "1.5"}), retry_after({})
    (1.5, None)
    """
    return seconds(headers.get("retry-after", ""))


def seconds(text: str) -> float | None:
    """Seconds written as `12`, `1.5` or `34s`; None for anything else.

    >>> seconds("34s"), seconds("Wed, 21 Oct")
    (34.0, None)
    """
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s?", text.strip())
    return float(found[1]) if found else None
