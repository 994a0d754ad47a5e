"""Tokens of people (``GET /v1/auth/token``), checked without asking Postern each time.

It needs ``pip install postern-sdk[tokens]``, which brings ``cryptography``.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
import time
from typing import TYPE_CHECKING, Any, Literal

import anyio
import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import NetworkError, PosternError, UnexpectedAnswerError

if TYPE_CHECKING:
    from typing import TypeAlias

    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

__all__ = ["AsyncTokenVerifier", "TokenClaims", "TokenError", "TokenVerifier"]

Reason: TypeAlias = Literal[
    "malformed",
    "wrong_algorithm",
    "unknown_key",
    "bad_signature",
    "wrong_issuer",
    "wrong_audience",
    "not_yet_valid",
    "expired",
]

# Seconds: the ``max-age`` of the answer with the keys.
KEPT = 300.0
# Unknown keys cause a fetch at most this often, so that made-up ones cause no flood of requests.
COOLDOWN = 30.0
# How long fetched keys are used while Postern cannot be reached; a key is published for longer after its last use.
STALE = 3_600.0
# The pause after a failed fetch of the keys; until then no call waits for another fetch.
REST = 5.0
TIMEOUT = 5.0
# Bytes of the answer with the keys.
MOST = 262_144
# Letters of a token.
MOST_OF_TOKEN = 65_536


class TokenClaims(BaseModel):
    """The claims of a token of Postern."""

    model_config = ConfigDict(extra="allow")

    sub: str
    """The account, ``acc_…``."""
    org_id: str
    """The organization of the token, ``org_…``."""
    role: str
    """``administrator``, ``member``, or the id of a role of the organization, ``rol_…``."""
    roles: list[str] = []
    """The same, as a list of one."""
    permissions: list[str] = []
    """What the role permitted when the token was made, such as ``events:read``."""
    sid: str
    """The session, ``ses_…``."""
    jti: str
    iss: str
    aud: str | list[str]
    iat: int
    """Seconds since 1970."""
    nbf: int
    exp: int


class TokenError(ValueError):
    """A token that is not good. Answer 401."""

    reason: Reason

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.reason, str(self)))


class _Verifier:
    """What both verifiers have in common: the token, and the keys that are known."""

    def __init__(self, base_url: str, *, audience: str | None = None, tolerance: float = 5) -> None:
        """Makes a verifier, which keeps the keys: make one, and use it for every token.

        Args:
            base_url: ``BASE_URL`` of your Postern, which issues the tokens.
            audience: The audience that a token must name; the same Postern unless set.
            tolerance: How far clocks may differ, in seconds.
        """
        self._issuer = base_url.rstrip("/")
        self._audience = audience or self._issuer
        self._tolerance = tolerance
        self._keys: dict[str, EllipticCurvePublicKey] = {}
        self._fetched_at: float | None = None
        self._failed: tuple[float, PosternError] | None = None
        self._url = f"{self._issuer}/.well-known/jwks.json"

    def _known(self, kid: str) -> EllipticCurvePublicKey | None:
        """The key, where no fetch is needed for it. Raises where none is allowed now."""
        mine, age = self._keys.get(kid), self._age()
        if mine is not None and age < KEPT:
            return mine
        if mine is None and age < COOLDOWN:
            raise _unknown(kid)
        if self._failed is not None and abs(_now() - self._failed[0]) < REST:
            return self._after_failure(kid, self._failed[1])
        return None

    def _after_failure(self, kid: str, error: PosternError) -> EllipticCurvePublicKey:
        mine = self._keys.get(kid)
        if mine is None or self._age() > STALE:
            raise error
        return mine

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else _now() - self._fetched_at

    def _keep(self, status: int, body: bytes) -> None:
        if status != 200 or len(body) > MOST:
            message = f"{self._url} answers {status}, and has no keys."
            raise UnexpectedAnswerError("UNEXPECTED_ANSWER", message, status=status)
        try:
            found = json.loads(body)["keys"]
            usable = [key for key in found if key.get("kty") == "EC" and key.get("crv") == "P-256"]
            self._keys = {str(key["kid"]): _public(key) for key in usable}
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            message = f"{self._url} holds no keys."
            raise UnexpectedAnswerError("UNEXPECTED_ANSWER", message, status=status) from cause
        self._fetched_at = _now()
        self._failed = None

    def _unreachable(self, cause: Exception) -> PosternError:
        return NetworkError("NETWORK", f"GET {self._url}: no answer ({type(cause).__name__}).")

    def _settle(self, kid: str, error: PosternError | None) -> EllipticCurvePublicKey:
        """The key after a fetch."""
        if error is not None:
            self._failed = (_now(), error)
            return self._after_failure(kid, error)
        key = self._keys.get(kid)
        if key is None:
            raise _unknown(kid)
        return key

    def _check(self, parts: _Parts, key: EllipticCurvePublicKey, now: float | None) -> TokenClaims:
        _check_signature(parts, key)
        claims, seconds = parts.claims, time.time() if now is None else now
        if claims.get("iss") != self._issuer:
            raise TokenError("wrong_issuer", f"It was issued by {str(claims.get('iss'))[:200]}.")
        audiences = claims.get("aud")
        if self._audience not in (audiences if isinstance(audiences, list) else [audiences]):
            raise TokenError("wrong_audience", f"It is for {str(audiences)[:200]}.")
        if not _number(claims.get("nbf"), float("inf")) <= seconds + self._tolerance:
            raise TokenError("not_yet_valid", "It is not valid yet.")
        if not _number(claims.get("exp"), 0) > seconds - self._tolerance:
            raise TokenError("expired", "It has expired.")
        try:
            return TokenClaims.model_validate(claims)
        except ValidationError as cause:
            raise TokenError("malformed", "It lacks what a token of Postern says.") from cause


class TokenVerifier(_Verifier):
    """Checks tokens. Safe to use from several threads, of which one fetches the keys."""

    _lock: threading.Lock

    def __init__(
        self,
        base_url: str,
        *,
        audience: str | None = None,
        tolerance: float = 5,
        http_client: httpx.Client | None = None,
    ) -> None:
        super().__init__(base_url, audience=audience, tolerance=tolerance)
        self._client = http_client
        self._lock = threading.Lock()

    def verify(self, token: str, *, now: float | None = None) -> TokenClaims:
        """The claims of a token.

        Raises:
            TokenError: Its ``reason`` says what is wrong.
            PosternError: The keys cannot be fetched.
        """
        parts = _Parts(token)
        key = self._known(parts.kid)
        if key is None:
            with self._lock:
                # Another thread has fetched them meanwhile.
                key = self._known(parts.kid) or self._settle(parts.kid, self._fetch())
        return self._check(parts, key, now)

    def _fetch(self) -> PosternError | None:
        client = self._client or httpx.Client()
        try:
            answer = client.get(self._url, timeout=TIMEOUT, follow_redirects=False)
            self._keep(answer.status_code, answer.content)
            return None
        except httpx.RequestError as cause:
            return self._unreachable(cause)
        except PosternError as error:
            return error
        finally:
            if client is not self._client:
                client.close()


class AsyncTokenVerifier(_Verifier):
    """Checks tokens in a program with an event loop, in which one task fetches the keys."""

    def __init__(
        self,
        base_url: str,
        *,
        audience: str | None = None,
        tolerance: float = 5,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(base_url, audience=audience, tolerance=tolerance)
        self._client = http_client
        self._lock = anyio.Lock()

    async def verify(self, token: str, *, now: float | None = None) -> TokenClaims:
        """As ``TokenVerifier.verify``."""
        parts = _Parts(token)
        key = self._known(parts.kid)
        if key is None:
            async with self._lock:
                key = self._known(parts.kid) or self._settle(parts.kid, await self._fetch())
        return self._check(parts, key, now)

    async def _fetch(self) -> PosternError | None:
        client = self._client or httpx.AsyncClient()
        try:
            answer = await client.get(self._url, timeout=TIMEOUT, follow_redirects=False)
            self._keep(answer.status_code, answer.content)
            return None
        except httpx.RequestError as cause:
            return self._unreachable(cause)
        except PosternError as error:
            return error
        finally:
            if client is not self._client:
                await client.aclose()


class _Parts:
    """The parts of a token, read and not yet believed."""

    def __init__(self, token: str) -> None:
        parts = token.split(".") if isinstance(token, str) and len(token) <= MOST_OF_TOKEN else []
        if len(parts) != 3:
            raise TokenError("malformed", "A token has three parts.")
        header, self.claims, self.signature = _json(parts[0]), _json(parts[1]), _decode(parts[2])
        # Only this algorithm, whatever the token's header names.
        if header.get("alg") != "ES256" or header.get("typ") != "at+jwt":
            raise TokenError("wrong_algorithm", "Not ES256 and at+jwt.")
        self.kid = str(header.get("kid"))
        self.signed = f"{parts[0]}.{parts[1]}".encode()


def _check_signature(parts: _Parts, key: EllipticCurvePublicKey) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    raw = parts.signature
    r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    try:
        if len(raw) != 64:
            raise InvalidSignature
        key.verify(encode_dss_signature(r, s), parts.signed, ECDSA(SHA256()))
    except InvalidSignature as cause:
        raise TokenError("bad_signature", "The signature does not hold.") from cause


def _public(key: dict[str, Any]) -> EllipticCurvePublicKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicNumbers
    except ImportError as cause:
        raise ImportError("Tokens are verified by cryptography: pip install 'postern-sdk[tokens]'.") from cause
    x, y = (int.from_bytes(_decode(str(key[one])), "big") for one in ("x", "y"))
    return EllipticCurvePublicNumbers(x, y, SECP256R1()).public_key()


def _unknown(kid: str) -> TokenError:
    return TokenError("unknown_key", f"There is no key {kid[:100]}.")


def _json(part: str) -> dict[str, Any]:
    try:
        read = json.loads(_decode(part).decode())
    except (ValueError, RecursionError) as cause:
        raise TokenError("malformed", "It is no token: its parts are JSON in base64url.") from cause
    if not isinstance(read, dict):
        raise TokenError("malformed", "It is no token: its parts are JSON in base64url.")
    return read


def _decode(part: str) -> bytes:
    try:
        plain = part.translate(_FROM_URL)
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError) as cause:
        raise TokenError("malformed", "It is no token: a part of it is no base64url.") from cause


_FROM_URL = str.maketrans("-_", "+/")


def _number(value: Any, standard: float) -> float:
    """A claim that is a number; for any other the standard, which lets no token pass."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else standard


def _now() -> float:
    return time.monotonic()
