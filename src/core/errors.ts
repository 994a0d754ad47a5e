import { messageOf } from './error-messages.ts'

/**
 * The error catalogue: section 7 of the specification, row by row. A code and its status are stable; messages and remedies may
 * change. Statuses and messages are defined only here.
 */
export const CATALOGUE = {
  // Authentication and permission
  UNAUTHORIZED: {
    group: 'Authentication and permission',
    status: 401,
    message: 'The credentials are missing, invalid or expired.',
    meaning: 'Token missing, invalid or expired.',
    remedy: 'Renew the JWT at `GET /v1/auth/token`; check the `Authorization: Bearer` header.',
  },
  FORBIDDEN: {
    group: 'Authentication and permission',
    status: 403,
    message: 'You are not permitted to do this.',
    meaning: 'Authenticated but not permitted.',
    remedy: 'Check role or scope; an organization administrator promotes the user.',
  },
  MODULE_NOT_ENABLED: {
    group: 'Authentication and permission',
    status: 403,
    message: "This module is not enabled in the organization's plan.",
    meaning: "Module not enabled in the organization's plan.",
    remedy: 'Upgrade via `/v1/billing/checkout` or enable the feature flag.',
  },
  INTEGRATION_EXPIRED: {
    group: 'Authentication and permission',
    status: 401,
    message: "The external connection's OAuth token has expired.",
    meaning: 'OAuth token of an external connection expired.',
    remedy: '`POST /v1/connections/{id}/refresh` or re-authorize.',
  },
  INTEGRATION_REVOKED: {
    group: 'Authentication and permission',
    status: 401,
    message: 'Access was revoked at the external provider.',
    meaning: 'The user revoked access at the external provider.',
    remedy: 'Re-authorize via `/v1/connections/oauth/authorize`.',
  },
  // Validation
  VALIDATION_FAILED: {
    group: 'Validation',
    status: 400,
    message: 'One or more fields failed validation.',
    meaning: 'One or more fields failed validation.',
    remedy: 'Read `error.details`, correct, resend.',
  },
  INVALID_EMAIL: {
    group: 'Validation',
    status: 400,
    message: 'The e-mail address is not valid.',
    meaning: 'E-mail not in valid format (RFC 5322).',
    remedy: 'Send a valid e-mail.',
  },
  INVALID_UUID: {
    group: 'Validation',
    status: 400,
    message: 'The identifier is not valid.',
    meaning: 'An identifier is not a valid UUID v7.',
    remedy: 'Use an identifier from an API response.',
  },
  TYPE_MISMATCH: {
    group: 'Validation',
    status: 400,
    message: 'A field has the wrong type.',
    meaning: 'Data type differs from what the endpoint expects.',
    remedy: 'Check the endpoint schema.',
  },
  MISSING_REQUIRED_FIELD: {
    group: 'Validation',
    status: 400,
    message: 'A required field is missing.',
    meaning: 'A required field is missing.',
    remedy: 'Read `error.details.field` and include it.',
  },
  // Not found and conflict
  CONVERSATION_NOT_FOUND: {
    group: 'Not found and conflict',
    status: 404,
    message: 'The conversation does not exist.',
    meaning: 'The conversation does not exist or belongs to another organization.',
    remedy: 'Check `conversationId` and the organization of the token.',
  },
  ENTITY_NOT_FOUND: {
    group: 'Not found and conflict',
    status: 404,
    message: 'The resource does not exist.',
    meaning: 'The resource does not exist (possibly deleted).',
    remedy: 'Check the id and organization.',
  },
  DUPLICATE: {
    group: 'Not found and conflict',
    status: 409,
    message: 'This already exists.',
    meaning: 'A unique key would be violated on create.',
    remedy: 'Reuse the existing resource or send a different unique value.',
  },
  // Limits and quota
  RATE_LIMITED: {
    group: 'Limits and quota',
    status: 429,
    message: 'Too many requests.',
    meaning: 'Per-minute request limit of the plan exceeded.',
    remedy: 'Wait for the time in the `Retry-After` header.',
  },
  INSUFFICIENT_CREDITS: {
    group: 'Limits and quota',
    status: 402,
    message: 'The credit balance is too low for this action.',
    meaning: 'Credit balance too low for the action.',
    remedy: 'Add credits via `/v1/billing/checkout` or wait for the cycle renewal.',
  },
  INTEGRATION_RATE_LIMIT: {
    group: 'Limits and quota',
    status: 429,
    message: "The external provider's own limit was reached.",
    meaning: "The external provider's own limit was reached.",
    remedy: 'Wait and retry; some providers need exponential backoff of at least 60 seconds.',
  },
  // Server-side and processing
  INDEXING_FAILED: {
    group: 'Server-side and processing',
    status: 500,
    message: 'The document could not be indexed.',
    meaning: 'Indexing a document in the knowledge base failed.',
    remedy: 'Retry; check file format and size.',
  },
  PARSE_FAILED: {
    group: 'Server-side and processing',
    status: 422,
    message: 'The content of the file could not be extracted.',
    meaning: 'Content could not be extracted from the file.',
    remedy: 'File must not be corrupt or password-protected.',
  },
  PROCESSING_FAILED: {
    group: 'Server-side and processing',
    status: 500,
    message: 'Something unexpected went wrong on our side.',
    meaning: 'Unexpected processing-pipeline error.',
    remedy: 'Retry; then contact support with `X-Request-Id`.',
  },
  XLSX_TIMEOUT: {
    group: 'Server-side and processing',
    status: 504,
    message: 'The spreadsheet took too long to read.',
    meaning: 'Spreadsheet parsing exceeded its time limit.',
    remedy: 'Shrink or split the file.',
  },
  XLSX_CORRUPTED: {
    group: 'Server-side and processing',
    status: 422,
    message: 'The spreadsheet is corrupt or not supported.',
    meaning: 'XLSX file corrupt or unsupported.',
    remedy: 'Save again as valid `.xlsx`.',
  },
  FETCH_FAILED: {
    group: 'Server-side and processing',
    status: 502,
    message: 'The file could not be downloaded from the given URL.',
    meaning: 'Downloading the file from the given URL failed.',
    remedy: 'URL must be valid and publicly reachable.',
  },
  INTEGRATION_PROVIDER_ERROR: {
    group: 'Server-side and processing',
    status: 502,
    message: 'The external provider answered with an unexpected error.',
    meaning: 'External integration returned an unexpected error.',
    remedy: 'Retry; check provider status.',
  },
  MCP_CLIENT_UNAVAILABLE: {
    group: 'Server-side and processing',
    status: 503,
    message: 'The MCP server is unavailable.',
    meaning: 'The MCP (Model Context Protocol) server is unavailable.',
    remedy: 'Wait a few seconds and retry; check the server configuration.',
  },
} as const satisfies Record<string, CatalogueRow>

interface CatalogueRow {
  group: string
  status: number
  message: string
  meaning: string
  remedy: string
}

export type ErrorCode = keyof typeof CATALOGUE
export const ERROR_CODES = Object.keys(CATALOGUE) as ErrorCode[]

/** One problem with one field of a request. */
export interface Issue {
  field: string
  value?: unknown
  code: ErrorCode
  message: string
}

interface DetailsOf {
  MODULE_NOT_ENABLED: { module: string; plans: string[] }
  INSUFFICIENT_CREDITS: { balance: number; required: number }
  RATE_LIMITED: { retryAfterSeconds: number }
  MISSING_REQUIRED_FIELD: FieldDetails
  TYPE_MISMATCH: FieldDetails
  INVALID_EMAIL: FieldDetails
  INVALID_UUID: FieldDetails
  VALIDATION_FAILED: FieldDetails
}

interface FieldDetails {
  field: string
  value?: unknown
  reason?: string
  /** Similar names that `value` may be a typing error of. */
  nearest?: string[]
  /** The setting by which an operator allows the address. */
  setting?: string
  issues?: Issue[]
}

export type Details<C extends ErrorCode> = C extends keyof DetailsOf ? DetailsOf[C] : Record<string, unknown>

/**
 * An error that the API answers: `throw new ApiError('DUPLICATE', { field: 'email' })`. The status comes from the catalogue, and so
 * does the message unless `details.reason` has its own. `details` is sent unchanged, so it must not hold a secret.
 */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ApiError'
  readonly code: C
  readonly details: Details<C>
  readonly status: number

  constructor(code: C, details: Details<C>, options?: ErrorOptions) {
    super(messageOf(code, details, CATALOGUE[code].message), options)
    this.code = code
    this.details = details
    this.status = CATALOGUE[code].status
  }
}
