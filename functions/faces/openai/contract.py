"""Wire models of `/v1`, as far as a collection can follow them. Source: OpenAI API reference, "Chat Completions" and
"Responses"."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from quire.limits import EMBEDDED_TEXTS, MESSAGE_CHARACTERS

TEXTS = ("text", "input_text", "output_text")
"""What parts of text are called in either way of asking."""


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _texts(value: object) -> object:
    if isinstance(value, list) and any(isinstance(one, int | list) for one in value):
        raise ValueError(
            "found token numbers, which are of another model's vocabulary: send texts"
            " (LangChain: check_embedding_ctx_length=False)"
        )
    return _several(value)


def _stops(value: object) -> object:
    return () if value is None else _several(value)


def _unless_null(default: object, wanted: Any) -> BeforeValidator:
    """What the protocol calls optional may be null too: some clients send every field that they know of."""
    return BeforeValidator(
        lambda value: default if value is None else value, json_schema_input_type=wanted | None
    )


def _not_called(value: object) -> object:
    mode = value
    if isinstance(value, dict):
        allowed = value.get("allowed_tools", value)
        mode = allowed.get("mode") if isinstance(allowed, dict) else None
    if mode not in (None, "auto", "none") or (
        isinstance(value, dict) and value.get("type") != "allowed_tools"
    ):
        raise ValueError("no tool is called here: leave it out, or say auto or none")
    return value


def _not_kept(value: object) -> object:
    if value is not None:
        raise ValueError("nothing is kept here: send the turns before in `input`")
    return value


Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=MESSAGE_CHARACTERS)]
Stops: TypeAlias = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=200)], ...],
    BeforeValidator(_stops, json_schema_input_type=str | list[str] | None),
    Field(max_length=4),
]


One: TypeAlias = Annotated[int, Field(ge=1, le=1)]
Flag: TypeAlias = Annotated[bool, _unless_null(False, bool)]
Encoding: TypeAlias = Literal["float", "base64"]
ToolChoice: TypeAlias = Annotated[Any, BeforeValidator(_not_called)]
NO_TOOLS = "Tools are ignored; one that has to be called is refused."


class Part(BaseModel):
    """A part of a message; only text is read. Other parts are refused in a question and left out of what was before."""

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
            return "\n".join(part.text for part in self.content if part.type in TEXTS)
        return self.content or ""

    def unread(self) -> str:
        """What kind of part it has that is no text, such as a picture; "" where it has none."""
        parts = self.content if isinstance(self.content, list) else ()
        return next((part.type for part in parts if part.type not in TEXTS), "")


class ResponseFormat(BaseModel):
    """How the answer should be written."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["text"] = Field("text", description="Answers are text; JSON is refused.")


class StreamOptions(BaseModel):
    """What a stream carries beside the text."""

    model_config = ConfigDict(extra="ignore")

    include_usage: Flag = False


class ChatRequest(BaseModel):
    """A conversation whose last user message is the question.

    System messages guide a language model that writes answers. Settings of sampling, and tools, are ignored.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [{"model": "roblox", "messages": [{"role": "user", "content": "What is a stud?"}]}]
        },
    )

    model: str = Field(min_length=1, description="Name of the collection.")
    messages: list[Message] = Field(min_length=1, description="Turns, oldest first.")
    stream: Flag = Field(False, description="Send the answer piece by piece.")
    stream_options: StreamOptions | None = None
    n: Annotated[One, _unless_null(1, One)] = Field(1, description="There is one answer to a question.")
    stop: Stops = Field((), description="Up to four texts before which the answer ends.")
    response_format: ResponseFormat | None = None
    tool_choice: ToolChoice = Field(None, description=NO_TOOLS)
    max_tokens: int | None = Field(None, ge=1, description="Most tokens of the answer, its sources included.")
    max_completion_tokens: int | None = Field(None, ge=1, description="The same under its newer name.")

    def most_tokens(self) -> int | None:
        """The bound, under whichever name it was given."""
        return self.max_completion_tokens or self.max_tokens


class Item(BaseModel):
    """A message, or something else that happened: the `output` of a tool counts, all else is left out."""

    model_config = ConfigDict(extra="ignore")

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant"] = "user"
    content: str | list[Part] | None = None
    output: Any = None

    def as_message(self) -> Message | None:
        """The item as a turn; None where it is none."""
        if self.type == "message":
            return Message(role=self.role, content=self.content)
        if self.type == "function_call_output" and isinstance(self.output, str):
            return Message(role="tool", content=self.output)
        return None


class TextSettings(BaseModel):
    """How the answer should be written."""

    model_config = ConfigDict(extra="ignore")

    format: ResponseFormat | None = None


class ResponsesRequest(BaseModel):
    """A question with what came before it. Settings of sampling and of reasoning, and tools, are ignored."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"examples": [{"model": "roblox", "input": "What is a stud?"}]}
    )

    model: str = Field(min_length=1, description="Name of the collection.")
    input: str | list[Item] = Field(description="The question, or the turns, oldest first.")
    instructions: str | None = Field(None, description="As a system message that stands first.")
    stream: Flag = Field(False, description="Send the answer piece by piece.")
    max_output_tokens: int | None = Field(
        None, ge=1, description="Most tokens of the answer, its sources included."
    )
    text: TextSettings | None = None
    tool_choice: ToolChoice = Field(None, description=NO_TOOLS)
    metadata: dict[str, str] | None = None
    background: Literal[False] | None = Field(None, description="Answers are not made in the background.")
    previous_response_id: Annotated[None, BeforeValidator(_not_kept)] = Field(
        None, description="Refused: nothing is kept, so the turns before are sent in `input`."
    )
    conversation: Annotated[None, BeforeValidator(_not_kept)] = Field(
        None, description="Refused, as `previous_response_id` is."
    )

    def messages(self) -> list[Message]:
        """The turns, instructions first."""
        items = [Item(content=self.input)] if isinstance(self.input, str) else self.input
        first = [Message(role="system", content=self.instructions)] if self.instructions else []
        return [*first, *filter(None, (one.as_message() for one in items))]


class EmbeddingsRequest(BaseModel):
    """Texts to embed with the collection's own model, as questions to it are."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"examples": [{"model": "roblox", "input": ["What is a stud?"]}]}
    )

    model: str = Field(min_length=1, description="Name of the collection.")
    input: Annotated[list[Text], BeforeValidator(_texts), Field(min_length=1, max_length=EMBEDDED_TEXTS)] = (
        Field(
            description="A text, or several. Token numbers are refused: they are of another model's vocabulary.",
            json_schema_extra={"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        )
    )
    encoding_format: Annotated[Encoding, _unless_null("float", Encoding)] = Field(
        "float", description="How vectors are written."
    )
    dimensions: int | None = Field(None, description="Refused where it is not the model's own.")


class Vector(TypedDict):
    """One text's vector."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class Embeddings(TypedDict):
    """Vectors in the order of the texts."""

    object: Literal["list"]
    data: list[Vector]
    model: str
    usage: dict[str, int]


class Model(TypedDict):
    """A collection as a model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ErrorDetail(TypedDict):
    """What went wrong."""

    message: str
    type: str
    param: str | None
    code: str | None
    request_id: str


class ErrorBody(TypedDict):
    """An error as clients of the protocol read it."""

    error: ErrorDetail


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


class Response(TypedDict):
    """A whole answer; `citations` and `quire` are additions that clients ignore."""

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["completed", "incomplete"]
    model: str
    output: list[dict[str, Any]]
    usage: dict[str, Any]
    citations: list[dict[str, Any]]
    quire: dict[str, Any]


class ModelList(TypedDict):
    """The collections as models."""

    object: Literal["list"]
    data: list[Model]


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
EVENTS = (
    'data: {"id": "chatcmpl-5e0c6f0c1d3b4c0e", "object": "chat.completion.chunk", "created": 1795334651,'
    ' "model": "roblox", "choices": [{"index": 0, "delta": {"content": "A stud"}, "finish_reason": null}]}\n\n'
    "data: [DONE]\n\n"
)
RESPONSE: Response = {
    "id": "resp_5e0c6f0c1d3b4c0e",
    "object": "response",
    "created_at": 1795334651,
    "status": "completed",
    "model": "roblox",
    "output": [
        {
            "type": "message",
            "id": "msg_5e0c6f0c1d3b4c0e",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": "A stud is the engine's unit of length. [1]",
                    "annotations": [
                        {"type": "file_citation", "file_id": "0d1c2b", "filename": "units.md", "index": 39}
                    ],
                }
            ],
        }
    ],
    "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
    "citations": [],
    "quire": {"version": "9b1f7c02e4d1", "answerable": True, "model_used": "extractive"},
}
RESPONSE_EVENTS = (
    "event: response.output_text.delta\n"
    'data: {"type": "response.output_text.delta", "sequence_number": 4, "output_index": 0, "content_index": 0,'
    ' "item_id": "msg_5e0c6f0c1d3b4c0e", "delta": "A stud"}\n\n'
)
MODEL: Model = {"id": "roblox", "object": "model", "created": 1795334651, "owned_by": "quire"}
MODELS: ModelList = {"object": "list", "data": [MODEL]}
EMBEDDINGS: Embeddings = {
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.0123, -0.0456, 0.0789]}],
    "model": "roblox",
    "usage": {"prompt_tokens": 4, "total_tokens": 4},
}
