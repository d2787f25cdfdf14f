"""A secret that cannot be read at start: quotations answer and say why, until it is back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from functions.app.models import RETRY_S, LateModel
from functions.app.wiring import _model_of
from quire.errors import ConfigError, StoreUnavailable
from quire.ports import AnswerModel
from quire.settings import read_settings
from tests.support.aws import use_endpoint
from tests.support.pace import is_within
from tests.support.served import Shelf
from tests.support.shelves import Scripted
from tests.support.silence import SilentServer

QUESTION = {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}


class Secret:
    """What opens the model: fails with `failure` while that is set."""

    def __init__(self, failure: Exception | None = None, model: AnswerModel | None = None) -> None:
        self.failure, self.model, self.reads = failure, model, 0
        self.now = 0.0

    def __call__(self) -> AnswerModel | None:
        self.reads += 1
        if self.failure:
            raise self.failure
        return self.model

    def late(self) -> LateModel:
        return LateModel(self, clock=lambda: self.now)


def test_a_silent_secret_service_is_waited_for_seconds_and_not_for_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with SilentServer() as silent:
        use_endpoint(monkeypatch, silent.url)
        monkeypatch.setenv("QUIRE_MODEL_SECRET", "arn:model")
        began = time.monotonic()
        model = _model_of(read_settings())()
        assert is_within(time.monotonic() - began, 5)  # 2 s without a byte, on a machine that is busy
    assert model is not None
    assert model.name == "unknown"


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (StoreUnavailable("secret s: timed out"), "answer model unavailable"),
        (StoreUnavailable("secret s: AccessDeniedException: KMS"), "answer model unavailable"),
        (ConfigError("secret s: wanted JSON"), "answer model is not set up right"),
    ],
)
def test_quotations_answer_until_the_secret_is_back(tmp_path: Path, failure: Exception, reason: str) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    secret = Secret(failure)
    client = shelf.client(model_of=secret.late())
    began = time.monotonic()
    said = client.post("/answer", json=QUESTION).json()
    assert time.monotonic() - began < RETRY_S  # the question does not wait for the next look
    assert said["model_used"] == "extractive"
    assert said["degraded"] == [f"{reason} (unknown): quoted from the sources instead"]
    secret.failure, secret.model = None, Scripted(["Humanoid.Died fires [1]."])
    secret.now = RETRY_S
    assert client.post("/answer", json=QUESTION).json()["model_used"] == "scripted"


def test_a_secret_is_asked_for_again_now_and_then_and_never_once_it_is_known() -> None:
    secret = Secret(StoreUnavailable("away"))
    late = secret.late()
    for secret.now in (0.0, 1.0, RETRY_S, RETRY_S + 1):
        late()
    assert secret.reads == 2
    secret.failure = None
    for secret.now in (2 * RETRY_S, 10 * RETRY_S):
        assert late() is None
    assert secret.reads == 3
