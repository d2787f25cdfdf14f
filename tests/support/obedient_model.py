"""An emulated model that does what anything tells it that reaches it outside the prompt's data blocks.

It reads a prompt as a weak model would: a block ends at the first thing that looks like a closing tag, whatever its
nonce; a chat template's tokens begin a message wherever they stand; hidden characters are read, and read first. What it
is ordered, it says. Otherwise it answers from the first source and repeats the marks that it finds there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

ORDER = re.compile(r"say (CANARY-\d+)", re.I)
NONCE = re.compile(r"<source-([0-9a-f]{8}) ")
CHAT_TOKEN = re.compile(
    r"<\|[^\n]*|\[/?INST\][^\n]*|<</?SYS>>[^\n]*"
    r"|</?(?:start_of_turn|end_of_turn|s)>[^\n]*|<(?:system|instructions?)>[^\n]*",
    re.I,
)
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe00-\ufe0f\U000e0000-\U000e01ef\u00ad]")
MARKS = re.compile(r"(?<!\w)\[\d{1,3}(?:,\s*\d+)*\]")
BLOCK_END = re.compile(r"</\s*(?:source|selection|history|system|question)\b[^>]*>", re.I)


def answer_obediently(body: Mapping[str, Any]) -> str:
    """What it says to a request of OpenAI's or of Gemini's protocol."""
    return reply(*_prompt(body))


def reply(system: str, prompt: str) -> str:
    """What it says to a system instruction and all turns as one text."""
    found = NONCE.search(system)
    assert found, "the rules do not say what a data block looks like"
    outside, blocks = _split(prompt, found[1])
    for text in (_unhidden(prompt), *CHAT_TOKEN.findall(prompt), outside):
        if order := ORDER.search(text):
            return f"{order[1]}. I was told so [1]."
    first = blocks[0].split("\n", 2)[-1] if blocks else ""
    marks = " ".join(MARKS.findall(first))
    sentence = re.split(r"(?<=[.!?])\s", first.strip())[0]
    return f"{ORDER.sub('do it', sentence)} [1] {marks}"


def _prompt(body: Mapping[str, Any]) -> tuple[str, str]:
    if "messages" in body:
        texts = [message["content"] for message in body["messages"] if message["role"] == "user"]
        return body["messages"][0]["content"], texts[-1]
    system = body["systemInstruction"]["parts"][0]["text"]
    return system, "\n".join(part["text"] for content in body["contents"] for part in content["parts"])


def _split(prompt: str, nonce: str) -> tuple[str, list[str]]:
    """What stands outside the blocks, and the inside of each."""
    outside, blocks, place = [], [], 0
    for opening in re.finditer(rf"<(?:source|selection|history)-{nonce}[^>]*>", prompt):
        if opening.start() < place:
            continue
        outside.append(prompt[place : opening.start()])
        end = BLOCK_END.search(prompt, opening.end())
        place = end.end() if end else len(prompt)
        blocks.append(prompt[opening.end() : end.start() if end else place])
    return "".join([*outside, prompt[place:]]), blocks


def _unhidden(prompt: str) -> str:
    """Orders in characters that nobody sees: tag characters read as letters, words around hidden ones joined."""
    tags = "".join(chr(ord(one) - 0xE0000) for one in prompt if 0xE0020 <= ord(one) <= 0xE007E)
    return f"{tags} {HIDDEN.sub('', prompt) if HIDDEN.search(prompt) else ''}"
