"""The main verbs of each resource, against a real server."""

from __future__ import annotations

import inspect
import io
import re
import secrets
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable

import httpx
import pytest
from conftest import Server, say

from postern_sdk import (
    AsyncPages,
    AsyncPostern,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    Pages,
    Postern,
    UnauthorizedError,
)
from postern_sdk.types import AgentParameters, Replay, ReplayTrial

NOBODY = "whk_01a2029b-705e-7606-a85c-6298b135787f"
# What tests make has a name of its own, whichever server they run against.
NEW = secrets.token_hex(4)
HOOK = "https://example.com/hooks"


def test_webhooks(postern: Postern) -> None:
    made = postern.webhooks.create(url=HOOK, events=["*"], description="mine", max_per_second=5)
    assert made.secret.startswith("whsec_") and made.created_at.tzinfo is not None
    assert (made.max_per_second, made.endpoint_path) == (5, None)
    changed = postern.webhooks.update(made.id, description=None, max_in_flight=7)
    assert (changed.description, changed.max_in_flight, changed.max_per_second) == (None, 7, 5)
    assert postern.webhooks.update(made.id, max_per_second=None).max_per_second is None
    assert postern.webhooks.read(made.id).url == HOOK
    assert postern.webhooks.rotate_secret(made.id).secret != made.secret
    assert postern.webhooks.stats(made.id).deliveries.delivered == 0
    postern.webhooks.delete(made.id)
    with pytest.raises(NotFoundError) as gone:
        postern.webhooks.read(made.id)
    assert (gone.value.code, gone.value.status) == ("ENTITY_NOT_FOUND", 404)
    assert (gone.value.request_id or "").startswith("req_")


def test_pages(postern: Postern) -> None:
    made = [postern.webhooks.create(url=HOOK, events=["*"], description=f"page {at}").id for at in range(5)]
    listed = postern.webhooks.list(limit=2, search="page ")
    assert [one.id for one in listed] == made[::-1]
    first = listed.page()
    assert [one.id for one in first.data] == made[:2:-1] and first.next_cursor is not None
    assert [one.id for one in listed.page(first.next_cursor).data] == made[2:0:-1]
    assert [len(page.data) for page in listed.pages()] == [2, 2, 1]
    assert [one.id for one in listed.take(3)] == made[:1:-1]
    assert listed.take(0) == []
    for id in made:
        postern.webhooks.delete(id)


@pytest.mark.anyio
async def test_pages_without_waiting(async_postern: AsyncPostern) -> None:
    made = [
        (await async_postern.webhooks.create(url=HOOK, events=["*"], description=f"row {at}")).id for at in range(3)
    ]
    listed = async_postern.webhooks.list(limit=2, search="row ")
    assert [one.id async for one in listed] == made[::-1]
    assert [len(page.data) async for page in listed.pages()] == [2, 1]
    assert [one.id for one in await listed.take(1)] == made[-1:]
    assert (await listed.page()).next_cursor is not None
    for id in made:
        await async_postern.webhooks.delete(id)


def test_events_and_their_types(postern: Postern) -> None:
    kind = postern.event_types.create(
        name="order.paid",
        description="An order was paid.",
        schema={"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]},
    )
    assert kind.schema_["required"] == ["total"]
    with pytest.raises(InvalidRequestError) as refused:
        postern.events.publish(type="order.paid", data={"sum": 1})
    assert refused.value.details["issues"]
    trial = postern.events.publish(type="order.paid", data={"total": 1}, dry_run=True)
    assert trial.webhooks == []
    data = {"total": 4200, "snake_case": {"camelCase": [1, None, "ü"]}}
    event = postern.events.publish(type="order.paid", data=data)
    assert postern.events.read(event.id).data == data
    batch = postern.events.publish_batch(
        events=[{"type": "order.paid", "data": {"total": 1}}, {"type": "order.lost", "data": {}}]
    )
    assert [one.error is None for one in batch.results] == [True, False]
    since = datetime.now(timezone.utc) - timedelta(hours=1)
    assert event.id in [one.id for one in postern.events.list(since=since, type="order.paid")]
    postern.event_types.delete("order.paid")


def test_files(postern: Postern, tmp_path: Path) -> None:
    report = tmp_path / "Grüße.txt"
    report.write_text("Grüße aus Zürich", "utf-8")
    with report.open("rb") as opened:
        contents: list[Any] = [report, opened, report.read_bytes(), io.BytesIO(report.read_bytes())]
        stream = (part for part in [b"Gr\xc3\xbc\xc3\x9fe ", "aus Zürich".encode()])
        for content in [*contents, stream]:
            named = {} if content in contents[:2] else {"name": "Grüße.txt", "content_type": "text/plain"}
            file = postern.files.upload(content, extra_headers={"Prefer": "wait=30"}, **named)
            assert (file.name, file.size_bytes, file.status) == ("Grüße.txt", 19, "processed")
            assert postern.files.content(file.id).read().decode() == "Grüße aus Zürich"
    with postern.files.content(file.id) as download:
        assert download.headers["content-length"] == "19"
        download.save(tmp_path / "copy.txt")
    assert (tmp_path / "copy.txt").read_bytes() == report.read_bytes()
    assert postern.files.text(file.id).text == "Grüße aus Zürich"
    assert file.id in [one.id for one in postern.files.list()]
    postern.files.delete(file.id)


@pytest.mark.anyio
async def test_files_without_waiting(async_postern: AsyncPostern, tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_bytes(b"x" * 200_000)

    async def parts() -> Any:
        for _ in range(2):
            yield b"x" * 100_000

    with report.open("rb") as opened:
        for content in (report, opened, report.read_bytes(), parts(), iter([report.read_bytes()])):
            named = {} if content in (report, opened) else {"name": "report.txt"}
            file = await async_postern.files.upload(content, content_type="text/plain", **named)
            assert (file.name, file.size_bytes) == ("report.txt", 200_000)
    async with await async_postern.files.content(file.id) as download:
        await download.save(tmp_path / "copy.txt")
    assert (tmp_path / "copy.txt").read_bytes() == report.read_bytes()
    assert await (await async_postern.files.content(file.id)).read() == report.read_bytes()


def test_knowledge_agents_and_runs(postern: Postern) -> None:
    base = postern.knowledge_bases.create(name=f"Prices {NEW}")
    document = postern.knowledge_bases.add_document(
        base.id,
        text="The basic plan costs 12 francs a month.",
        name="prices",
        extra_headers={"Prefer": "wait=30"},
    )
    assert postern.documents.read(document.id).status == "indexed"
    found = postern.knowledge_bases.search(base.id, query="basic plan")
    assert "12 francs" in found.data[0].text
    agent = postern.agents.create(
        name="Seller", knowledge_base_ids=[base.id], parameters=AgentParameters(temperature=0.5)
    )
    assert agent.parameters.temperature == 0.5
    assert postern.agents.update(agent.id, instructions="Be brief.").version == 2
    assert [one.version for one in postern.agents.versions(agent.id)] == [2, 1]
    assert postern.agents.read_version(agent.id, "1").instructions == ""
    conversation = postern.conversations.create()
    run = postern.agents.run(
        agent.id, input="What does the basic plan cost?", conversation_id=conversation.id, metadata={"a_b": 1}
    )
    events = [one.event for one in postern.runs.stream(run.id)]
    assert events[-1] == "run.succeeded"
    done = postern.runs.read(run.id)
    assert (done.status, done.metadata) == ("succeeded", {"a_b": 1})
    assert "12 francs" in (done.output or "")
    assert [one.kind for one in postern.runs.steps(run.id)][-1] == "model"
    assert [one.role for one in postern.conversations.messages(conversation.id)] == ["assistant", "user"]
    assert run.id in [one.id for one in postern.agents.runs(agent.id)]
    postern.agents.delete(agent.id)
    postern.knowledge_bases.delete(base.id)


@pytest.mark.anyio
async def test_a_run_without_waiting(async_postern: AsyncPostern) -> None:
    agent = await async_postern.agents.create(name="Async")
    run = await async_postern.agents.run(agent.id, input="Hello?")
    async with async_postern.runs.stream(run.id) as events:
        seen = [one async for one in events]
    assert seen[-1].event == "run.succeeded" and seen[-1].id is not None
    # From the last place but one the stream goes on, and ends.
    later = async_postern.runs.stream(run.id, last_event_id=seen[-2].id or "")
    assert [one.event async for one in later] == ["run.succeeded"]


def test_people_keys_and_roles(postern: Postern, server: Server) -> None:
    invitation = postern.invitations.create(email=f"{NEW}@acme.test", role="member", send_email=False)
    assert invitation.accept_url is not None
    assert postern.invitations.read(invitation.id).status == "pending"
    postern.invitations.revoke(invitation.id)
    role = postern.roles.create(name=f"Reader {NEW}", permissions=["webhooks:read"])
    assert role.id in [one.id for one in postern.roles.list()]
    postern.roles.delete(role.id)
    key = postern.api_keys.create(name=f"narrow {NEW}", role="administrator", scopes=["webhooks:read"])
    with Postern(server.url, api_key=f" {key.key}\n") as narrow:
        narrow.webhooks.list().page()
        with pytest.raises(ForbiddenError) as refused:
            narrow.webhooks.create(url=HOOK, events=["*"])
    assert refused.value.details["reason"] == "scope_required"
    rotated = postern.api_keys.rotate(key.id, overlap_hours=0)
    with Postern(server.url, api_key=key.key) as ended, pytest.raises(UnauthorizedError):
        ended.webhooks.list().page()
    postern.api_keys.delete(rotated.id)
    assert any(scope.scope == "webhooks:read" for scope in postern.api_keys.scopes())
    assert [one.id for one in postern.organizations.list()] == [server.organization_id]
    assert server.email in [one.email for one in postern.members.list(server.organization_id)]
    assert postern.service_accounts.list().take(1)
    entry = postern.audit_log.list(action="api_key.created").take(1)[0]
    assert entry.organization_id == server.organization_id
    assert postern.mails.list().page().next_cursor is None


def test_what_is_left(postern: Postern, server: Server) -> None:
    assert postern.billing.balance().plan
    plans = postern.billing.plans().page()
    assert plans.data and "paymentProvider" in plans.more
    assert postern.billing.ledger(limit=1).take(1) is not None
    assert postern.connections.providers().page().next_cursor is None
    assert postern.mcp_servers.list().take(1) == []
    assert postern.models.list().page() is not None
    assert postern.problems.list().page().next_cursor is None
    assert postern.replays.list().take(1) == []
    assert postern.deliveries.stats().totals is not None
    assert postern.errors.read("DUPLICATE").status == 409
    assert postern.health.live().status == "ok"
    assert postern.health.ready().status == "ok"
    assert "postern_" in postern.health.metrics().text
    answer = postern.mcp.call(jsonrpc="2.0", id=1, method="tools/list")
    assert answer["result"]["tools"]
    with Postern(server.url, api_key=server.operator_token) as operator:
        assert operator.operator.installation().version
        assert server.organization_id in [one.id for one in operator.operator.organizations()]
        assert server.email in [one.email for one in operator.accounts.list()]
        assert operator.audit_streams.list().take(1) == []
        assert operator.platform_keys.list().take(1)


def test_what_a_webhook_can_be_asked_to_do(postern: Postern, serve: Any) -> None:
    receiver = serve(lambda handler, _: say(handler, 204))
    webhook = postern.webhooks.create(
        url=receiver.url, events=["agent.run.completed"], endpoint_path=f"python-{NEW}"
    )
    tried = postern.webhooks.test(webhook.id)
    assert tried.attempt is not None and tried.attempt.status_code == 204
    tried = postern.webhooks.test(webhook.id, type="agent.run.completed")
    postern.captures.start(webhook.id)
    called = postern.webhooks.call(f"python-{NEW}")
    assert called.status == "captured"
    captured = postern.captures.list(webhook.id).take(1)[0]
    assert postern.captures.deliver(webhook.id, captured.id).id.startswith("evt_")
    postern.captures.stop(webhook.id)
    since = datetime.now(timezone.utc) - timedelta(minutes=5)
    trial = postern.webhooks.replay(webhook.id, since=since, status="delivered", dry_run=True)
    assert isinstance(trial, ReplayTrial)
    replay = postern.webhooks.replay(webhook.id, since=since, status="delivered")
    assert isinstance(replay, Replay) and replay.id.startswith("rpl_")
    assert postern.replays.read(replay.id).webhook_id == webhook.id
    postern.webhooks.delete(webhook.id)


def test_domains_and_a_person(postern: Postern, server: Server) -> None:
    domain = postern.domains.create(name=f"{NEW}.example")
    assert (domain.status, postern.domains.read(domain.id).record.type) == ("pending", "TXT")
    postern.domains.delete(domain.id)
    browser = httpx.Client(headers={"origin": server.issuer})
    with browser, Postern(server.url, http_client=browser) as person:
        assert person.auth.sign_in(email=server.email, password=server.password)
        session = person.sessions.current()
        assert session.user.email == server.email
        mine = [one.id for one in person.sessions.list()]
        assert mine and person.factors.list().page().next_cursor is None
        changed = person.account.update(language=None, first_name="Grace")
        assert (changed.first_name, changed.language) == ("Grace", None)
        account = changed.id
    assert [one.name for one in postern.actors.list(ids=account)] == ["Grace Lovelace"]


# Methods for browsers and for people, and streams that never end.
NOT_CALLED = {"auth", "stream"}


def questions(client: Any) -> list[Callable[[], Any]]:
    """The methods of a client that only read, and need to be told nothing."""
    found = []
    for name, resource in vars(client).items():
        for verb in dir(resource):
            method = getattr(resource, verb)
            if name.startswith("_") or name in NOT_CALLED or verb.startswith("_"):
                continue
            needed = [
                one
                for one in inspect.signature(method).parameters.values()
                if one.default is one.empty and one.kind is not one.VAR_KEYWORD
            ]
            if not needed and re.search(r"\(`GET\s", method.__doc__ or ""):
                found.append(method)
    return found


def test_every_list_that_needs_no_argument_has_the_shape_that_is_promised(server: Server) -> None:
    answered = 0
    for credential in (server.key, server.operator_token, server.token):
        with Postern(server.url, token=lambda _, credential=credential: credential) as client:
            for ask in questions(client):
                try:
                    answer = ask()
                    if isinstance(answer, Pages):
                        answer.take(30)
                    answered += 1
                except (ForbiddenError, UnauthorizedError):
                    pass
    assert answered > 60


@pytest.mark.anyio
async def test_and_so_it_has_without_waiting(async_postern: AsyncPostern) -> None:
    answered = 0
    for ask in questions(async_postern):
        try:
            answer = ask()
            await (answer.take(30) if isinstance(answer, AsyncPages) else answer)
            answered += 1
        except (ForbiddenError, UnauthorizedError):
            pass
    assert answered > 25


def test_a_key_of_the_installation_acts_for_the_organization_that_is_named(server: Server) -> None:
    with Postern(server.url, api_key=server.platform_key, organization=f"ext:{NEW}-1") as platform:
        mine = platform.webhooks.create(url=HOOK, events=["*"])
        theirs = platform.webhooks.create(url=HOOK, events=["*"], organization=f"ext:{NEW}-2")
        assert [one.id for one in platform.webhooks.list(organization=f"ext:{NEW}-2")] == [theirs.id]
        assert [one.id for one in platform.webhooks.list()] == [mine.id]
    with Postern(server.url, api_key=server.platform_key) as platform:
        assert [one.id for one in platform.webhooks.list(organization=f"ext:{NEW}-1")] == [mine.id]


@pytest.mark.anyio
async def test_errors_without_waiting(async_postern: AsyncPostern, server: Server) -> None:
    with pytest.raises(NotFoundError):
        await async_postern.webhooks.read(NOBODY)
    with pytest.raises(InvalidRequestError) as refused:
        await async_postern.webhooks.create(url="no address", events=["*"])
    assert (refused.value.code, refused.value.details["field"]) == ("VALIDATION_FAILED", "url")
    trial = await async_postern.events.publish(
        type="agent.run.completed",
        data={"agentId": "a", "runId": "r", "status": "succeeded", "durationMs": 1, "output": ""},
        dry_run=True,
    )
    assert trial.webhooks is not None
    async with AsyncPostern(server.url, api_key="psk_nobody") as stranger:
        with pytest.raises(UnauthorizedError):
            await stranger.webhooks.list().page()
