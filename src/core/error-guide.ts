import { ApiError, type Details, type ErrorCode } from './errors.ts'

/** The guide of an error code. `code` is between backticks; causes and steps are sentences. */
interface Guide<C extends ErrorCode = ErrorCode> {
  /** Causes of the answer, the most common first. */
  causes: string[]
  /** Steps to take, in this order. */
  steps: string[]
  /** `details` of an answer with this code, as Postern sends it. */
  example: Details<C>
}

/** The id in the examples, with the prefix of its kind. */
const idOf = (prefix: string) => `${prefix}_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42`
/** Ajv's message for a value of the wrong type. */
const NOT_A_TEXT = 'must be string'

/** One row per code. `/v1/errors`, docs/errors.md and the pages of the codes are generated from it. */
export const GUIDE: { [C in ErrorCode]: Guide<C> } = {
  UNAUTHORIZED: {
    causes: [
      'The request has no `Authorization: Bearer` header, or no session cookie where the endpoint asks for a session.',
      'The JWT is older than 60 minutes, or its session has ended.',
      'The API key was deleted, has expired, or belongs to another server.',
      '`/v1/auth/sign-in/email` or `/v1/auth/magic-link/verify` failed. All failures give this one answer, so that it tells a stranger nothing.',
      'The account has a second factor, which is to be shown in the same browser before a session begins (`second_factor_required`); `details.methods` says what it has.',
      'The second factor is wrong or was used (`wrong_factor`), or no sign-in of this browser waits for one (`no_pending_sign_in`).',
      'An inbound call of a webhook, or an event of Stripe, has a wrong signature.',
    ],
    steps: [
      'Send `Authorization: Bearer TOKEN`, where TOKEN is a JWT of `GET /v1/auth/token` or an API key that starts with `psk_`.',
      'Where the JWT has expired, ask `GET /v1/auth/token` for a new one. Where that answers `UNAUTHORIZED` too, sign in again.',
      'For `second_factor_required`, send the code to `POST /v1/auth/sign-in/second-factor` with the cookies of the answer.',
    ],
    example: {},
  },
  FORBIDDEN: {
    causes: [
      'The endpoint is for administrators, and the caller is a member (`administrator_required`).',
      'The API key is narrowed to scopes, or the application was granted some, and `details.scope` is not one of them (`scope_required`).',
      'The API key is bound to addresses, and the request comes from another one (`address_not_allowed`).',
      'An API key as the caller gives a key more reach or more time than its own (`beyond_own_addresses`, `beyond_own_expiry`).',
      'A person without an open invitation signs up (`invitation_required`).',
      'The role of the caller, which the organization made, lacks the permission of `details.scope` (`permission_required`).',
      'A role would be deleted that members have or pending invitations name (`role_in_use`, with their numbers).',
      'An organization would lose its last administrator (`last_administrator`), or one that requires its sign-in the last exception that can sign in (`last_exception`).',
      'An identity provider of an organization speaks for an address outside of its proven domains (`domain_not_proven`, in the audit log).',
      'The operator enables or disables an account that has not signed up yet (`not_signed_up`).',
      '`POST /v1/auth/change-password`, or `/v1/auth/change-email`, has another password than the present one (`wrong_password`).',
      'The session has shown no second factor within the last 10 minutes, and the request changes something that asks for it (`step_up_required`).',
      'The organization, or the installation, requires a second factor, and the account has none (`second_factor_required`).',
      'An administrator removes the second factors of a member of other organizations too (`member_elsewhere`), or own ones (`own_account`).',
      'A limit is reached, such as `too_many_webhooks` of the plan or `too_many_api_keys`; `details.limit` says how many there may be.',
      'A page of another site sent a request with the session cookie (`cross_site`).',
      'The operator of the server disabled the organization (`organization_disabled`).',
    ],
    steps: [
      'Read `error.details.reason`: it names the rule.',
      'For `administrator_required`, ask an administrator of the organization to make the call or to change your role.',
      'For `permission_required`, ask an administrator to add the permission of `details.scope` to your role, or to give you another one.',
      'For `scope_required`, create another key with the scope of `details.scope`, as a key keeps the scopes that it was made with; an application asks its person for that scope.',
      'For `address_not_allowed`, add the network of the caller to `allowedAddresses` of the key; behind a proxy, set `TRUST_PROXY`.',
      'For `invitation_required`, ask an administrator for an invitation to exactly this e-mail address.',
      'For `step_up_required`, send a code to `POST /v1/auth/step-up`, and then the request once more; without a second factor, sign in again.',
      'For `second_factor_required`, add a second factor at `/security` or by `POST /v1/auth/factors/totp`; the session is good for that.',
      'For a limit, delete what is not needed, or change the plan.',
    ],
    example: { reason: 'administrator_required', scope: 'webhooks:write' },
  },
  MODULE_NOT_ENABLED: {
    causes: [
      "The endpoint belongs to a module that the organization's plan does not hold: webhooks (with events and deliveries), connections, files, knowledge, or agents (with MCP servers).",
      'The operator of the server switched the module off for this organization.',
    ],
    steps: [
      'Read `error.details.plans`: these plans hold the module.',
      'Change the plan by `POST /v1/billing/checkout`, or ask the operator of the server.',
    ],
    example: { module: 'knowledge', plans: ['team', 'scale', 'unlimited'] },
  },
  INTEGRATION_EXPIRED: {
    causes: [
      "The connection's access token has expired, and the provider gave no refresh token.",
      'The provider refuses the access token, and a refresh is not possible.',
    ],
    steps: [
      'Call `POST /v1/connections/{id}/refresh`.',
      'Where that fails with this code, start `POST /v1/connections/oauth/authorize` again and let the person agree.',
    ],
    example: { connectionId: idOf('con'), provider: 'acme-drive', reason: null },
  },
  INTEGRATION_REVOKED: {
    causes: [
      'The person withdrew access in the settings of the provider.',
      'The provider no longer accepts the refresh token, for example because it was not used for too long.',
    ],
    steps: [
      'Start `POST /v1/connections/oauth/authorize` again and let the person agree; a refresh cannot help.',
    ],
    example: { connectionId: idOf('con'), provider: 'acme-drive', reason: 'invalid_grant' },
  },
  VALIDATION_FAILED: {
    causes: [
      'An event type is not registered (`unknown_event_type`): `POST /v1/events`, `POST /v1/webhooks` and the test of a webhook take registered types only.',
      'A value breaks a rule of its field: too long, out of range, or not one of the values of a list.',
      'The request has a member or a parameter that the endpoint does not know.',
      'The URL of a webhook leads to an address that is not public (`address_not_allowed`). The operator allows private networks by `WEBHOOK_ALLOWED_NETWORKS`, for example `127.0.0.0/8,::1/128` for a trial on one machine.',
      'The body is empty, is not JSON, is too large, or has another `Content-Type` (`details.field` is `body`).',
      'A one-time token was used already, has expired, or is incomplete (`details.field` is `token`).',
      'The request is not valid HTTP (`details.field` is `request` or `Host`).',
    ],
    steps: [
      'Read `error.details`: `field` names the place, `value` what was sent, `reason` the rule. `issues` lists all problems of a body.',
      'For an unknown event type, compare `details.value` with `details.nearest`, the registered names that are spelt like it. Where none is meant, register the type: `POST /v1/event-types` with `{ "name": "order.paid" }`, and send the same request again. `GET /v1/event-types` lists all registered types.',
      'Correct the request and send it again. The same request fails in the same way each time.',
    ],
    example: {
      field: 'type',
      value: 'order.piad',
      reason: 'unknown_event_type',
      nearest: ['order.paid'],
    },
  },
  INVALID_EMAIL: {
    causes: [
      'The text in `details.field` is not one e-mail address: no `@`, a space within, or a display name beside it.',
    ],
    steps: ['Send the bare address, such as `ada@acme.test`, in at most 320 characters.'],
    example: {
      field: 'email',
      value: 'ada@acme',
      issues: [
        { field: 'email', value: 'ada@acme', code: 'INVALID_EMAIL', message: 'must match format "email"' },
      ],
    },
  },
  INVALID_UUID: {
    causes: [
      'The identifier is of another kind, such as an `evt_…` where a `whk_…` belongs.',
      'The identifier was cut or typed by hand: it is a UUID of version 7, with its prefix or without.',
    ],
    steps: ['Copy the identifier from an answer of the API, and check that its prefix fits the endpoint.'],
    example: { field: 'id', value: 'whk_123' },
  },
  TYPE_MISMATCH: {
    causes: [
      'A member of the body has another JSON type than its field, such as `"1"` for a number. Nothing is converted.',
      'A parameter of the query is not the number or boolean that it should be.',
    ],
    steps: ['Look the operation up at `/api/docs`, and send the type that its field has.'],
    example: {
      field: 'url',
      value: 1,
      issues: [{ field: 'url', value: 1, code: 'TYPE_MISMATCH', message: NOT_A_TEXT }],
    },
  },
  MISSING_REQUIRED_FIELD: {
    causes: [
      'A required member of the body, or a required parameter, is not there. `null` does not stand for it.',
    ],
    steps: ['Add the field that `error.details.field` names. `issues` lists all that are missing.'],
    example: {
      field: 'events',
      issues: [{ field: 'events', code: 'MISSING_REQUIRED_FIELD', message: 'is required' }],
    },
  },
  CONVERSATION_NOT_FOUND: {
    causes: [
      'The conversation was deleted, or never existed.',
      'It belongs to another organization than the token does.',
      'It belongs to another member, and the caller is not an administrator.',
    ],
    steps: [
      'List the conversations by `GET /v1/conversations` with the same token.',
      'Check the organization of the token: `GET /v1/auth/token` takes `organizationId`.',
    ],
    example: { field: 'conversationId', value: idOf('cnv') },
  },
  ENTITY_NOT_FOUND: {
    causes: [
      'The resource was deleted, or never existed.',
      'It belongs to another organization than the token does. Both give the same answer, so that nothing of another organization shows.',
      'There is no such path, or it has no such method (`details.allowed` and the header `Allow` list those that it has).',
    ],
    steps: [
      'Check the id, the path and the method. `/api/docs` lists all paths.',
      'Check the organization of the token: `GET /v1/auth/token` takes `organizationId`.',
    ],
    example: { field: 'id', value: idOf('whk') },
  },
  DUPLICATE: {
    causes: [
      'The name, address, URL or path in `details.field` is in use: by an invitation, a webhook, an event type, a knowledge base, a document, an MCP server or an organization.',
      'A request with the same `Idempotency-Key` is still being carried out.',
    ],
    steps: [
      'Use the resource that exists, or send another value.',
      'For an `Idempotency-Key`, wait a second and send the same request again: it answers what the first one did.',
    ],
    example: { field: 'email', value: 'ada@acme.test' },
  },
  RATE_LIMITED: {
    causes: [
      'The organization made more requests in a minute than its plan allows (`GET /v1/billing/plans`).',
      'Too many sign-ins, sign-ups or mails came from one address or for one account.',
      'The server is busier than it can bear for a few seconds.',
    ],
    steps: [
      'Wait for the seconds of the `Retry-After` header, which `details.retryAfterSeconds` repeats.',
      'Spread requests over the minute, or publish many events at once by `POST /v1/events/batch`.',
    ],
    example: { retryAfterSeconds: 12 },
  },
  INSUFFICIENT_CREDITS: {
    causes: [
      'The action costs more credits than the organization has: `POST /v1/connections/{id}/fetch`, processing a file, indexing a document, or a step of a run.',
    ],
    steps: [
      'Compare `details.balance` with `details.required`, and see the prices at `GET /v1/billing/plans`.',
      'Buy credits by `POST /v1/billing/checkout`, or wait for the next cycle (`GET /v1/billing/balance` says when).',
    ],
    example: { balance: 0, required: 1 },
  },
  INTEGRATION_RATE_LIMIT: {
    causes: [
      'The provider of the connection answered 429.',
      'The provider asked to wait after an earlier call, and that time is not over.',
      'The payment provider asked to wait (`POST /v1/billing/checkout`).',
    ],
    steps: [
      'Wait for the seconds of the `Retry-After` header. Some providers need exponential backoff of at least 60 seconds.',
    ],
    example: { connectionId: idOf('con'), provider: 'acme-drive', reason: null, retryAfterSeconds: 60 },
  },
  INDEXING_FAILED: {
    causes: [
      'The file of the document could not be processed (`file_failed`).',
      'The model that makes vectors of texts did not answer, or its answer could not be used.',
      'The document has no text (`no_text`), too many passages (`too_many_chunks`), or no room in its base (`knowledge_base_full`).',
      'The file that was to replace the document was deleted (`file_deleted`).',
    ],
    steps: [
      'Read `error.message`: it says what to do for `error.details.reason`. A document has both in `error`, too.',
      'Call `POST /v1/documents/{id}/index` again. Where the reason stays, check the format and size of the file.',
    ],
    example: { documentId: idOf('doc'), fileId: idOf('fil'), reason: 'file_failed' },
  },
  PARSE_FAILED: {
    causes: [
      'The file is damaged (`corrupt`), protected by a password (`encrypted`), or of a format that is not read (`unsupported`).',
      'It holds more than may be read (`too_large`), takes too long (`timeout`), is in an unknown encoding (`encoding`), or has no text, as a scan has none (`no_text`).',
    ],
    steps: [
      'Open the file in its own program and save it again, without a password.',
      'For `too_large` and `timeout`, split the file. For `no_text`, run a text recognition first.',
    ],
    example: { fileId: idOf('fil'), reason: 'encrypted' },
  },
  PROCESSING_FAILED: {
    causes: [
      'Something unexpected happened in the server. The log of the server has it, under the same request id.',
      'The disk of the server is full (`disk_full`).',
    ],
    steps: [
      'Send the request again; with an `Idempotency-Key` it is not carried out twice.',
      'Where it fails again, give `requestId` (the header `X-Request-Id`) to the operator of the server.',
    ],
    example: {},
  },
  XLSX_TIMEOUT: {
    causes: ['The spreadsheet could not be read within 30 seconds: it holds very many cells or formulas.'],
    steps: ['Split the file, or leave out sheets that are not needed, and upload it again.'],
    example: { fileId: idOf('fil'), reason: 'timeout' },
  },
  XLSX_CORRUPTED: {
    causes: [
      'The spreadsheet is damaged (`corrupt`) or protected by a password (`encrypted`).',
      'It unpacks to more than may be read (`too_large`), or is an older format such as `.xls` (`unsupported`).',
    ],
    steps: ['Open it in a spreadsheet program, save it as `.xlsx` without a password, and upload it again.'],
    example: { fileId: idOf('fil'), reason: 'corrupt' },
  },
  FETCH_FAILED: {
    causes: [
      'The server of the URL did not answer (`unreachable`), or not in time (`timeout`).',
      'It answered with an error or with a web page instead of a file.',
      'The file is larger than may be stored (`too_large`).',
      'The URL, or a redirect of it, leads to an address that is not public (`blocked_address`). The operator allows private networks by `FILES_ALLOWED_NETWORKS`.',
    ],
    steps: [
      'Open the URL in a browser that is not signed in anywhere: it must give the file itself.',
      'Or upload the bytes by `POST /v1/files`.',
    ],
    example: { reason: 'blocked_address' },
  },
  INTEGRATION_PROVIDER_ERROR: {
    causes: [
      'The provider, or the API behind the connection, failed with 5xx, did not answer in time, or answered something that is not valid.',
      'Its address is not public (`blocked_address`). The operator allows private networks by `CONNECTIONS_ALLOWED_NETWORKS`.',
      'The payment provider failed (`POST /v1/billing/checkout`).',
    ],
    steps: [
      'Read `error.details.reason`, check the status page of the provider, and try again.',
      'Where it stays, let the operator run `npx postern doctor`: it calls each configured provider.',
    ],
    example: { connectionId: idOf('con'), provider: 'acme-drive', reason: 'unreachable' },
  },
  MCP_CLIENT_UNAVAILABLE: {
    causes: [
      'The MCP server did not answer in time, refused the connection, or answered something that is not MCP.',
      'Its address is not public (`blocked_address`). The operator allows private networks by `MCP_ALLOWED_NETWORKS`.',
      'It asks for an authorization that the server has not: `details.reason` names the status.',
    ],
    steps: [
      'Wait for the seconds of `Retry-After`, and call `POST /v1/mcp-servers/{id}/refresh`.',
      'Where it stays, check the URL, the headers and the connection of the server (`GET /v1/mcp-servers/{id}`).',
    ],
    example: {
      serverId: idOf('mcp'),
      reason: 'timeout',
      retryAfterSeconds: 5,
    } as Details<'MCP_CLIENT_UNAVAILABLE'>,
  },
}

/** A complete example answer with a code; its message follows from its details. */
export function exampleAnswer<C extends ErrorCode>(
  code: C,
  baseUrl: string,
  given = GUIDE[code].example as Details<C>,
) {
  const { message, details } = new ApiError(code, given)
  const requestId = idOf('req')
  return { error: { code, message, details, requestId, docUrl: `${baseUrl}/v1/errors/${code}` } }
}
