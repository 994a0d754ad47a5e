import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, ofType, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { mayUse, type Requester } from '../conversations/conversation-store.ts'
import { readSteps } from '../steps/step-store.ts'
import type { RunDeps } from './run-deps.ts'
import { eventsOf } from './run-events.ts'
import { getRun } from './run-wire.ts'

/** A stream of events, each with `id`, `event` and `data`. JSON Schema has no type for a stream or for its events. */
const EventsSchema = ofType(
  'text/event-stream',
  Type.Unknown({ description: 'Server-sent events: `id` (its place), `event` (its name), `data` (JSON)' }),
)

/** `GET /v1/runs/{id}/events`: the events of a run as they occur. */
export function runEventRoutes(server: Server, deps: RunDeps): void {
  const { database, readers } = deps

  server.get(
    '/v1/runs/:id/events',
    {
      config: { access: 'runs:read' },
      schema: {
        tags: ['Runs'],
        operationId: 'streamRun',
        summary: 'Watch a run',
        description:
          'Server-sent events with their position as `id`; a client that reconnects with `Last-Event-ID` gets the later events, from any process. The stream ends after the end of the run. A client that disconnects does not end the run. `run.output.delta` extends the text of the current step, `run.output.snapshot` replaces it; neither has an `id`.',
        params: strict({ id: IdSchema('run') }),
        response: { 200: EventsSchema },
      },
    },
    async (request, reply) => {
      const run = await getRun(database.db, callerOf(request), request.params.id)
      const given = request.headers['last-event-id']
      const after = given === undefined ? 0 : Number(given)
      const last = eventsOf(run, await readSteps(database.db, run.id)).at(-1)?.id ?? 0
      if (!/^\d{1,9}$/.test(String(given ?? 0)) || after > last)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'Last-Event-ID',
          value: String(given).slice(0, 256),
        })
      readers.mustHaveRoom(request)
      return follow(deps, request, reply, { id: run.id, ownerId: run.owner_id, after })
    },
  )
}

/** Whether a request asks for events instead of an answer. */
export function wantsEvents({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').split(',').some((type) => /^\s*text\/event-stream\s*(;|$)/i.test(type))
}

/** Answers a request that starts a run with the run's events from the first one. */
export function streamRun(
  deps: RunDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  id: Id<'run'>,
): FastifyReply {
  return follow(deps, request, reply, { id, ownerId: callerOf(request).actorId, after: 0 })
}

/** Answers with the events of a run after the position `after`, while the caller may see the run. */
function follow(
  { readers, feed }: Pick<RunDeps, 'readers' | 'feed'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, ownerId, after }: { id: Id<'run'>; ownerId: string; after: number },
): FastifyReply {
  // A caller may lose `runs:all` while the stream is open.
  const onCaller = (caller: Requester) => mayUse(caller, ownerId, 'runs:all')
  feed.follow(id, after, readers.open(request, reply, { onCaller }))
  return reply
}
