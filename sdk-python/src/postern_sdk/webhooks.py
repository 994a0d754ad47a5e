"""Webhooks that arrive: are they genuine, and what do they say?"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets as randomness
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
)

from pydantic import ValidationError
from pydantic_core import from_json

from ._models import CustomEvent
from .types import EVENTS, WebhookEvent

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["CustomEvent", "WebhookError", "WebhookEvent", "sign", "verify", "verify_signature"]

Reason: TypeAlias = Literal["missing_header", "malformed", "too_old", "too_new", "body_was_parsed", "wrong_secret"]
Scheme: TypeAlias = Literal["standard", "service"]


class HasItems(Protocol):
    """Headers of a framework: Flask, Django, Starlette, http.server."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Their names and values."""
        ...


Headers: TypeAlias = "Mapping[str, str] | HasItems | Iterable[tuple[str, str]]"


class WebhookError(ValueError):
    """A call whose signature does not hold. Answer 401 without a body."""

    reason: Reason

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.reason, str(self)))


def verify(
    body: bytes | str,
    headers: Headers,
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
    scheme: Scheme = "standard",
) -> WebhookEvent:
    """Checks that a call comes from Postern, and reads it.

    An event of a built-in type has its own class, any other is a ``CustomEvent``.

    Args:
        body: The raw body, to the byte.
        headers: Those of the request.
        secrets: ``whsec_…``; several while one is rotated.
        tolerance: How far the time of signing may be from now, in seconds.
        now: Seconds since 1970; the clock unless set.
        scheme: ``standard`` (Standard Webhooks) includes the time of signing. ``service`` is
            ``X-Service-Signature``; against its replay only remembered ids help.

    Raises:
        WebhookError: Its ``reason`` says what is wrong.
    """
    verify_signature(body, headers, secrets, tolerance=tolerance, now=now, scheme=scheme)
    try:
        event = from_json(_bytes(body))
        kind = EVENTS.get(event["type"], CustomEvent)
        return kind.model_validate(event)  # type: ignore[return-value]
    except (ValueError, KeyError, TypeError, ValidationError) as cause:
        raise WebhookError("malformed", "The body is no event.") from cause


def verify_signature(
    body: bytes | str,
    headers: Headers,
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
    scheme: Scheme = "standard",
) -> None:
    """As ``verify``, for what is no event of Postern's: only the signature is looked at."""
    raw = _bytes(body)
    given_headers = _lower(headers)
    if scheme == "standard":
        now = time.time() if now is None else now
        given, prefix = _standard(given_headers, tolerance, now)
    else:
        given, prefix = _service(given_headers), b""
    keys = [_key(secret, scheme) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if _fits(keys, given, prefix + raw):
        return
    # A body that was parsed and serialized again often differs only in its blanks; a variant of it then fits.
    if any(_fits(keys, given, prefix + other) for other in _rewritten(raw)):
        raise WebhookError("body_was_parsed", _PARSED)
    raise WebhookError("wrong_secret", "No secret fits, or the body is not what was signed.")


def sign(body: bytes | str, secret: str, *, id: str | None = None, now: float | None = None) -> dict[str, str]:
    """The headers of a call that ``verify`` takes, for tests of a receiver."""
    raw = _bytes(body)
    id = id or f"evt_{randomness.token_hex(16)}"
    timestamp = str(int(time.time() if now is None else now))
    standard = _mac(_key(secret, "standard"), f"{id}.{timestamp}.".encode() + raw)
    return {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
        "x-service-signature": f"sha256={_mac(_key(secret, 'service'), raw).hex()}",
    }


_PARSED = "The body was parsed: pass the raw bytes."


def _bytes(body: bytes | str) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise WebhookError("body_was_parsed", _PARSED)


def _lower(headers: Headers) -> dict[str, str]:
    given: Any = headers
    pairs: Iterable[tuple[Any, Any]] = given.items() if hasattr(given, "items") else given
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _need(headers: dict[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookError("missing_header", f"The header {name} is missing.")
    return value


def _standard(headers: dict[str, str], tolerance: float, now: float) -> tuple[list[bytes], bytes]:
    id, timestamp, signature = (_need(headers, f"webhook-{one}") for one in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("malformed", "webhook-timestamp is no number.")
    age = now - int(timestamp)
    if age > tolerance:
        raise WebhookError("too_old", f"It was signed {round(age)} s ago.")
    if -age > tolerance:
        raise WebhookError("too_new", f"It was signed {round(-age)} s from now.")
    decoded = [_decode(one[3:]) for one in signature.split(" ") if one.startswith("v1,")]
    given = [one for one in decoded if one is not None]
    if not given:
        raise WebhookError("malformed", "webhook-signature has no v1, and base64.")
    return given, f"{id}.{timestamp}.".encode()


def _service(headers: dict[str, str]) -> list[bytes]:
    match = re.fullmatch(r"sha256=([0-9a-f]{64})", _need(headers, "x-service-signature"))
    if match is None:
        raise WebhookError("malformed", "x-service-signature is not sha256= and lowercase hex.")
    return [bytes.fromhex(match[1])]


def _key(secret: str, scheme: Scheme) -> bytes:
    """The bytes of the key: the decoded base64, or the text itself."""
    raw = secret.encode() if scheme == "service" else _decode(re.sub(r"\Awhsec_", "", secret))
    if not raw:
        raise WebhookError("malformed", "The secret is not whsec_ and base64.")
    return raw


def _decode(text: str) -> bytes | None:
    try:
        plain = text.rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _fits(keys: Sequence[bytes], given: Sequence[bytes], message: bytes) -> bool:
    """Signs once for each key, for any number of given signatures, and compares in constant time."""
    for key in keys:
        ours = _mac(key, message)
        if any([hmac.compare_digest(ours, one) for one in given]):
            return True
    return False


def _rewritten(raw: bytes) -> list[bytes]:
    try:
        return [json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=False).encode()]
    except (ValueError, RecursionError):
        return []
