import assert from 'node:assert/strict'
import { hash } from '@node-rs/argon2'
import { type Id, newId } from '#src/core/id.ts'
import { SIGN_IN_BACKOFF } from '#src/core/limits.ts'
import { fingerprint, hashToken, newToken } from '#src/core/secret.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { newEmail, PASSWORD, type Person } from './people.ts'
import type { Postern } from './postern.ts'

export type AccountKind = 'active' | 'inactive' | 'disabled' | 'social'
export type InvitationKind = 'pending' | 'revoked' | 'expired'

const storedHashes = new Map<number, Promise<string>>()

/**
 * Writes accounts of a kind directly into the database, with the usual password if they have one: hundreds of
 * sign-ups would take longer than the measurement.
 */
export async function placeAccounts(
  postern: Postern,
  kind: AccountKind,
  count: number,
  importedHash?: string,
): Promise<string[]> {
  // Argon2id with the server's parameters, as a sign-up would store it.
  const cost = postern.hashCost
  const storedHash =
    storedHashes.get(cost.memoryCost) ?? hash(PASSWORD, { algorithm: 2, ...cost, parallelism: 1 })
  storedHashes.set(cost.memoryCost, storedHash)
  const passwordHash = importedHash ?? (await storedHash)
  const now = postern.clock.now()
  const rows = Array.from({ length: count }, (): Tables['account'] => ({
    id: newId('account', now),
    email: newEmail(kind),
    first_name: kind === 'inactive' ? null : 'Ada',
    last_name: kind === 'inactive' ? null : 'Lovelace',
    status: kind === 'social' ? 'active' : kind,
    email_verified_at: kind === 'inactive' ? null : now,
    password_hash: kind === 'inactive' || kind === 'social' ? null : passwordHash,
    terms_accepted_at: kind === 'inactive' ? null : now,
    created_at: now,
    updated_at: now,
    second_factors: 0,
    language: null,
  }))
  await postern.app.database.tx((tx) => tx.insertInto('account').values(rows).execute())
  return rows.map(({ email }) => email)
}

/**
 * Makes an address wait the longest after a failed sign-in from a browser that it does not know. The failure is a request; those before
 * it are written into the database, because each would cost a hash.
 */
export async function failSignIns(postern: Postern, email: string): Promise<void> {
  const now = postern.clock.now()
  const before = { failures: SIGN_IN_BACKOFF.free + 10, next_at: now, updated_at: now }
  await postern.app.database.tx((tx) =>
    tx
      .insertInto('sign_in_throttle')
      .values({ email_hash: fingerprint(email), ...before })
      .onConflict((conflict) => conflict.column('email_hash').doUpdateSet(before))
      .execute(),
  )
  const failed = await postern.client().post('/v1/auth/sign-in/email', { email, password: 'guess' })
  assert.equal(failed.status, 401, failed.text)
}

/** Invites placed accounts, and lets the invitations be in a state; answers with their tokens. */
export async function placeInvitations(
  postern: Postern,
  inviter: Person,
  kind: InvitationKind,
  emails: string[],
): Promise<string[]> {
  const now = postern.clock.now()
  const tokens = emails.map(() => newToken())
  await postern.app.database.tx(async (tx) => {
    const accounts = await tx
      .selectFrom('account')
      .select(['id', 'email'])
      .where('email', 'in', emails)
      .execute()
    const idOf = new Map(accounts.map(({ id, email }) => [email, id]))
    const rows = emails.map((email, index): Tables['invitation'] => ({
      id: newId('invitation', now),
      organization_id: inviter.organizationId as Id<'organization'>,
      account_id: idOf.get(email) as Id<'account'>,
      email,
      ...{ role: 'member', role_id: null, language: null },
      inviter_id: inviter.accountId,
      key_id: null,
      status: kind === 'revoked' ? 'revoked' : 'pending',
      token_hash: hashToken(tokens[index] ?? ''),
      mailed: 1,
      created_at: now,
      lifetime_ms: 1,
      expires_at: kind === 'expired' ? now - 1 : now + 7 * 24 * 3_600_000,
      accepted_at: null,
      revoked_at: kind === 'revoked' ? now : null,
    }))
    await tx.insertInto('invitation').values(rows).execute()
  })
  return tokens
}
