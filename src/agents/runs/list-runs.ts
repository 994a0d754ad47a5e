import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { findBound, type Span, seek, windowsOf } from '../../db/windows.ts'
import { callerOf } from '../../http/principal.ts'
import {
  inSpan,
  Page,
  PageQuery,
  readPage,
  readSpan,
  restOf,
  SpanQuery,
  toPage,
} from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { Run } from '../transcript/rows.ts'
import type { RunDeps } from './run-deps.ts'
import { RUN_STATUSES, RunSchema, toRuns } from './run-wire.ts'

/** The filters of the list. */
interface RunFilter {
  organizationId: Id<'organization'>
  /** The owner of the runs; undefined: all owners. */
  ownerId: string | undefined
  agentId: string | undefined
  status: Run['status'] | undefined
}

/** `GET /v1/runs`: the runs of all agents of the organization. */
export function listRunRoutes(server: Server, { database }: Pick<RunDeps, 'database'>): void {
  server.get(
    '/v1/runs',
    {
      config: { access: 'runs:read' },
      schema: {
        tags: ['Runs'],
        operationId: 'listRuns',
        summary: 'List the runs of the organization',
        description:
          'Newest first, of all agents, also deleted ones. Members get their own runs, administrators all.',
        querystring: strict({
          agentId: Type.Optional(IdSchema('agent')),
          status: Type.Optional(Type.Unsafe<Run['status']>(Type.String({ enum: RUN_STATUSES }))),
          ...SpanQuery,
          ...PageQuery,
        }),
        response: { 200: Page(RunSchema) },
      },
    },
    async (request) => {
      const { organizationId, actorId, permissions } = callerOf(request)
      const { agentId, status } = request.query
      const ownerId = permissions.has('runs:all') ? undefined : actorId
      const filter: RunFilter = { organizationId, ownerId, agentId, status }
      const page = readPage('run', request.query)
      const span = restOf(page, readSpan('run', request.query))
      const isRare = [ownerId, agentId, status].some((one) => one !== undefined)
      const windows = isRare
        ? windowsOf(span, (one) => findBound(selectIds(database.db, organizationId, one)))
        : [span]
      const rows = await seek(windows, page.take, (one, rest) => findRuns(database.db, filter, one, rest))
      return toPage(await toRuns(database.db, rows), page, (wire) => wire)
    },
  )
}

/** Runs of a span, newest first, by an index of the organization: runs of other organizations cost nothing. */
function findRuns(
  db: Db,
  { organizationId, ownerId, agentId, status }: RunFilter,
  span: Span<'run'>,
  take: number,
): Promise<Run[]> {
  return db
    .selectFrom('run')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(ownerId !== undefined, (query) => query.where('owner_id', '=', ownerId as Run['owner_id']))
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId as Run['agent_id']))
    .$if(status !== undefined, (query) => query.where('status', '=', status as Run['status']))
    .$call(inSpan(span))
    .orderBy('id', 'desc')
    .limit(take)
    .execute()
}

function selectIds(db: Db, organizationId: Id<'organization'>, span: Span<'run'>) {
  return db
    .selectFrom('run')
    .select('id')
    .where('organization_id', '=', organizationId)
    .$call(inSpan(span))
    .orderBy('id', 'desc')
}
