"""Server-sent events, by the HTML standard, and the way of a stream over its connections. Without a connection."""

from __future__ import annotations

import codecs
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._call import Call
from ._tries import wait_of
from .errors import PosternError, UnexpectedAnswerError

# A server writes at least every 15 s: after this long without a byte the connection is dead.
SILENCE = 45.0
# After a connection that lasted this long, waits start again from the shortest.
GOOD = 10.0
# The longest wait before the next connection, also where the server asks for a longer one.
LONGEST = 3_600.0
# The longest event, in characters; Postern sends none that is longer.
MOST_OF_EVENT = 4 * 1_048_576
# After this many connections in a row without an event the stream is over.
MOST_EMPTY = 3
# The last event of a run's stream.
LAST = {"run.succeeded", "run.failed", "run.cancelled"}
NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream."""

    id: str | None
    """Its place in the stream, for ``last_event_id``."""
    event: str
    """Its type; ``gap`` where some were lost, whose data must then be read by other calls."""
    data: Any


class EventReader:
    """Makes events of bytes. An id without data, as of a heartbeat, is a place, too."""

    def __init__(self, on_place: Callable[[str], None]) -> None:
        self._on_place = on_place
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest: list[str] = []
        self._rest_size = 0
        self._return = ""
        self._reset()

    def _reset(self) -> None:
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """The events that end in these bytes. Raises for one that does not end."""
        found: list[StreamEvent] = []
        for line in self._lines(chunk):
            self._size += len(line)
            if line == "":
                if self._id is not None:
                    self._on_place(self._id)
                if self._data:
                    text = "\n".join(self._data)
                    found.append(StreamEvent(self._id, self._event or "message", _parse(text)))
                self._reset()
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                self._data.append(value)
            elif name == "event":
                self._event = value
            elif name == "id":
                self._id = value
        if self._size + self._rest_size > MOST_OF_EVENT:
            raise UnexpectedAnswerError("UNEXPECTED_ANSWER", "An event does not end.", status=200)
        return found

    def _lines(self, chunk: bytes) -> list[str]:
        """The lines that end in these bytes; each letter is looked at once."""
        text = self._return + self._decoder.decode(chunk)
        # What follows says whether this is the whole end of the line.
        self._return = "\r" if text.endswith("\r") else ""
        first, *others = NEWLINE.split(text[:-1] if self._return else text)
        self._rest.append(first)
        self._rest_size += len(first)
        if not others:
            return []
        lines = ["".join(self._rest), *others]
        self._rest = [lines.pop()]
        self._rest_size = len(self._rest[0])
        return lines


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


class Progress:
    """Where a stream is, over any number of connections."""

    def __init__(self, call: Call) -> None:
        self.place = call.options.get("last_event_id")
        # The stream of an organization has no end of its own.
        self._may_be_empty = call.path == "/v1/stream"
        self._failures = 0
        self._empty = 0
        self._was_open = False
        self._opened: float | None = None
        self.is_over = False

    def begin(self) -> None:
        """A connection is tried."""
        self._opened = None

    def on_open(self) -> StreamEvent | None:
        """A connection is open. Gives a gap where events between two connections are lost."""
        self._opened = time.monotonic()
        is_gap = self._was_open and self.place is None
        self._was_open = True
        self._empty += 1
        return StreamEvent(None, "gap", {"reason": "no_place"}) if is_gap else None

    def on_place(self, place: str) -> None:
        """The stream has come this far."""
        self.place = place

    def take(self, event: StreamEvent) -> bool:
        """Whether the event is for the caller; any other one is the end of this connection."""
        self._empty = 0
        is_end = event.event == "end"
        reason = event.data.get("reason") if isinstance(event.data, dict) else None
        # Any other end is that of the connection: its token or its process ended.
        if is_end and reason != "revoked":
            return False
        self.is_over = is_end or event.event in LAST
        return True

    def on_end(self) -> None:
        """A connection has ended without an error."""
        self.is_over = self._empty >= MOST_EMPTY and not self._may_be_empty

    def wait(self, error: PosternError | None) -> float:
        """The seconds before the next connection."""
        if self._opened is not None and time.monotonic() - self._opened > GOOD:
            self._failures = 0
        # A pause also where the server asks to come back at once.
        seconds = max(wait_of(self._failures), wait_of(0, error))
        self._failures += 1
        return min(LONGEST, seconds)
