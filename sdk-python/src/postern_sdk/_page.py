"""A page of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: list[T]
    next_cursor: str | None
    """The cursor of the next page; None on the last one."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What the page says besides, by the names of the API."""
