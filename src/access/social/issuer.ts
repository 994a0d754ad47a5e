import type { Claims, Dialect } from './identity.ts'

/** Microsoft's issuers: `https://login.microsoftonline.com/<tenant>/v2.0`. */
const TENANT_ISSUER = /^(https?:\/\/[^/]+)\/([^/]+)\/v2\.0$/
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The placeholder for a token's tenant in the metadata of `common` and `organizations`. */
const ANY_TENANT = '{tenantid}'
/** The tenant of all personal Microsoft accounts. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Google's older spelling of its own issuer, which it still documents. */
const GOOGLE_BARE: Record<string, string> = { 'https://accounts.google.com': 'accounts.google.com' }

function tenantIn(issuer: string): string | undefined {
  return TENANT_ISSUER.exec(issuer)?.[2]
}

/**
 * Whether the metadata of `configured` may name the issuer `found` (OpenID Connect Discovery 4.3). They must be equal, except for
 * Microsoft's aliases: `organizations` stands for any tenant, a domain for its id.
 */
export function isOwnMetadata(dialect: Dialect, configured: string, found: string): boolean {
  if (found === configured) return true
  if (dialect !== 'microsoft') return false
  const [asked, answered] = [TENANT_ISSUER.exec(configured), TENANT_ISSUER.exec(found)]
  if (asked === null || answered === null || asked[1] !== answered[1]) return false
  const tenant = answered[2] ?? ''
  return !TENANT_ID.test(asked[2] ?? '') && (tenant === ANY_TENANT || TENANT_ID.test(tenant))
}

/** Whether the `iss` of an authorization answer (RFC 9207) is valid for the issuer of the metadata. */
export function mayAnswer(found: string, iss: string): boolean {
  if (tenantIn(found) !== ANY_TENANT) return iss === found
  const tenant = tenantIn(iss) ?? ''
  return TENANT_ID.test(tenant) && found.replace(ANY_TENANT, tenant) === iss
}

/** Whether the `iss` of an ID token is valid for its provider and its other claims. */
export function isOwnToken(
  dialect: Dialect,
  configured: string,
  found: string,
  { iss, tid }: Claims,
): boolean {
  if (dialect === 'openid') return iss === found
  if (dialect === 'google') return iss === found || (iss !== undefined && iss === GOOGLE_BARE[found])
  if (typeof tid !== 'string' || !TENANT_ID.test(tid)) return false
  const tenant = tenantIn(found)
  if (tenant === ANY_TENANT) {
    if (tid === CONSUMERS && tenantIn(configured) === 'organizations') return false
    return iss === found.replace(ANY_TENANT, tid)
  }
  if (tenant !== undefined && TENANT_ID.test(tenant) && tenant !== tid) return false
  return iss === found
}
