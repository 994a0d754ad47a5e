"""The client that waits for its answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import httpx

from . import _tries
from ._answers import Download, EventStream, Pages, next_call
from ._call import Call
from ._methods import Methods
from ._page import Page
from ._tries import Settings, Tries
from .errors import MOST_OF_ERROR, PosternError

T = TypeVar("T")
TokenSource = Callable[["str | None"], "str | None"]


class Postern(Methods):
    """A client of one Postern. Its methods are grouped by subject: ``postern.webhooks.list()``.

    Safe to use from several threads. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        organization: str | None = None,
        token: TokenSource | None = None,
        max_retries: int = 2,
        timeout: float = 60.0,
        deadline: float = 120.0,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Makes a client; nothing is sent yet.

        Args:
            base_url: Where Postern is, for example ``https://id.example.com``.
            api_key: A key of ``POST /v1/api-keys`` (``psk_…``), or of the installation (``ppk_…``).
            organization: The organization for which a key of the installation acts: ``org_…``, or
                ``ext:`` and its ``externalId``.
            token: Gives the token of a call, instead of a key. Before a call fails with 401 it is asked
                again, with the refused token.
            max_retries: How often a call with a temporary failure is repeated; 0 for never.
            timeout: Seconds that one try may take; while the status and the headers of an answer
                arrive in pieces, seconds that each piece may take.
            deadline: Seconds that a call may take with all its tries and waits.
            headers: Sent with every call.
            http_client: What sends the requests, for a proxy or certificates of your own. It is yours
                to close.
        """
        settings = Settings(base_url, api_key, organization, max_retries, timeout, deadline, dict(headers or {}))
        super().__init__(Transport(settings, token, http_client))

    def close(self) -> None:
        """Ends the connections of this client."""
        self._transport.close()

    def __enter__(self) -> Postern:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Transport:
    """Sends the calls of one client."""

    def __init__(self, settings: Settings, token: TokenSource | None, client: httpx.Client | None) -> None:
        self.settings = settings
        self._token = token
        self._client = client or httpx.Client(timeout=None)
        self._is_own = client is None

    def json(self, call: Call, kind: type[T]) -> T:
        """Makes a call with its retries, and reads its answer."""
        status, data = self._send(call)
        return _tries.read_as(kind, data, status)

    def nothing(self, call: Call) -> None:
        """Makes a call whose answer says nothing."""
        self._send(call)

    def pages(self, call: Call, kind: type[T]) -> Pages[T]:
        """A list; nothing is sent yet."""

        def fetch(cursor: str | None) -> Page[T]:
            status, data = self._send(call if cursor is None else next_call(call, cursor))
            return Page(*_tries.read_page(kind, data, status))

        return Pages(fetch)

    def stream(self, call: Call) -> EventStream:
        """A stream; nothing is sent yet."""
        return EventStream(self, call)

    def download(self, call: Call) -> Download:
        """Makes a call whose answer is read when it is needed."""
        call.accept = "*/*"
        return Download(self.open(call))

    def response(self, call: Call) -> httpx.Response:
        """Makes a call whose answer is no JSON."""
        call.accept = "*/*"
        response = self.open(call)
        try:
            response.read()
        except httpx.RequestError as cause:
            raise _tries.broken(response, cause) from cause
        finally:
            response.close()
        return response

    def close(self) -> None:
        """Ends the connections."""
        if self._is_own:
            self._client.close()

    def _send(self, call: Call) -> tuple[int, bytes]:
        def read(response: httpx.Response, ends: float) -> tuple[int, bytes]:
            try:
                return response.status_code, _read(response, _tries.MOST_OF_JSON, ends)
            finally:
                response.close()

        return self._retry(call, read)

    def open(self, call: Call, silence: float | None = None) -> httpx.Response:
        """Makes a call with its retries; the body is read later, and the caller closes it."""
        return self._retry(call, lambda response, _: response, silence)

    def _retry(self, call: Call, read: Callable[[httpx.Response, float], T], silence: float | None = None) -> T:
        tries = Tries(self.settings, call)
        token = self.settings.api_key
        if token is None and self._token is not None:
            token = self._token(None)
        is_renewed = False
        while True:
            try:
                return self._try(call, tries, token, read, silence)
            except PosternError as error:
                if error.status == 401 and self._token is not None and not is_renewed and not call.is_spent:
                    fresh = self._token(token)
                    if fresh is not None and fresh != token:
                        # A refused token counts as no try: the call was not done.
                        token, is_renewed = fresh, True
                        continue
                wait = tries.wait_after(error)
            time.sleep(wait)

    def _try(
        self,
        call: Call,
        tries: Tries,
        token: str | None,
        read: Callable[[httpx.Response, float], T],
        silence: float | None,
    ) -> T:
        seconds = tries.seconds()
        timeout = httpx.Timeout(seconds, read=silence if silence is not None else seconds)
        ends = time.monotonic() + seconds
        content, close = _content(call)
        try:
            request = self._client.build_request(
                call.method,
                self.settings.base_url + call.target,
                headers=tries.headers(token),
                content=content,
                timeout=timeout,
            )
            response = self._client.send(request, stream=True, follow_redirects=False)
            try:
                if response.status_code >= 400:
                    raise _tries.refused(response, _read_error(response, ends))
                if call.accept != "*/*":
                    _tries.must_stay(response)
                return read(response, ends)
            except BaseException:
                response.close()
                raise
        except (httpx.RequestError, TimeoutError) as cause:
            raise _tries.network_error(call, self.settings, seconds, cause) from cause
        finally:
            close()


def _content(call: Call) -> tuple[Any, Callable[[], None]]:
    """What is sent, and what ends it: a file is opened for each try."""
    content = call.content if call.content is not None else call.body
    if isinstance(content, os.PathLike):
        file = open(content, "rb")
        return file, file.close
    if isinstance(content, (bytearray, memoryview)):
        content = bytes(content)
    return content, lambda: None


def _read(response: httpx.Response, most: int, ends: float) -> bytes:
    """The body. Raises for one that is too long, or takes too long."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        size += len(part)
        if size > most:
            raise _tries.too_long(response.status_code)
        if time.monotonic() > ends:
            raise TimeoutError
        parts.append(part)
    return b"".join(parts)


def _read_error(response: httpx.Response, ends: float) -> bytes:
    try:
        return _read(response, MOST_OF_ERROR, ends)
    except (PosternError, httpx.RequestError, TimeoutError):
        return b""
