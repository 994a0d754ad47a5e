import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { Definition } from './client/definitions.ts'
import { createSession, type Session } from './client/session.ts'
import type { ServerDeps } from './deps.ts'
import { type ServerRow, toolsOf } from './server-wire.ts'
import { type Addressed, revisionOf } from './target.ts'

/** A server that a run uses, from its opening until the process's turn at the run is over. */
export interface UsedServer {
  /** What is kept from one call to the next. */
  session: Session
  /** What it is called with now: reads it; undefined where it was deleted. */
  current(): Promise<Addressed | undefined>
  /** Whether a tool is still accepted, and listed, as it was at the opening. Asked for after `current`. */
  isOn(definition: Definition): boolean
  /** Ends the session. A server that was deleted or changed is not called any more, not even for that. */
  close(): Promise<void>
}

type ById = Pick<ServerRow, 'id'>

const selectAddressed = prepared<ById>()((db, value) =>
  db
    .selectFrom('mcp_server')
    .select(['id', 'organization_id', 'url', 'headers', 'connection_id', 'version'])
    .where('id', '=', value('id')),
)

export function useServer(deps: ServerDeps, { id, version }: Pick<ServerRow, 'id' | 'version'>): UsedServer {
  const { database } = deps
  let known = version
  /** Digests of what may be called; undefined while nothing has changed since the opening. */
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
