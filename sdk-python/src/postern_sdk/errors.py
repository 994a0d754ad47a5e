"""What a failed call raises. Branch on the class, or on ``code``, which is stable."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from ._words import ErrorCode

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = [
    "AnyCode",
    "CallTimeoutError",
    "DuplicateError",
    "ErrorCode",
    "ForbiddenError",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "PosternError",
    "RateLimitedError",
    "ServerError",
    "UnauthorizedError",
    "UnexpectedAnswerError",
    "UnprocessableError",
]

LocalCode: TypeAlias = Literal["NETWORK", "TIMEOUT", "UNEXPECTED_ANSWER"]
AnyCode: TypeAlias = ErrorCode | LocalCode


class PosternError(Exception):
    """The error of a failed call."""

    code: AnyCode
    """A code of the catalogue, or ``NETWORK``, ``TIMEOUT`` or ``UNEXPECTED_ANSWER``."""
    message: str
    status: int
    """HTTP status; 0 where there was no answer."""
    details: Mapping[str, Any]
    """What the code says besides, such as ``field`` and ``reason``."""
    request_id: str | None
    """The id of the request, for a question to support."""
    retry_after: float | None
    """Seconds after which to try again, where the answer names them."""

    def __init__(
        self,
        code: AnyCode,
        message: str,
        *,
        status: int = 0,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.details = details or {}
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        known = [str(self.code), *([self.request_id] if self.request_id else [])]
        return f"{self.message} ({', '.join(known)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # An error goes from one process to another with all that it says.
        return (_remake, (type(self), self.code, self.message, self.__dict__))


def _remake(kind: type[PosternError], code: AnyCode, message: str, facts: dict[str, Any]) -> PosternError:
    error = kind(code, message)
    error.__dict__.update(facts)
    return error


class InvalidRequestError(PosternError):
    """400: a member of the request is missing or wrong; ``details["issues"]`` names each."""


class UnauthorizedError(PosternError):
    """401: no key or token, or one that is not good any more."""


class InsufficientCreditsError(PosternError):
    """402: the credits do not suffice."""


class ForbiddenError(PosternError):
    """403: the key or the person may not do this."""


class NotFoundError(PosternError):
    """404: there is no such thing in the organization."""


class DuplicateError(PosternError):
    """409: there is one already, or the state of the thing forbids it."""


class UnprocessableError(PosternError):
    """422: the content could not be read."""


class RateLimitedError(PosternError):
    """429: too many calls; ``retry_after`` says when to come back."""


class ServerError(PosternError):
    """5xx: the server, or one that it asked, has failed."""


class NetworkError(PosternError):
    """No answer: the name was not found, nothing listens, the connection broke."""


class CallTimeoutError(PosternError):
    """No answer in time."""


class UnexpectedAnswerError(PosternError):
    """An answer that is not Postern's, for example a proxy's page."""


_BY_STATUS: dict[int, type[PosternError]] = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    402: InsufficientCreditsError,
    403: ForbiddenError,
    404: NotFoundError,
    409: DuplicateError,
    422: UnprocessableError,
    429: RateLimitedError,
}

# A longer answer is no error of Postern's.
MOST_OF_ERROR = 1_048_576


def error_of(status: int, header: Callable[[str], str | None], text: str) -> PosternError:
    """The error of an answer, of Postern or of a proxy."""
    request_id = header("x-request-id")
    retry_after = _seconds(header("retry-after"))
    try:
        error = json.loads(text)["error"]
        code, message, details = error["code"], str(error["message"]), error.get("details")
        if not isinstance(code, str):
            raise TypeError(code)
    except (ValueError, KeyError, TypeError, RecursionError):
        return UnexpectedAnswerError(
            "UNEXPECTED_ANSWER",
            f"An answer with status {status} that is not Postern's.",
            status=status,
            details={"body": text[:500]},
            request_id=request_id,
            retry_after=retry_after,
        )
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else PosternError)
    return kind(
        code,  # type: ignore[arg-type]  # A later server has codes that this version does not know.
        message,
        status=status,
        details=details if isinstance(details, dict) else {},
        request_id=request_id,
        retry_after=retry_after,
    )


def _seconds(value: str | None) -> float | None:
    """``Retry-After``, in seconds or as a date."""
    if value is None or len(value) > 40:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
