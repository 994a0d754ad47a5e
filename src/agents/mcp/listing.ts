import type { Millis } from '../../core/clock.ts'
import { SECOND } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { type Definition, pendingOf, toDefinitions } from './client/definitions.ts'
import { createSession, type Patience, type Session } from './client/session.ts'
import type { ServerDeps } from './deps.ts'
import { type ServerRow, toolsOf } from './server-wire.ts'
import { targetOf } from './target.ts'

/** From the look-up of the name to the last page of tools. */
const LISTING_DEADLINE: Millis = 15 * SECOND

/**
 * Asks a server for its tools, in a session of its own.
 * @throws ServerFailure
 */
export async function listTools(deps: ServerDeps, row: ServerRow): Promise<Definition[]> {
  const session = createSession(deps)
  try {
    return await listToolsIn(session, deps, row, { deadline: LISTING_DEADLINE })
  } finally {
    await session.close()
  }
}

/** @throws ServerFailure */
export async function listToolsIn(
  session: Session,
  deps: ServerDeps,
  row: ServerRow,
  patience: Patience,
): Promise<Definition[]> {
  const target = await targetOf(deps, row)
  const { tools } = await session.use(target, patience, (client, options) =>
    client.listTools(undefined, options),
  )
  return toDefinitions(row.id, tools)
}

/**
 * Stores the tools that a server lists. The first listing is accepted as a whole, by the administrator who asked for it. In
 * later ones, tools that differ are off until they are accepted, and are reported once.
 * @param seen the server as it was when it was asked: where it was changed since, the listing is not stored
 */
export async function keepListing(
  { publish }: Pick<ServerDeps, 'publish'>,
  tx: Tx,
  seen: ServerRow,
  listed: Definition[],
  now: Millis,
): Promise<ServerRow> {
  const row = await getOwned(tx, 'mcp_server', seen.id, seen.organization_id, lock)
  if (row.version !== seen.version) return row
  const before = toolsOf(row)
  const accepted = row.accepted === null ? listed : before.accepted
  const after = await tx
    .updateTable('mcp_server')
    .set({
      listed: JSON.stringify(listed),
      accepted: JSON.stringify(accepted),
      version: row.version + 1,
      failure: null,
      checked_at: now,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const known = new Set(pendingOf(before.listed, accepted).map(({ digest }) => digest))
  const tools = pendingOf(listed, accepted).filter(({ digest }) => !known.has(digest))
  if (tools.length > 0)
    await publish(tx, now, {
      organizationId: row.organization_id,
      type: 'mcp_server.changed',
      data: { serverId: row.id, name: row.name, tools: tools.map(({ name }) => name) },
    })
  return after
}
