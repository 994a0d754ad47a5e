import { sentenceOfFailure } from './failure-messages.ts'

/** The members of an error's `details` that a message may use. */
interface MessageDetails {
  fileId?: unknown
  documentId?: unknown
  reason?: unknown
  value?: unknown
  nearest?: unknown
  setting?: unknown
  scope?: unknown
}

/** The setting that allows private addresses, by the code that reports one. */
const ALLOWED_BY: Record<string, string> = {
  VALIDATION_FAILED: 'WEBHOOK_ALLOWED_NETWORKS',
  FETCH_FAILED: 'FILES_ALLOWED_NETWORKS',
  INTEGRATION_PROVIDER_ERROR: 'CONNECTIONS_ALLOWED_NETWORKS',
  MCP_CLIENT_UNAVAILABLE: 'MCP_ALLOWED_NETWORKS',
}

/** Messages by `details.reason`, where the catalogue's own message would leave the reader without the next step. */
const BY_REASON: Record<string, (details: MessageDetails, code: string) => string | undefined> = {
  unknown_event_type: ({ value, nearest }) =>
    `The event type "${value}" is not registered.${didYouMean(nearest)} Register it with POST /v1/event-types; GET /v1/event-types lists those that are.`,
  reserved_event_type: ({ value }) =>
    `The event type "${value}" is reserved: the platform alone publishes it. Register a type of your own with POST /v1/event-types.`,
  permission_required: ({ scope }) => `Your role in the organization lacks the permission "${scope}".`,
  scope_required: ({ scope }) =>
    `The API key, or what was granted to the application, lacks the scope "${scope}".`,
  new_sign_in_required: () =>
    'The application asks for a newer sign-in, or for another account: sign in again.',
  step_up_required: () =>
    'Show a second factor first: at /security, or by POST /v1/auth/step-up. Without one, sign in once more.',
  second_factor_required: (_details, code) =>
    code === 'FORBIDDEN' ? 'A second factor is required here. Add one at /security.' : undefined,
  address_not_allowed: notAllowed,
  blocked_address: notAllowed,
}

/**
 * The message of an error. Some reasons, and failures of files and documents, have their own; others use the catalogue's.
 * @param code a code of the catalogue
 * @param usual the catalogue's message for the code
 */
export function messageOf(code: string, details: object, usual: string): string {
  const { reason, fileId, documentId } = details as MessageDetails
  if (fileId !== undefined || documentId !== undefined)
    return sentenceOfFailure(code, typeof reason === 'string' ? reason : null) ?? usual
  if (typeof reason !== 'string' || !Object.hasOwn(BY_REASON, reason)) return usual
  return BY_REASON[reason]?.(details, code) ?? usual
}

/** The end of a sentence about a refused address: what the operator can do about it. */
export function notPublic(setting: string): string {
  return `is not a public address. The operator of this server can allow a private network by ${setting}.`
}

function notAllowed(details: MessageDetails, code: string): string | undefined {
  const setting = typeof details.setting === 'string' ? details.setting : ALLOWED_BY[code]
  return setting === undefined ? undefined : `Address not allowed: it ${notPublic(setting)}`
}

function didYouMean(nearest: unknown): string {
  if (!Array.isArray(nearest) || nearest.length === 0) return ''
  return ` Did you mean ${nearest.map((name) => `"${name}"`).join(' or ')}?`
}
