import type { Millis } from '../../core/clock.ts'
import { currentSpan, noteWritten } from '../../core/context.ts'
import { type Id, parseId } from '../../core/id.ts'
import type { ActiveSpan } from '../../core/span-context.ts'
import type { Tx } from '../../db/database.ts'
import { createGroupCommit } from '../../db/group-commit.ts'
import type { Requester } from '../conversations/conversation-store.ts'
import { parseDefinition } from '../definitions/definition.ts'
import { enqueueRuns } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import type { Run } from '../transcript/rows.ts'
import { insertRuns, mayOpen, newRun, type RunRequest, reportAccepted, startRun } from './start-run.ts'
import { lockStartableUnlessBusy } from './startable-agents.ts'

/** A request for a run without a conversation and files. */
interface Asked {
  requester: Requester
  agentId: Id<'agent'>
  request: RunRequest
  now: Millis
  cause: ActiveSpan | undefined
}

/** Runs of one transaction at most, and of one organization in it, where others wait. */
const [MOST, MOST_OF_ONE] = [50, 20]
type Deps = Pick<StepDeps, 'clock' | 'database' | 'files' | 'signals' | 'jobs' | 'trace'>

/**
 * Accepts a run in a transaction that it may share with others; resolves after the commit.
 * @throws as `startRun`
 */
type AcceptRun = (requester: Requester, request: RunRequest, now: Millis) => Promise<Run>

/** Makes the acceptance of runs by requests without an `Idempotency-Key`: those that arrive during a commit share the next one. */
export function createAcceptRun(deps: Deps): AcceptRun {
  const { database } = deps
  const commits = createGroupCommit<Asked, Run | undefined>({
    ...{ database, by: 'tx' },
    write: (tx, asked) => startTogether(tx, deps, asked),
    // By default one transaction runs at a time, so that each counts the open runs of the one before it.
    most: MOST,
    perOwner: { most: MOST_OF_ONE, ownerOf: ({ requester }) => requester.organizationId },
  })
  return async (requester, request, now) => {
    const agentId = parseId('agent', request.agentId, 'id')
    const isAlone = request.conversationId !== undefined || (request.fileIds ?? []).length > 0
    const run = isAlone
      ? undefined
      : await commits.add({ requester, agentId, request, now, cause: currentSpan() })
    if (run === undefined) return database.tx((tx) => startRun(tx, deps, requester, request, now))
    noteWritten()
    return run
  }
}

/**
 * Starts runs by one statement for each table.
 * @returns the runs in the given order; undefined for a request whose agent is missing, deleted or locked, or whose organization has too
 * many open runs: it is answered by a transaction of its own
 */
async function startTogether(tx: Tx, deps: Deps, asked: Asked[]): Promise<(Run | undefined)[]> {
  const wanted = new Map(
    asked.map(({ agentId, requester: { organizationId } }) => [
      `${organizationId} ${agentId}`,
      { id: agentId, organization_id: organizationId },
    ]),
  )
  const found = await lockStartableUnlessBusy(tx, [...wanted.values()])
  const agents = new Map(found.map((agent) => [`${agent.organization_id} ${agent.id}`, agent]))
  const openOf = new Map(found.map((agent) => [agent.organization_id, agent.open]))
  const runs = asked.map(({ requester, agentId, request, now }) => {
    const { organizationId } = requester
    const agent = agents.get(`${organizationId} ${agentId}`)
    const open = openOf.get(organizationId) ?? 0
    if (agent === undefined || agent.definition === null || !mayOpen(open)) return undefined
    openOf.set(organizationId, open + 1)
    return newRun(requester, agent, parseDefinition(agent.definition).timeoutMs, request, now)
  })
  const started = runs.filter((run) => run !== undefined)
  const jobIds = await enqueueRuns(tx, deps.jobs, started, deps.clock.now())
  for (const [index, run] of started.entries()) run.job_id = jobIds[index] ?? null
  await insertRuns(tx, started)
  const causes = new Map(runs.map((run, index) => [run, asked[index]?.cause]))
  reportAccepted(
    tx,
    deps,
    started.map((run) => ({ run, cause: causes.get(run) })),
  )
  return runs
}
