import type { Millis } from '../core/clock.ts'
import { type Id, newId } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import type { Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import { sealContext } from '../db/sealed.ts'
import type { Connection } from './connection-wire.ts'
import type { TokenGrant, Tokens } from './provider.ts'

/** The organization of a connection, and its creator: the account, or the service account with its API key. */
export interface Owner {
  organizationId: Id<'organization'>
  actorId: string
  keyId: Id<'apiKey'> | null
}

/** Seals tokens for a row of `connection` or `ended_connection` with this id. */
export function sealTokens(vault: Vault, id: Id<'connection'>, tokens: Tokens): string {
  return vault.seal(JSON.stringify(tokens), sealContext('connection', id))
}

/** @returns undefined where the tokens were deleted, because the provider no longer accepts them */
export function openTokens(
  vault: Vault,
  { id, tokens }: Pick<Connection, 'id' | 'tokens'>,
): Tokens | undefined {
  return tokens === null
    ? undefined
    : (JSON.parse(vault.open(tokens, sealContext('connection', id))) as Tokens)
}

/** The columns that new tokens change, from a grant or a refresh. */
export function freshColumns(vault: Vault, id: Id<'connection'>, granted: TokenGrant, now: Millis) {
  return {
    status: 'active',
    tokens: sealTokens(vault, id, granted.tokens),
    refreshable: granted.tokens.refreshToken === null ? 0 : 1,
    expires_at: granted.expiresAt,
    refusals: 0,
    outcome: null,
    outcome_reason: null,
    claim_id: null,
    claim_until: null,
    updated_at: now,
  } as const satisfies Partial<Connection>
}

/**
 * Stores a new connection, or new tokens of the organization's existing connection to the same account. A refresh in
 * progress with the old tokens then finds that its claim has ended.
 */
export async function keepConnection(
  tx: Tx,
  vault: Vault,
  { organizationId, actorId, keyId }: Owner,
  { provider, asked }: { provider: string; asked: string[] },
  granted: TokenGrant,
  now: Millis,
): Promise<{ connection: Connection; isNew: boolean }> {
  const subject = granted.subject ?? null
  const scopes = granted.scopes ?? asked.join(' ')
  // The lock waits for a refresh or deletion in progress; this transaction then renews the resulting row.
  const known = await lock(
    tx,
    tx
      .selectFrom('connection')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('provider', '=', provider)
      .where('subject', '=', subject),
  ).executeTakeFirst()
  if (known !== undefined) {
    // A provider that issues a refresh token only once (Google) still accepts the old one.
    const before = openTokens(vault, known)?.refreshToken ?? null
    const refreshToken = granted.tokens.refreshToken ?? before
    const tokens = { ...granted.tokens, refreshToken }
    const renewed = await tx
      .updateTable('connection')
      .set(({ eb }) => ({
        ...freshColumns(vault, known.id, { ...granted, tokens }, now),
        scopes,
        version: eb('version', '+', 1),
      }))
      .where('id', '=', known.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { connection: renewed, isNew: false }
  }
  const id = newId('connection', now)
  const row: Connection = {
    id,
    organization_id: organizationId,
    provider,
    subject,
    ...freshColumns(vault, id, granted, now),
    scopes,
    not_before: null,
    version: 1,
    created_by: actorId,
    key_id: keyId,
    created_at: now,
    refreshed_at: null,
  }
  const inserted = await tx
    .insertInto('connection')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'provider', 'subject']).doNothing())
    .returning('id')
    .executeTakeFirst()
  // A concurrent callback for the same account inserted it first.
  if (inserted === undefined)
    return keepConnection(tx, vault, { organizationId, actorId, keyId }, { provider, asked }, granted, now)
  return { connection: row, isNew: true }
}
