"""moto's server, one request at a time: `python -m tests.support.moto_in_turn PORT`.

AWS's conditional writes and transactions are atomic. moto's look first and write then, so that of two requests side by
side both may win, and a refused transaction puts back tables that another has written meanwhile.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple


def in_turn(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The application, never entered twice at once."""
    guard = threading.Lock()

    def one(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with guard:
            return app(environ, start_response)

    return one


if __name__ == "__main__":
    whole = in_turn(DomainDispatcherApplication(create_backend_app))
    run_simple("127.0.0.1", int(sys.argv[1]), whole, threaded=True, request_handler=MotoRequestHandler)
