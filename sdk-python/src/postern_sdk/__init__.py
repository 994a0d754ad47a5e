"""The client of Postern: its whole API with types, signed webhooks verified, tokens verified."""

from ._answers import Download, EventStream, Pages
from ._async import AsyncPostern
from ._async_answers import AsyncDownload, AsyncEventStream, AsyncPages
from ._call import OMIT, AsyncContent, CallOptions, Content, Omit, StreamOptions
from ._models import ApiModel, CustomEvent
from ._page import Page
from ._sse import StreamEvent
from ._sync import Postern
from ._version import __version__
from .errors import (
    AnyCode,
    CallTimeoutError,
    DuplicateError,
    ErrorCode,
    ForbiddenError,
    InsufficientCreditsError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PosternError,
    RateLimitedError,
    ServerError,
    UnauthorizedError,
    UnexpectedAnswerError,
    UnprocessableError,
)

__all__ = [
    "OMIT",
    "AnyCode",
    "ApiModel",
    "AsyncContent",
    "AsyncDownload",
    "AsyncEventStream",
    "AsyncPages",
    "AsyncPostern",
    "CallOptions",
    "CallTimeoutError",
    "Content",
    "CustomEvent",
    "Download",
    "DuplicateError",
    "ErrorCode",
    "EventStream",
    "ForbiddenError",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "Omit",
    "Page",
    "Pages",
    "Postern",
    "PosternError",
    "RateLimitedError",
    "ServerError",
    "StreamEvent",
    "StreamOptions",
    "UnauthorizedError",
    "UnexpectedAnswerError",
    "UnprocessableError",
    "__version__",
]
