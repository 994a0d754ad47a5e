"""Streams of events: what happens, what was missed, and how they end."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx
import pytest
from conftest import PATIENCE, Server, hang_up, say

from postern_sdk import AsyncPostern, Postern, StreamEvent, UnauthorizedError, UnexpectedAnswerError
from postern_sdk._sse import EventReader

HOOK = "https://example.com/hooks"


def cutting(serve: Any, server: Server, after: int) -> Any:
    """A proxy before a real stream that breaks its first connection after some events."""

    def answer(handler: Any, _: bytes) -> None:
        headers = {
            name: value
            for name, value in handler.headers.items()
            if name.lower() in ("authorization", "accept", "last-event-id")
        }
        is_first = len(peer.calls) == 1
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.close_connection = True
        ended = 0
        with httpx.stream("GET", server.url + handler.path, headers=headers, timeout=PATIENCE) as real:
            for line in real.iter_lines():
                handler.wfile.write(f"{line}\n".encode())
                handler.wfile.flush()
                ended += line == ""
                if is_first and ended >= after:
                    return hang_up(handler)

    peer = serve(answer)
    return peer


def test_a_stream_shows_what_was_missed_while_its_connection_was_broken(
    server: Server, postern: Postern, serve: Any
) -> None:
    proxy = cutting(serve, server, after=1)
    states: list[str] = []
    made: list[str] = []
    seen: list[str] = []

    def on_state(state: str, error: Exception | None) -> None:
        states.append(state)
        if state == "waiting":
            # No connection is open now: the stream gets this event by its place alone.
            made.append(postern.webhooks.create(url=HOOK, events=["*"]).id)

    with Postern(proxy.url, api_key=server.key) as client:
        with client.stream(topics="webhooks", on_state=on_state) as events:
            for event in events:
                assert event.event != "gap"
                if event.event == "webhook" and event.data["id"] in made:
                    seen.append(event.data["id"])
                    break
    assert seen == made[:1]
    assert states[:3] == ["open", "waiting", "open"]
    assert "last-event-id" not in proxy.calls[0][2] and proxy.calls[1][2]["last-event-id"]
    for id in made:
        postern.webhooks.delete(id)


@pytest.mark.anyio
async def test_so_it_does_without_waiting(server: Server, postern: Postern, serve: Any) -> None:
    proxy = cutting(serve, server, after=1)
    made: list[str] = []

    def on_state(state: str, error: Exception | None) -> None:
        if state == "waiting":
            made.append(postern.webhooks.create(url=HOOK, events=["*"]).id)

    async with AsyncPostern(proxy.url, api_key=server.key) as client:
        async with client.stream(topics="webhooks", on_state=on_state) as events:
            async for event in events:
                if event.event == "webhook" and event.data["id"] in made:
                    break
    assert len(proxy.calls) == 2
    for id in made:
        postern.webhooks.delete(id)


def test_a_run_is_followed_to_its_end_over_broken_connections(server: Server, postern: Postern, serve: Any) -> None:
    proxy = cutting(serve, server, after=2)
    agent = postern.agents.create(name="Cut")
    run = postern.agents.run(agent.id, input="Hello?")
    with Postern(proxy.url, api_key=server.key) as client:
        through = [(one.id, one.event) for one in client.runs.stream(run.id)]
    direct = [(one.id, one.event) for one in postern.runs.stream(run.id)]
    assert through == direct
    assert len(proxy.calls) >= 2


def test_a_stream_is_closed_from_another_thread(server: Server, postern: Postern) -> None:
    events = postern.stream(topics="webhooks")
    opened = threading.Event()
    seen: list[StreamEvent] = []

    def read() -> None:
        for event in events:
            seen.append(event)
            opened.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert opened.wait(PATIENCE)
    events.close()
    reader.join(PATIENCE)
    assert not reader.is_alive()
    assert [one.event for one in seen] == ["open"]


def test_a_stream_that_is_refused_or_is_none_ends_with_an_error(server: Server, serve: Any) -> None:
    with Postern(server.url, api_key="psk_nobody") as stranger, pytest.raises(UnauthorizedError):
        next(iter(stranger.stream()))
    endless = serve(lambda handler, _: say(handler, 200, b"data: " + b"x" * 5_000_000))
    with Postern(endless.url, api_key="psk_x") as client, pytest.raises(UnexpectedAnswerError):
        next(iter(client.stream()))


def test_a_stream_goes_on_from_the_place_of_a_heartbeat_and_ends_when_it_is_revoked(serve: Any) -> None:
    def answer(handler: Any, _: bytes) -> None:
        first = b"id: 5\nevent: open\ndata: {}\n\n: here\nid: 9\n\n: here\n\n"
        last = b'event: end\ndata: {"reason": "revoked"}\n\n'
        body = {1: first, 2: b'event: end\ndata: {"reason": "stopping"}\n\n'}.get(len(peer.calls), last)
        say(handler, 200, body, {"content-type": "text/event-stream"})

    peer = serve(answer)
    with Postern(peer.url, api_key="psk_x") as client:
        events = [(one.id, one.event) for one in client.stream()]
    assert events == [("5", "open"), (None, "end")]
    assert [headers.get("last-event-id") for _, _, headers, _ in peer.calls] == [None, "9", "9"]


def test_a_run_that_says_nothing_any_more_is_over(serve: Any) -> None:
    peer = serve(lambda handler, _: say(handler, 200, b": nothing\n\n", {"content-type": "text/event-stream"}))
    with Postern(peer.url, api_key="psk_x") as client:
        # Without a place, what was said between two connections is lost.
        assert [one.event for one in client.runs.stream("run_1")] == ["gap", "gap"]
    assert len(peer.calls) == 3


def test_events_are_the_same_however_their_bytes_are_cut() -> None:
    said = 'id: 1\r\nevent: a\r\ndata: {"ü":\r\ndata: 1}\r\n\r\n: note\rdata:plain\r\rid: 2\n\ndata\n\n'.encode()
    whole = [("1", "a", {"ü": 1}), (None, "message", "plain"), (None, "message", "")]
    for size in range(1, len(said) + 1):
        places: list[str] = []
        reader = EventReader(places.append)
        found = [one for at in range(0, len(said), size) for one in reader.feed(said[at : at + size])]
        assert [(one.id, one.event, one.data) for one in found] == whole, size
        assert places == ["1", "2"]
    assert json.dumps(found[0].data) == '{"\\u00fc": 1}'
