"""What answers hold that are read when they are needed: lists, bytes and streams."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

import httpx

from . import _tries
from ._call import Call
from ._page import Page
from ._sse import SILENCE, EventReader, Progress, StreamEvent
from .errors import PosternError

if TYPE_CHECKING:
    from ._sync import Transport

T = TypeVar("T")


def next_call(call: Call, cursor: str) -> Call:
    """The call for the page of a cursor."""
    query = [(name, value) for name, value in call.query if name != "cursor"]
    return Call(call.method, call.path, call.options, query=[*query, ("cursor", cursor)])


class Pages(Generic[T]):
    """A list. Iterating over it reads its pages one after the other, when they are needed."""

    def __init__(self, fetch: Callable[[str | None], Page[T]]) -> None:
        self._fetch = fetch

    def page(self, cursor: str | None = None) -> Page[T]:
        """One page: the first one, or that of a ``next_cursor``."""
        return self._fetch(cursor)

    def pages(self) -> Iterator[Page[T]]:
        """Page after page."""
        page = self._fetch(None)
        yield page
        while page.next_cursor is not None:
            page = self._fetch(page.next_cursor)
            yield page

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def take(self, count: int) -> list[T]:
        """The first ``count`` things; fewer where there are no more."""
        taken: list[T] = []
        if count > 0:
            for one in self:
                taken.append(one)
                if len(taken) >= count:
                    break
        return taken


class Download:
    """Bytes that are read when they are needed. Use it as a context manager, or read it to its end."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer, by names in lower case."""
        return dict(self.response.headers)

    def read(self) -> bytes:
        """All bytes."""
        return b"".join(self.iter_bytes())

    def iter_bytes(self) -> Iterator[bytes]:
        """The bytes, as they come. Raises PosternError where the connection breaks."""
        try:
            yield from self.response.iter_bytes()
        except httpx.RequestError as cause:
            raise _tries.broken(self.response, cause) from cause
        finally:
            self.response.close()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the bytes to a file."""
        with open(path, "wb") as file:
            for part in self.iter_bytes():
                file.write(part)

    def close(self) -> None:
        """Ends the answer where it is."""
        self.response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _shut_down(response: httpx.Response) -> None:
    stream = response.extensions.get("network_stream")
    connection = None if stream is None else stream.get_extra_info("socket")
    if connection is not None:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It has ended already.
            pass


def _ignore(_state: str, _error: Exception | None) -> None:
    """The ``on_state`` of a call without one."""


class EventStream:
    """A stream of events over any number of connections: it is opened again at its place until it is over.

    Leaving the loop closes it at once where it is used as a context manager.
    """

    def __init__(self, transport: Transport, call: Call) -> None:
        self._transport = transport
        self._call = call
        self._closed = threading.Event()
        self._response: httpx.Response | None = None
        self._reader: int | None = None

    def close(self) -> None:
        """Ends the stream, also from another thread."""
        self._closed.set()
        response = self._response
        if response is None:
            return
        if self._reader == threading.get_ident():
            response.close()
        else:
            # Wakes the thread that waits for the next event, which closes the answer.
            _shut_down(response)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[StreamEvent]:
        progress = Progress(self._call)
        self._reader = threading.get_ident()
        on_state = self._call.options.get("on_state") or _ignore
        while not self._closed.is_set():
            error: PosternError | None = None
            progress.begin()
            try:
                self._response = self._transport.open(stream_call(self._call, progress.place), SILENCE)
                gap = progress.on_open()
                on_state("open", None)
                if gap is not None:
                    yield gap
                yield from self._events(self._response, progress)
                if progress.is_over:
                    return
                progress.on_end()
                if progress.is_over:
                    return
            except PosternError as cause:
                if self._closed.is_set():
                    return
                if not _tries.is_passing(cause):
                    raise
                error = cause
            finally:
                if self._response is not None:
                    self._response.close()
            if self._closed.is_set():
                return
            on_state("waiting", error)
            self._closed.wait(progress.wait(error))

    def _events(self, response: httpx.Response, progress: Progress) -> Iterator[StreamEvent]:
        """The events of one connection, to its end."""
        reader = EventReader(progress.on_place)
        parts = response.iter_bytes()
        while True:
            try:
                part = next(parts, None)
            except (httpx.RequestError, httpx.StreamError, OSError) as cause:
                raise _tries.broken(response, cause) from cause
            if part is None:
                return
            for event in reader.feed(part):
                if not progress.take(event):
                    return
                yield event
                if progress.is_over:
                    return


def stream_call(call: Call, place: str | None) -> Call:
    """The call for one connection of a stream, which begins after a place."""
    headers = dict(call.options.get("extra_headers") or {})
    if place is not None:
        headers["last-event-id"] = place
    options = {**call.options, "extra_headers": headers, "max_retries": 0}
    return Call(call.method, call.path, options, query=call.query, accept="text/event-stream")  # type: ignore[arg-type]
