import type { FastifyReply, FastifyRequest } from 'fastify'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'

/** The data of an ended session that its identity provider needs. */
export type EndedSession = Pick<Tables['session'], 'account_id' | 'identity_provider_id' | 'provider_hint'>

/**
 * Stores the address to which a browser returns after it has signed out at the identity provider of its session.
 * @param returnTo a checked address
 * @returns the provider's address for the sign-out; undefined where it has none
 */
export type LeaveProvider = (
  request: FastifyRequest,
  reply: FastifyReply,
  ended: EndedSession,
  returnTo: string,
) => Promise<string | undefined>

/**
 * Ends the session of a browser that signs out, with everything that depends on it. Of two concurrent sign-outs, one ends it.
 * @returns the session; undefined for the other one
 */
export async function signOut(
  tx: Tx,
  { credentials }: Pick<AccessDeps, 'credentials'>,
  trail: Trail,
  session: { id: Id<'session'>; account_id: Id<'account'> },
): Promise<EndedSession | undefined> {
  const ended = await tx
    .deleteFrom('session')
    .where('id', '=', session.id)
    .returning(['account_id', 'identity_provider_id', 'provider_hint'])
    .executeTakeFirst()
  if (ended === undefined) return undefined
  await audit(tx, trail, {
    action: 'sign_out',
    accountId: session.account_id,
    actorId: session.account_id,
    targetId: session.id,
  })
  afterCommit(tx, () => credentials.clearPeople([session.account_id]))
  return ended
}
