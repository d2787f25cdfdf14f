"""FastAPI without what only the description of the API uses, for the start of functions.

FastAPI describes OpenAPI in 37 pydantic models, and builds a validator for what each route returns, which none of ours
is checked by: a sixth of a function's start. The models come when `bring_models` is called, validators at first use.
Only `functions.aws.starting` leaves them out: that rests on what FastAPI keeps to itself, and the layers of functions
hold the one version that it is tested with, where a server on somebody's machine has the FastAPI that is there.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter
from pydantic.warnings import UnsupportedFieldAttributeWarning

MODELS = "fastapi.openapi.models"
TELEMETRY = ("_logs", "metrics", "propagate", "propagators", "propagators.textmap", "trace")
"""Of OpenTelemetry, what FastAPI names where it would tell of requests: Quire's app has that turned off."""


class _Unbuilt:
    """Stands for each of the classes where FastAPI's own modules name them."""

    def __class_getitem__(cls, _: object) -> type[_Unbuilt]:
        return cls


def _unbuilt(name: str) -> type[_Unbuilt]:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Unbuilt


class _LateAdapter(TypeAdapter[Any]):  # type: ignore[misc]  # final to checkers alone
    """A validator that is built when it is first used."""

    @property
    def _defer_build(self) -> bool:
        return True

    def rebuild(self, **known: Any) -> bool | None:
        """Build it, without the warning that FastAPI keeps quiet about where it builds at once."""
        with warnings.catch_warnings(action="ignore", category=UnsupportedFieldAttributeWarning):
            return super().rebuild(**known)


def leave_models_out() -> None:
    """Import FastAPI so, unless somebody has imported it whole; call it before every other import of it."""
    if "fastapi" in sys.modules:
        return
    names = (MODELS, *(f"opentelemetry.{name}" for name in TELEMETRY))
    for name in names:
        stand_in = ModuleType(name)
        stand_in.__getattr__ = _unbuilt  # type: ignore[method-assign]
        sys.modules[name] = stand_in
    try:
        importlib.import_module("fastapi")
    finally:
        for name in names:
            del sys.modules[name]
    importlib.import_module("fastapi._compat.v2").TypeAdapter = _LateAdapter  # type: ignore[attr-defined]


def bring_models() -> None:
    """Import the models of OpenAPI, and have FastAPI use them from now on."""
    utils = importlib.import_module("fastapi.openapi.utils")
    utils.OpenAPI = importlib.import_module(MODELS).OpenAPI  # type: ignore[attr-defined]
