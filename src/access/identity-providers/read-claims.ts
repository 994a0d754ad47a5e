import { normalizeEmail } from '../../core/text/email.ts'
import { type Claims, namesOf, subjectOf } from '../social/identity.ts'
import { type Said, valuesIn } from './role-rules.ts'

/** The claims of an organization's identity provider about a person. */
export interface Vouched {
  /** The provider's own unchanging key. */
  subject: string
  /** Normalised; undefined where it names none. */
  email: string | undefined
  /** Whether the provider says that the address is not verified. */
  isDoubted: boolean
  firstName: string
  lastName: string
  said: Said
  /** The methods of the sign-in there. */
  methods: string[]
  /** The id of the session at the provider; undefined where it has none. */
  session: string | undefined
  /** The hint for a sign-out at the provider; undefined where there is none. */
  hint?: string
}

/** Issuers at which everybody may have an account, with the claim that names the organization of one. */
const SHARED: Record<string, string> = { 'https://accounts.google.com': 'hd' }

/** Reads the claims of a verified ID token; undefined when they hold no key. */
export function readVouched(issuer: string, claims: Claims): Vouched | undefined {
  const subject = subjectOf(claims)
  if (subject === undefined) return undefined
  const { email: text, email_verified: verified, amr, acr, sid } = claims
  const email = typeof text === 'string' ? normalizeEmail(text) : undefined
  const owner = SHARED[issuer]
  // Such an issuer has confirmed an address once, and its mailbox may have another owner now.
  const isOfOwner = owner === undefined || claims[owner] === email?.split('@')[1]
  return {
    ...{ subject, email: isOfOwner ? email : undefined },
    isDoubted: verified !== undefined && verified !== true && verified !== 'true',
    ...namesOf(claims, email),
    said: (claim) => (Object.hasOwn(claims, claim) ? valuesIn(claims[claim]) : []),
    methods: [...valuesIn(amr), ...valuesIn(acr)],
    session: typeof sid === 'string' && sid !== '' ? sid : undefined,
  }
}
