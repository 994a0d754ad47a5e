import { normalizeEmail } from '../../core/text/email.ts'

/** The claims that a provider uses: those of the standard, or also its own. */
export type Dialect = 'google' | 'microsoft' | 'openid'

/** The claims of a verified ID token; each may have any type. */
export type Claims = Record<string, unknown>

/** A person's identity at a provider. */
export interface SocialIdentity {
  provider: string
  /** The display name of the provider. */
  label: string
  /** The provider's own unchanging key. */
  subject: string
  /** Normalised; undefined when the provider does not vouch for one. */
  verifiedEmail: string | undefined
  firstName: string
  lastName: string
}

/** The operator's settings for a provider. */
interface IdentityRules {
  /** Tenants whose addresses are accepted without a claim of verification. */
  trustedTenants: string[]
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads the claims by the rules of their provider (decisions: access).
 * @returns undefined without a valid key
 */
export function identityOf(
  { name: provider, label, dialect }: { name: string; label: string; dialect: Dialect },
  claims: Claims,
  rules: IdentityRules,
): SocialIdentity | undefined {
  const subject = dialect === 'microsoft' ? microsoftSubject(claims) : subjectOf(claims)
  if (subject === undefined) return undefined
  const email = EMAIL_OF[dialect](claims, rules)
  const verifiedEmail = email === undefined ? undefined : normalizeEmail(email)
  return { provider, label, subject, verifiedEmail, ...namesOf(claims, verifiedEmail) }
}

/** The address for which a provider vouches. */
const EMAIL_OF: Record<Dialect, (claims: Claims, rules: IdentityRules) => string | undefined> = {
  google: googleEmail,
  microsoft: microsoftEmail,
  openid: ({ email, email_verified }) =>
    typeof email === 'string' && email_verified === true ? email : undefined,
}

/** `sub` in the form of OpenID Connect Core 2. */
export function subjectOf({ sub }: Claims): string | undefined {
  return typeof sub === 'string' && /^[\x21-\x7e]{1,255}$/.test(sub) ? sub : undefined
}

/**
 * Google vouches for addresses of its own domains and of a Workspace (`hd`). An address of another domain was confirmed once, and may now
 * belong to another person (Google, "Authenticate with a backend server").
 */
function googleEmail({ email, email_verified, hd }: Claims): string | undefined {
  if (typeof email !== 'string' || email_verified !== true) return undefined
  const isWorkspace = typeof hd === 'string' && hd !== ''
  return isWorkspace || /@(gmail|googlemail)\.com$/i.test(email) ? email : undefined
}

/** `sub` differs by app registration, and one `oid` may stand in many tenants: the pair is the key. */
function microsoftSubject({ tid, oid }: Claims): string | undefined {
  if (typeof tid !== 'string' || typeof oid !== 'string' || !GUID.test(tid) || !GUID.test(oid))
    return undefined
  return `${tid}:${oid}`.toLowerCase()
}

/** `xms_edov` ("e-mail domain owner verified") comes as a boolean, a number or a text. */
const MARKED: unknown[] = [true, 1, '1', 'true']

/**
 * A tenant's administrator may write any address into `email` (nOAuth, descope.com/blog/post/noauth). It counts
 * only where its domain's owner was verified, it is a verified primary address, or the tenant is trusted.
 */
function microsoftEmail(claims: Claims, { trustedTenants }: IdentityRules): string | undefined {
  const { email, tid, xms_edov, verified_primary_email } = claims
  const primary = (Array.isArray(verified_primary_email) ? verified_primary_email : []).filter(
    (item) => typeof item === 'string',
  )
  if (typeof email !== 'string') return primary[0]
  const isTrusted = trustedTenants.some((tenant) => tenant.toLowerCase() === String(tid).toLowerCase())
  if (MARKED.includes(xms_edov) || isTrusted) return email
  const address = normalizeEmail(email)
  return primary.find((item) => address !== undefined && normalizeEmail(item) === address)
}

/** A name on one line, no longer than a sign-up allows. */
function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const line = claim.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  return [...line].slice(0, 100).join('').trim() || undefined
}

/** First and last name, from separate claims, else from the full name, else from the address. */
export function namesOf(
  { given_name, family_name, name }: Claims,
  email: string | undefined,
): { firstName: string; lastName: string } {
  const [first, ...rest] = (nameOf(name) ?? '').split(/\s+/)
  const given = nameOf(given_name)
  const family = nameOf(family_name)
  if (given !== undefined || family !== undefined) return { firstName: given ?? '', lastName: family ?? '' }
  return { firstName: first || (email?.split('@', 1)[0] ?? ''), lastName: rest.join(' ') }
}
