import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Static } from '../../http/schema/type.ts'
import type { AccessDeps } from '../deps.ts'
import { type ChallengeKey, useChallenge } from './passkey-challenge.ts'
import { type Assertion, challengeOf, siteOf, verifyAssertion } from './passkeys.ts'
import { findPasskey } from './use-passkey.ts'

/** A passkey with a valid signature, and its counter, which is compared under the lock of the account. */
export interface Proof {
  credentialId: string
  counter: number
}

/**
 * Consumes the challenge of an assertion and verifies it, outside of any transaction.
 * @returns undefined for a challenge of another browser or a used one, an unknown passkey, or an invalid assertion
 */
export async function provePasskey(
  { config, database }: Pick<AccessDeps, 'config' | 'database'>,
  { now }: Pick<Trail, 'now'>,
  accountId: Id<'account'>,
  assertion: Static<typeof Assertion>,
  key: ChallengeKey,
): Promise<Proof | undefined> {
  const challenge = challengeOf(assertion)
  const isIssued = await database.tx((tx) => useChallenge(tx, challenge, key, now))
  if (!isIssued) return undefined
  const factor = await findPasskey(database.db, accountId, assertion.id)
  if (factor === undefined) return undefined
  const verified = await verifyAssertion(assertion, factor, challenge, siteOf(config))
  return verified && { credentialId: assertion.id, counter: verified.counter }
}
