"""What is said where nothing is answered: what is missing, what stands nearest, and what to ask instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.analysis.language import is_foreign
from quire.analysis.language import notices as language_notices
from quire.analysis.symbols import written_trail
from quire.analysis.terms import analyze
from quire.answering.citations import last_answer
from quire.answering.conversation import is_follow_up
from quire.answering.evidence_hits import evidence_of
from quire.answering.extractive.code_chunks import PROSE_LANGUAGES
from quire.answering.extractive.weighing import SAID_OF, Lexicon, is_slip
from quire.answering.findings import AskedCollection, Findings, undefined_letter
from quire.answering.request import Inquiry
from quire.documents import Hit
from quire.index.opened import OpenedIndex
from quire.search.query import mended

NOUNS = {"textbook": "textbook", "code": "code base", "sites": "documents", "roblox": "reference"}
"""How sentences call a collection of a profile; all others are documentation, see `noun_of`."""
DEFAULT_NOUN = "documentation"
MOST_TOPICS = 3
MOST_WORDS = 3
LEVEL = " › "
TOPICS = "Related topics that are covered:"
CLOSEST_TOPICS, MOST_CLOSEST = "The closest sections:", 5
"""Of 23 questions that were refused wrongly in words which the sources know, the right place is the first hit of 8,
among three of 10 and among five of 14. So sections are named, and none is quoted as if it answered."""
_ADDRESS = re.compile(r"https?://[^\s()<>]+")
_MARKS = """ ?!.,;:()[]{}<>"'`“”‘’"""


def refusal(
    collection: AskedCollection, inquiry: Inquiry, findings: Findings, *, is_read: bool = False
) -> str:
    """That the collection does not answer, which of the question's words it does not have, and what is nearest.

    Of a follow-up to what the collection does cover it is said that this alone is not answered, and of what it may
    cover in other words that no clear answer was found, but not where a model has read that (`is_read`). A question in
    a language that the sources do not have is asked for in theirs.
    """
    unread = language_notices(inquiry.question, findings.found.terms, collection.index)
    if unread:
        return unread[0]
    title = name_of(collection)
    told = evidence_of(inquiry.question, findings.found.hits)
    opening = f"This topic is not covered in {title}."
    follows = is_follow_up(inquiry.question) and bool(last_answer(inquiry.history[-1:]))
    if follows or (
        findings.evidence.news is not None and collection.abstention.covers(findings.topic_confidence)
    ):
        opening = (
            f"{title[:1].upper()}{title[1:]} covers what this follows, but I found no answer to this in it."
            " If it is about something else, ask it as a whole question."
        )
    elif letter := undefined_letter(inquiry, inquiry.question, collection.index, findings.scored):
        return f"I found nothing in {title} that says what “{letter}” is. Ask about what it is used in."
    elif findings.unmentioned:
        return with_topics(f"{opening} {nothing_mentions(findings.unmentioned)}", told)
    elif not is_read and _may_be_covered(collection, findings):
        opening = f"I found no clear answer to this in {title}; it may be there in other words."
        return with_topics(opening, told, CLOSEST_TOPICS, MOST_CLOSEST)
    read = {word: known for word, known in findings.found.mended.items() if is_slip(word, known)}
    absent = [] if findings.found.terms else absent_words(mended(inquiry.question, read), collection.index)
    if absent:
        opening += f" Nothing in it mentions {_listed(absent)}."
    return with_topics(opening, told)


def nothing_mentions(name: str) -> str:
    """What is said of a code or version that the question asks about, see `quire.answering.unmentioned`."""
    return f"Nothing that was found mentions “{name}”."


def _may_be_covered(collection: AskedCollection, findings: Findings) -> bool:
    """Whether the evidence is weak and nothing speaks against an answer: the collection has all of the words."""
    found = findings.evidence
    if found.news is not None or found.cosine is None or found.unknown or found.name_unknown or found.strange:
        return False
    return collection.abstention.may_cover(findings.confidence)


def name_of(collection: AskedCollection) -> str:
    """How a sentence names the collection, with an article and what kind of thing it is."""
    return named(collection.title, noun_of(collection.index))


def named(title: str, noun: str) -> str:
    """The title with an article and the noun, which it may end with itself.

    >>> named("Robots for All", "textbook"), named("React Native documentation", "documentation")
    ('the Robots for All textbook', 'the React Native documentation')
    >>> named("code", "code base")
    'the code base'
    """
    plain = title.removeprefix("the ").removeprefix("The ")
    if plain.casefold().endswith(noun.casefold()):
        return f"the {plain}"
    *before, last = plain.split(" ")
    begun = last.casefold() == noun.partition(" ")[0].casefold()
    return " ".join(["the", *before, noun] if begun else ["the", plain, noun])


def ask_back(index: OpenedIndex) -> str:
    """What a vague question is answered with."""
    return f"I need more context. Please ask a specific question about the {noun_of(index)} content."


def noun_of(index: OpenedIndex) -> str:
    """What kind of thing a collection is; a folder of profile `code` may hold documents alone, or little else."""
    noun = NOUNS.get(index.profile, DEFAULT_NOUN)
    if index.profile == "code" and "lang" in index.filters.fields:
        prose = index.filters.chunks({"lang": sorted(PROSE_LANGUAGES)})
        return DEFAULT_NOUN if prose is not None and 2 * len(prose) > index.chunk_count else noun
    return noun


_MEASURE = re.compile(
    r"""
    \b how [ ] (?: many | much | long | often | far | old | big | large | fast | high | deep | soon ) \b
    # words that ask, and that small sources need not have
    """,
    re.IGNORECASE | re.VERBOSE,
)


def absent_words(question: str, lexicon: Lexicon) -> list[str]:
    """The question's words that no chunk holds, at most `MOST_WORDS`: those written as names before others.

    Empty for a question in another language than English, whose words say nothing of its topic.
    """
    if is_foreign(question):
        return []
    question = _MEASURE.sub("how", question)
    said = dict.fromkeys(
        word.strip(_MARKS).removesuffix("'s").removesuffix("’s") for word in question.split()
    )
    held = lexicon.document_frequency
    absent = [word for word in said if (terms := {*analyze(word)} - SAID_OF) and not any(map(held, terms))]
    return sorted(absent, key=str.islower)[:MOST_WORDS]


def near_topics(hits: Sequence[Hit], most: int = MOST_TOPICS) -> list[str]:
    """At most `most` headings of the hits, best first, each once: breadcrumbs where a heading alone says too little.

    Those of pages that are published are links to them.
    """
    topics: dict[str, str] = {}
    for hit in hits:
        chunk = hit.chunk
        trail = written_trail(chunk.breadcrumb, str(chunk.metadata.get("lang") or ""), chunk.text)
        topic = trail or str(chunk.metadata.get("heading") or chunk.metadata.get("title") or "")
        if topic:
            parts = dict.fromkeys(topic.split(LEVEL))  # a page and its first heading are often called alike
            topics.setdefault(LEVEL.join(parts), chunk.url)
    return [_linked(topic, url) for topic, url in topics.items()][:most]


def _linked(topic: str, url: str) -> str:
    """The topic as a link where it has an address and a link may hold it: a number alone would be a citation's mark.

    >>> _linked("Lamp", "https://a.test/lamp#bulb"), _linked("Lamp", "/lamp"), _linked("404", "https://a.test/404")
    ('[Lamp](https://a.test/lamp#bulb)', 'Lamp', '404')
    """
    is_link = _ADDRESS.fullmatch(url) and not topic.isdigit() and "[" not in topic and "]" not in topic
    return f"[{topic}]({url})" if is_link else topic


def with_topics(opening: str, hits: Sequence[Hit], lead: str = TOPICS, most: int = MOST_TOPICS) -> str:
    """The sentence with the sections that come near below it."""
    topics = near_topics(hits, most)
    return f"{opening} {lead}\n\n" + "\n".join(f"- {topic}" for topic in topics) if topics else opening


def _listed(found: Sequence[str]) -> str:
    """
    >>> _listed(["xacro"]), _listed(["Zenoh", "QoS"])
    ('“xacro”', '“Zenoh” or “QoS”')
    """
    quoted = [f"“{word}”" for word in found]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
