"""What is tried again, and how often it is done: by a proxy that fails, before a real server or alone."""

from __future__ import annotations

import pickle
import time
from typing import Any

import httpx
import pytest
from conftest import Server, hang_up, pass_on, repeat, say

from postern_sdk import (
    AsyncPostern,
    CallTimeoutError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    Postern,
    PosternError,
    RateLimitedError,
    ServerError,
    UnauthorizedError,
    UnexpectedAnswerError,
)

RUN = {"agentId": "agent_1", "runId": "run_1", "status": "succeeded", "durationMs": 12, "output": "Done ✓"}


def failing(serve: Any, server: Server, plan: list[str]) -> Any:
    """A proxy that fails as planned, call by call, and passes on what comes after."""

    def answer(handler: Any, body: bytes) -> None:
        step = plan.pop(0) if plan else "pass"
        if step == "hang up":
            return hang_up(handler)
        if step == "busy":
            return say(handler, 503, b"<h1>busy</h1>", {"retry-after": "0", "content-type": "text/html"})
        passed = pass_on(handler, server.url, body)
        # The call is done, and its answer is lost.
        return hang_up(handler) if step == "lose" else repeat(handler, passed)

    return serve(answer)


def test_a_call_is_done_once_though_its_answers_are_lost(server: Server, postern: Postern, serve: Any) -> None:
    proxy = failing(serve, server, ["lose", "busy"])
    with Postern(proxy.url, api_key=server.key) as client:
        event = client.events.publish(type="agent.run.completed", data=RUN)
    keys = {headers["idempotency-key"] for _, _, headers, _ in proxy.calls}
    assert len(proxy.calls) == 3
    assert len(keys) == 1 and keys.pop().startswith("auto_")
    ids = [one.id for one in postern.events.list(limit=5).take(5)]
    assert ids.count(event.id) == 1
    listed = [one for one in postern.events.list(limit=20).take(20) if one.created_at >= event.created_at]
    assert len(listed) == 1


@pytest.mark.anyio
async def test_so_it_is_without_waiting(server: Server, serve: Any) -> None:
    proxy = failing(serve, server, ["hang up", "lose"])
    async with AsyncPostern(proxy.url, api_key=server.key) as client:
        webhook = await client.webhooks.create(url="https://example.com/", events=["*"], description="once")
        ids = [one.id async for one in client.webhooks.list() if one.description == "once"]
        assert ids == [webhook.id]
        await client.webhooks.delete(webhook.id)
    assert len({headers.get("idempotency-key") for _, _, headers, _ in proxy.calls[:3]}) == 1


def test_a_key_of_your_own_outlives_the_call(server: Server, postern: Postern) -> None:
    made = [
        postern.events.publish(type="agent.run.completed", data=RUN, idempotency_key="the-same-in-python")
        for _ in range(2)
    ]
    assert made[0].id == made[1].id
    assert postern.events.publish(type="agent.run.completed", data=RUN).id != made[0].id
    with pytest.raises(InvalidRequestError) as refused:
        postern.events.publish(
            type="agent.run.completed", data={**RUN, "runId": "other"}, idempotency_key="the-same-in-python"
        )
    assert refused.value.details["field"] == "Idempotency-Key"


def test_a_post_that_could_be_done_twice_is_sent_once(serve: Any) -> None:
    peer = serve(lambda handler, _: hang_up(handler))
    with Postern(peer.url, api_key="psk_x") as client:
        with pytest.raises(NetworkError) as failed:
            client.runs.cancel("run_1")
        assert (failed.value.code, failed.value.status) == ("NETWORK", 0)
        with pytest.raises(NetworkError):
            client.runs.cancel("run_1", idempotency_key="mine")
    assert len(peer.calls) == 4


def test_retries_end_and_say_what_was_last(serve: Any) -> None:
    answers = [(500, None), (429, {"retry-after": "0"}), (502, {"retry-after": "0"})]
    peer = serve(lambda handler, _: say(handler, *[(s, b"x", h) for s, h in answers][len(peer.calls) - 1]))
    with Postern(peer.url, api_key="psk_x") as client, pytest.raises(UnexpectedAnswerError) as failed:
        client.webhooks.read("whk_1")
    assert (failed.value.status, failed.value.details["body"], failed.value.retry_after) == (502, "x", 0)
    assert len(peer.calls) == 3


def test_retry_after_is_waited_for_and_the_deadline_is_kept(serve: Any) -> None:
    error = {"error": {"code": "RATE_LIMITED", "message": "Slower.", "details": {"retryAfterSeconds": 1}}}
    peer = serve(lambda handler, _: say(handler, 429, error, {"retry-after": "1", "x-request-id": "req_1"}))
    with Postern(peer.url, api_key="psk_x", max_retries=1) as client:
        begun = time.monotonic()
        with pytest.raises(RateLimitedError) as failed:
            client.webhooks.read("whk_1")
        assert time.monotonic() - begun >= 1
        assert len(peer.calls) == 2
        assert (failed.value.code, failed.value.retry_after) == ("RATE_LIMITED", 1)
        assert failed.value.details == {"retryAfterSeconds": 1}
        assert str(failed.value) == "Slower. (RATE_LIMITED, req_1)"
        with pytest.raises(RateLimitedError):
            client.webhooks.read("whk_1", deadline=0.9)
        with pytest.raises(RateLimitedError):
            client.webhooks.read("whk_1", max_retries=0)
        assert len(peer.calls) == 4
        again = pickle.loads(pickle.dumps(failed.value))
    assert (type(again), again.code, again.request_id) == (RateLimitedError, "RATE_LIMITED", "req_1")


@pytest.mark.parametrize("status, kind", [(501, 1), (404, 1), (503, 3), (408, 3)])
def test_only_what_may_pass_is_tried_again(serve: Any, status: int, kind: int) -> None:
    error = {"error": {"code": "ENTITY_NOT_FOUND", "message": "No.", "details": {}}}
    peer = serve(lambda handler, _: say(handler, status, error, {"retry-after": "0"}))
    with Postern(peer.url, api_key="psk_x") as client, pytest.raises(PosternError) as failed:
        client.webhooks.read("whk_1")
    assert len(peer.calls) == kind
    assert isinstance(failed.value, {404: NotFoundError, 408: PosternError}.get(status, ServerError))


def test_a_try_that_takes_too_long_is_given_up(serve: Any) -> None:
    peer = serve(lambda handler, _: time.sleep(0.5))
    with Postern(peer.url, api_key="psk_x", max_retries=0) as client:
        with pytest.raises(CallTimeoutError) as failed:
            client.webhooks.read("whk_1", timeout=0.05)
    assert "no answer within" in str(failed.value)


@pytest.mark.anyio
async def test_an_answer_that_trickles_is_given_up_too(serve: Any) -> None:
    def trickle(handler: Any, _: bytes) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "600")
        handler.end_headers()
        # Far beyond both limits, however slow the machine is; a client that has gone ends it.
        for _ in range(600):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    peer = serve(trickle)
    begun = time.monotonic()
    async with AsyncPostern(peer.url, api_key="psk_x", max_retries=0) as client:
        with pytest.raises(CallTimeoutError):
            await client.webhooks.read("whk_1", timeout=0.2)
    with Postern(peer.url, api_key="psk_x", max_retries=0) as waiting, pytest.raises(CallTimeoutError):
        waiting.webhooks.read("whk_1", timeout=0.2)
    assert time.monotonic() - begun < 20


def test_a_redirect_gets_neither_key_nor_body(serve: Any) -> None:
    stranger = serve(lambda handler, _: say(handler, 200, {}))
    peer = serve(lambda handler, _: say(handler, 307, b"", {"location": stranger.url}))
    following = httpx.Client(follow_redirects=True)
    with following, Postern(peer.url, api_key="psk_x", http_client=following) as client:
        with pytest.raises(UnexpectedAnswerError) as failed:
            client.webhooks.create(url="https://example.com/", events=["*"])
    assert "leads to" in str(failed.value)
    assert stranger.calls == []


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"id": 1}'])
def test_an_answer_that_is_none_of_ours_says_so(serve: Any, body: bytes) -> None:
    peer = serve(lambda handler, _: say(handler, 200, body))
    with Postern(peer.url, api_key="psk_x") as client:
        with pytest.raises(UnexpectedAnswerError) as failed:
            client.webhooks.read("whk_1")
        with pytest.raises(UnexpectedAnswerError):
            client.webhooks.list().page()
    assert failed.value.code == "UNEXPECTED_ANSWER"


def test_a_refused_token_is_asked_for_once_more(server: Server) -> None:
    asked: list[str | None] = []

    def token(refused: str | None) -> str:
        asked.append(refused)
        return "a stale one" if len(asked) == 1 else server.token

    with Postern(server.url, token=token, max_retries=0) as client:
        assert client.organizations.list().take(1)[0].id == server.organization_id
        assert asked == [None, "a stale one"]
    with Postern(server.url, token=lambda _: "never good") as client, pytest.raises(UnauthorizedError):
        client.webhooks.list().page()


@pytest.mark.anyio
async def test_a_token_may_come_from_a_coroutine(server: Server) -> None:
    async def token(_refused: str | None) -> str:
        return server.token

    async with AsyncPostern(server.url, token=token) as client:
        assert (await client.organizations.list().take(1))[0].id == server.organization_id
    async with AsyncPostern(server.url, token=lambda _: server.token) as client:
        assert (await client.organizations.list().page()).data


def test_slips_are_told_before_anything_is_sent(serve: Any) -> None:
    peer = serve(lambda handler, _: say(handler, 200, {}))
    with Postern(peer.url, api_key="psk_x") as client:
        for wrong in ("", ".", ".."):
            with pytest.raises(ValueError):
                client.webhooks.read(wrong)
        with pytest.raises(TypeError):
            client.webhooks.create(events=["*"])  # type: ignore[call-arg]
        with pytest.raises(ValueError):
            client.webhooks.create(url="https://example.com/", events="*")
        with pytest.raises(TypeError):
            client.webhooks.list(no_such_argument=1)  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            client.files.upload("text")  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            client.runs.decide_all("run_1", decisions=[{"stepid": "stp_1", "decision": "approve"}])
    with pytest.raises(ValueError):
        Postern("id.example.com")
    assert peer.calls == []
