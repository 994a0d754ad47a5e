"""What the shapes of the API are made of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from ._words import WIRE_NAMES


def to_wire(name: str) -> str:
    """The name of a member in JSON: ``max_in_flight`` is ``maxInFlight``."""
    plain = name.rstrip("_")
    return WIRE_NAMES.get(plain) or re.sub(r"_(\w)", lambda match: match[1].upper(), plain)


class ApiModel(BaseModel):
    """What an answer holds. Members that this version does not know are in ``model_extra``."""

    model_config = ConfigDict(
        alias_generator=to_wire,
        populate_by_name=True,
        extra="allow",
        defer_build=True,
        protected_namespaces=(),
    )


class ApiBody(ApiModel):
    """What a request holds. An unknown member is refused, since it is a slip."""

    model_config = ConfigDict(extra="forbid")


class CustomEvent(ApiModel):
    """An event of a type of your own, or of one that is newer than this version."""

    id: str
    type: str
    created_at: datetime
    data: Any = None
