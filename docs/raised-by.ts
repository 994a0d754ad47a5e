import type { ErrorCode } from '#src/core/errors.ts'

/** What answers with each code of the catalogue. */
export const RAISED_BY: Record<ErrorCode, string> = {
  UNAUTHORIZED:
    'every endpoint that asks for a token, an API key or a session; `/v1/auth/sign-in/email` and `/v1/auth/magic-link/verify` for every failure alike; an inbound webhook, or an event of Stripe, with a wrong signature',
  FORBIDDEN:
    'endpoints for administrators; a sign-up without invitation (`details.reason: "invitation_required"`); the last administrator of an organization; `POST /v1/auth/change-password` with another password than the present one (`wrong_password`); a call from a foreign site',
  MODULE_NOT_ENABLED:
    "every endpoint of a module that the organization's plan lacks: webhooks, events and deliveries; connections; files; knowledge; agents and MCP servers",
  INSUFFICIENT_CREDITS:
    '`POST /v1/connections/{id}/fetch`; `POST /v1/documents/{id}/index` with `Prefer: wait`, and whatever else costs credits',
  VALIDATION_FAILED:
    'every endpoint with a body, a query or a one-time token; also a malformed, too large or foreign-typed body (`details.field: "body"`), and whatever is no good request of HTTP (`details.field: "request"` or `"Host"`)',
  INVALID_EMAIL: 'every endpoint with an e-mail address',
  INVALID_UUID: 'every endpoint with an identifier',
  TYPE_MISMATCH: 'every endpoint with a body or a query',
  MISSING_REQUIRED_FIELD: 'every endpoint with a body or a query',
  CONVERSATION_NOT_FOUND:
    'every endpoint with a conversation, `POST /v1/agents/{id}/runs` among them: unknown, of another organization, or of another member',
  ENTITY_NOT_FOUND:
    "every endpoint with an identifier; unknown paths; a known path with another method (with `Allow` and `details.allowed`); another organization's resources",
  DUPLICATE:
    '`POST /v1/invitations`, `POST /v1/webhooks`, `PATCH /v1/webhooks/{id}`, `POST /v1/event-types`, `POST /v1/mcp-servers`, `PATCH /v1/mcp-servers/{id}`, `POST /v1/knowledge-bases`, `POST /v1/knowledge-bases/{id}/documents`, `PATCH /v1/organizations/{id}`; an `Idempotency-Key` whose first request still runs',
  RATE_LIMITED: 'every endpoint',
  INDEXING_FAILED:
    '`POST /v1/documents/{id}/index` with `Prefer: wait`; the `error` of a document, and of the event `document.indexed`, with the cause in `reason`',
  PROCESSING_FAILED: 'every endpoint, when something unexpected happened',
  PARSE_FAILED:
    'processing a file, and indexing a document of it: `details.reason` says `corrupt`, `encrypted`, `too_large`, `unsupported`, `encoding`, `no_text` or `timeout` (docs/files.md)',
  XLSX_TIMEOUT: 'processing a spreadsheet that is not read within 30 seconds',
  XLSX_CORRUPTED:
    'processing a spreadsheet: `details.reason` says `corrupt`, `encrypted`, `too_large` or `unsupported`',
  INTEGRATION_EXPIRED:
    '`POST /v1/connections/{id}/refresh` and `POST /v1/connections/{id}/fetch`, when the token has ended, or is refused, and cannot be refreshed',
  INTEGRATION_REVOKED: 'the same, when the provider takes the refresh token no more',
  INTEGRATION_RATE_LIMIT:
    'the same, when the provider answered 429, and until it may be asked again (`Retry-After`); the callback of a connection; `POST /v1/billing/checkout`, when the payment provider asks to wait',
  INTEGRATION_PROVIDER_ERROR:
    'the same, when the provider or its API fails in any other way; `POST /v1/connections/oauth/authorize`; `POST /v1/auth/sign-in/social`; the callbacks of both; `POST /v1/billing/checkout`, when the payment provider fails',
  MCP_CLIENT_UNAVAILABLE:
    '`POST /v1/mcp-servers/{id}/refresh`, with `details.reason`; the error of a run that cannot do without a server',
  FETCH_FAILED: '`POST /v1/files/from-url`, with `details.reason`',
}
