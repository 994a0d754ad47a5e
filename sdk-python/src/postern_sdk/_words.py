# Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

ErrorCode: TypeAlias = Literal[
    "UNAUTHORIZED",
    "FORBIDDEN",
    "MODULE_NOT_ENABLED",
    "INTEGRATION_EXPIRED",
    "INTEGRATION_REVOKED",
    "VALIDATION_FAILED",
    "INVALID_EMAIL",
    "INVALID_UUID",
    "TYPE_MISMATCH",
    "MISSING_REQUIRED_FIELD",
    "CONVERSATION_NOT_FOUND",
    "ENTITY_NOT_FOUND",
    "DUPLICATE",
    "RATE_LIMITED",
    "INSUFFICIENT_CREDITS",
    "INTEGRATION_RATE_LIMIT",
    "INDEXING_FAILED",
    "PARSE_FAILED",
    "PROCESSING_FAILED",
    "XLSX_TIMEOUT",
    "XLSX_CORRUPTED",
    "FETCH_FAILED",
    "INTEGRATION_PROVIDER_ERROR",
    "MCP_CLIENT_UNAVAILABLE",
]
"""The codes of the catalogue."""

# Names of the wire that do not follow from those of Python.
WIRE_NAMES = {
    "client_data_json": "clientDataJSON",
}
