"""AWS Lambda's Invoke for one function, answered by a Python function of this process, with the faults asked for.

boto3 finds it by AWS_ENDPOINT_URL_LAMBDA. A fault is what Lambda tells its caller: `throttle` never reaches the
function, `crash` and `refusal` are errors of it, `timeout` answers while the work goes on, `duplicate` does it twice.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]
ERRORS = {"crash": "Runtime.ExitError", "timeout": "Sandbox.Timedout"}


class LambdaFront:
    """The function behind Invoke.

    Attributes:
        faults: what happens to the next calls for an item, by its `inputs`; none where the list is empty.
        calls: how often each item was asked for, throttled calls included.
        late: work that goes on though its caller was told that time is up.
    """

    def __init__(self, work: Callable[[Event], Any]) -> None:
        self.work = work
        self.faults: dict[str, list[str]] = {}
        self.calls = Counter[str]()
        self.late: list[threading.Thread] = []
        self._guard = threading.Lock()

    def answer(self, event: Event) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON of Lambda's answer."""
        with self._guard:
            self.calls[event["inputs"]] += 1
            waiting = self.faults.get(event["inputs"], [])
            fault = waiting.pop(0) if waiting else ""
        if fault == "throttle":
            return 429, {"x-amzn-ErrorType": "TooManyRequestsException"}, {"message": "Rate Exceeded."}
        if fault == "timeout":
            self.late.append(threading.Thread(target=self.work, args=(event,)))
            self.late[-1].start()
        if fault in ERRORS:
            return _failed(ERRORS[fault], fault)
        try:
            if fault == "duplicate":
                self.work(event)
            return 200, {}, self.work(event)
        except Exception as error:  # noqa: BLE001 - as Lambda does
            return _failed(type(error).__name__, str(error))


def _failed(kind: str, message: str) -> tuple[int, dict[str, str], Any]:
    return 200, {"X-Amz-Function-Error": "Unhandled"}, {"errorType": kind, "errorMessage": message}


@contextmanager
def served_function(front: LambdaFront) -> Iterator[str]:
    """The front at a URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, value = front.answer(event)
            data = json.dumps(value).encode()
            self.send_response(status)
            sent = {"x-amzn-RequestId": str(uuid.uuid4()), **headers, "Content-Length": str(len(data))}
            for name, text in sent.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing: the tests' output is theirs."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
