"""What type checkers make of a program: read by mypy and pyright, never run."""

# pyright: strict

from __future__ import annotations

from datetime import datetime

from typing_extensions import assert_type

from postern_sdk import AsyncPages, AsyncPostern, Page, Pages, Postern, PosternError, types
from postern_sdk.webhooks import WebhookEvent, verify


def waiting(postern: Postern) -> None:
    webhook = postern.webhooks.create(url="https://example.com/", events=["*"])
    assert_type(webhook, types.CreatedWebhook)
    assert_type(webhook.secret, str)
    assert_type(webhook.created_at, datetime)
    assert_type(postern.webhooks.list(), Pages[types.Webhook])
    assert_type(postern.webhooks.list().page(), Page[types.Webhook])
    for one in postern.deliveries.list(status="failed"):
        assert_type(one, types.DeliveryItem)
    event = postern.events.publish(type="order.paid", data={"total": 1}, organization="ext:cus_1")
    assert_type(event, types.PublishEventAnswer)
    trial = postern.events.publish(type="order.paid", data={"total": 1}, dry_run=True)
    assert_type(trial, types.PublishEventTrial)
    assert_type(postern.webhooks.delete(webhook.id), None)
    postern.webhooks.update(webhook.id, description=None)
    tools = [types.CreateAgentBodyTool(server_id="mcp_1", name="search")]
    postern.agents.create(name="Seller", tools=tools)
    postern.webhooks.create(url="https://example.com/")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    postern.webhooks.update(webhook.id, status="asleep")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    postern.webhooks.read(webhook.id, colour="red")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


async def not_waiting(postern: AsyncPostern) -> list[types.Webhook]:
    assert_type(await postern.webhooks.read("whk_1"), types.Webhook)
    assert_type(postern.webhooks.list(), AsyncPages[types.Webhook])
    async for step in postern.runs.stream("run_1"):
        assert_type(step.event, str)
    return await postern.webhooks.list().take(3)


def received(body: bytes) -> str | None:
    event = verify(body, {}, "whsec_AA==")
    assert_type(event, WebhookEvent)
    if isinstance(event, types.AgentRunCompletedEvent):
        assert_type(event.data.run_id, str)
        return event.data.run_id
    return None


def failed(error: PosternError) -> bool:
    return error.code == "INSUFFICIENT_CREDITS" and error.retry_after is None
