"""Signatures: the published vectors, those of Standard Webhooks, and a webhook that was really delivered."""

from __future__ import annotations

import base64
import json
import pickle
import re
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from conftest import say, until

from postern_sdk import Postern
from postern_sdk.types import AgentRunCompletedEvent
from postern_sdk.webhooks import CustomEvent, WebhookError, sign, verify, verify_signature

RUN = {"agentId": "agent_1", "runId": "run_1", "status": "succeeded", "durationMs": 12, "output": "Done ✓"}
OTHER = f"whsec_{base64.b64encode(b'another secret of thirty-two byte').decode()}"


class Published:
    """The test vectors of docs/webhooks.md, as they are published."""

    guide = Path(__file__).with_name("webhooks.md")
    text = (guide if guide.exists() else Path(__file__).parents[2] / "docs" / "webhooks.md").read_text("utf-8")

    def __getattr__(self, name: str) -> str:
        match = re.search(rf"^\| {name.replace('_', '-')} \| `(.*)` \|$", self.text, re.MULTILINE)
        assert match is not None, name
        return match[1]


published: Any = Published()
secret, body = published.secret, published.body
now = int(published.webhook_timestamp)
headers = {
    "webhook-id": published.webhook_id,
    "webhook-timestamp": published.webhook_timestamp,
    "webhook-signature": published.webhook_signature,
    "X-Service-Signature": getattr(published, "X-Service-Signature"),
}


@pytest.mark.parametrize("scheme", ["standard", "service"])
def test_the_published_call_is_taken_by_either_signature(scheme: Any) -> None:
    event = verify(body, headers, secret, now=now, scheme=scheme)
    assert isinstance(event, AgentRunCompletedEvent)
    assert (event.data.run_id, event.data.output) == ("run_1", "Grüße ✓")
    assert json.loads(body) == json.loads(event.model_dump_json(by_alias=True, exclude_unset=True)) | {
        "createdAt": json.loads(body)["createdAt"]
    }


def test_what_is_published_is_what_sign_makes() -> None:
    signed = sign(body, secret, id=headers["webhook-id"], now=now)
    assert {name.lower(): value for name, value in headers.items()} == {
        name: value for name, value in signed.items() if name != "content-type"
    }
    for scheme in ("standard", "service"):
        verify(body, sign(body, secret), secret, scheme=scheme)  # type: ignore[arg-type]


def test_the_vectors_of_standard_webhooks_are_taken() -> None:
    verify_signature(
        b'{"test": 2432232314}',
        {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        },
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        now=1614265330,
    )


def test_headers_are_taken_in_every_form_that_frameworks_give_them() -> None:
    message = Message()
    for name, value in headers.items():
        message[name] = value
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    lists = {name.upper(): [value] for name, value in headers.items()}
    for given in (message, raw, lists, list(headers.items())):
        verify(body, given, secret, now=now)  # type: ignore[arg-type]
    for raw_body in (body.encode(), bytearray(body.encode()), memoryview(body.encode())):
        verify(raw_body, headers, secret, now=now)  # type: ignore[arg-type]


def test_any_of_several_secrets_and_signatures_fits() -> None:
    verify(body, headers, [OTHER, secret], now=now)
    wrong = f"v1,{base64.b64encode(b'x' * 32).decode()}"
    several = f"v1a,unknown {wrong} {headers['webhook-signature']}"
    verify(body, {**headers, "webhook-signature": several}, secret, now=now)


def test_a_body_is_hashed_once_for_each_secret_however_many_signatures_come(monkeypatch: Any) -> None:
    from postern_sdk import webhooks

    count = 0
    real = webhooks._mac

    def counted(key: bytes, message: bytes) -> bytes:
        nonlocal count
        count += 1
        return real(key, message)

    monkeypatch.setattr(webhooks, "_mac", counted)
    many = " ".join([f"v1,{base64.b64encode(b'x' * 32).decode()}"] * 1_000)
    with pytest.raises(WebhookError):
        verify(body, {**headers, "webhook-signature": many}, secret, now=now)
    verify(body, {**headers, "webhook-signature": f"{many} {headers['webhook-signature']}"}, secret, now=now)
    assert count <= 4


def refuse(reason: str, given: Any = body, **changes: Any) -> None:
    more: dict[str, Any] = {"headers": headers, "secrets": secret, "now": now, **changes}
    with pytest.raises(WebhookError) as refused:
        verify(given, more.pop("headers"), more.pop("secrets"), **more)
    assert refused.value.reason == reason, refused.value


def test_what_is_wrong_is_named() -> None:
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        refuse("missing_header", headers={one: value for one, value in headers.items() if one != name})
    refuse("missing_header", headers={}, scheme="service")
    # It does not fall back to the signature without a time when the other is taken away.
    refuse("missing_header", headers={"x-service-signature": headers["X-Service-Signature"]})
    refuse("too_old", now=now + 301)
    refuse("too_new", now=now - 301)
    refuse("too_old", now=now + 1, tolerance=0)
    verify(body, headers, secret, now=now + 900, tolerance=900)
    refuse("wrong_secret", secrets=OTHER)
    refuse("wrong_secret", body.replace("run_1", "run_2"))
    refuse("body_was_parsed", json.loads(body))
    refuse("body_was_parsed", json.dumps(json.loads(body), indent=2))
    refuse("body_was_parsed", json.dumps(json.loads(body)))
    for bad in ("v1,***", "sha256=00", "v2,AAAA"):
        refuse("malformed", headers={**headers, "webhook-signature": bad})
    for bad in ("sha256=zz", headers["X-Service-Signature"].upper(), headers["X-Service-Signature"][7:]):
        refuse("malformed", headers={"x-service-signature": bad}, scheme="service")
    for bad in ("1795000000.5", "१७९५००००००", "-1"):
        refuse("malformed", headers={**headers, "webhook-timestamp": bad})
    for bad in ("", "whsec_", "whsec_***"):
        refuse("malformed", secrets=bad)
    for bad in ("no JSON", "[]", "{}", '{"type": "agent.run.completed"}', "1"):
        refuse("malformed", bad, headers=sign(bad, secret, now=now))
    error = WebhookError("too_old", "It was signed 400 s ago.")
    again = pickle.loads(pickle.dumps(error))
    assert (again.reason, str(again)) == (error.reason, str(error))


def test_a_webhook_that_was_delivered_is_verified_and_read(postern: Postern, serve: Any) -> None:
    receiver = serve(lambda handler, _: say(handler, 204))
    postern.event_types.create(name="python.delivered", description="For this test.")
    webhook = postern.webhooks.create(url=receiver.url, events=["agent.run.completed", "python.delivered"])
    event = postern.events.publish(type="agent.run.completed", data=RUN)
    [(_, _, given, raw)] = receiver.wait_for(1)
    for scheme in ("standard", "service"):
        read = verify(raw, given, webhook.secret, scheme=scheme)  # type: ignore[arg-type]
        assert isinstance(read, AgentRunCompletedEvent)
        assert (read.id, read.data.run_id, read.data.duration_ms) == (event.id, "run_1", 12)
    fresh = postern.webhooks.rotate_secret(webhook.id).secret
    own = postern.events.publish(type="python.delivered", data={"total_sum": 1, "camelCase": True})
    _, _, given, raw = receiver.wait_for(2)[1]
    # While a secret is rotated both sign, and a receiver that has either takes the call.
    for secrets in (webhook.secret, fresh, [fresh, webhook.secret]):
        custom = verify(raw, given, secrets)
        assert isinstance(custom, CustomEvent)
        assert (custom.id, custom.data) == (own.id, {"total_sum": 1, "camelCase": True})
    with pytest.raises(WebhookError):
        verify(raw, given, OTHER)
    delivery = until(
        "a delivery",
        lambda: postern.webhooks.deliveries(webhook.id).take(1)[0],
        lambda one: one.status == "delivered",
    )
    assert postern.deliveries.read(delivery.id).attempts[0].status_code == 204
    postern.webhooks.delete(webhook.id)
    postern.event_types.delete("python.delivered")
