"""What answers hold that are read when they are needed, without waiting: lists, bytes and streams."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Generic,
    TypeVar,
)

import anyio
import httpx

from . import _tries
from ._answers import stream_call
from ._call import Call
from ._page import Page
from ._sse import SILENCE, EventReader, Progress, StreamEvent
from .errors import PosternError

if TYPE_CHECKING:
    from ._async import AsyncTransport

T = TypeVar("T")


class AsyncPages(Generic[T]):
    """A list. Iterating over it reads its pages one after the other, when they are needed."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page[T]]]) -> None:
        self._fetch = fetch

    async def page(self, cursor: str | None = None) -> Page[T]:
        """One page: the first one, or that of a ``next_cursor``."""
        return await self._fetch(cursor)

    def pages(self) -> AsyncIterator[Page[T]]:
        """Page after page."""
        return _PageIterator(self._fetch)

    def __aiter__(self) -> AsyncIterator[T]:
        return _ThingIterator(self.pages())

    async def take(self, count: int) -> list[T]:
        """The first ``count`` things; fewer where there are no more."""
        taken: list[T] = []
        if count > 0:
            async for page in self.pages():
                taken.extend(page.data[: count - len(taken)])
                if len(taken) >= count:
                    break
        return taken


class _PageIterator(AsyncIterator[Page[T]]):
    """Page after page; a loop may be left anywhere, because it keeps nothing open."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page[T]]]) -> None:
        self._fetch = fetch
        self._last: Page[T] | None = None

    async def __anext__(self) -> Page[T]:
        cursor = None if self._last is None else self._last.next_cursor
        if self._last is not None and cursor is None:
            raise StopAsyncIteration
        self._last = await self._fetch(cursor)
        return self._last


class _ThingIterator(AsyncIterator[T]):
    """Thing after thing of all pages."""

    def __init__(self, pages: AsyncIterator[Page[T]]) -> None:
        self._pages = pages
        self._left: Iterator[T] = iter(())

    async def __anext__(self) -> T:
        while True:
            for one in self._left:
                return one
            self._left = iter((await self._pages.__anext__()).data)


class AsyncDownload:
    """Bytes that are read when they are needed. Use it as a context manager, or read it to its end."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer, by names in lower case."""
        return dict(self.response.headers)

    async def read(self) -> bytes:
        """All bytes."""
        return b"".join([part async for part in self.iter_bytes()])

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """The bytes, as they come. Raises PosternError where the connection breaks."""
        try:
            async for part in self.response.aiter_bytes():
                yield part
        except httpx.RequestError as cause:
            raise _tries.broken(self.response, cause) from cause
        finally:
            await self.response.aclose()

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the bytes to a file."""
        async with await anyio.open_file(path, "wb") as file:
            async for part in self.iter_bytes():
                await file.write(part)

    async def aclose(self) -> None:
        """Ends the answer where it is."""
        await self.response.aclose()

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncEventStream:
    """A stream of events over any number of connections: it is opened again at its place until it is over.

    Use it as a context manager, so that leaving the loop closes it at once.
    """

    def __init__(self, transport: AsyncTransport, call: Call) -> None:
        self._transport = transport
        self._call = call
        self._on_state = call.options.get("on_state") or _ignore
        self._progress = Progress(call)
        self._reader = EventReader(self._progress.on_place)
        self._is_closed = False
        self._response: httpx.Response | None = None
        self._parts: AsyncIterator[bytes] | None = None
        self._waiting: deque[StreamEvent] = deque()

    async def aclose(self) -> None:
        """Ends the stream."""
        self._is_closed = True
        await self._disconnect()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self

    async def __anext__(self) -> StreamEvent:
        while not self._waiting:
            if self._is_closed or self._progress.is_over:
                await self._disconnect()
                raise StopAsyncIteration
            error: PosternError | None = None
            try:
                if self._parts is None:
                    await self._connect()
                if self._waiting or await self._read():
                    continue
                self._progress.on_end()
            except PosternError as cause:
                if not _tries.is_passing(cause) or self._is_closed:
                    await self._disconnect()
                    self._progress.is_over = True
                    if self._is_closed:
                        continue
                    raise
                error = cause
            await self._disconnect()
            if not self._progress.is_over:
                self._on_state("waiting", error)
                await anyio.sleep(self._progress.wait(error))
        return self._waiting.popleft()

    async def _connect(self) -> None:
        self._progress.begin()
        self._reader = EventReader(self._progress.on_place)
        self._response = await self._transport.open(stream_call(self._call, self._progress.place), SILENCE)
        self._parts = self._response.aiter_bytes()
        gap = self._progress.on_open()
        self._on_state("open", None)
        if gap is not None:
            self._waiting.append(gap)

    async def _read(self) -> bool:
        """Reads on. False where the connection is at its end."""
        if self._parts is None or self._response is None:
            return False
        try:
            part = await self._parts.__anext__()
        except StopAsyncIteration:
            return False
        except (httpx.RequestError, httpx.StreamError, OSError, anyio.ClosedResourceError) as cause:
            raise _tries.broken(self._response, cause) from cause
        for event in self._reader.feed(part):
            if not self._progress.take(event):
                return False
            self._waiting.append(event)
            if self._progress.is_over:
                break
        return True

    async def _disconnect(self) -> None:
        response, parts = self._response, self._parts
        self._response = self._parts = None
        with anyio.CancelScope(shield=True):
            if isinstance(parts, AsyncGenerator):
                await parts.aclose()
            if response is not None:
                await response.aclose()


def _ignore(_state: str, _error: Exception | None) -> None:
    """The ``on_state`` of a call without one."""
