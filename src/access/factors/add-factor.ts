import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Nullable } from '../../http/schema/validation.ts'
import { factorAddedMail } from '../../mail/mail-templates.ts'
import type { Account } from '../accounts/accounts.ts'
import { endEntry } from '../accounts/end-entry.ts'
import type { AccessDeps } from '../deps.ts'
import { countFactors, type Factor, FactorSchema, markShown, toFactor } from './factor-store.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'

export type AddDeps = Pick<AccessDeps, 'vault' | 'outbox' | 'credentials'>

export const AddedSchema = Type.Object({
  factor: FactorSchema,
  recoveryCodes: Nullable(Type.Array(Type.String())),
})

interface Added {
  /** As it is under its lock. */
  account: Account
  sessionId: Id<'session'>
  factor: Factor
}

/**
 * Confirms a factor that the person has just shown. The first factor of an account makes recovery codes, and ends every other session and
 * pending sign-in, because they began without it.
 */
export async function addFactor(
  tx: Tx,
  { vault, outbox, credentials }: AddDeps,
  trail: Trail,
  { account, sessionId, factor }: Added,
): Promise<Static<typeof AddedSchema>> {
  const { now } = trail
  const confirmed = { ...factor, confirmed_at: now, last_used_at: now }
  await tx
    .updateTable('second_factor')
    .set({ confirmed_at: now, last_used_at: now })
    .where('id', '=', factor.id)
    .execute()
  await countFactors(tx, account.id)
  await markShown(tx, sessionId, now)
  const isFirst = account.second_factors === 0
  const recoveryCodes = isFirst ? await renewRecoveryCodes(tx, vault, account.id, now) : null
  const endedSessions = isFirst ? await endEntry(tx, trail, account.id, { keep: sessionId }) : 0
  await audit(tx, trail, {
    action: 'factor.added',
    accountId: account.id,
    actorId: account.id,
    targetId: factor.id,
    details: { kind: factor.kind, name: factor.name, endedSessions },
  })
  const template = factorAddedMail({ kind: factor.kind, name: factor.name, ip: trail.ip })
  await outbox.queue(tx, now, { to: account.email, template })
  afterCommit(tx, credentials.clear)
  return { factor: toFactor(confirmed), recoveryCodes }
}
