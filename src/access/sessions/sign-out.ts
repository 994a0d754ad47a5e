import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { AccessDeps } from '../deps.ts'

/** Ends the session of a browser that signs out, with all that rests on it. Of two sign-outs at once, one is noted. */
export async function signOut(
  tx: Tx,
  { credentials }: Pick<AccessDeps, 'credentials'>,
  trail: Trail,
  session: { id: Id<'session'>; account_id: Id<'account'> },
): Promise<void> {
  const ended = await tx.deleteFrom('session').where('id', '=', session.id).returning('id').executeTakeFirst()
  if (ended === undefined) return
  await audit(tx, trail, {
    action: 'sign_out',
    accountId: session.account_id,
    actorId: session.account_id,
    targetId: session.id,
  })
  afterCommit(tx, credentials.clear)
}
