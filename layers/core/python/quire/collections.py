"""Reads `collections.toml`, the one file that a maintainer edits. Standard library only: infra reads it too."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.errors import ConfigError
from quire.settings import check_rewrite

NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
NAME_WANTED = "a letter a to z, then up to 62 of a to z, 0 to 9, '_' and '-'"
ENGINES = ("quire", "opensearch")
VECTOR_INDEXES = ("auto", "usearch", "cells", "exact")
OPTIONS = """
    base_url engine engine_version exclude gate_margin max_shrink origins patterns quarantine questions
    questions_budget_tokens questions_parallel questions_price rewrite site vector_index
""".split()
"""Those of `options` that Quire reads; a source of one's own may have others."""
ALIKE = 0.8
"""Share of letters that a mistyped option has of the one that is meant; `base`, `size` and `version` have less."""
RESERVED = frozenset(
    "query answer collections health status reference openapi.json mcp v1 verify llms.txt widget.js assets".split()
)


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection as its maintainer describes it.

    Attributes:
        name: lower-case letters, digits, `_` and `-`; its face is mounted at `/{name}`.
        profile: a key of `quire.profiles.PROFILES`.
        sources: `(key, path or URL)` pairs, in order; a key may come more than once.
        title: how answers name it ("This topic is not covered in the TITLE").
        golden: path of its golden questions; "" where it has none.
        public: whether a cloud deployment may serve it without a key.
        public_answers: whether a model may write answers for those who bring no key; else they are given quotations.
        schedule: cron of its rebuild; "" means never.
        options: profile-specific settings, such as `engine_version`, `site` with `base_url`, or `exclude`; and
            `rewrite`, see `quire.settings.Settings`. `vector_index` is one of VECTOR_INDEXES: what
            `quire.index.writer` chooses by the number of vectors (`auto`), or always the one that is named. `engine` is
            one of ENGINES: who searches its builds.
    """

    name: str
    profile: str
    sources: tuple[tuple[str, str], ...] = ()
    title: str = ""
    golden: str = ""
    public: bool = False
    public_answers: bool = False
    schedule: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def server_in(options: Mapping[str, Any]) -> str:
    """The name of the server that searches the builds of a collection with these options; "" where none does.

    >>> server_in({"engine": "opensearch"}), server_in({"engine": "quire"}), server_in({})
    ('opensearch', '', '')
    """
    engine = str(options.get("engine", ENGINES[0]))
    return "" if engine == ENGINES[0] else engine


def check_name(name: str) -> str:
    """Return `name` if a collection may be called so.

    Raises:
        ConfigError: it is reserved or has other characters.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(f"collection {name!r}: wanted {NAME_WANTED}")
    if name in RESERVED:
        raise ConfigError(f"collection {name!r}: the name is reserved for a route, choose another")
    return name


def read_collections(path: Path) -> dict[str, Collection]:
    """Read every collection of the file, in its order.

    Raises:
        ConfigError: the file is not valid TOML, a name is reserved, or a field has the wrong type.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; a collection needs a table there or --profile") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return {name: _collection(name, table, path) for name, table in tables.items()}


def _collection(name: str, table: object, path: Path) -> Collection:
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: wanted a table [{name}], found {table!r}")
    known = {
        "profile": str,
        "title": str,
        "golden": str,
        "public": bool,
        "public_answers": bool,
        "schedule": str,
        "source": dict,
        "options": dict,
    }
    for key, value in table.items():
        if key not in known:
            raise ConfigError(f"{path}: [{name}] {key}: unknown; wanted one of {', '.join(known)}")
        if not isinstance(value, known[key]):
            raise ConfigError(f"{path}: [{name}] {key}: wanted {known[key].__name__}, found {value!r}")
    if "profile" not in table:
        raise ConfigError(f"{path}: [{name}] needs a profile")
    if table.get("public_answers") and not table.get("public"):
        raise ConfigError(f"{path}: [{name}] public_answers: wanted public = true with it")
    _check_options(table.get("options", {}), f"{path}: [{name}]")
    plain = {key: value for key, value in table.items() if key != "source"}
    return Collection(name=check_name(name), sources=_sources(table.get("source", {})), **plain)


def _check_options(options: Mapping[str, Any], where: str) -> None:
    for option in options.keys() - {*OPTIONS}:
        from difflib import get_close_matches  # what nobody else should pay for

        if near := get_close_matches(option, OPTIONS, 1, ALIKE):
            raise ConfigError(f"{where} options.{option}: is no option and does nothing: is {near[0]} meant?")
    for option, known in (("vector_index", VECTOR_INDEXES), ("engine", ENGINES)):
        value = options.get(option, known[0])
        if value not in known:
            raise ConfigError(f"{where} options.{option}: wanted {', '.join(known)}, found {value!r}")
    check_rewrite(options.get("rewrite", "off"), f"{where} options.rewrite")


def _sources(table: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        pairs.extend((key, str(one)) for one in (value if isinstance(value, list) else [value]))
    return tuple(pairs)
