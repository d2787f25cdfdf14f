"""What to build, and what to build it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.collections import server_in
from quire.ports import AnswerModel, Embedder
from quire.profiles import Profile

Announce = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What to build, as the command line and `collections.toml` together say it.

    Attributes:
        name: the collection.
        sources: `(key, location)` pairs; a location is a path, a git URL or a release URL, `@revision` behind it.
        announce: told of each document with how many chunks it gave.
        tell: told, often, how far the build is, in words for who waits for it.
        options: `engine_version`, `base_url`, `exclude`, ... as the profile's sources understand them.
    """

    name: str
    profile: Profile
    sources: tuple[tuple[str, str], ...]
    title: str = ""
    golden: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    announce: Announce = lambda _document, _chunks: None
    tell: Callable[[str], object] = lambda _progress: None

    @property
    def vector_index(self) -> str:
        """What makes search approximate, one of `quire.collections.VECTOR_INDEXES`."""
        return str(self.options.get("vector_index", "auto"))

    @property
    def server(self) -> str:
        """The name of the server that searches what is built; "" where it is searched in place."""
        return server_in(self.options)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a build works with: an embedding model in its folder, and a cache folder.

    Where vectors are published as they are made, `slice_s` seconds lie between two slices; more where that takes long.
    `answer_model` opens what writes the questions of `options.questions`; None where no model is chosen.
    """

    embedder: Embedder
    model_folder: Path
    cache: Path
    slice_s: float = 10.0
    answer_model: Callable[[], AnswerModel | None] = lambda: None
