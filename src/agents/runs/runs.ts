import { SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { hasKey, sendAnswer } from '../../http/idempotency.ts'
import { callerOf } from '../../http/principal.ts'
import { FreeObject } from '../../http/schema/free-value.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { afterWait, LONGEST_WAIT, readWait } from '../../http/schema/prefer-wait.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { getAgent } from '../definitions/agent-store.ts'
import { hasEnded, type Run } from '../transcript/rows.ts'
import { createAcceptRun } from './accept-runs.ts'
import { streamRun, wantsEvents } from './event-routes.ts'
import { checkInput, LARGEST_REQUEST } from './input.ts'
import type { RunDeps } from './run-deps.ts'
import { getRun, RunSchema, StepSchema, showNewRun, showRun, toRuns, toStep } from './run-wire.ts'
import { startRun } from './start-run.ts'

/** Starting and reading runs. */
export function runRoutes(server: Server, deps: RunDeps): void {
  const { config, database, once, waits } = deps
  const acceptRun = createAcceptRun(deps)

  server.post(
    '/v1/agents/:id/runs',
    {
      config: {
        access: 'runs:write',
        also: { fileIds: 'files:read', conversationId: 'conversations:write' },
        once: true,
      },
      bodyLimit: LARGEST_REQUEST,
      schema: {
        tags: ['Runs'],
        operationId: 'startRun',
        summary: 'Have an agent do something',
        description: `Answers 202 once the run is on disk. With \`Prefer: wait=N\` the answer waits up to N seconds, ${LONGEST_WAIT / SECOND} at most: 200 where the run has ended by then, else 202; at once where it waits for a decision. In a conversation, runs take turns. With \`Accept: text/event-stream\` the answer is its events.`,
        params: strict({ id: IdSchema('agent') }),
        body: strict({
          input: Type.String({ minLength: 1, maxLength: 65_536, examples: ['What does it cost?'] }),
          conversationId: Type.Optional(IdSchema('conversation')),
          fileIds: Type.Optional(Type.Array(IdSchema('file'), { maxItems: 10 })),
          metadata: Type.Optional(FreeObject),
        }),
        response: { 200: RunSchema, 202: RunSchema },
      },
    },
    async (request, reply) => {
      const { body, now, params } = request
      checkInput(body)
      const caller = callerOf(request)
      const wait = readWait(request, reply)
      if (wantsEvents(request)) deps.readers.mustHaveRoom(request)
      const asked = { agentId: params.id, ...body }
      const answer = (run: Run) => ({
        ...{ status: 202, body: showNewRun(run) },
        headers: { location: `${config.web.baseUrl}/v1/runs/${run.id}` },
      })
      const accepted = hasKey(request)
        ? await once(request, reply, async (tx) => answer(await startRun(tx, deps, caller, asked, now)))
        : sendAnswer(reply, answer(await acceptRun(caller, asked, now)))
      if (wantsEvents(request)) return streamRun(deps, request, reply, accepted.id as Id<'run'>)
      if (wait === 0) return accepted
      const settled = await afterWait(request, async () => {
        const run = await waits.settled(accepted.id as Id<'run'>, wait)
        return run && { hasEnded: hasEnded(run), wire: await showRun(database.db, run) }
      })
      if (settled?.hasEnded) void reply.code(200)
      return settled?.wire ?? accepted
    },
  )

  server.get(
    '/v1/agents/:id/runs',
    {
      config: { access: 'runs:read' },
      schema: {
        tags: ['Runs'],
        operationId: 'listAgentRuns',
        summary: "List an agent's runs",
        description: 'Members get their own, administrators all.',
        params: strict({ id: IdSchema('agent') }),
        querystring: strict(PageQuery),
        response: { 200: Page(RunSchema) },
      },
    },
    async (request) => {
      const { organizationId, actorId, permissions } = callerOf(request)
      const agent = await getAgent(database.db, organizationId, request.params.id)
      const page = readPage('run', request.query)
      const rows = await database.db
        .selectFrom('run')
        .selectAll()
        .where('agent_id', '=', agent.id)
        .$if(!permissions.has('runs:all'), (query) => query.where('owner_id', '=', actorId))
        .$call(inPage(page))
        .execute()
      return toPage(await toRuns(database.db, rows), page, (wire) => wire)
    },
  )

  server.get(
    '/v1/runs/:id',
    {
      config: { access: 'runs:read' },
      schema: {
        tags: ['Runs'],
        operationId: 'readRun',
        summary: 'Read a run',
        params: strict({ id: IdSchema('run') }),
        response: { 200: RunSchema },
      },
    },
    async (request) => showRun(database.db, await getRun(database.db, callerOf(request), request.params.id)),
  )

  server.get(
    '/v1/runs/:id/steps',
    {
      config: { access: 'runs:read' },
      schema: {
        tags: ['Runs'],
        operationId: 'listSteps',
        summary: 'List the steps of a run',
        description: 'Oldest first. Each step is stored before it starts.',
        params: strict({ id: IdSchema('run') }),
        querystring: strict(PageQuery),
        response: { 200: Page(StepSchema) },
      },
    },
    async (request) => {
      const run = await getRun(database.db, callerOf(request), request.params.id)
      const page = readPage('step', request.query)
      const rows = await database.db
        .selectFrom('step')
        .selectAll()
        .where('run_id', '=', run.id)
        // Oldest first, unlike other lists: the steps after the last one of the previous page.
        .$if(page.cursor !== undefined, (query) =>
          query.where('seq', '>', (from) =>
            from
              .selectFrom('step as last')
              .select('last.seq')
              .where('last.id', '=', page.before)
              .where('last.run_id', '=', run.id),
          ),
        )
        .orderBy('seq')
        .limit(page.take)
        .execute()
      return toPage(rows, page, toStep)
    },
  )
}
