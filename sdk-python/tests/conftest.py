"""What tests need: a real server, which test/sdk-python starts, and peers of this machine's own."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import httpx
import pytest

from postern_sdk import AsyncPostern, Postern

PATIENCE = 90
T = TypeVar("T")


@dataclass(frozen=True)
class Server:
    """A server that runs, and who may call it."""

    url: str
    issuer: str
    """What it calls itself."""
    key: str
    token: str
    platform_key: str
    operator_token: str
    email: str
    password: str
    organization_id: str
    login_file: str


@pytest.fixture(scope="session")
def server() -> Server:
    given = os.environ.get("POSTERN_TEST_SERVER")
    if given is None:
        pytest.skip("no server: npm run test:sdk:python starts one")
    return Server(**json.loads(given))


@pytest.fixture
def postern(server: Server) -> Iterator[Postern]:
    with Postern(server.url, api_key=server.key) as client:
        yield client


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: Any) -> str:
    return str(request.param)


@pytest.fixture
async def async_postern(server: Server, anyio_backend: str) -> Any:
    async with AsyncPostern(server.url, api_key=server.key) as client:
        yield client


def until(what: str, ask: Callable[[], T], is_so: Callable[[T], bool]) -> T:
    """The answer of a question, once it meets the condition."""
    ends = time.monotonic() + PATIENCE
    while not is_so(answer := ask()):
        assert time.monotonic() < ends, f"waited for {what}: {answer!r}"
        time.sleep(0.02)
    return answer


@dataclass
class Peer:
    """An HTTP server of a test, and the calls that it got."""

    url: str
    calls: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, count: int) -> list[tuple[str, str, dict[str, str], bytes]]:
        """The calls, once there are so many."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.calls) >= count, PATIENCE), f"{count} calls"
            return list(self.calls)


Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Peer]]:
    """Starts servers that answer as a test says; they end with the test."""
    started: list[ThreadingHTTPServer] = []

    def start(answer: Answer) -> Peer:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with peer.changed:
                    peer.calls.append((self.command, self.path, headers, body))
                    peer.changed.notify_all()
                answer(self, body)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        httpd.daemon_threads = True
        peer = Peer(f"http://127.0.0.1:{httpd.server_address[1]}")
        threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        started.append(httpd)
        return peer

    yield start
    for httpd in started:
        httpd.shutdown()
        httpd.server_close()


def say(handler: BaseHTTPRequestHandler, status: int, body: Any = None, headers: dict[str, str] | None = None) -> None:
    """Answers a call with JSON, or with bytes as they are."""
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"content-type": "application/json", **(headers or {})}.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


def pass_on(handler: BaseHTTPRequestHandler, url: str, body: bytes) -> httpx.Response:
    """Asks the real server what a client asked a proxy."""
    headers = {
        name: value
        for name, value in handler.headers.items()
        if name.lower() not in ("host", "connection", "accept-encoding", "content-length")
    }
    with httpx.Client(timeout=PATIENCE) as client:
        return client.request(handler.command, url + handler.path, headers=headers, content=body)


def repeat(handler: BaseHTTPRequestHandler, answer: httpx.Response) -> None:
    """Gives a client what the real server answered."""
    names = ("content-type", "x-request-id", "retry-after", "location")
    headers = {name: answer.headers[name] for name in names if name in answer.headers}
    say(handler, answer.status_code, answer.content, headers)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Ends the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()
