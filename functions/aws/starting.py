"""Imported first by the handlers of functions: what a start leaves for later, a tenth of its CPU, or has done before.

What is imported stays, so collecting garbage meanwhile finds nothing; pydantic builds a model when it is first used;
what the libraries compile lies compiled in the archive.
"""

from __future__ import annotations

import gc

from functions.aws.precompiled import take_precompiled

gc.disable()
take_precompiled()

from pydantic import BaseModel  # noqa: E402  nothing before may import what compiles

BaseModel.model_config["defer_build"] = True

from functions.app.deferred_models import leave_models_out  # noqa: E402  nothing before may import FastAPI

leave_models_out()


def end_start() -> None:
    """Everything is imported: collect garbage again, but never look at what is there now."""
    BaseModel.model_config.pop("defer_build", None)
    gc.freeze()
    gc.enable()
