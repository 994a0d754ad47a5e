import { type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { hashToken } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { AuthorizationDeps } from './deps.ts'
import { hashOfUserCode } from './device-codes.ts'

/** The stored state of `oidc-provider` between two requests. */
type Payload = Record<string, unknown> & { grantId?: string; userCode?: string }

/** The store interface of `oidc-provider`, one for each kind of record. */
export interface Adapter {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  findByUserCode(userCode: string): Promise<Payload | undefined>
  findByUid(uid: string): Promise<Payload | undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

/** Ends the grant of a record that was used twice, and throws the refusal. */
export type OnReuse = (grantId: Id<'grant'>) => Promise<never>

/** Reactions to the use of a record. */
interface Uses {
  /** Called after the use. */
  onUse: (grantId: Id<'grant'>) => Promise<void>
  onReuse: OnReuse
}

/** The life of a record without an expiry, in seconds. */
const LONGEST = 3_600

/**
 * Requests for consent, codes and refresh tokens, in `oauth_record`: found by a hash of what the client holds, sealed, and used
 * once. Of any number of uses at the same moment one succeeds, in any number of processes.
 */
export function recordAdapter(
  kind: string,
  { database, vault, clock }: Pick<AuthorizationDeps, 'database' | 'vault' | 'clock'>,
  { onUse, onReuse }: Uses,
): Adapter {
  const hashOf = (id: string) => hashOfRecord(kind, id)

  async function findBy(column: 'id_hash' | 'user_code_hash', hash: string): Promise<Payload | undefined> {
    const row = await database.db
      .selectFrom('oauth_record')
      .selectAll()
      .where(column, '=', hash)
      .where('kind', '=', kind)
      .executeTakeFirst()
    const isOver = row !== undefined && row.expires_at <= clock.now()
    // An expired device code is returned, so that the device gets `expired_token` (RFC 8628 3.5).
    if (row === undefined || (isOver && kind !== 'DeviceCode')) return undefined
    const payload = JSON.parse(vault.open(row.payload, sealContext('oauth_record', row.id_hash))) as Payload
    const state = { ...(isOver ? { exp: 1 } : {}), ...(row.consumed_at === null ? {} : { consumed: true }) }
    return { ...payload, ...state }
  }

  return {
    async upsert(id, payload, expiresIn = LONGEST) {
      const now = clock.now()
      const hash = hashOf(id)
      const values = {
        grant_id: payload.grantId ?? null,
        payload: vault.seal(JSON.stringify(payload), sealContext('oauth_record', hash)),
        expires_at: now + expiresIn * SECOND,
      }
      await database.tx((tx) =>
        tx
          .insertInto('oauth_record')
          .values({
            ...{ id_hash: hash, kind, created_at: now, consumed_at: null, ...values },
            user_code_hash: payload.userCode === undefined ? null : hashOfUserCode(payload.userCode),
          })
          .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(values))
          .execute(),
      )
    },
    find: (id) => findBy('id_hash', hashOf(id)),
    findByUserCode: (userCode) => findBy('user_code_hash', hashOfUserCode(userCode)),
    findByUid: async () => undefined,
    async consume(id) {
      const now: Millis = clock.now()
      const hash = hashOf(id)
      const used = await database.tx((tx) =>
        tx
          .updateTable('oauth_record')
          .set({ consumed_at: now })
          .where('id_hash', '=', hash)
          .where('consumed_at', 'is', null)
          .returning('grant_id')
          .executeTakeFirst(),
      )
      if (used !== undefined) return onUse((used.grant_id ?? '') as Id<'grant'>)
      const row = await database.db
        .selectFrom('oauth_record')
        .select('grant_id')
        .where('id_hash', '=', hash)
        .executeTakeFirst()
      // Without a row the grant has ended already.
      await onReuse((row?.grant_id ?? '') as Id<'grant'>)
    },
    async destroy(id) {
      await database.tx((tx) => tx.deleteFrom('oauth_record').where('id_hash', '=', hashOf(id)).execute())
    },
    async revokeByGrantId(grantId) {
      await database.tx((tx) =>
        tx.deleteFrom('oauth_record').where('grant_id', '=', grantId).where('kind', '=', kind).execute(),
      )
    },
  }
}

const hashOfRecord = (kind: string, id: string) => hashToken(`${kind}:${id}`)

/** The creation time of a record; undefined where it is missing. */
export async function recordedAt(db: Db, kind: string, id: string): Promise<Millis | undefined> {
  const row = await db
    .selectFrom('oauth_record')
    .select('created_at')
    .where('id_hash', '=', hashOfRecord(kind, id))
    .executeTakeFirst()
  return row?.created_at
}

/** Marks a record as consumed. @returns true for the first call, false for every later one */
export async function consumeRecord(tx: Tx, kind: string, id: string, now: Millis): Promise<boolean> {
  const taken = await tx
    .updateTable('oauth_record')
    .set({ consumed_at: now })
    .where('id_hash', '=', hashOfRecord(kind, id))
    .where('consumed_at', 'is', null)
    .returning('id_hash')
    .executeTakeFirst()
  return taken !== undefined
}
