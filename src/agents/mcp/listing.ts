import type { Millis } from '../../core/clock.ts'
import { SECOND } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { createSession, type Session, type UseLimits } from './client/session.ts'
import { pendingOf, type ToolDefinition, toToolDefinitions } from './client/tool-definitions.ts'
import type { ServerDeps } from './deps.ts'
import { type ServerRow, toolsOf } from './server-wire.ts'
import { targetOf } from './target.ts'

/** One listing, from name resolution to the last page of tools. */
const LISTING_DEADLINE: Millis = 15 * SECOND

/**
 * Reads the tools of a server, in a session of its own.
 * @throws ServerFailure
 */
export async function listTools(deps: ServerDeps, row: ServerRow): Promise<ToolDefinition[]> {
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
  patience: UseLimits,
): Promise<ToolDefinition[]> {
  const target = await targetOf(deps, row)
  const { tools } = await session.use(target, patience, (client, options) =>
    client.listTools(undefined, options),
  )
  return toToolDefinitions(row.id, tools)
}

/**
 * Stores the tools that a server lists. The first listing is accepted as a whole, on behalf of the administrator who
 * requested it. In later ones, changed tools are off until they are accepted, and are reported once.
 * @param seen the server when it was called: where it has changed since, the listing is discarded
 */
export async function keepListing(
  { publish }: Pick<ServerDeps, 'publish'>,
  tx: Tx,
  seen: ServerRow,
  listed: ToolDefinition[],
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
