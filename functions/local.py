"""Every function in one ASGI app: `QUIRE_STORE=DIR uvicorn functions.local:app --port 8000`."""

from __future__ import annotations

from functions.web.indexing import Indexer
from functions.web.wiring import local_app
from quire.settings import read_settings

_settings = read_settings()
app = local_app(_settings)
app.state.indexer = Indexer(_settings)
