import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { isPending } from '../../db/plausible-time.ts'
import type { Tables } from '../../db/tables/tables.ts'

type Purpose = Tables['passkey_challenge']['purpose']

/** The binding of a challenge: its purpose, a browser, and the account if known. */
export interface ChallengeKey {
  purpose: Purpose
  /** A cookie, the session, or the pending sign-in of the browser. */
  binding: string
  accountId: Id<'account'> | null
}

/** Issues a challenge that is good once, for ten minutes; another of the same browser and purpose ends it. */
export async function issueChallenge(tx: Tx, key: ChallengeKey, now: Millis): Promise<string> {
  const challenge = newToken()
  const { purpose, binding, accountId } = key
  const bindingHash = hashToken(binding)
  await tx
    .deleteFrom('passkey_challenge')
    .where('purpose', '=', purpose)
    .where('binding_hash', '=', bindingHash)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId))
    .execute()
  await tx
    .insertInto('passkey_challenge')
    .values({
      challenge_hash: hashToken(challenge),
      purpose,
      binding_hash: bindingHash,
      account_id: accountId,
      created_at: now,
      expires_at: now + LIFETIME.passkeyChallenge,
    })
    .execute()
  return challenge
}

/** Consumes a challenge: of any number of requests at once, one gets true. */
export async function useChallenge(
  tx: Tx,
  challenge: string,
  { purpose, binding, accountId }: ChallengeKey,
  now: Millis,
): Promise<boolean> {
  const used = await tx
    .deleteFrom('passkey_challenge')
    .where('challenge_hash', '=', hashToken(challenge))
    .where('purpose', '=', purpose)
    .where('binding_hash', '=', hashToken(binding))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where(isPending('expires_at', now, LIFETIME.passkeyChallenge + LIFETIME.lenience))
    .returning('challenge_hash')
    .executeTakeFirst()
  return used !== undefined
}
