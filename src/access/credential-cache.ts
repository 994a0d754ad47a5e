import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Role } from '../db/tables/tables.ts'
import type { Principal } from '../http/principal.ts'

/** What was found out about tokens and keys, for up to five seconds (decisions 2: JWT). */
export interface CredentialCache {
  /** Forgets everything at once, here and elsewhere: a session ended, a role changed, a key was deleted. */
  clear(): void
  /** As `clear`, in this process: it happened elsewhere. */
  forget(): void
  /** Counts the clearings: a verdict begun before one must not be kept after it. */
  generation: number
  live: Map<string, { checkedAt: Millis; principal: Principal }>
  verified: Map<string, Claims>
}

/** @param tellOthers lets the other processes forget, too */
export function createCredentialCache(tellOthers: () => void): CredentialCache {
  const cache: CredentialCache = {
    live: new Map(),
    verified: new Map(),
    generation: 0,
    clear() {
      cache.forget()
      tellOthers()
    },
    forget() {
      cache.generation += 1
      cache.live.clear()
    },
  }
  return cache
}

/** What a verified JWT says. */
export interface Claims {
  accountId: Id<'account'>
  sessionId: Id<'session'>
  organizationId: Id<'organization'>
  role: Role
  notBefore: Millis
  expiresAt: Millis
}
