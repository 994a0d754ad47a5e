import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startRun } from '#src/agents/runs/start-run.ts'
import { createLiveRuns } from '#src/agents/steps/live-runs.ts'
import { createRunSignals } from '#src/agents/steps/run-signals.ts'
import { registerRuns } from '#src/agents/steps/run-worker.ts'
import type { StepDeps } from '#src/agents/steps/step-deps.ts'
import { createCharges } from '#src/billing/credits/reservations.ts'
import { systemClock } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import type { Database } from '#src/db/database.ts'
import { permissionsOf } from '#src/http/permissions.ts'
import { createJobs } from '#src/jobs/create-jobs.ts'
import { createMetrics } from '#src/shared/metrics.ts'
import { useDatabase } from '../support/database.ts'
import { leased, newLease } from '../support/leased.ts'
import { onBothEngines } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const log = { info() {}, error() {} } as never

onBothEngines('a run of one step', (engine) => {
  const open = useDatabase(engine)

  /** A process that does runs, whose commits are counted; those of its heartbeats are not. */
  async function stand() {
    const database = await open()
    let commits = 0
    const counting =
      (write: Database['tx']): Database['tx'] =>
      (work) => {
        commits += 1
        return write(work)
      }
    const counted = { ...database, tx: counting(database.tx), brief: counting(database.brief) }
    counted.patient = counted
    const process: Database = { ...counted, background: counted }
    const lease = newLease(database)
    const jobs = createJobs(
      { config: { role: 'all' } as never, clock: systemClock, log, database: process },
      lease,
    )
    const deps: StepDeps = {
      ...{
        clock: systemClock,
        database: counted,
        log,
        jobs,
        charge: createCharges(BUILT_IN_PLANS),
        stepPrice: 1,
      },
      publish: async () => ({ id: newId('event', 0), deliveries: 0 }),
      publishAll: async (_tx, facts) => facts.map(() => ({ id: newId('event', 0), deliveries: 0 })),
      models: new Map([
        [
          'scripted',
          {
            ...{ name: 'scripted', prices: { inputPer1000: 0, outputPer1000: 0 } },
            ...{ contextTokens: 10_000, maxOutputTokens: 100 },
            respond: async () => ({
              ...{ status: 'succeeded', text: 'Done.', finish: 'stop', calls: [] },
              usage: { inputTokens: 1, outputTokens: 1 },
            }),
          },
        ],
      ]),
      ...{ toolSources: [], files: { find: async () => undefined, read: async () => undefined } },
      ...{ signals: createRunSignals({ notify() {} }), live: createLiveRuns(), metrics: createMetrics() },
    }
    registerRuns(jobs, deps)
    return { database, counted, deps, worker: leased(lease, jobs), commits: () => commits }
  }

  it('takes five commits: those of its acceptance, its start, its step, and its end with that of its job', async () => {
    const { database, counted, deps, worker, commits } = await stand()
    const now = systemClock.now()
    const [organizationId, agentId] = [newId('organization', now), newId('agent', now)]
    const made = { created_by: 'acc', created_at: now }
    await database.tx(async (tx) => {
      const row = { id: organizationId, name: organizationId, plan: 'team', flags: '{}', created_at: now }
      await tx.insertInto('organization').values(row).execute()
      const agent = { id: agentId, organization_id: organizationId, name: 'Helper', version: 1 }
      await tx
        .insertInto('agent')
        .values({ ...agent, ...made, status: 'active', updated_at: now })
        .execute()
      const definition = JSON.stringify({
        ...{ instructions: '', model: 'scripted', knowledgeBaseIds: [], tools: [], maxSteps: 12 },
        ...{ maxOutputTokens: 100, timeoutMs: 600_000 },
      })
      await tx
        .insertInto('agent_version')
        .values({ agent_id: agentId, version: 1, definition, ...made })
        .execute()
    })
    const asker = { organizationId, actorId: 'acc', permissions: permissionsOf('member') }
    const input = { agentId, input: 'Go.' }
    const rowOf = (id: string) =>
      database.db
        .selectFrom('job')
        .selectAll()
        .where('id', '=', id as never)
        .executeTakeFirstOrThrow()

    async function run() {
      const before = commits()
      const accepted = await counted.tx(async (tx) => {
        const { job_id } = await startRun(tx, deps, asker, input, systemClock.now())
        return tx
          .selectFrom('job')
          .selectAll()
          .where('id', '=', job_id as never)
          .executeTakeFirstOrThrow()
      })
      const job = await until(
        () => rowOf(accepted.id),
        ({ status }) => status !== 'pending',
        { what: 'the end of a job' },
      )
      assert.deepEqual([job.status, job.attempts, job.begun, job.claim_id], ['done', 1, 0, null])
      return { isClaimed: accepted.claim_id !== null, commits: commits() - before }
    }
    await worker.start()
    try {
      // Until the process has read its queue once, jobs wait in the table, and their claim is one more commit.
      const counted = await until(run, ({ isClaimed }) => isClaimed, {
        what: 'a job that is claimed as it is added',
      })
      assert.equal(counted.commits, 5)
    } finally {
      await worker.stop()
    }
  })
})
