"""What the specification's `.env` says to this face; Quire's own names go first, see `.env.example`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from quire.errors import ConfigError
from quire.settings import Settings

EMBEDDING_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WINDOW_CHARACTERS, WINDOW_OVERLAP = 800, 120
REDACTED = "********"
SECRETS = ("RAG_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
FIXED = {
    "RAG_EMBEDDING_MODEL": EMBEDDING_MODEL,
    "RAG_VECTOR_STORE": "quire",
    "RAG_CHUNK_SIZE": WINDOW_CHARACTERS,
    "RAG_CHUNK_OVERLAP": WINDOW_OVERLAP,
}
"""What this program does not let one choose; `/config` says which settings it therefore does not heed."""


@dataclass(frozen=True, slots=True)
class CodeSettings:
    """Frozen settings of the face.

    Attributes:
        root: only folders inside of it can be indexed.
        top_k: matches where a request names no number.
        patterns: globs of the files to take, where a request has none; empty takes every known kind.
        exclude: globs to leave out, on top of a request's.
    """

    root: Path = Path()
    top_k: int = 8
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def read_code_settings(environ: Mapping[str, str] | None = None) -> CodeSettings:
    """Read the face's settings from `environ`, by default the process's.

    Raises:
        ConfigError: RAG_TOP_K is no number from 1.
    """
    env = os.environ if environ is None else environ
    top_k = env.get("RAG_TOP_K") or "8"
    if not top_k.isdecimal() or not 1 <= int(top_k) <= 50:
        raise ConfigError(f"RAG_TOP_K: wanted a number from 1 to 50, found {top_k!r}")
    return CodeSettings(
        root=Path(env.get("QUIRE_CODE_ROOT") or env.get("RAG_DATA_DIR") or "."),
        top_k=int(top_k),
        patterns=tuple(f"*{kind}" for kind in _listed(env, "RAG_ALLOWED_FILETYPES")),
        exclude=_listed(env, "RAG_EXCLUDE_GLOBS"),
    )


def effective(settings: Settings, code: CodeSettings) -> dict[str, Any]:
    """What holds now, under the specification's names; secrets are shown as set or not set."""
    env = os.environ
    shown: dict[str, Any] = {
        "RAG_DATA_DIR": str(code.root),
        "RAG_INDEX_DIR": _without_user(settings.store),
        "RAG_ALLOWED_FILETYPES": [pattern.removeprefix("*") for pattern in code.patterns],
        "RAG_EXCLUDE_GLOBS": list(code.exclude),
        **FIXED,
        "RAG_TOP_K": code.top_k,
        "RAG_LLM_PROVIDER": settings.provider or "none",
        "LLM_MODEL": settings.model or None,
        "OLLAMA_ENDPOINT": _without_user(env.get("OLLAMA_ENDPOINT", "")) or None,
    }
    secrets = {name: REDACTED if env.get(name) else None for name in SECRETS}
    secrets["RAG_API_KEY"] = REDACTED if settings.api_key else None
    shown |= secrets
    shown["not_heeded"] = [name for name, value in FIXED.items() if env.get(name, str(value)) != str(value)]
    return shown


def _listed(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in env.get(name, "").split(",") if part.strip())


def _without_user(address: str) -> str:
    """An address without the name and password that it may carry."""
    parts = urlsplit(address)
    if "@" not in parts.netloc:
        return address
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
