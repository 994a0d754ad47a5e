import { trailOf } from '../audit/audit.ts'
import { toIsoOrNull } from '../core/clock.ts'
import { getOwned } from '../db/owned-row.ts'
import { callerOf } from '../http/principal.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { type Connection, scopesOf } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'

const Refreshed = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  status: Type.String(),
  scopes: Type.Array(Type.String()),
  expiresAt: Nullable(Moment),
  refreshedAt: Nullable(Moment),
})

function toRefreshed(row: Connection): Static<typeof Refreshed> {
  return {
    id: row.id,
    provider: row.provider,
    status: row.status,
    scopes: scopesOf(row),
    expiresAt: toIsoOrNull(row.expires_at),
    refreshedAt: toIsoOrNull(row.refreshed_at),
  }
}

/** `POST /v1/connections/{id}/refresh` (specification 4). */
export function refreshRoutes(
  server: Server,
  { database, refresh }: Pick<ConnectionDeps, 'database' | 'refresh'>,
): void {
  server.post(
    '/v1/connections/:id/refresh',
    {
      config: { access: 'connections:write' },
      schema: {
        tags: ['Connections'],
        operationId: 'refreshConnection',
        summary: "Refresh a connection's token",
        description: 'Calls at the same time make one request to the provider, and all get its result.',
        params: strict({ id: IdSchema('connection') }),
        response: { 200: Refreshed },
      },
    },
    async (request) => {
      const { organizationId, actorId } = callerOf(request)
      const seen = await getOwned(database.db, 'connection', request.params.id, organizationId)
      return toRefreshed(await refresh(seen, { trail: trailOf(request), actorId }))
    },
  )
}
