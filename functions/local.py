"""Every function in one ASGI app: `QUIRE_STORE=DIR uvicorn functions.local:app --port 8000`."""

from __future__ import annotations

import logging
import os
import sys
import threading

from dotenv import dotenv_values

from functions.app.wiring import local_app, purge_of
from functions.web.hosts import listens_beyond
from functions.web.indexing import Indexer
from functions.web.logs import configure_logs
from functions.web.retention import Retention
from quire.errors import ConfigError
from quire.settings import adopt, read_settings
from quire.store.leftovers import sweep_all

WRONG = 2

adopt(dotenv_values(".env"))
try:
    _settings = read_settings()
    app = local_app(_settings)
    configure_logs(logging.INFO if _settings.log_requests else logging.WARNING)
    app.state.indexer = Indexer(_settings)
    threading.Thread(target=sweep_all, args=(_settings.cache, _settings.store), daemon=True).start()
    app.state.listens_beyond = listens_beyond(sys.argv, os.environ)
    if purge := purge_of(_settings.memory):
        Retention(purge).start()
except ConfigError as error:  # one line: a server that was set up wrong has nothing to trace
    sys.stderr.write(f"quire: {error}\n")
    sys.exit(WRONG)
