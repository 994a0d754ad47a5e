import type { RawBuilder } from 'kysely'
import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import { hashToken, newToken, type Vault } from '../core/secret.ts'
import type { Tx } from '../db/database.ts'
import { isPending } from '../db/plausible-time.ts'
import { sealContext } from '../db/sealed.ts'
import type { Tables } from '../db/tables/tables.ts'

export type OneTimeToken = Tables['one_time_token']

/** How long a secret of each purpose lives. */
const LIFETIME_OF: Record<OneTimeToken['purpose'], Millis> = {
  confirmation: LIFETIME.confirmation,
  password_reset: LIFETIME.passwordReset,
  magic_link: LIFETIME.magicLink,
  email_approval: LIFETIME.emailChange,
  email_proof: LIFETIME.emailChange,
}

interface Issue {
  purpose: OneTimeToken['purpose']
  account: { id: Id<'account'>; email: string }
  now: Millis
  /** Sealed data for the use of the token. */
  payload?: unknown
  bindingHash?: string | null
  code?: string
}

/**
 * Issues a secret for a mail, under the lock of its account. A newer secret of the same purpose replaces the older one,
 * so that at most one is valid. A confirmation replaces only one of the same browser, because a stranger can request one and must not end
 * the owner's.
 * @returns the secret; only its hash is stored
 */
export async function issueToken(tx: Tx, vault: Vault, issue: Issue): Promise<string> {
  const token = newToken()
  const row: OneTimeToken = {
    token_hash: hashToken(token),
    purpose: issue.purpose,
    email: issue.account.email,
    account_id: issue.account.id,
    payload:
      issue.payload === undefined
        ? null
        : vault.seal(
            JSON.stringify(issue.payload),
            sealContext('one_time_token', issue.purpose, issue.account.id),
          ),
    binding_hash: issue.bindingHash ?? null,
    // 8 characters could be guessed from a plain hash; a keyed one cannot be tried without the key.
    code_hash: issue.code === undefined ? null : vault.mac(issue.code, `code:${issue.account.id}`),
    wrong_codes: 0,
    created_at: issue.now,
    expires_at: issue.now + LIFETIME_OF[issue.purpose],
  }
  await tx
    .deleteFrom('one_time_token')
    .where('account_id', '=', row.account_id)
    .where('purpose', '=', row.purpose)
    .$if(row.purpose === 'confirmation', (query) => query.where('binding_hash', '=', row.binding_hash))
    .execute()
  await tx.insertInto('one_time_token').values(row).execute()
  return token
}

/** The condition that a row of that purpose has not expired, and was not made by a clock that is far ahead. */
export function isLive(purpose: OneTimeToken['purpose'], now: Millis): RawBuilder<boolean> {
  return isPending('expires_at', now, LIFETIME_OF[purpose] + LIFETIME.lenience)
}

/**
 * Consumes a secret: of any number of requests at once, one gets the row.
 * @returns undefined for the others, and for a secret that is unknown, expired, replaced, or of another purpose
 */
export async function consumeToken(
  tx: Tx,
  purpose: OneTimeToken['purpose'],
  token: string,
  now: Millis,
): Promise<OneTimeToken | undefined> {
  return tx
    .deleteFrom('one_time_token')
    .where('token_hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where(isLive(purpose, now))
    .returningAll()
    .executeTakeFirst()
}

/** The `payload` that `issueToken` was given. */
export function payloadOf<T>(vault: Vault, row: OneTimeToken): T {
  return JSON.parse(
    vault.open(row.payload ?? '', sealContext('one_time_token', row.purpose, row.account_id)),
  ) as T
}
