"""The shapes of the document, and what they let pass."""

from __future__ import annotations

import inspect
import json
import os
import re
from datetime import datetime, timezone
from pathlib import Path

import pydantic
import pytest

import postern_sdk
from postern_sdk import AsyncPostern, Postern, types
from postern_sdk._models import ApiModel, to_wire

SHAPES = [one for one in vars(types).values() if inspect.isclass(one) and issubclass(one, ApiModel)]


def test_every_shape_can_be_used_and_its_members_are_those_of_the_wire() -> None:
    assert len(SHAPES) > 250
    for shape in SHAPES:
        shape.model_rebuild()
        for name, member in shape.model_fields.items():
            assert member.alias == to_wire(name)
            assert re.fullmatch(r"[a-z][A-Za-z0-9]*", member.alias), f"{shape.__name__}.{name}"


def test_an_answer_may_say_more_and_a_body_may_not() -> None:
    actor = types.Actor.model_validate({"id": "acc_1", "kind": "robot", "colour": "red"})
    assert (actor.kind, actor.name, actor.model_extra) == ("robot", None, {"colour": "red"})
    with pytest.raises(pydantic.ValidationError):
        types.CreateWebhookBody.model_validate({"url": "https://example.com/", "events": [], "colour": "red"})
    body = types.UpdateWebhookBody(description=None, max_in_flight=3)
    assert json.loads(body.model_dump_json(by_alias=True, exclude_unset=True)) == {
        "description": None,
        "maxInFlight": 3,
    }
    since = types.CreateReplayBody(since=datetime(2026, 11, 20, 9, tzinfo=timezone.utc))
    assert json.loads(since.model_dump_json(by_alias=True, exclude_unset=True)) == {"since": "2026-11-20T09:00:00Z"}


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: object) -> dict[str, list[str]]:
        resources = {name: one for name, one in vars(client).items() if not name.startswith("_")}
        return {name: sorted(m for m in dir(one) if not m.startswith("_")) for name, one in resources.items()}

    waiting = methods(Postern("http://localhost"))
    assert waiting == methods(AsyncPostern("http://localhost"))
    assert len(waiting) >= 40 and waiting["webhooks"][:3] == ["call", "create", "delete"]


def test_the_package_says_which_version_it_is_and_that_it_has_types() -> None:
    folder = Path(postern_sdk.__file__).parent
    assert (folder / "py.typed").exists()
    installed = os.environ.get("POSTERN_TEST_VERSION")
    assert installed is None or postern_sdk.__version__ == installed
