import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import { hashToken, type Vault } from '../core/secret.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { isPending } from '../db/plausible-time.ts'
import { sealContext } from '../db/sealed.ts'
import type { Tables } from '../db/tables/tables.ts'
import { Type } from '../http/schema/type.ts'

/** Tables of flows, one per slice, with the common columns below. */
type StateTable = 'social_state' | 'connection_state'

/** Lifetime of a flow. */
const LIFETIME_OF: Record<StateTable, Millis> = {
  social_state: LIFETIME.socialState,
  connection_state: LIFETIME.connectionState,
}

/** The values that a callback must present together. */
export interface StateKey {
  state: string
  provider: string
  /** The cookie of the browser that began the flow. */
  binding: string
}

/** The query of a callback. */
export const CallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 512, writeOnly: true })),
  code: Type.Optional(Type.String({ maxLength: 8_192, writeOnly: true })),
  iss: Type.Optional(Type.String({ maxLength: 2_048 })),
  error: Type.Optional(Type.String({ maxLength: 512 })),
  // Providers add further parameters.
})

/** The columns that only this table has. */
type OwnColumns<Table extends StateTable> = Omit<Tables[Table], keyof Tables['social_state']>

/** Stores a flow, sealed, until its callback; deletes expired flows. */
export async function keepFlow<Table extends StateTable>(
  tx: Tx,
  vault: Vault,
  table: Table,
  key: StateKey,
  { flow, beside, now }: { flow: object; beside: OwnColumns<Table>; now: Millis },
): Promise<void> {
  const stateHash = hashToken(key.state)
  const row = {
    state_hash: stateHash,
    provider: key.provider,
    binding_hash: hashToken(key.binding),
    payload: vault.seal(JSON.stringify(flow), sealContext(table, stateHash)),
    ...beside,
    created_at: now,
    expires_at: now + LIFETIME_OF[table],
  }
  // TypeScript knows no columns for a query over a union of tables.
  const either = table as 'social_state'
  await tx.deleteFrom(either).where('expires_at', '<=', now).execute()
  await tx.insertInto(either).values(row).execute()
}

/** Deletes the connection flows of an organization. */
export async function forgetFlows(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('connection_state').where('organization_id', '=', organizationId).execute()
}

/** Deletes the sign-in flows through an identity provider. */
export async function forgetFlowsTo(tx: Tx, provider: string): Promise<void> {
  await tx.deleteFrom('social_state').where('provider', '=', provider).execute()
}

/** The creators of something: an account, or API keys. */
export interface Makers {
  accountId: Id<'account'>
  keyIds: Id<'apiKey'>[]
}

/** A condition for rows that `makers` created: `column` has the actor, `key_id` the API key. */
export function madeBy(column: 'created_by' | 'actor_id', { accountId, keyIds }: Makers) {
  const byAccount = sql<boolean>`${sql.ref(column)} = ${accountId}`
  return keyIds.length === 0 ? byAccount : sql<boolean>`(${byAccount} or key_id in (${sql.join(keyIds)}))`
}

/** As `forgetFlows`, for flows that an account and some API keys began. */
export async function forgetFlowsOf(
  tx: Tx,
  organizationId: Id<'organization'>,
  makers: Makers,
): Promise<void> {
  await tx
    .deleteFrom('connection_state')
    .where('organization_id', '=', organizationId)
    .where(madeBy('actor_id', makers))
    .execute()
}

/**
 * Consumes a state: one of several concurrent callbacks gets the flow. A callback of another browser or provider does
 * not consume it.
 * @returns the stored flow, and its row
 * @throws ApiError VALIDATION_FAILED `field: "state"`
 */
export async function takeFlow<Flow, Table extends StateTable>(
  tx: Tx,
  vault: Vault,
  table: Table,
  key: StateKey,
  now: Millis,
): Promise<{ flow: Flow; row: Tables[Table] }> {
  const row = await tx
    .deleteFrom(table as 'social_state')
    .where('state_hash', '=', hashToken(key.state))
    .where('provider', '=', key.provider)
    .where('binding_hash', '=', hashToken(key.binding))
    .where(isPending('expires_at', now, LIFETIME_OF[table] + LIFETIME.lenience))
    .returningAll()
    .executeTakeFirst()
  if (row === undefined)
    throw new ApiError('VALIDATION_FAILED', {
      field: 'state',
      value: '[redacted]',
      reason: 'unknown_or_expired',
    })
  const flow = JSON.parse(vault.open(row.payload, sealContext(table, row.state_hash))) as Flow
  return { flow, row: row as Tables[Table] }
}

/**
 * Stores a provider's answer that arrives without the browser's cookie, for the callback that has it. The first answer
 * stays.
 * @param judge computes the stored value from the flow; called outside of any transaction
 * @returns whether the flow exists
 */
export async function answerFlow<Flow extends { answer?: unknown }>(
  { db, tx }: Pick<Database, 'db' | 'tx'>,
  vault: Vault,
  { state, provider }: Omit<StateKey, 'binding'>,
  now: Millis,
  judge: (flow: Flow) => Promise<Flow['answer']>,
): Promise<boolean> {
  const stateHash = hashToken(state)
  const context = sealContext('social_state', stateHash)
  const rowsIn = (handle: Db | Tx) =>
    handle
      .selectFrom('social_state')
      .select('payload')
      .where('state_hash', '=', stateHash)
      .where('provider', '=', provider)
      .where(isPending('expires_at', now, LIFETIME.socialState + LIFETIME.lenience))
  const row = await rowsIn(db).executeTakeFirst()
  if (row === undefined) return false
  const flow = JSON.parse(vault.open(row.payload, context)) as Flow
  if (flow.answer !== undefined) return true
  const answer = await judge(flow)
  const payload = vault.seal(JSON.stringify({ ...flow, answer }), context)
  // Has no effect if another answer was first or the flow has ended, because the payload differs then.
  await tx((inner) =>
    inner
      .updateTable('social_state')
      .set({ payload })
      .where('state_hash', '=', stateHash)
      .where('payload', '=', row.payload)
      .execute(),
  )
  return true
}
