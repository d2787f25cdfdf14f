"""Settings: everything the environment may say, read once."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from quire.errors import ConfigError
from quire.limits import BODY_BYTES

LOCAL_ROOT = ".quire"
STALE_AFTER_DAYS = 30.0
IN_FILES = re.compile(
    r"""(QUIRE|RAG|LLM|GEMINI|OPENAI|OLLAMA)_\w+  # ours, and of models
    |   AWS_(  # who asks, and where; not AWS_CONFIG_FILE, which names programs to run
            ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|REGION|DEFAULT_REGION|PROFILE|ENDPOINT_URL
        )""",
    re.VERBOSE,
)
"""What a `.env` may say. It may be a stranger's, with the folder that is to be indexed: another variable, such as
LD_PRELOAD, would have its programs run."""
_NAMES = frozenset(
    """
    STORE CACHE CACHE_MB COLLECTIONS REFRESH_S API_KEY API_KEYS_BEFORE THREADS MAX_BODY_BYTES BASE_PATH MEMORY ACCESS
    STALE_AFTER_DAYS PROVIDER ANSWER_S REWRITE MODEL OPENAI_BASE_URL GEMINI_BASE_URL HOSTS MODEL_SECRET
    PUBLIC_TOKENS_PER_DAY PRINT_ANSWERS LOG_REQUESTS CODE_ROOT MODEL_SOURCE MODEL_FOLDERS ENV_FILE OPENSEARCH_URL
    """.split()
)
"""What follows `QUIRE_` in the names of settings that a person writes."""
_ALIKE = 0.8
_LOG = logging.getLogger(__name__)
NO_ENV_FILES = "PYTHON_DOTENV_DISABLED"
"""The variable by which no further file is read. Source: python-dotenv 1.2."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Frozen settings of one process.

    Attributes:
        store: a folder, or `s3://bucket/prefix`.
        cache: folder for vectors, exported models and downloaded sources.
        cache_mb: what may lie in that folder where it is this process's own, as a function's /tmp is: what is not open
            goes before something new is fetched. 0 removes nothing.
        models: folder of embedding models that a deployment brings along, by digest; others come from the store.
        collections_file: path of `collections.toml`; an empty file describes none.
        refresh_s: a serving process looks at the pointer at most this often, in seconds.
        api_key: when set, all but `/health` needs it.
        api_keys_before: keys that it was before, which still count while callers move on.
        threads: threads of one embedding session.
        max_body_bytes: larger request bodies are answered 413.
        base_path: path that a custom domain puts before every route, such as `/v1`.
        memory: where chat messages are kept: a file, or `dynamodb://TABLE`.
        stale_after_days: answers of a version older than this say so; 0 never.
        provider: who writes answers: `none` (quotes alone), `gemini`, `openai` or `ollama`.
        provider_chosen_by: the variable that chose it; "" where none did.
        answer_s: seconds that an answer may take with its model; 0 leaves it to the face: 2.8 for `textbook`, whose
            specification promises 3, else 25.
        rewrite: whether the model writes terms for a question that its own words find little for: `off`, `gated` or
            `always`; `gated` by default where a provider hosts the model.
        model: the provider's model; "" for its default.
        provider_key, provider_url: its key, and its address where it is not the usual one.
        opensearch: address of the OpenSearch server that holds builds of collections which say so; "" for none.
        hosts: names beside `localhost` and addresses by which a server without a key may be called; `*` for any.
        model_secret: name of the secret that holds the provider's settings instead; "" for none.
        public_tokens_per_day: what callers without a key may spend of each collection whose answers are public.
        print_answers: whether answers go to the terminal too.
        log_requests: whether a local server writes a line for each request; a function always does.
        access: keys with scopes, see `quire.service.access_file`: a file, or `store:NAME` for an
            object of the store; "" for no
            more than `api_key`.
    """

    store: str = f"{LOCAL_ROOT}/store"
    cache: Path = Path(LOCAL_ROOT) / "cache"
    cache_mb: float = 0.0
    models: Path | None = None
    collections_file: Path = Path("collections.toml")
    refresh_s: float = 1.0
    api_key: str | None = None
    api_keys_before: tuple[str, ...] = ()
    threads: int = 1
    max_body_bytes: int = BODY_BYTES
    base_path: str = ""
    memory: str = f"{LOCAL_ROOT}/memory.sqlite"
    stale_after_days: float = STALE_AFTER_DAYS
    access: str = ""
    provider: str = "none"
    provider_chosen_by: str = ""
    answer_s: float = 0.0
    rewrite: str = "off"
    model: str = ""
    provider_key: str = ""
    provider_url: str = ""
    model_secret: str = ""
    public_tokens_per_day: int = 200_000
    print_answers: bool = False
    log_requests: bool = False
    hosts: tuple[str, ...] = ()
    opensearch: str = ""


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from `environ`, by default the process's.

    RAG_INDEX_DIR and RAG_API_KEY, the names of the code-knowledge specification, count where Quire's are not set. A
    name that is nearly a setting's is logged: `QUIRE_APIKEY` would leave a server open that is meant to be locked.

    Raises:
        ConfigError: a variable does not hold what it must; the message names it.
    """
    env = os.environ if environ is None else environ
    for name, meant in misspelled(env).items():
        _warn(f"{name} is no setting and does nothing: is {meant} meant?")
    default = Settings()
    return Settings(
        store=env.get("QUIRE_STORE") or env.get("RAG_INDEX_DIR") or default.store,
        cache=Path(env.get("QUIRE_CACHE") or default.cache),
        cache_mb=_number(env, "QUIRE_CACHE_MB", default.cache_mb),
        models=Path(env["QUIRE_MODEL_FOLDERS"]) if env.get("QUIRE_MODEL_FOLDERS") else default.models,
        collections_file=_collections_file(env) or default.collections_file,
        refresh_s=_number(env, "QUIRE_REFRESH_S", 10.0 if "AWS_LAMBDA_FUNCTION_NAME" in env else 1.0),
        api_key=env.get("QUIRE_API_KEY") or env.get("RAG_API_KEY") or None,
        api_keys_before=tuple(one for one in env.get("QUIRE_API_KEYS_BEFORE", "").split(",") if one),
        threads=int(_number(env, "QUIRE_THREADS", default.threads)),
        max_body_bytes=int(_number(env, "QUIRE_MAX_BODY_BYTES", default.max_body_bytes)),
        base_path=env.get("QUIRE_BASE_PATH", default.base_path),
        memory=env.get("QUIRE_MEMORY") or default.memory,
        stale_after_days=_number(env, "QUIRE_STALE_AFTER_DAYS", default.stale_after_days),
        access=env.get("QUIRE_ACCESS", default.access),
        answer_s=_number(env, "QUIRE_ANSWER_S", default.answer_s),
        model=env.get("QUIRE_MODEL") or env.get("LLM_MODEL") or default.model,
        hosts=tuple(filter(None, map(str.strip, env.get("QUIRE_HOSTS", "").split(",")))),
        opensearch=env.get("QUIRE_OPENSEARCH_URL", default.opensearch),
        model_secret=env.get("QUIRE_MODEL_SECRET", default.model_secret),
        public_tokens_per_day=int(_number(env, "QUIRE_PUBLIC_TOKENS_PER_DAY", default.public_tokens_per_day)),
        print_answers=env.get("QUIRE_PRINT_ANSWERS", "") not in ("", "0"),
        log_requests=env.get("QUIRE_LOG_REQUESTS", "") not in ("", "0"),
        **_with_rewrite(env, _provider(env)),
    )


def misspelled(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that are nearly settings, and the settings that are likely meant.

    >>> misspelled(dict(QUIRE_APIKEY="k", QUIRE_STORE="s", QUIRE_OF_SOMEBODY_ELSE=""))
    {'QUIRE_APIKEY': 'QUIRE_API_KEY'}
    """
    unknown = sorted(name for name in environ if name.startswith("QUIRE_") and name[6:] not in _NAMES)
    if not unknown:
        return {}
    from difflib import get_close_matches  # what nobody else should pay for

    near = ((name, get_close_matches(name[6:], _NAMES, 1, _ALIKE)) for name in unknown)
    return {name: f"QUIRE_{found[0]}" for name, found in near if found}


@cache
def _warn(message: str) -> None:
    """Once a process: settings are read by each part of it."""
    _LOG.warning(message)


def adopt(lines: Mapping[str, str | None]) -> None:
    """Let settings that stand in a file count where the shell exports nothing, and no other variables of it."""
    if os.environ.get(NO_ENV_FILES, "0") in ("", "0"):
        for name, value in lines.items():
            if value is not None and IN_FILES.fullmatch(name):
                os.environ.setdefault(name, value)


def _with_rewrite(env: Mapping[str, str], provider: dict[str, str]) -> dict[str, str]:
    """A hosted model writes terms unless told otherwise; a small one of one's own does more harm than good."""
    is_hosted = provider["provider"] in KEYS and not provider["provider_url"]
    in_secret = bool(env.get("QUIRE_MODEL_SECRET"))  # which holds a key, and so a hosted model's settings
    chosen = env.get("QUIRE_REWRITE") or ("gated" if is_hosted or in_secret else "off")
    return {**provider, "rewrite": check_rewrite(chosen, "QUIRE_REWRITE")}


REWRITES = ("off", "gated", "always")


def check_rewrite(value: object, what: str) -> str:
    """Return the value if it is one of `REWRITES`.

    Raises:
        ConfigError: it is not; `what` names the setting.
    """
    if value not in REWRITES:
        raise ConfigError(f"{what}: wanted {', '.join(REWRITES)}, found {value!r}")
    return str(value)


KEYS = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
URLS = {"openai": "QUIRE_OPENAI_BASE_URL", "ollama": "OLLAMA_ENDPOINT", "gemini": "QUIRE_GEMINI_BASE_URL"}


def _provider(env: Mapping[str, str]) -> dict[str, str]:
    """The provider with its key and address. An OpenAI-compatible server of one's own may need no key."""
    chosen_by = next((one for one in ("QUIRE_PROVIDER", "RAG_LLM_PROVIDER") if env.get(one)), "")
    name = env[chosen_by] if chosen_by else "none"
    if not chosen_by and env.get(KEYS["gemini"]):  # nobody sets this key for nothing
        name, chosen_by = "gemini", KEYS["gemini"]
    if name not in ("none", "gemini", "openai", "ollama"):
        raise ConfigError(f"QUIRE_PROVIDER: wanted none, gemini, openai or ollama, found {name!r}")
    url = env.get(URLS.get(name, ""), "")
    key = env.get(KEYS.get(name, ""), "")
    if name in KEYS and not key and not (name == "openai" and url):
        raise ConfigError(f"Required environment variable {KEYS[name]} not set.")
    return {"provider": name, "provider_chosen_by": chosen_by, "provider_key": key, "provider_url": url}


def _collections_file(env: Mapping[str, str]) -> Path | None:
    """The file that was named, which must be there; without a name `collections.toml` is read where there is one."""
    name = env.get("QUIRE_COLLECTIONS")
    if not name:
        return None
    path = Path(name)
    if not path.exists() or path.is_dir():
        found = "a folder" if path.is_dir() else "nothing there"
        raise ConfigError(
            f"QUIRE_COLLECTIONS: wanted a file, found {found}: {name}; an empty file describes no collections, and "
            "without the variable collections.toml of the working folder counts where there is one"
        )
    return path


def _number(env: Mapping[str, str], name: str, default: float) -> float:
    text = env.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise ConfigError(f"{name}: wanted a number, found {text!r}") from None
    if value < 0:
        raise ConfigError(f"{name}: wanted 0 or more, found {text!r}")
    return value
