"""What is said in place of an answer: not covered, too vague, no such symbol."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents import Hit

NOUNS = {"textbook": "textbook", "code": "code base", "sites": "documents", "roblox": "reference"}
DEFAULT_NOUN = "documentation"
MOST_TOPICS = 3


def named(title: str, profile: str) -> str:
    """How a sentence names the collection, with an article and what kind of thing it is.

    >>> named("Robots for All", "textbook"), named("React Native documentation", "docs")
    ('the Robots for All textbook', 'the React Native documentation')
    """
    noun = NOUNS.get(profile, DEFAULT_NOUN)
    plain = title.removeprefix("the ").removeprefix("The ")
    return f"the {plain}" if plain.casefold().endswith(noun.casefold()) else f"the {plain} {noun}"


def not_covered(title: str, profile: str, hits: Sequence[Hit]) -> str:
    """That the topic is not covered, and headings of the collection that are nearest to it."""
    sentence = f"This topic is not covered in {named(title, profile)}."
    topics = near_topics(hits)
    if not topics:
        return sentence
    return f"{sentence} Related topics that are covered:\n\n" + "\n".join(f"- {topic}" for topic in topics)


def ask_back(profile: str) -> str:
    """What a vague question is answered with."""
    return f"I need more context. Please ask a specific question about the {NOUNS.get(profile, DEFAULT_NOUN)} content."


def near_topics(hits: Sequence[Hit]) -> list[str]:
    """Headings of the hits, best first, each once: breadcrumbs where a heading alone says too little."""
    topics: dict[str, None] = {}
    for hit in hits:
        chunk = hit.chunk
        topic = chunk.breadcrumb or str(chunk.metadata.get("heading") or chunk.metadata.get("title") or "")
        if topic:
            topics.setdefault(topic)
    return list(topics)[:MOST_TOPICS]
