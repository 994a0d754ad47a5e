import { createBoundedMap } from '../core/bounded-map.ts'
import type { Millis } from '../core/clock.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Principal } from '../http/principal.ts'
import type { Claims } from './read-credential.ts'

/** Entries of each kind that are kept in memory at most. */
const MOST_ENTRIES = 10_000

/** Verdicts about tokens and keys, kept for up to five seconds (decisions: access, JWT). */
export interface CredentialCache {
  /** Forgets all verdicts, here and in other processes: a session ended, a role changed, a key was deleted. */
  clear(): void
  /** As `clear`, in this process only: another process asked for it. */
  forget(): void
  /** The principal of a credential: the verdict of the last five seconds, else a new one. A refusal is not kept. */
  whose(name: string, now: Millis, find: () => Promise<Principal | undefined>): Promise<Principal | undefined>
  /** The claims of a token of ours. Its signature is verified once; `clear` keeps the result. */
  claimsOf(token: string, verify: () => Promise<Claims | undefined>): Promise<Claims | undefined>
}

/**
 * @param tellOthers lets the other processes forget, too
 * @param onForgotten called whenever all verdicts are forgotten
 */
export function createCredentialCache(
  tellOthers: () => void,
  onForgotten: () => void = () => {},
): CredentialCache {
  const verdicts = createBoundedMap<string, { checkedAt: Millis; principal: Principal }>(MOST_ENTRIES)
  const verified = createBoundedMap<string, Claims>(MOST_ENTRIES)
  /** Counts the clearings: a verdict begun before one is not kept after it. */
  let generation = 0

  function forget(): void {
    generation += 1
    verdicts.clear()
    onForgotten()
  }

  return {
    forget,
    clear() {
      forget()
      tellOthers()
    },
    async whose(name, now, find) {
      const known = verdicts.get(name)
      if (known !== undefined && known.checkedAt <= now && now < known.checkedAt + LIFETIME.credentialCache)
        return known.principal
      const begun = generation
      const principal = await find()
      if (principal !== undefined && begun === generation) verdicts.set(name, { checkedAt: now, principal })
      return principal
    },
    async claimsOf(token, verify) {
      const known = verified.get(token)
      if (known !== undefined) return known
      const claims = await verify()
      if (claims !== undefined) verified.set(token, claims)
      return claims
    },
  }
}
