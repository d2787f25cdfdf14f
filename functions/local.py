"""Every function in one ASGI app: `QUIRE_STORE=DIR uvicorn functions.local:app --port 8000`."""

from __future__ import annotations

from functions.web.wiring import local_app
from quire.settings import read_settings

app = local_app(read_settings())
