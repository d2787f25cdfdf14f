"""Imports FastAPI without what only the description of the API uses; stands before every other import of it."""

from pydantic import BaseModel

# FastAPI describes OpenAPI in 37 models that only `/openapi.json` uses. Left unbuilt until something does, they spare
# every start 50 ms of CPU; models that are defined after this are built at once, as ever.
BaseModel.model_config["defer_build"] = True
try:
    import fastapi.openapi.models  # noqa: F401
finally:
    del BaseModel.model_config["defer_build"]
