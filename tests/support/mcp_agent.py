"""A scripted agent: it answers a question through MCP tools alone, with no language model, and counts what it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import mcp_types
from mcp.client import Client

from build_index.evaluation.golden import GoldenQuestion, matches, read_golden
from functions.faces.mcp.passages import CHARACTERS_A_TOKEN
from quire.documents import NOTHING

IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z_]\w*[.:])+[A-Za-z_]\w*|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]+_\w+\b"
)
PASSAGE = re.compile(r"^\[\d+\] .*\nid: (\S+)$", re.MULTILINE)
"""How a tool's text names a passage."""
MOST_CITED = 5
Reader: TypeAlias = Callable[[mcp_types.CallToolResult], str]


def content_alone(result: mcp_types.CallToolResult) -> str:
    """What a model is handed by Cursor, Claude.ai and ChatGPT."""
    return "\n".join(one.text for one in result.content if isinstance(one, mcp_types.TextContent))


def structured_alone(result: mcp_types.CallToolResult) -> str:
    """What Claude Code, VS Code and Copilot's command line are reported to hand over: the text is their fallback."""
    if result.structured_content is not None:
        return json.dumps(result.structured_content)
    return content_alone(result)


def both(result: mcp_types.CallToolResult) -> str:
    """What a client hands over that leaves nothing out."""
    facts = "" if result.structured_content is None else json.dumps(result.structured_content)
    return f"{content_alone(result)}\n{facts}".strip()


READERS: Mapping[str, Reader] = {
    "content alone": content_alone,
    "structured alone": structured_alone,
    "both": both,
}


@dataclass
class Finding:
    """What the agent gives for one question: passages that it would cite, best first, and what they cost to read."""

    text: str = ""
    cited: list[str] = field(default_factory=list)
    tokens: int = 0
    calls: int = 0


@dataclass
class Agent:
    """It looks names up, asks for an answer, searches where that quotes little, and reads on where it was refused."""

    client: Client
    collection: str
    reads: Reader = content_alone
    finding: Finding = field(default_factory=Finding)

    async def ask(self, question: str, terms: str = "") -> Finding:
        """Find what answers the question; `terms` are what a model would guess that the documentation calls it."""
        self.finding = Finding()
        guessed = {"terms": terms} if terms else {}
        for name in IDENTIFIER.findall(question)[:2]:
            await self._use("lookup", symbol=name, max_tokens=400)
        answered = await self._use("answer", question=question, max_tokens=500, **guessed)
        if len(self.finding.cited) < MOST_CITED:
            found = await self._use("search", query=question, limit=MOST_CITED, max_tokens=800, **guessed)
            for one in [] if answered else found[:1]:
                await self._use("read", id=one, max_tokens=300)
        return self.finding

    async def _use(self, tool: str, **given: Any) -> list[str]:
        """Ids that the tool cites, as the model behind this client can read them."""
        result = await self.client.call_tool(tool, {"collection": self.collection, **given})
        text = self.reads(result)
        assert not result.is_error, text
        told = self.finding
        told.calls += 1
        told.tokens += tokens_of(text)
        told.text += text
        ids = PASSAGE.findall(text)
        told.cited.extend(one for one in ids if one not in told.cited)
        return ids


def tokens_of(text: str) -> int:
    """About as many as a language model would count."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


async def cost_of_meeting(client: Client) -> int:
    """Tokens of what an agent reads before its first question: the tools, and the collections."""
    tools = [one.model_dump(mode="json", exclude_none=True) for one in (await client.list_tools()).tools]
    [content] = (await client.call_tool("list_collections", {})).content
    assert isinstance(content, mcp_types.TextContent)
    return tokens_of(json.dumps(tools)) + tokens_of(content.text)


def twenty(files: Sequence[Path], count: int = 20) -> list[GoldenQuestion]:
    """Twenty answerable golden questions, or `count`, evenly spread over the files."""
    asked = [
        one for one in read_golden(files) if one.answerable and not one.selected_text and not one.filters
    ]
    return asked[:: len(asked) // count][:count]


def is_found(question: GoldenQuestion, cited: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of the first passages stands at a place that answers the question."""
    targets = [target for place in question.places for target in place]
    return any(matches(one, target) for one in list(cited)[:MOST_CITED] for target in targets)


async def examine(
    client: Client,
    collection: str,
    questions: Sequence[GoldenQuestion],
    metadata: Callable[[str], Mapping[str, Any]],
    reads: Reader = content_alone,
    terms: Mapping[str, str] = NOTHING,
) -> tuple[list[str], int, int]:
    """Ids of the questions that were found, all tokens that were read, and the most for one question.

    `terms` are lines by the question's id, for those that have one.
    """
    agent = Agent(client, collection, reads)
    found, spent = [], [await cost_of_meeting(client)]
    for question in questions:
        finding = await agent.ask(question.query, terms.get(question.id, ""))
        spent.append(finding.tokens)
        if is_found(question, map(metadata, finding.cited)):
            found.append(question.id)
    return found, sum(spent), max(spent[1:])
