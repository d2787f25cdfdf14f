"""Wire models of `/v1`, as far as a collection can follow them. Source: OpenAI API reference, "Chat Completions"."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict


class Part(BaseModel):
    """A part of a message; parts that are not text are left out."""

    model_config = ConfigDict(extra="ignore")

    type: str
    text: str = ""


class Message(BaseModel):
    """One turn."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    def words(self) -> str:
        """The message's text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream carries beside the text."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A conversation whose last user message is the question. Settings that a collection has no use for are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [{"model": "roblox", "messages": [{"role": "user", "content": "What is a stud?"}]}]
        },
    )

    model: str = Field(min_length=1, description="Name of the collection.")
    messages: list[Message] = Field(min_length=1, description="Turns, oldest first.")
    stream: bool = Field(False, description="Send the answer piece by piece.")
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(None, ge=1, description="Bound of a written answer.")
    max_completion_tokens: int | None = Field(None, ge=1, description="The same under its newer name.")


class Completion(TypedDict):
    """A whole answer; `citations` and `quire` are additions that clients ignore."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]
    citations: list[dict[str, Any]]
    quire: dict[str, Any]


class ModelList(TypedDict):
    """The collections as models."""

    object: Literal["list"]
    data: list[dict[str, Any]]


EXAMPLE: Completion = {
    "id": "chatcmpl-5e0c6f0c1d3b4c0e",
    "object": "chat.completion",
    "created": 1795334651,
    "model": "roblox",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "A stud is the engine's unit of length. [1]"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "citations": [],
    "quire": {"version": "9b1f7c02e4d1", "answerable": True, "model_used": "extractive"},
}
