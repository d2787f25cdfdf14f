"""Opens the store, the search server and the answer model that settings name, of one vendor each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quire.errors import ConfigError

if TYPE_CHECKING:
    from quire.adapters.opensearch import OpenSearchServer
    from quire.ports import AnswerModel, ObjectStore
    from quire.settings import Settings


def open_objects(location: str) -> ObjectStore:
    """The objects of a folder or of `s3://bucket/prefix`, whose calls are bounded as a build wants them.

    Raises:
        ConfigError: it is neither.
    """
    scheme, separator, _ = location.partition("://")
    if not separator:
        from quire.adapters.folder import FolderStore

        return FolderStore(Path(location))
    if scheme != "s3":
        raise ConfigError(f"store: wanted a folder or s3://bucket/prefix, found {location!r}")
    from quire.adapters.s3 import open_s3_store  # boto3 costs 120 ms of CPU

    return open_s3_store(location)


def open_server(address: str, *, is_serving: bool) -> OpenSearchServer | None:
    """The search server at that address; None for "". Its calls are bounded for questions, else for loading builds.

    Raises:
        ConfigError: that is no address.
    """
    if not address:
        return None
    from quire.adapters.opensearch import open_opensearch  # few collections are searched so
    from quire.adapters.opensearch_wire import LOADING, SEARCHING

    return open_opensearch(address, SEARCHING if is_serving else LOADING)


def open_answer_model(settings: Settings) -> AnswerModel | None:
    """The model that `QUIRE_PROVIDER` or a key chooses; None where none does.

    Raises:
        ConfigError: the chosen provider's package is not installed.
    """
    if settings.provider == "gemini":
        from quire.adapters.gemini import open_gemini

        try:
            return open_gemini(settings.provider_key, settings.model, base_url=settings.provider_url)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"{settings.provider_chosen_by}: Gemini needs the package google-genai (pip install google-genai); "
                "QUIRE_PROVIDER=none answers with quotes"
            ) from error
    if settings.provider == "openai":
        from quire.adapters.openai import OPENAI_URL, OpenAIModel

        url = settings.provider_url or OPENAI_URL
        return OpenAIModel(settings.model, base_url=url, api_key=settings.provider_key)
    if settings.provider == "ollama":
        from quire.adapters.ollama import DEFAULT_ENDPOINT, OllamaModel

        return OllamaModel(settings.model, endpoint=settings.provider_url or DEFAULT_ENDPOINT)
    return None
