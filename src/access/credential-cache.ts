import { type BoundedMap, createBoundedMap } from '../core/bounded-map.ts'
import type { Millis } from '../core/clock.ts'
import { runWithoutOwner } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Permissions } from '../http/permissions.ts'
import type { Principal } from '../http/principal.ts'
import type { Networks } from '../net/networks.ts'
import type { Claims } from './read-credential.ts'
import type { GrantClaims } from './read-grant-token.ts'

/** Entries of each kind that are kept in memory at most. */
const MOST_ENTRIES = 10_000

/** A platform key, whatever organization it acts for. */
export interface PlatformCredential {
  id: Id<'platformKey'>
  /** Of the secret that was shown. */
  keyHash: string
  permissions: Permissions
  mayCreateOrganizations: boolean
  /** The permitted networks; null: all. */
  addresses: Networks | null
  expiresAt: Millis | null
}

/** Caches the checks of tokens and keys for up to five seconds (decisions: access, JWT). */
export interface CredentialCache {
  /** Clears all checks, in this process and others, for instance after a change of a role or the end of a key. */
  clear(): void
  /** Like `clear`, only for the tokens of some people whose sessions or grants ended. */
  clearPeople(accounts: readonly Id<'account'>[]): void
  /** Clears checks in this process only, on request of another. @param accounts the people; undefined: all checks */
  forget(accounts?: readonly Id<'account'>[]): void
  /** The principal of a credential, cached for five seconds. Concurrent callers share one look-up. A refusal is not cached or shared. */
  whose(name: string, now: Millis, find: () => Promise<Principal | undefined>): Promise<Principal | undefined>
  /** Like `whose`, for the secret of a platform key. Its right to act for an organization is cached separately. */
  platformKey(
    name: string,
    now: Millis,
    find: () => Promise<PlatformCredential | undefined>,
  ): Promise<PlatformCredential | undefined>
  /** The claims of a token of ours. Its signature is verified once; `clear` keeps the result. */
  claimsOf(token: string, verify: () => Promise<Claims | undefined>): Promise<Claims | undefined>
  /** As `claimsOf`, of an access token that a client got by a grant. */
  grantClaimsOf(
    token: string,
    verify: () => Promise<GrantClaims | undefined>,
  ): Promise<GrantClaims | undefined>
}

/** A look-up under way, which later callers share. */
interface LookUp<Found> {
  checkedAt: Millis
  generation: number
  found: Promise<Found | undefined>
}

/** Verdicts of one kind, by the name of a credential, and the look-ups under way. */
const createVerdicts = <Found>() => ({
  known: createBoundedMap<string, { checkedAt: Millis; found: Found }>(MOST_ENTRIES),
  underWay: new Map<string, LookUp<Found>>(),
})
type Verdicts<Found> = ReturnType<typeof createVerdicts<Found>>

/**
 * @param notifyOthers asks the other processes to clear the checks of one person, or all checks
 * @param onForgotten called after checks were cleared
 */
export function createCredentialCache(
  notifyOthers: (account?: Id<'account'>) => void,
  onForgotten: () => void = () => {},
): CredentialCache {
  const verdicts = createVerdicts<Principal>()
  const platformKeys = createVerdicts<PlatformCredential>()
  const verified = createBoundedMap<string, Claims>(MOST_ENTRIES)
  const verifiedGrants = createBoundedMap<string, GrantClaims>(MOST_ENTRIES)
  /** Counts the clearings: a verdict begun before one is neither kept nor shared after it. */
  let generation = 0

  async function ask<Found>(
    verdicts: Verdicts<Found>,
    [name, now, find]: [name: string, now: Millis, find: () => Promise<Found | undefined>],
  ): Promise<Found | undefined> {
    const verdict = verdicts.known.get(name)
    if (verdict !== undefined && isFresh(verdict, now)) return verdict.found
    const shared = verdicts.underWay.get(name)
    if (shared !== undefined && shared.generation === generation && isFresh(shared, now)) {
      const found = await shared.found.catch(unlessRefused)
      // A refusal may depend on the first caller, or be older than the right of this one.
      if (found !== undefined && shared.generation === generation) return found
    }
    return lookUp(verdicts, name, now, find)
  }

  async function lookUp<Found>(
    { known, underWay }: Verdicts<Found>,
    name: string,
    now: Millis,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    // Other callers share it, so it must not be interrupted with this one.
    const own = { checkedAt: now, generation, found: runWithoutOwner(find) }
    underWay.set(name, own)
    try {
      const found = await own.found
      if (found !== undefined && own.generation === generation) known.set(name, { checkedAt: now, found })
      return found
    } finally {
      if (underWay.get(name) === own) underWay.delete(name)
    }
  }

  function forget(accounts?: readonly Id<'account'>[]): void {
    generation += 1
    if (accounts === undefined) {
      verdicts.known.clear()
      platformKeys.known.clear()
    } else {
      const people = new Set(accounts)
      for (const [name, { found }] of verdicts.known.entries())
        if ('accountId' in found && people.has(found.accountId)) verdicts.known.delete(name)
    }
    onForgotten()
  }

  return {
    forget,
    clear() {
      forget()
      notifyOthers()
    },
    clearPeople(accounts) {
      forget(accounts)
      for (const account of accounts) notifyOthers(account)
    },
    whose: (...asked) => ask(verdicts, asked),
    platformKey: (...asked) => ask(platformKeys, asked),
    claimsOf: (...asked) => verifyOnce(verified, ...asked),
    grantClaimsOf: (...asked) => verifyOnce(verifiedGrants, ...asked),
  }
}

/** @throws the error, where the look-up itself failed */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}

function isFresh({ checkedAt }: { checkedAt: Millis }, now: Millis): boolean {
  return checkedAt <= now && now < checkedAt + LIFETIME.credentialCache
}

async function verifyOnce<Read>(
  verified: BoundedMap<string, Read>,
  token: string,
  verify: () => Promise<Read | undefined>,
): Promise<Read | undefined> {
  const known = verified.get(token)
  if (known !== undefined) return known
  const claims = await verify()
  if (claims !== undefined) verified.set(token, claims)
  return claims
}
