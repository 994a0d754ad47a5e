import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { createSession, type Session } from './client/session.ts'
import type { ToolDefinition } from './client/tool-definitions.ts'
import type { ServerDeps } from './deps.ts'
import { type ServerRow, toolsOf } from './server-wire.ts'
import { revisionOf, type ServerAddress } from './target.ts'

/** A server during one turn of a run in this process. */
export interface RunServer {
  /** The session, which is kept between calls. */
  session: Session
  /** Reads the current settings of the server; undefined where it was deleted. */
  current(): Promise<ServerAddress | undefined>
  /** Whether a tool is still accepted, and listed unchanged since the start. Call it after `current`. */
  isOn(definition: ToolDefinition): boolean
  /** Ends the session. A deleted or changed server is not called any more, not even for this. */
  close(): Promise<void>
}

type ById = Pick<ServerRow, 'id'>

const selectAddressed = prepared<ById>()((db, value) =>
  db
    .selectFrom('mcp_server')
    .select(['id', 'organization_id', 'url', 'headers', 'connection_id', 'version'])
    .where('id', '=', value('id')),
)

export function createRunServer(
  deps: ServerDeps,
  { id, version }: Pick<ServerRow, 'id' | 'version'>,
): RunServer {
  const { database } = deps
  let known = version
  /** Digests of callable tools; undefined while nothing has changed since the start. */
  let on: Set<string> | undefined
  const session = createSession(deps)
  const select = async () => (await selectAddressed(database.lookups, { id }))[0]
  return {
    session,
    async current() {
      const row = await select()
      if (row === undefined || row.version === known) return row
      on = await readOn(database.db, id)
      known = row.version
      return row
    },
    isOn: ({ digest }) => on === undefined || on.has(digest),
    close: () =>
      session.close(async ({ revision }) => {
        const row = await select().catch(() => undefined)
        return row !== undefined && revisionOf(row) === revision
      }),
  }
}

async function readOn(db: Db, id: Id<'mcpServer'>): Promise<Set<string>> {
  const row = await db
    .selectFrom('mcp_server')
    .select(['listed', 'accepted'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return new Set()
  const { listed, accepted } = toolsOf(row)
  const known = new Set(accepted.map(({ digest }) => digest))
  return new Set(listed.map(({ digest }) => digest).filter((digest) => known.has(digest)))
}
