"""The client for programs with an event loop, of asyncio or trio."""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import (
    Any,
    TypeVar,
    cast,
)

import anyio
import anyio.to_thread
import httpx

from . import _tries
from ._answers import next_call
from ._async_answers import AsyncDownload, AsyncEventStream, AsyncPages
from ._async_methods import AsyncMethods
from ._call import Call
from ._page import Page
from ._tries import Settings, Tries
from .errors import MOST_OF_ERROR, PosternError

T = TypeVar("T")
AsyncTokenSource = Callable[["str | None"], "str | Awaitable[str | None] | None"]

# Bytes of a file that are read at once.
PIECE = 65_536


class AsyncPostern(AsyncMethods):
    """A client of one Postern. Its methods are grouped by subject: ``await postern.webhooks.read(id)``.

    Close it, or use it as a context manager. A call that is cancelled is not sent again.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        organization: str | None = None,
        token: AsyncTokenSource | None = None,
        max_retries: int = 2,
        timeout: float = 60.0,
        deadline: float = 120.0,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Makes a client; nothing is sent yet.

        Args:
            base_url: Where Postern is, for example ``https://id.example.com``.
            api_key: A key of ``POST /v1/api-keys`` (``psk_…``), or of the installation (``ppk_…``).
            organization: The organization for which a key of the installation acts: ``org_…``, or
                ``ext:`` and its ``externalId``.
            token: Gives the token of a call, instead of a key. Before a call fails with 401 it is asked
                again, with the refused token. A plain function is called in a thread of its own.
            max_retries: How often a call with a temporary failure is repeated; 0 for never.
            timeout: Seconds that one try may take.
            deadline: Seconds that a call may take with all its tries and waits.
            headers: Sent with every call.
            http_client: What sends the requests, for a proxy or certificates of your own. It is yours
                to close.
        """
        settings = Settings(base_url, api_key, organization, max_retries, timeout, deadline, dict(headers or {}))
        super().__init__(AsyncTransport(settings, token, http_client))

    async def aclose(self) -> None:
        """Ends the connections of this client."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncPostern:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncTransport:
    """Sends the calls of one client."""

    def __init__(self, settings: Settings, token: AsyncTokenSource | None, client: httpx.AsyncClient | None) -> None:
        self.settings = settings
        self._token = token
        self._client = client or httpx.AsyncClient(timeout=None)
        self._is_own = client is None

    async def json(self, call: Call, kind: type[T]) -> T:
        """Makes a call with its retries, and reads its answer."""
        status, data = await self._send(call)
        return _tries.read_as(kind, data, status)

    async def nothing(self, call: Call) -> None:
        """Makes a call whose answer says nothing."""
        await self._send(call)

    def pages(self, call: Call, kind: type[T]) -> AsyncPages[T]:
        """A list; nothing is sent yet."""

        async def fetch(cursor: str | None) -> Page[T]:
            status, data = await self._send(call if cursor is None else next_call(call, cursor))
            return Page(*_tries.read_page(kind, data, status))

        return AsyncPages(fetch)

    def stream(self, call: Call) -> AsyncEventStream:
        """A stream; nothing is sent yet."""
        return AsyncEventStream(self, call)

    async def download(self, call: Call) -> AsyncDownload:
        """Makes a call whose answer is read when it is needed."""
        call.accept = "*/*"
        return AsyncDownload(await self.open(call))

    async def response(self, call: Call) -> httpx.Response:
        """Makes a call whose answer is no JSON."""
        call.accept = "*/*"
        response = await self.open(call)
        try:
            await response.aread()
        except httpx.RequestError as cause:
            raise _tries.broken(response, cause) from cause
        finally:
            await response.aclose()
        return response

    async def aclose(self) -> None:
        """Ends the connections."""
        if self._is_own:
            await self._client.aclose()

    async def open(self, call: Call, silence: float | None = None) -> httpx.Response:
        """Makes a call with its retries; the body is read later, and the caller closes it."""

        async def leave(response: httpx.Response) -> httpx.Response:
            return response

        return await self._retry(call, leave, silence)

    async def _send(self, call: Call) -> tuple[int, bytes]:
        async def read(response: httpx.Response) -> tuple[int, bytes]:
            try:
                return response.status_code, await _read(response, _tries.MOST_OF_JSON)
            finally:
                await response.aclose()

        return await self._retry(call, read)

    async def _retry(
        self, call: Call, read: Callable[[httpx.Response], Awaitable[T]], silence: float | None = None
    ) -> T:
        tries = Tries(self.settings, call)
        token = self.settings.api_key
        if token is None and self._token is not None:
            token = await _ask(self._token, None)
        is_renewed = False
        while True:
            try:
                return await self._try(call, tries, token, read, silence)
            except PosternError as error:
                if error.status == 401 and self._token is not None and not is_renewed and not call.is_spent:
                    fresh = await _ask(self._token, token)
                    if fresh is not None and fresh != token:
                        # A refused token counts as no try: the call was not done.
                        token, is_renewed = fresh, True
                        continue
                wait = tries.wait_after(error)
            await anyio.sleep(wait)

    async def _try(
        self,
        call: Call,
        tries: Tries,
        token: str | None,
        read: Callable[[httpx.Response], Awaitable[T]],
        silence: float | None,
    ) -> T:
        seconds = tries.seconds()
        timeout = httpx.Timeout(seconds, read=silence if silence is not None else seconds)
        headers = tries.headers(token)
        try:
            with anyio.fail_after(seconds):
                request = self._client.build_request(
                    call.method,
                    self.settings.base_url + call.target,
                    headers={**headers, **_length(call)},
                    content=_content(call),
                    timeout=timeout,
                )
                response = await self._client.send(request, stream=True, follow_redirects=False)
                try:
                    if response.status_code >= 400:
                        raise _tries.refused(response, await _read_error(response))
                    if call.accept != "*/*":
                        _tries.must_stay(response)
                    return await read(response)
                except BaseException:
                    with anyio.CancelScope(shield=True):
                        await response.aclose()
                    raise
        except (httpx.RequestError, TimeoutError) as cause:
            raise _tries.network_error(call, self.settings, seconds, cause) from cause


async def _ask(source: AsyncTokenSource, refused: str | None) -> str | None:
    if inspect.iscoroutinefunction(source):
        return cast("str | None", await source(refused))
    answer = await anyio.to_thread.run_sync(partial(source, refused))
    return await answer if inspect.isawaitable(answer) else answer


def _content(call: Call) -> Any:
    """What is sent; a file is opened for each try."""
    content = call.content if call.content is not None else call.body
    if isinstance(content, (bytearray, memoryview)):
        return bytes(content)
    if content is None or isinstance(content, bytes) or hasattr(content, "__aiter__"):
        return content
    return _pieces(content)


def _length(call: Call) -> dict[str, str]:
    if isinstance(call.content, os.PathLike):
        return {"content-length": str(os.stat(call.content).st_size)}
    return {}


async def _pieces(content: Any) -> AsyncIterator[bytes]:
    """The bytes of a file or of an iterable, which are read in a thread of their own."""
    if isinstance(content, os.PathLike):
        async with await anyio.open_file(content, "rb") as file:
            while part := await file.read(PIECE):
                yield part
    elif hasattr(content, "read"):
        while part := await anyio.to_thread.run_sync(content.read, PIECE):
            yield part
    else:
        parts: Iterator[bytes] = iter(content)

        def following() -> bytes | None:
            return next(parts, None)

        while (one := await anyio.to_thread.run_sync(following)) is not None:
            yield one


async def _read(response: httpx.Response, most: int) -> bytes:
    """The body. Raises for one that is too long."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > most:
            raise _tries.too_long(response.status_code)
        parts.append(part)
    return b"".join(parts)


async def _read_error(response: httpx.Response) -> bytes:
    try:
        return await _read(response, MOST_OF_ERROR)
    except (PosternError, httpx.RequestError):
        return b""
