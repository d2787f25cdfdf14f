"""Profiles: what the build and the server of a collection must agree on."""

from __future__ import annotations

from typing import NamedTuple

from quire.errors import ConfigError


class Profile(NamedTuple):
    """How the chunks of a kind of collection are indexed and ranked.

    Attributes:
        name: the word in manifests and on the command line.
        face: the HTTP contract that its collections speak.
        filters: metadata fields that can be filtered by; each gets postings in the segment.
        vector_breadcrumb: whether the breadcrumb is embedded with the text.
        headline_weight: share of the headline's vector in each of a chunk's vectors.
        vector_weight: share of the vectors in the fusion for a question in prose.
        identifier_vector_weight: the same for a question that names identifiers.
        demotions: `(field, value, factor)`: a chunk whose metadata says so has its fused score multiplied; the field
            must be one of `filters`. A `role` that the question asks for is not demoted.
        place_demotions: the same, for questions that ask for a place in code.
        test_demotions: the same, for questions that ask for tests.
        per_document: hits of one document at most, before others had their turn, more of a long one; 0 means no cap.
        coherence: what a file's best chunk gains where its other chunks match as well as any file's do.
        file_name: what it gains where the question says the file's name.
        decay: what the score of each further chunk of a document is multiplied by.
        word_forms: whether other forms of a question's words are searched for: names of code say them so.
        method: `(field, value)`: what metadata says of chunks that do something, which how-to questions look for.
    """

    name: str
    face: str
    filters: tuple[str, ...]
    vector_breadcrumb: bool = True
    headline_weight: float = 0.25
    vector_weight: float = 0.6
    identifier_vector_weight: float = 0.3
    demotions: tuple[tuple[str, str | bool, float], ...] = ()
    place_demotions: tuple[tuple[str, str | bool, float], ...] = ()
    test_demotions: tuple[tuple[str, str | bool, float], ...] = ()
    per_document: int = 1
    coherence: float = 0.0
    file_name: float = 0.0
    decay: float = 1.0
    word_forms: bool = False
    method: tuple[str, str] = ("", "")


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "roblox",
            "roblox",
            tuple(
                "source class_name member_name member_type tags file_path deprecated internal undocumented".split()
            ),
            demotions=(
                ("internal", True, 0.4),
                ("undocumented", True, 0.5),
                ("deprecated", True, 0.7),
                ("member_type", "EnumItem", 0.9),
            ),
            method=("member_type", "Function"),
        ),
        Profile("textbook", "textbook", ("chapter", "chapter_dir", "section", "filename", "heading", "path")),
        Profile(
            "docs",
            "chatbot",
            ("chapter", "section", "heading", "filename", "path", "role"),
            demotions=(("role", "legacy", 0.7), ("role", "history", 0.7)),
        ),
        Profile(
            "code",
            "codebase",
            ("path", "lang", "symbol", "kind", "repository", "is_test", "role"),
            demotions=(
                ("is_test", True, 0.5),
                ("role", "example", 0.7),
                ("role", "history", 0.7),
                ("role", "interface", 0.6),
                ("role", "upkeep", 0.7),
            ),
            place_demotions=(("kind", "section", 0.6),),
            test_demotions=(("is_test", False, 0.5),),
            vector_breadcrumb=False,
            per_document=0,
            coherence=0.3,
            file_name=0.5,
            decay=0.8,
            word_forms=True,
        ),
        Profile("sites", "sites", ("site_id", "source", "document_id")),
    )
}


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        ConfigError: there is none; the message lists those there are.
    """
    if name not in PROFILES:
        raise ConfigError(f"profile: wanted one of {', '.join(sorted(PROFILES))}, found {name!r}")
    return PROFILES[name]
