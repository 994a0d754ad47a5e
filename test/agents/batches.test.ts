import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { beginAttempt } from '#src/agents/steps/attempt.ts'
import { createLiveRuns } from '#src/agents/steps/live-runs.ts'
import { createRunSignals } from '#src/agents/steps/run-signals.ts'
import { createStepWriter } from '#src/agents/steps/step-batch.ts'
import { newStep } from '#src/agents/steps/step-store.ts'
import type { Run, Step } from '#src/agents/transcript/rows.ts'
import { createCharges } from '#src/billing/credits/reservations.ts'
import { systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import type { Database } from '#src/db/database.ts'
import { BusyError } from '#src/db/engine/engine.ts'
import { addJob } from '#src/jobs/rows/row.ts'
import { settleDone } from '#src/jobs/rows/row-settle.ts'
import { createMetrics } from '#src/shared/metrics.ts'
import { useDatabase } from '../support/database.ts'
import { onBothEngines } from '../support/postern.ts'
import { within } from '../support/waits.ts'

/** The versions of the rows of a run and of its organization's credits; SQLite does not name them, and counts what is written. */
async function versionsOf(database: Database, id: Id<'organization'>) {
  const query = database.shared
    ? sql`
        select run.xmin::text as run, credit_account.xmin::text as account, 0 as count
        from run join credit_account on credit_account.organization_id = run.organization_id
        where run.organization_id = ${id}`
    : sql`select total_changes() as count`
  const { rows } = await database.tx((tx) => query.execute(tx))
  const [row] = rows as { run?: string; account?: string; count: number }[]
  return { count: 0, ...row }
}

onBothEngines('what several runs do next at the same time', (engine) => {
  const open = useDatabase(engine)

  async function stand() {
    const database = await open()
    const now = systemClock.now()
    const charge = createCharges(BUILT_IN_PLANS)
    const [signals, live] = [createRunSignals({ notify() {} }), createLiveRuns()]
    const published: string[] = []
    let commits = 0
    let isBusy = false
    const counted: Database = {
      ...database,
      tx(work) {
        commits += 1
        if (isBusy) throw new BusyError('all in use', { isUsedUp: true, isUntouched: true })
        return database.tx(work)
      },
    }
    const writer = createStepWriter({
      ...{ clock: systemClock, database: counted, charge, signals, metrics: createMetrics() },
      jobs: {
        ...{ add: async () => newId('job', now), addAll: async () => [], cancel: async () => undefined },
        settleDone: (tx, attempts, moment) => settleDone(tx, attempts, moment, () => {}),
      },
      async publishAll(_tx, requests) {
        for (const { fact } of requests) published.push((fact.data as { runId: string }).runId)
        return requests.map(() => ({ id: newId('event', now), deliveries: 0 }))
      },
    })

    async function organization(plan: string): Promise<Id<'organization'>> {
      const id = newId('organization', now)
      const row = { id, name: id, plan, flags: '{}', created_at: now }
      await database.tx((tx) => tx.insertInto('organization').values(row).execute())
      return id
    }

    /** A run that is under way, in the hands of an attempt. */
    async function attempt(organizationId: Id<'organization'>) {
      const agentId = newId('agent', now)
      const made = { created_by: 'acc', created_at: now }
      const run: Run = {
        ...{ id: newId('run', now), organization_id: organizationId, agent_id: agentId, agent_version: 1 },
        ...{ conversation_id: null, turn: null, owner_id: 'acc', status: 'running', input: 'Go.' },
        ...{
          file_ids: '[]',
          file_notes: null,
          metadata: '{}',
          output: null,
          error_code: null,
          error_reason: null,
        },
        ...{ claim_id: newId('run', now), job_id: null, deadline_at: now + 600_000, left_ms: 600_000 },
        ...{ finish_reason: null, resumed_seq: 0 },
        ...{ created_at: now, started_at: now, ended_at: null, updated_at: now },
      }
      await database.tx(async (tx) => {
        const agent = { id: agentId, organization_id: organizationId, name: 'Helper', version: 1 }
        await tx
          .insertInto('agent')
          .values({ ...agent, ...made, status: 'active', updated_at: now })
          .execute()
        const version = { agent_id: agentId, version: 1, definition: '{}', ...made }
        await tx.insertInto('agent_version').values(version).execute()
        await tx.insertInto('run').values(run).execute()
      })
      const life = { laneId: organizationId, cap: 64, payload: {}, dueAt: now, horizon: now + 600_000 }
      const job = await database.tx((tx) =>
        addJob(tx, { kind: 'run', organizationId, ...life, claimer: 'w' }, now),
      )
      return beginAttempt({ clock: systemClock, live, signals }, run, {
        ...{ signal: new AbortController().signal, advanced() {} },
        attempt: { job, claimer: 'w', isSettled: false },
      })
    }

    type Attempt = Awaited<ReturnType<typeof attempt>>
    const step = ({ run }: Attempt, seq = 1) =>
      newStep(
        { organization_id: run.organization_id, run_id: run.id, seq, kind: 'model', name: 'scripted' },
        now,
      )
    const stepsOf = ({ run }: Attempt) =>
      database.db.selectFrom('step').selectAll().where('run_id', '=', run.id).orderBy('seq').execute()
    const runOf = ({ run }: Attempt) =>
      database.db.selectFrom('run').selectAll().where('id', '=', run.id).executeTakeFirstOrThrow()
    const jobOf = ({ job }: Attempt) =>
      database.db.selectFrom('job').selectAll().where('id', '=', job.job.id).executeTakeFirstOrThrow()
    const debits = async (id: Id<'organization'>) => {
      const entries = await database.db
        .selectFrom('ledger_entry')
        .select(['cycle_amount', 'purchased_amount'])
        .where('organization_id', '=', id)
        .where('kind', '=', 'debit')
        .execute()
      return entries.map((one) => one.cycle_amount + one.purchased_amount)
    }
    return {
      ...{ now, database, writer, organization, attempt, step, stepsOf, runOf, jobOf, debits },
      published,
      commits: () => commits,
      beBusy: () => {
        isBusy = true
      },
    }
  }

  it('is not tried one by one where all have waited for the database in vain', async () => {
    const { writer, organization, attempt, step, commits, beBusy } = await stand()
    const id = await organization('scale')
    const attempts = [await attempt(id), await attempt(id), await attempt(id)]
    beBusy()
    const ends = await Promise.allSettled(
      attempts.map((one) => writer.begin(one, [{ step: step(one), credits: 1 }])),
    )
    for (const end of ends) assert.ok(end.status === 'rejected' && end.reason instanceof BusyError)
    // The first goes at once, and the others together.
    assert.equal(commits(), 2)
  })

  it('is written in one commit: who is another’s, or has too few credits, is refused alone', async () => {
    const { writer, organization, attempt, step, stepsOf, runOf, debits, published, commits, database, now } =
      await stand()
    const [rich, poor] = [await organization('scale'), await organization('free')]
    const [first, going, lost, broke, ending] = [
      ...[await attempt(rich), await attempt(rich), await attempt(rich)],
      ...[await attempt(poor), await attempt(poor)],
    ] as const
    // Each of these two has made a step whose outcome is not written yet.
    for (const one of [going, ending]) {
      const [made = step(one)] = await writer.begin(one, [{ step: step(one), credits: 5 }])
      const ended = { status: 'succeeded' as const, output: '{}', ended_at: now }
      one.addUnwritten({ step: made, ended, cost: 3, at: now })
    }
    await database.tx((tx) =>
      tx.updateTable('run').set({ claim_id: 'another' }).where('id', '=', lost.run.id).execute(),
    )
    const before = commits()
    const outcomes = await Promise.allSettled([
      // The first is on its way alone; all others come while it is, and share the next.
      writer.begin(first, [{ step: step(first), credits: 5 }]),
      writer.begin(going, [{ step: step(going, 2), credits: 5 }]),
      writer.begin(lost, [{ step: step(lost), credits: 5 }]),
      writer.begin(broke, [{ step: step(broke), credits: 1_000_000 }]),
      writer.succeed(ending, { output: 'Done.', finish: 'stop', steps: [] }),
    ])
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'rejected' ? (one.reason.code ?? one.reason.name) : 'written')),
      ['written', 'written', 'LostRunError', 'INSUFFICIENT_CREDITS', 'written'],
    )
    assert.equal(commits() - before, 2)
    const seen = async (one: typeof first) =>
      (await stepsOf(one)).map(({ status, credits }) => `${status} ${credits}`)
    assert.deepEqual(await Promise.all([first, going, lost, broke, ending].map(seen)), [
      ['started 0'],
      ['succeeded 3', 'started 0'],
      [],
      [],
      ['succeeded 3'],
    ])
    assert.deepEqual([await debits(rich), await debits(poor)], [[-3], [-3]])
    const ended = await runOf(ending)
    assert.deepEqual([ended.status, ended.output, ended.claim_id], ['succeeded', 'Done.', null])
    assert.deepEqual(published, [ending.run.id])
    assert.deepEqual([going.unwritten, ending.unwritten], [[], []])
    for (const one of [first, going, lost, broke, ending]) one.end()
  })

  it('settles the jobs of runs that end, with their ends, except where the row of a job is locked', async () => {
    const { writer, organization, attempt, step, runOf, jobOf, commits, database } = await stand()
    const id = await organization('scale')
    const [first, ending, locked, going] = [
      ...[await attempt(id), await attempt(id)],
      ...[await attempt(id), await attempt(id)],
    ] as const
    const [isLocked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // SQLite has one writer, so that no row is locked.
    const held = !database.shared
      ? isLocked.resolve()
      : database.tx(async (tx) => {
          await tx.updateTable('job').set({ lane_id: 'held' }).where('id', '=', locked.job.job.id).execute()
          isLocked.resolve()
          await mayEnd.promise
        })
    await isLocked.promise
    const before = commits()
    const end = { output: 'Done.', finish: 'stop', steps: [] } as const
    await within(
      'the ends, while the row of a job is locked',
      Promise.all([
        writer.begin(first, [{ step: step(first), credits: 5 }]),
        writer.succeed(ending, { ...end, steps: [] }),
        writer.succeed(locked, { ...end, steps: [] }),
        writer.begin(going, [{ step: step(going), credits: 5 }]),
      ]),
    )
    mayEnd.resolve()
    await held
    assert.equal(commits() - before, 2)
    const all = [first, ending, locked, going]
    assert.deepEqual(
      (await Promise.all(all.map(runOf))).map(({ status }) => status),
      ['running', 'succeeded', 'succeeded', 'running'],
    )
    const isDone = [false, true, !database.shared, false]
    assert.deepEqual(
      (await Promise.all(all.map(jobOf))).map(({ status, claim_id }) => [status, claim_id]),
      isDone.map((is) => (is ? ['done', null] : ['pending', 'w'])),
    )
    assert.deepEqual(
      all.map(({ job }) => job.isSettled),
      isDone,
    )
    for (const one of all) one.end()
  })

  it('begins steps of a run together, with credits for all of them or none, and settles several at once', async () => {
    const { writer, organization, attempt, step, stepsOf, debits, now } = await stand()
    const poor = await organization('free')
    const one = await attempt(poor)
    const three = (credits: number) =>
      [1, 2, 3].map((seq) => ({ step: { ...step(one, seq), first_seq: 1 }, credits }))
    await assert.rejects(writer.begin(one, three(40)), { code: 'INSUFFICIENT_CREDITS' })
    assert.deepEqual(await stepsOf(one), [])
    const steps = await writer.begin(one, three(30))
    const reservations = new Set(steps.map(({ reservation }) => reservation))
    assert.equal(reservations.size, 3)
    const [first, second, third] = steps as [Step, Step, Step]
    const addUnwritten = (made: Step, cost: number) =>
      one.addUnwritten({
        step: made,
        ended: { status: 'succeeded', output: 'x', ended_at: now },
        cost,
        at: now,
      })
    addUnwritten(third, 7)
    const settling = writer.settle(one)
    // It comes too late for this commit, and is written with the next.
    addUnwritten(first, 4)
    await settling
    const seen = async () => (await stepsOf(one)).map(({ status, credits }) => `${status} ${credits}`)
    assert.deepEqual(await seen(), ['started 0', 'started 0', 'succeeded 7'])
    assert.deepEqual(
      one.unwritten.map((outcome) => outcome.step.seq),
      [1],
    )
    addUnwritten(second, 5)
    await writer.begin(one, [{ step: step(one, 4), credits: 1 }])
    assert.deepEqual(await seen(), ['succeeded 4', 'succeeded 5', 'succeeded 7', 'started 0'])
    assert.deepEqual((await debits(poor)).sort(), [-4, -5, -7])
    assert.deepEqual(one.unwritten, [])
    one.end()
  })

  it('is written for all others where one of it cannot be', async () => {
    const { writer, organization, attempt, step, stepsOf, debits } = await stand()
    const id = await organization('scale')
    const [first, bad, good] = [await attempt(id), await attempt(id), await attempt(id)]
    const [made] = await writer.begin(first, [{ step: step(first), credits: 5 }])
    const outcomes = await Promise.allSettled([
      writer.begin(good, [{ step: step(good), credits: 5 }]),
      // One of this id is there.
      writer.begin(bad, [{ step: { ...step(bad), id: made?.id ?? step(bad).id }, credits: 5 }]),
      writer.begin(first, [{ step: step(first, 2), credits: 5 }]),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(
      (await Promise.all([first, bad, good].map(stepsOf))).map((steps) => steps.length),
      [2, 0, 1],
    )
    assert.deepEqual(await debits(id), [])
    for (const one of [first, bad, good]) one.end()
  })

  it('writes no new version of a run, with its input, and none of the credits, where steps begin and end', async () => {
    const { writer, organization, attempt, step, database, now } = await stand()
    const id = await organization('scale')
    const one = await attempt(id)
    const versions = () => versionsOf(database, id)
    /** The first step opens the account. */
    const [first = step(one)] = await writer.begin(one, [{ step: step(one), credits: 5 }])
    const before = await versions()
    one.addUnwritten({
      ...{ step: first, cost: 3, at: now },
      ended: { status: 'succeeded', output: '{}', ended_at: now },
    })
    await writer.begin(one, [{ step: step(one, 2), credits: 5 }])
    // Of the first step its row, its reservation and the entry of its cost; of the second its row and its reservation.
    const added = database.shared ? 0 : 5
    assert.deepEqual(await versions(), { ...before, count: before.count + added })
    one.end()
  })

  it('ends nothing twice, and nothing that has ended', async () => {
    const { writer, organization, attempt, step, runOf, published } = await stand()
    const one = await attempt(await organization('scale'))
    const outcomes = await Promise.allSettled([
      writer.succeed(one, { output: 'Done.', finish: 'stop', steps: [] }),
      writer.succeed(one, { output: 'Twice.', finish: 'stop', steps: [] }),
      writer.begin(one, [{ step: step(one), credits: 1 }]),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    )
    assert.deepEqual([(await runOf(one)).output, published], ['Done.', [one.run.id]])
    one.end()
  })
})
