import type { ApiError } from '../core/errors.ts'

/** Errors below this path have the format of SCIM (RFC 7644), the only one that SCIM clients know. */
export const SCIM_PATH = '/scim/v2'
export const SCIM_TYPE = 'application/scim+json'

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Operations of RFC 7644 that are not implemented: answered with 501 (3.12). */
const NOT_IMPLEMENTED = ['/Bulk', '/Me', '/.search', '/Users/.search', '/Groups/.search']

/** `scimType` by `details.reason`; any other 400 is `invalidValue` (RFC 7644 3.12). */
const TYPE_OF_REASON: Record<string, string> = {
  invalid_filter: 'invalidFilter',
  invalid_path: 'invalidPath',
  no_target: 'noTarget',
  read_only: 'mutability',
  empty: 'invalidSyntax',
  malformed_json: 'invalidSyntax',
  invalid_operation: 'invalidSyntax',
  too_many: 'tooMany',
}

export function isScim(url: string): boolean {
  return url.startsWith(`${SCIM_PATH}/`) || url === SCIM_PATH
}

/** The status of an answer to a SCIM client: SCIM has three statuses for one code of the catalogue. */
export function scimStatus(error: ApiError, url: string): number {
  const { path, allowed } = error.details as { path?: unknown; allowed?: unknown }
  if (error.code !== 'ENTITY_NOT_FOUND' || path === undefined) return error.status
  if (NOT_IMPLEMENTED.includes(url.split('?', 1)[0]?.slice(SCIM_PATH.length) ?? '')) return 501
  return allowed === undefined ? error.status : 405
}

/** The header with the code of the catalogue: clients refuse a body with members outside RFC 7644. */
export const SCIM_CODE = 'postern-error-code'

/** The body of RFC 7644 3.12. */
export interface ScimError {
  schemas: string[]
  status: string
  scimType?: string
  detail: string
}

/** @param status of the answer, which is that of `scimStatus` */
export function scimErrorBody(error: ApiError, status: number): ScimError {
  const { reason, field } = error.details as { reason?: unknown; field?: unknown }
  const about = [field, reason].filter((one) => typeof one === 'string')
  const scimType = typeOf(error, reason)
  return {
    schemas: [SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: about.length === 0 ? error.message : `${error.message} (${about.join(': ')})`,
  }
}

function typeOf(error: ApiError, reason: unknown): string | undefined {
  if (error.code === 'DUPLICATE') return 'uniqueness'
  if (error.status !== 400) return undefined
  return TYPE_OF_REASON[String(reason)] ?? 'invalidValue'
}
