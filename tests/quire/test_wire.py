"""One server, kept connections, and what becomes of a request that is not answered."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from quire.errors import ConfigError, StoreUnavailable
from quire.patience import Patience
from quire.wire import Wire

PATIENCE = Patience(connect_s=2.0, silence_s=1.0, attempts=2, file_s=5.0)
WELL = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
CUT_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"
LAST = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\n\r\n"
BUSY = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\n\r\nbusy"
HANG_UP = b""


@dataclass
class Server:
    """Answers each request with the next of `script`, then `WELL`; hangs up after what is cut or empty.

    `connections` counts those that were made; `requests` are the heads that came.
    """

    script: list[bytes] = field(default_factory=list)
    connections: int = 0
    requests: list[str] = field(default_factory=list)
    url: str = ""
    open: list[socket.socket] = field(default_factory=list)

    def leave(self) -> None:
        """End every connection from this side."""
        for one in self.open:
            one.shutdown(socket.SHUT_RDWR)
        self.open.clear()
        time.sleep(0.05)


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            server.connections += 1
            server.open.append(self.connection)
            while head := self._head():
                server.requests.append(head)
                answer = server.script.pop(0) if server.script else WELL
                self.wfile.write(answer)
                if answer in {CUT, CUT_CHUNK, LAST, HANG_UP}:
                    return

        def _head(self) -> str:
            lines = []
            while (line := self.rfile.readline().decode().strip()) != "":
                lines.append(line)
            return "\n".join(lines)

    class Listener(ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def get_request(self) -> tuple[socket.socket, object]:
            connection, address = super().get_request()
            return (context.wrap_socket(connection, server_side=True) if context else connection), address

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that does not trust it, or has gone, is what some tests are about."""

    with Listener(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.02,))
        thread.start()
        server.url = f"{'https' if context else 'http'}://127.0.0.1:{listener.server_address[1]}"
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def ask(wire: Wire, path: str = "/x") -> tuple[int, bytes]:
    answer = wire.get(path, {"X-Said": "so"})
    return answer.status, answer.read(time.monotonic() + 5)


def test_a_connection_serves_many_requests(server: Server) -> None:
    wire = Wire(server.url, PATIENCE)
    server.script = [WELL, CHUNKED, UNCHANGED, WELL]
    assert [ask(wire) for _ in range(4)] == [(200, b"hello"), (200, b"hello"), (304, b""), (200, b"hello")]
    assert server.connections == 1
    assert server.requests[0].splitlines()[0] == "GET /x HTTP/1.1"
    assert "X-Said: so" in server.requests[0]


def test_a_connection_that_the_server_ends_is_not_used_again(server: Server) -> None:
    wire = Wire(server.url, PATIENCE)
    server.script = [LAST]
    assert [ask(wire), ask(wire)] == [(200, b"hello")] * 2
    assert server.connections == 2


def test_a_connection_that_died_while_nobody_looked_costs_no_attempt(server: Server) -> None:
    wire = Wire(server.url, Patience(attempts=1))
    ask(wire)
    server.leave()
    assert ask(wire) == (200, b"hello")
    server.script = [HANG_UP]  # seen only once the request was sent
    assert ask(wire) == (200, b"hello")
    assert server.connections == 3


def test_an_overloaded_server_is_asked_again(server: Server) -> None:
    server.script = [BUSY]
    assert ask(Wire(server.url, PATIENCE)) == (200, b"hello")
    server.script = [BUSY, BUSY]
    assert ask(Wire(server.url, PATIENCE)) == (503, b"busy"), "the last attempt's answer is the answer"
    assert server.script == []


def test_a_server_that_hangs_up_is_asked_as_often_as_patience_says(server: Server) -> None:
    server.script = [HANG_UP] * 5
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1"):
        ask(Wire(server.url, PATIENCE))
    assert len(server.script) == 5 - PATIENCE.attempts


@pytest.mark.parametrize("cut", [CUT, CUT_CHUNK])
def test_a_body_that_breaks_off_is_an_error_and_its_connection_is_dropped(server: Server, cut: bytes) -> None:
    wire = Wire(server.url, PATIENCE)
    server.script = [cut]
    with pytest.raises(StoreUnavailable):
        ask(wire)
    assert ask(wire) == (200, b"hello")
    assert server.connections == 2


def test_an_answer_that_nobody_read_is_in_no_later_ones_way(server: Server) -> None:
    wire = Wire(server.url, PATIENCE)
    wire.get("/x", {}).close()
    blocks = wire.get("/x", {}).blocks()
    next(blocks)
    blocks.close()  # type: ignore[attr-defined]
    assert ask(wire) == (200, b"hello")
    assert server.connections == 3


def test_silence_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        wire = Wire(f"http://127.0.0.1:{silent.getsockname()[1]}", Patience(silence_s=0.1, attempts=1))
        with pytest.raises(StoreUnavailable, match="timed out"):
            ask(wire)


def test_threads_share_a_wire(server: Server) -> None:
    wire = Wire(server.url, PATIENCE)
    found: list[tuple[int, bytes]] = []
    threads = [threading.Thread(target=lambda: found.extend(ask(wire) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(200, b"hello")] * 80
    assert server.connections <= 4


@pytest.mark.parametrize("address", ["", "host", "ftp://host", "https://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="http://HOST or https://HOST"):
        Wire(address, PATIENCE)


# ---- who the server is --------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> Callable[[str], tuple[Path, ssl.SSLContext]]:
    """Makes a certificate for an address: the file that a client trusts it by, and the server's side of it."""

    def made(address: str) -> tuple[Path, ssl.SSLContext]:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "harbour")])
        now = dt.datetime.now(dt.UTC)
        signed = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False
            )
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        plain = serialization.NoEncryption()
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        authority, both = tmp_path / f"{address}.pem", tmp_path / f"{address}.both"
        authority.write_bytes(signed.public_bytes(pem))
        both.write_bytes(key.private_bytes(pem, form, plain) + signed.public_bytes(pem))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(both)
        return authority, context

    return made


def test_a_server_with_a_trusted_certificate_is_asked(
    certificate: Callable[[str], tuple[Path, ssl.SSLContext]],
) -> None:
    authority, context = certificate("127.0.0.1")
    with serving(context) as server:
        wire = Wire(server.url, PATIENCE, authorities=str(authority))
        assert [ask(wire), ask(wire)] == [(200, b"hello")] * 2
        assert server.connections == 1


def test_a_server_that_is_not_who_it_should_be_gets_no_request(
    certificate: Callable[[str], tuple[Path, ssl.SSLContext]],
) -> None:
    authority, context = certificate("127.0.0.2")
    with serving(context) as server:
        for trusted in (str(authority), None):  # another host's certificate; one that nobody vouches for
            with pytest.raises(StoreUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
                ask(Wire(server.url, Patience(attempts=1), authorities=trusted))
        assert server.requests == []
