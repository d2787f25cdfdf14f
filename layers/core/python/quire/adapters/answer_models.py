"""Opens the answer model that the settings choose; only the chosen provider's library is imported."""

from __future__ import annotations

from quire.errors import ConfigError
from quire.ports import AnswerModel
from quire.settings import Settings


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
