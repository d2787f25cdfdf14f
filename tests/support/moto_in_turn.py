"""moto's server, one request at a time: `python -m tests.support.moto_in_turn PORT`.

AWS's conditional writes and transactions are atomic. moto's look first and write then, so that of two requests side by
side both may win, and a refused transaction puts back tables that another has written meanwhile.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple


class Dispatcher(DomainDispatcherApplication):
    """moto's, which looks for the service of a host in some 200 folders at each request."""

    @cache  # noqa: B019  # there is one
    def get_backend_for_host(self, host: str | None) -> Any:
        return super().get_backend_for_host(host)


def in_turn(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The application, never entered twice at once."""
    guard = threading.Lock()

    def one(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with guard:
            return app(environ, start_response)

    return one


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # nobody reads a line for each request
    whole = in_turn(Dispatcher(create_backend_app))
    run_simple("127.0.0.1", int(sys.argv[1]), whole, threaded=True, request_handler=MotoRequestHandler)
