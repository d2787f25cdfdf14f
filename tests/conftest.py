"""What every test starts from: no settings of this machine, no credentials, no network names, and steady properties."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("quire", deadline=None, max_examples=100)
settings.register_profile("soak", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quire"))

pytest_plugins = (
    "tests.support.model",
    "tests.support.layers",
    "tests.support.rig",
    "tests.support.deployment",
    "tests.support.aws",
)

KEPT = frozenset({"QUIRE_SHARED", "QUIRE_TEST_CACHE", "QUIRE_TEST_GGUF"})
CLEARED = ("QUIRE_", "RAG_", "AWS_", "GEMINI_", "GOOGLE_", "OPENAI_", "OLLAMA_")


@pytest.fixture(autouse=True)
def _neutral_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests say what they need: nothing leaks in from the shell that runs them."""
    for name in list(os.environ):
        if name.startswith(CLEARED) and name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
