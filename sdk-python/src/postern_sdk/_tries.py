"""What may be tried again, and when; how an answer is read. Without a connection: both clients use it."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, cast, get_origin

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json

from ._call import Call, headers_of
from ._version import __version__
from .errors import CallTimeoutError, NetworkError, PosternError, UnexpectedAnswerError, error_of

T = TypeVar("T")

# Waits are random between 0 and a bound that starts here and doubles up to the one below, in seconds.
FIRST = 0.25
LONGEST = 8.0
# The longest answer that is read; every page of a list is far shorter.
MOST_OF_JSON = 256 * 1_048_576


@dataclass
class Settings:
    """What calls of one client have in common."""

    base_url: str
    api_key: str | None = None
    organization: str | None = None
    max_retries: int = 2
    timeout: float = 60.0
    deadline: float = 120.0
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for an address that is none."""
        url = httpx.URL(self.base_url)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("base_url must be an address such as https://id.example.com.")
        self.base_url = self.base_url.rstrip("/")
        self.api_key = self.api_key.strip() if self.api_key is not None else None
        self.headers = {"user-agent": f"postern-sdk-python/{__version__}", **self.headers}


class Tries:
    """The tries of one call: its headers, how long each may take, and how long to wait between them."""

    def __init__(self, settings: Settings, call: Call) -> None:
        options = call.options
        self._call = call
        # Made once for each call: however often it is sent, it is done once.
        key = f"auto_{secrets.token_hex(16)}"
        self._headers = headers_of(settings.headers, settings.organization, call, key)
        self._timeout = options.get("timeout", settings.timeout)
        self.deadline = options.get("deadline", settings.deadline)
        self._ends = time.monotonic() + self.deadline
        # Without an Idempotency-Key a POST could be done twice.
        is_repeatable = call.method != "POST" or "idempotency-key" in self._headers
        self._retries = options.get("max_retries", settings.max_retries) if is_repeatable and not call.is_spent else 0
        self._tries = 0

    def headers(self, token: str | None) -> dict[str, str]:
        """The headers of the next try."""
        return self._headers if token is None else {**self._headers, "authorization": f"Bearer {token}"}

    def seconds(self) -> float:
        """How long the next try may take."""
        return max(0.001, min(self._timeout, self._ends - time.monotonic()))

    def wait_after(self, error: PosternError) -> float:
        """The wait before the next try. Raises the error where there is none."""
        wait = wait_of(self._tries, error)
        if self._tries >= self._retries or not is_passing(error) or time.monotonic() + wait >= self._ends:
            raise error
        self._tries += 1
        return wait


def is_passing(error: PosternError) -> bool:
    """Whether a repetition of the call may succeed."""
    if error.code in ("NETWORK", "TIMEOUT"):
        return True
    # The first try of this call is still under way.
    if error.code == "DUPLICATE":
        return error.details.get("reason") == "still_running"
    return error.status in (408, 429) or (error.status >= 500 and error.status != 501)


def wait_of(tries: int, error: PosternError | None = None) -> float:
    """The wait before the next try: that of the answer, or a random part of a bound that doubles."""
    if error is not None and error.retry_after is not None:
        return error.retry_after
    return random.random() * min(LONGEST, FIRST * 2.0 ** min(tries, 30))


def network_error(call: Call, settings: Settings, seconds: float, cause: Exception) -> PosternError:
    """The error of a try without an answer."""
    what = f"{call.method} {settings.base_url}{call.path}"
    if isinstance(cause, (httpx.TimeoutException, TimeoutError)):
        return CallTimeoutError("TIMEOUT", f"{what}: no answer within {seconds:g} s.")
    return NetworkError("NETWORK", f"{what}: no answer ({type(cause).__name__}).")


def broken(response: httpx.Response, cause: Exception) -> PosternError:
    """The error of an answer that has begun, and does not go on."""
    what = f"{response.request.method} {response.request.url.copy_with(query=None)}"
    if isinstance(cause, httpx.TimeoutException):
        return CallTimeoutError("TIMEOUT", f"{what}: the answer does not go on.")
    return NetworkError("NETWORK", f"{what}: the connection broke ({type(cause).__name__}).")


def refused(response: httpx.Response, text: bytes) -> PosternError:
    """The error of an answer with a status of 400 or more."""
    return error_of(response.status_code, response.headers.get, text.decode("utf-8", "replace"))


def must_stay(response: httpx.Response) -> None:
    """Raises for a redirect: key and body are sent to no other address."""
    place = response.headers.get("location")
    if place is not None and 300 <= response.status_code < 400:
        message = f"The answer leads to {place[:200]}: base_url is not where Postern is."
        raise UnexpectedAnswerError("UNEXPECTED_ANSWER", message, status=response.status_code)


def too_long(status: int) -> PosternError:
    """The error of an answer without an end."""
    return UnexpectedAnswerError("UNEXPECTED_ANSWER", "The answer is too long.", status=status)


def read_as(kind: type[T], data: bytes, status: int) -> T:
    """The answer in its shape. Raises where it is none."""
    try:
        # On Python 3.10 `dict[str, Any]` is a type, too, and no class.
        if isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, BaseModel):
            return cast(T, kind.model_validate_json(data))
        return cast(T, _adapter(cast(Any, kind)).validate_json(data))
    except ValidationError as cause:
        raise _not_this_shape(cause, status) from cause


def read_page(kind: type[T], data: bytes, status: int) -> tuple[list[T], str | None, Mapping[str, Any]]:
    """The things of a page, the cursor of the next one, and what the page says besides."""
    try:
        page = from_json(data)
        things = page.pop("data")
        cursor = page.pop("nextCursor")
    except (ValueError, KeyError, AttributeError, TypeError) as cause:
        raise UnexpectedAnswerError("UNEXPECTED_ANSWER", "The answer is no page.", status=status) from cause
    try:
        return _adapter(list[kind]).validate_python(things), cursor, page  # type: ignore[valid-type]
    except ValidationError as cause:
        raise _not_this_shape(cause, status) from cause


def _not_this_shape(cause: ValidationError, status: int) -> PosternError:
    first = cause.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    message = f"The answer is not what this version knows: {place or 'it'}: {first['msg']}."
    return UnexpectedAnswerError("UNEXPECTED_ANSWER", message, status=status)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
