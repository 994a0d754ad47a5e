import { audit, type Trail } from '../audit/audit.ts'
import { type Id, newId } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { forgetFlows, forgetFlowsOf, type Makers, madeBy } from '../oauth/flow-state.ts'
import { sealTokens } from './connection-store.ts'
import type { Connection } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'
import type { Tokens } from './provider.ts'
import { type AddRevocation, revokeLater } from './revoke.ts'

/** The connections to delete: one, those that an account and some API keys created, or all of an organization. */
interface EndScope {
  organizationId: Id<'organization'>
  id?: Id<'connection'>
  makers?: Makers
}

/** Deletes connections for a cause on our side; jobs then revoke their tokens at the providers. */
async function end(
  tx: Tx,
  add: AddRevocation,
  { organizationId, id, makers }: EndScope,
  now: Trail['now'],
): Promise<Pick<Connection, 'id' | 'provider'>[]> {
  const ended = await tx
    .deleteFrom('connection')
    .where('organization_id', '=', organizationId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as Id<'connection'>))
    .$if(makers !== undefined, (query) => query.where(madeBy('created_by', makers as Makers)))
    .returning(['id', 'organization_id', 'provider', 'tokens'])
    .execute()
  await revokeLater(tx, add, ended, now)
  return ended
}

/** Deletes every connection of an organization, and its flows in progress. */
export async function endConnections(
  tx: Tx,
  add: AddRevocation,
  organizationId: Id<'organization'>,
  now: Trail['now'],
): Promise<void> {
  await end(tx, add, { organizationId }, now)
  await forgetFlows(tx, organizationId)
}

/** Deletes one connection at the request of `actorId`. @returns whether it existed */
export async function endConnection(
  tx: Tx,
  add: AddRevocation,
  trail: Trail,
  { organizationId, id, actorId }: EndScope & { id: Id<'connection'>; actorId: string },
): Promise<boolean> {
  const [ended] = await end(tx, add, { organizationId, id }, trail.now)
  if (ended === undefined) return false
  await audit(tx, trail, {
    action: 'connection.deleted',
    ...{ organizationId, actorId, targetId: id },
    details: { provider: ended.provider },
  })
  return true
}

/**
 * Deletes the connections that an account and some API keys created in an organization, and their flows in progress.
 */
export async function endConnectionsMadeBy(
  tx: Tx,
  add: AddRevocation,
  trail: Trail,
  { organizationId, actorId, ...makers }: EndScope & Makers & { actorId: string },
): Promise<void> {
  await forgetFlowsOf(tx, organizationId, makers)
  for (const { id, provider } of await end(tx, add, { organizationId, makers }, trail.now))
    await audit(tx, trail, {
      action: 'connection.deleted',
      ...{ organizationId, actorId, targetId: id },
      details: { provider, because: 'maker' },
    })
}

/**
 * Revokes tokens that a provider has granted but no connection holds: seals them in a new row of `ended_connection`,
 * whose job revokes them.
 * @param organizationId, provider the owner and the issuer of the tokens
 * @returns the id of the row, for the log
 */
export async function revokeOrphanedTokens(
  tx: Tx,
  { vault, addRevocation }: Pick<ConnectionDeps, 'vault' | 'addRevocation'>,
  {
    tokens,
    organizationId,
    provider,
  }: Pick<EndScope, 'organizationId'> & { provider: string; tokens: Tokens },
  now: Trail['now'],
): Promise<Id<'connection'>> {
  // A new id, because a row with the connection's id may hold the tokens with which it ended.
  const id = newId('connection', now)
  const kept = { id, organization_id: organizationId, provider, tokens: sealTokens(vault, id, tokens) }
  await revokeLater(tx, addRevocation, [kept], now)
  return id
}
