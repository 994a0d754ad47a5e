"""Tokens of people, verified by the published keys."""

from __future__ import annotations

import base64
import json
import threading
import time
from typing import Any

import pytest
from conftest import Server, say
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from postern_sdk import PosternError, tokens
from postern_sdk.tokens import AsyncTokenVerifier, TokenError, TokenVerifier


def encode(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Issuer:
    """An issuer of tokens, with keys that rotate."""

    def __init__(self, serve: Any) -> None:
        self.keys: dict[str, Any] = {"one": generate_private_key(SECP256R1())}
        self.is_down = False
        self.peer = serve(self._answer)
        self.url = self.peer.url

    def _answer(self, handler: Any, _: bytes) -> None:
        if self.is_down:
            return say(handler, 503, b"")
        numbers = {kid: key.public_key().public_numbers() for kid, key in self.keys.items()}
        keys = [
            {
                "kty": "EC",
                "crv": "P-256",
                "kid": kid,
                **{c: encode(getattr(n, c).to_bytes(32, "big")) for c in "xy"},
            }
            for kid, n in numbers.items()
        ]
        return say(handler, 200, {"keys": [{"kty": "RSA", "kid": "old"}, *keys]})

    def token(self, header: dict[str, Any] | None = None, kid: str = "one", **more: Any) -> str:
        seconds = int(time.time())
        claims = {
            **{"iss": self.url, "aud": self.url, "sub": "acc_1", "org_id": "org_1", "role": "member"},
            **{"sid": "ses_1", "jti": "j", "iat": seconds, "nbf": seconds - 5, "exp": seconds + 3_600},
            **more,
        }
        head = {"alg": "ES256", "typ": "at+jwt", "kid": kid, **(header or {})}
        signed = f"{encode(head)}.{encode({k: v for k, v in claims.items() if v is not None})}"
        key = self.keys.get(kid) or generate_private_key(SECP256R1())
        r, s = decode_dss_signature(key.sign(signed.encode(), ECDSA(SHA256())))
        return f"{signed}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


@pytest.fixture
def issuer(serve: Any) -> Issuer:
    return Issuer(serve)


@pytest.fixture
def clock(monkeypatch: Any) -> Any:
    """Moves the time by which keys are kept."""
    moved = [0.0]
    monkeypatch.setattr(tokens, "_now", lambda: 1_000.0 + moved[0])

    def advance(seconds: float) -> None:
        moved[0] += seconds

    return advance


def test_a_token_of_a_person_is_verified(server: Server) -> None:
    claims = TokenVerifier(f"{server.issuer}/").verify(server.token)
    assert (claims.org_id, claims.role, claims.roles) == (
        server.organization_id,
        "administrator",
        ["administrator"],
    )
    assert "webhooks:read" in claims.permissions
    with pytest.raises(TokenError) as refused:
        TokenVerifier(server.issuer, audience="https://api.test").verify(server.token)
    assert refused.value.reason == "wrong_audience"


@pytest.mark.anyio
async def test_so_it_is_without_waiting(server: Server) -> None:
    verifier = AsyncTokenVerifier(server.issuer)
    assert (await verifier.verify(server.token)).org_id == server.organization_id
    head, payload, _ = server.token.split(".")
    with pytest.raises(TokenError) as refused:
        await verifier.verify(f"{head}.{payload}.{encode(b'x' * 64)}")
    assert refused.value.reason == "bad_signature"
    nowhere = AsyncTokenVerifier("http://127.0.0.1:9")
    with pytest.raises(PosternError):
        await nowhere.verify(server.token)


def test_the_keys_are_fetched_once_for_all_who_ask(issuer: Issuer) -> None:
    verifier = TokenVerifier(issuer.url)
    token = issuer.token()
    threads = [threading.Thread(target=verifier.verify, args=[token]) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verifier.verify(token).sub == "acc_1"
    assert len(issuer.peer.calls) == 1


def test_a_token_that_is_not_good_is_refused_with_the_reason(issuer: Issuer) -> None:
    verifier = TokenVerifier(issuer.url)
    good = issuer.token()
    head, payload, signature = good.split(".")
    seconds = int(time.time())
    changed = json.loads(base64.urlsafe_b64decode(payload + "==")) | {"role": "administrator"}
    bad = [
        ("garbage", "malformed"),
        (None, "malformed"),
        ("a.b.c", "malformed"),
        (f"{good}.more", "malformed"),
        ("x" * 100_000, "malformed"),
        (f"{head}.{encode(changed)}.{signature}", "bad_signature"),
        (f"{head}.{payload}.", "bad_signature"),
        (f"{encode({'alg': 'none', 'typ': 'at+jwt'})}.{payload}.", "wrong_algorithm"),
        (issuer.token({"typ": "JWT"}), "wrong_algorithm"),
        (issuer.token({"alg": "HS256"}), "wrong_algorithm"),
        (issuer.token(kid="two"), "unknown_key"),
        (issuer.token(iss="https://other.test"), "wrong_issuer"),
        (issuer.token(aud="https://other.test"), "wrong_audience"),
        (issuer.token(nbf=seconds + 60), "not_yet_valid"),
        (issuer.token(nbf=None), "not_yet_valid"),
        (issuer.token(exp=seconds - 60), "expired"),
        (issuer.token(exp=None), "expired"),
        (issuer.token(exp="soon"), "expired"),
        (issuer.token(sub=None), "malformed"),
    ]
    for token, reason in bad:
        with pytest.raises(TokenError) as refused:
            verifier.verify(token)  # type: ignore[arg-type]
        assert refused.value.reason == reason, token
    assert verifier.verify(issuer.token(exp=seconds - 3)).sub == "acc_1"
    assert verifier.verify(issuer.token(aud=["https://other.test", issuer.url])).sub == "acc_1"


def test_a_made_up_key_causes_no_flood_and_a_new_one_is_found_after_the_pause(issuer: Issuer, clock: Any) -> None:
    verifier = TokenVerifier(issuer.url)
    verifier.verify(issuer.token())
    for _ in range(5):
        with pytest.raises(TokenError):
            verifier.verify(issuer.token(kid="made-up"))
    assert len(issuer.peer.calls) == 1
    issuer.keys["two"] = generate_private_key(SECP256R1())
    clock(31)
    assert verifier.verify(issuer.token(kid="two")).sub == "acc_1"
    assert len(issuer.peer.calls) == 2
    del issuer.keys["one"]
    clock(301)
    with pytest.raises(TokenError):
        verifier.verify(issuer.token(kid="one"))


def test_a_known_key_serves_on_for_an_hour_while_postern_cannot_be_reached(issuer: Issuer, clock: Any) -> None:
    verifier = TokenVerifier(issuer.url)
    token = issuer.token()
    verifier.verify(token)
    issuer.is_down = True
    clock(360)
    for _ in range(3):
        verifier.verify(token)
    assert len(issuer.peer.calls) == 2
    clock(3_600)
    for _ in range(3):
        with pytest.raises(PosternError):
            verifier.verify(token)
    assert len(issuer.peer.calls) == 3
    issuer.is_down = False
    clock(6)
    assert verifier.verify(token).sub == "acc_1"
