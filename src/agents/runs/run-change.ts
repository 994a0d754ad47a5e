import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { parseId } from '../../core/id.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type Decision, decide } from '../steps/approval.ts'
import { MOST_CALLS } from '../transcript/next-move.ts'
import { cancelRun } from './cancel-runs.ts'
import { resumeFailed } from './resume-run.ts'
import type { RunDeps } from './run-deps.ts'
import { getRun, RunSchema, showRun } from './run-wire.ts'

/** Cancelling a run, resuming a failed one, and deciding about its calls. */
export function runChangeRoutes(server: Server, deps: RunDeps): void {
  const { config, database, once } = deps

  server.post(
    '/v1/runs/:id/cancel',
    {
      config: { access: 'runs:write' },
      schema: {
        tags: ['Runs'],
        operationId: 'cancelRun',
        summary: 'Cancel a run',
        description:
          'In every state, at once: the current call is aborted. A run that has ended does not change.',
        params: strict({ id: IdSchema('run') }),
        response: { 200: RunSchema },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const seen = await getRun(database.db, caller, request.params.id)
      return database.tx(async (tx) => {
        await cancelRun(tx, deps, seen, request.now)
        return showRun(tx, await getRun(tx, caller, seen.id))
      })
    },
  )

  server.post(
    '/v1/runs/:id/resume',
    {
      config: { access: 'runs:write', once: true },
      schema: {
        tags: ['Runs'],
        operationId: 'resumeRun',
        summary: 'Resume a failed run',
        description:
          'Continues after its last finished step: nothing is done or paid twice. The limits of time and steps start again. A run that has not failed is `FORBIDDEN` (`run_not_failed`).',
        params: strict({ id: IdSchema('run') }),
        response: { 202: RunSchema },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const seen = await getRun(database.db, caller, request.params.id)
      return once(request, reply, async (tx) => {
        const run = await resumeFailed(tx, deps, caller, seen, request.now)
        const headers = { location: `${config.web.baseUrl}/v1/runs/${run.id}` }
        return { status: 202, body: await showRun(tx, run), headers }
      })
    },
  )

  async function decideAll(request: FastifyRequest, runId: string, decisions: Decision[]) {
    const caller = callerOf(request)
    const { organizationId, actorId } = caller
    const { id } = await getRun(database.db, caller, runId)
    return database.tx(async (tx) => {
      const run = await decide(tx, deps, id, decisions, caller, request.now)
      for (const { stepId, isApproved } of decisions)
        await audit(tx, trailOf(request), {
          ...{ action: 'approval.decided', organizationId, actorId, targetId: stepId },
          details: { runId: id, decision: isApproved ? 'approve' : 'deny' },
        })
      return showRun(tx, run)
    })
  }

  server.post(
    '/v1/runs/:id/approvals/:stepId',
    {
      config: { access: 'approvals:write' },
      schema: {
        tags: ['Runs'],
        operationId: 'decideApproval',
        summary: 'Approve or deny a call of a tool',
        description:
          'Once, and within 24 hours; after that the call is denied. An approval is valid only for this call with its current arguments and definition. `approvers` of the tool sets the deciders: by default a signed-in person, never an API key (`FORBIDDEN`, `person_required`).',
        params: strict({ id: IdSchema('run'), stepId: IdSchema('step') }),
        body: strict(DecisionFields),
        response: { 200: RunSchema },
      },
    },
    (request) => {
      const { id, stepId } = request.params
      return decideAll(request, id, [toDecision({ stepId, ...request.body }, 'stepId')])
    },
  )

  server.post(
    '/v1/runs/:id/approvals',
    {
      config: { access: 'approvals:write' },
      schema: {
        tags: ['Runs'],
        operationId: 'decideApprovals',
        summary: 'Approve or deny several calls of tools',
        description: 'Accepts all decisions or none. The run continues when all its calls are decided.',
        params: strict({ id: IdSchema('run') }),
        body: strict({
          decisions: Type.Array(strict({ stepId: IdSchema('step'), ...DecisionFields }), {
            minItems: 1,
            maxItems: MOST_CALLS,
          }),
        }),
        response: { 200: RunSchema },
      },
    },
    (request) =>
      decideAll(
        request,
        request.params.id,
        request.body.decisions.map((one, index) => toDecision(one, `decisions.${index}.stepId`)),
      ),
  )
}

const DecisionFields = {
  decision: Type.Unsafe<'approve' | 'deny'>(Type.String({ enum: ['approve', 'deny'] })),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Kept with the run; of a call that is denied the model reads it.',
    }),
  ),
}

/** @throws ApiError INVALID_UUID */
function toDecision(
  { stepId, decision, reason }: { stepId: string; decision: 'approve' | 'deny'; reason?: string | undefined },
  field: string,
): Decision {
  return {
    stepId: parseId('step', stepId, field),
    isApproved: decision === 'approve',
    reason: reason ?? null,
  }
}
