"""One call, as it is sent: what a method makes of its arguments."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    Literal,
    TypedDict,
)
from urllib.parse import quote, urlencode

from ._models import ApiBody

if TYPE_CHECKING:
    from typing import TypeAlias

Content: TypeAlias = "bytes | bytearray | memoryview | os.PathLike[str] | IO[bytes] | Iterable[bytes]"
"""Bytes to send: in memory, a file by its path, an open file, or a stream."""
AsyncContent: TypeAlias = "Content | AsyncIterable[bytes]"


class Omit:
    """Stands for an argument that is not given; ``None`` is sent as ``null``."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT = Omit()


class CallOptions(TypedDict, total=False):
    """The options of a single call, which go before those of the client."""

    organization: str
    """The organization for which a key of the installation acts: ``org_…``, or ``ext:`` and your own id."""
    idempotency_key: str
    """Names a call, so that repeating it does it only once. One is made for each call unless it is set."""
    timeout: float
    """Seconds that one try may take."""
    deadline: float
    """Seconds that all tries and waits may take."""
    max_retries: int
    extra_headers: Mapping[str, str]


class StreamOptions(CallOptions, total=False):
    """The options of a stream."""

    last_event_id: str
    """Begins after this place."""
    on_state: Callable[[Literal["open", "waiting"], Exception | None], None]
    """Called when the stream is open, and, with the cause, when it waits to be opened again."""


@dataclass
class Call:
    """One call, as it is sent."""

    method: str
    path: str
    options: StreamOptions
    query: list[tuple[str, str]] = field(default_factory=list)
    body: bytes | None = None
    content: AsyncContent | None = None
    content_type: str | None = None
    once: bool = False
    accept: str = "application/json"

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def is_spent(self) -> bool:
        """Whether the body can be sent only once."""
        return self.content is not None and not isinstance(self.content, (bytes, bytearray, memoryview, os.PathLike))


def make_call(
    method: str,
    path: str,
    options: CallOptions | StreamOptions,
    *,
    places: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    body_type: type[ApiBody] | None = None,
    body: Mapping[str, Any] | None = None,
    may_lack_body: bool = False,
    content: AsyncContent | None = None,
    content_type: str | None = None,
    once: bool = False,
) -> Call:
    """Raises ValueError for an empty part of the path, and for a body that does not have its shape."""
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"There is no argument {sorted(unknown)[0]!r}.")
    for name, value in (places or {}).items():
        path = path.replace(f"{{{name}}}", _part(name, value))
    call = Call(method, path, options, query=_pairs(query or {}), once=once)  # type: ignore[arg-type]
    if body_type is not None:
        given = {name: value for name, value in (body or {}).items() if not isinstance(value, Omit)}
        if given or not may_lack_body:
            shape = body_type.model_validate(given)
            call.body = shape.model_dump_json(by_alias=True, exclude_unset=True).encode()
            call.content_type = "application/json"
    if content is not None:
        _add_content(call, content, content_type)
    return call


_OPTIONS = {*CallOptions.__annotations__, *StreamOptions.__annotations__}


def _part(name: str, value: str) -> str:
    if isinstance(value, str) and value not in ("", ".", ".."):
        return quote(value, safe="")
    raise ValueError(f"{name} must be a text that is not empty.")


def _pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        several = value if isinstance(value, (list, tuple)) else [value]
        pairs.extend((name, _text(one)) for one in several if one is not None and not isinstance(one, Omit))
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _add_content(call: Call, content: AsyncContent, content_type: str | None) -> None:
    if isinstance(content, str):
        raise TypeError("content must be bytes, a path (pathlib.Path) or an open file, not text.")
    path = content if isinstance(content, os.PathLike) else getattr(content, "name", None)
    name = os.path.basename(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else None
    if name and not any(one == "name" for one, _ in call.query):
        call.query.append(("name", name))
    guessed = mimetypes.guess_type(name)[0] if name else None
    call.content = content
    call.content_type = content_type or guessed or "application/octet-stream"


def headers_of(client: Mapping[str, str], organization: str | None, call: Call, new_key: str) -> dict[str, str]:
    """The headers of a call, by names in lower case."""
    options = call.options
    headers = {"accept": call.accept}
    for several in (client, options.get("extra_headers") or {}):
        headers.update({name.lower(): value for name, value in several.items()})
    organization = options.get("organization") or organization
    if organization is not None:
        headers["postern-organization"] = organization
    key = options.get("idempotency_key") or (new_key if call.once else None)
    if key is not None:
        headers.setdefault("idempotency-key", key)
    if call.content_type is not None:
        headers.setdefault("content-type", call.content_type)
    return headers
