import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { sql } from 'kysely'
import { DAY, MINUTE, SECOND, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Tx } from '#src/db/database.ts'
import { createJobShares } from '#src/jobs/lanes/job-shares.ts'
import type { Pace } from '#src/jobs/lease/lease.ts'
import {
  addJob,
  addJobs,
  cancelJob,
  type NewJob,
  type RowJob,
  type RowSettlement,
} from '#src/jobs/rows/row.ts'
import { type Doing, type Handler, type Outcome, type RowKind, rowKind } from '#src/jobs/rows/row-kind.ts'
import { createRowStore, type OnSettled } from '#src/jobs/rows/row-store.ts'
import { createSuspects } from '#src/jobs/rows/suspects.ts'
import { createWorker } from '#src/jobs/worker/create-worker.ts'
import { useDatabase } from './support/database.ts'
import { leased, newLease } from './support/leased.ts'
import { type EngineName, onBothEngines } from './support/postern.ts'
import { until, within } from './support/waits.ts'

const silent = { info() {}, error() {} }
const PACE = { lease: 10 * MINUTE, heartbeat: SECOND, poll: SECOND / 5 }

onBothEngines('a job in a row', (engine) => {
  const open = useDatabase(engine)
  let kinds = 0
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  /** A new kind of jobs, functions that start its workers and add jobs, and their organization. */
  async function stand(work: Handler['work'], more: Partial<Handler> = {}) {
    const database = await open()
    kinds += 1
    const kind = `test.${kinds}`
    const organizationId = await newOrganization()
    const handler: Handler = { kind, longest: 5 * SECOND, waits: [1], isRepeatable: true, ...more, work }

    async function newOrganization(): Promise<Id<'organization'>> {
      const id = newId('organization', systemClock.now())
      const row = { id, name: id, plan: 'free', flags: '{}', created_at: 0 }
      await database.tx((tx) => tx.insertInto('organization').values(row).execute())
      return id
    }

    const started: RowKind[] = []
    async function start(pace: Pace = PACE, onSettled?: OnSettled) {
      const store = createRowStore({ database, kind, page: 2, onSettled })
      const rows = rowKind({
        handler,
        store,
        clock: systemClock,
        log: silent,
        suspects: createSuspects(systemClock),
      })
      started.push(rows)
      const lease = newLease(database, { pace })
      const doing = createWorker(rows, {
        ...{ clock: systemClock, lease },
        log: silent,
        shared: database.shared,
        shares: createJobShares(handler.longest),
        pace,
      })
      const worker = leased(lease, doing)
      await worker.start()
      stops.push(worker.stop)
      return worker
    }

    const add = async (job: Partial<NewJob> = {}) => {
      const now = systemClock.now()
      const life = { dueAt: now, horizon: now + DAY }
      const row = { kind, organizationId, laneId: 'one', cap: 4, payload: {}, ...life, ...job }
      return (await database.tx((tx) => addJob(tx, row, now))).id
    }

    const row = (id: Id<'job'>) =>
      database.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const ends = (id: Id<'job'>) =>
      until(
        () => row(id),
        ({ status }) => status !== 'pending',
        { what: 'the end of a job', patience: 30 * SECOND },
      )
    const endAll = () => {
      for (const one of started) one.endAll()
    }
    return { database, organizationId, newOrganization, start, add, row, ends, endAll }
  }

  it('is done with what was written, and hands on what it has brought', async () => {
    const { start, add, row, ends } = await stand(async ({ payload }) => ({
      done: { twice: 2 * (payload as { one: number }).one },
    }))
    const id = await add({ payload: { one: 21 } })
    assert.equal((await row(id)).status, 'pending')
    const brought: unknown[] = []
    await start(PACE, async (_, { result }) => void brought.push(result))
    const { status, attempts, claim_id, begun, due_at } = await ends(id)
    assert.deepEqual([status, attempts, claim_id, begun, due_at], ['done', 1, null, 0, null])
    assert.deepEqual(brought, [{ twice: 42 }])
  })

  it('is tried again after a failure, and fails for good when its time or its chances are over', async () => {
    const { start, add, ends } = await stand(async ({ attempts, payload }): Promise<Outcome> => {
      if (payload === 'never') return { failed: 'unreadable' }
      if (payload === 'throws' && attempts === 0) throw new Error('once')
      return attempts < 2 ? { retry: 'not_yet' } : { done: null }
    })
    const horizon = systemClock.now() + 1
    const [third, never, throws] = [
      await add(),
      await add({ payload: 'never' }),
      await add({ payload: 'throws' }),
    ]
    const late = await add({ laneId: 'late', horizon, dueAt: horizon })
    await start()
    const outcome = async (id: Id<'job'>) => {
      const { status, reason, attempts } = await ends(id)
      return [status, reason, attempts]
    }
    assert.deepEqual(await outcome(third), ['done', null, 3])
    assert.deepEqual(await outcome(never), ['failed', 'unreadable', 1])
    assert.deepEqual(await outcome(throws), ['done', null, 3])
    assert.deepEqual((await outcome(late)).slice(0, 2), ['failed', 'horizon_passed'])
  })

  it('is begun once after its horizon where it is worth that, and fails for good with that attempt', async () => {
    const { start, add, ends } = await stand(
      async ({ payload }): Promise<Outcome> => (payload === 'good' ? { done: null } : { retry: 'not_yet' }),
      { isWorthLate: ({ payload }) => payload !== 'worthless' },
    )
    const horizon = systemClock.now() - 1
    const ids = await Promise.all(['good', 'bad', 'worthless'].map((payload) => add({ payload, horizon })))
    await start()
    const rows = await Promise.all(ids.map(ends))
    assert.deepEqual(
      rows.map(({ status, reason }) => [status, reason]),
      [
        ['done', null],
        ['failed', 'horizon_passed'],
        ['failed', 'horizon_passed'],
      ],
    )
  })

  it('has its last attempt a minute before its horizon where it is asked to wait beyond that', async () => {
    const { start, add, row } = await stand(
      async ({ horizon }): Promise<Outcome> => ({ retry: 'asked_to_wait', notBefore: horizon + DAY }),
    )
    const horizon = systemClock.now() + DAY
    const id = await add({ horizon })
    await start()
    const { status, reason, due_at } = await until(
      () => row(id),
      ({ attempts }) => attempts === 1,
      { what: 'the end of the first attempt', patience: 30 * SECOND },
    )
    assert.deepEqual([status, reason, due_at], ['pending', 'asked_to_wait', horizon - MINUTE])
  })

  it('waits behind no job of another organization, and for as many of its lane as are at once', async () => {
    const flying = new Map<string, number>()
    let most = 0
    const held = Promise.withResolvers<void>()
    const { newOrganization, start, add, ends } = await stand(async ({ laneId }) => {
      flying.set(laneId, (flying.get(laneId) ?? 0) + 1)
      most = Math.max(most, flying.get('slow') ?? 0)
      if (laneId === 'slow') await held.promise
      flying.set(laneId, (flying.get(laneId) ?? 0) - 1)
      return { done: null }
    })
    const slow = await Promise.all(Array.from({ length: 20 }, () => add({ laneId: 'slow', cap: 2 })))
    const other = await add({ organizationId: await newOrganization(), laneId: 'other' })
    await start()
    assert.equal((await ends(other)).status, 'done')
    await until(
      () => flying.get('slow'),
      (count) => count === 2,
      { what: 'two of the lane at once' },
    )
    held.resolve()
    for (const id of slow) assert.equal((await ends(id)).status, 'done')
    assert.equal(most, 2)
  })

  it('that may not be repeated is not, when its time was over, its process stopped or it threw: nobody knows what came of it', async () => {
    let calls = 0
    const begun = Promise.withResolvers<void>()
    const work: Handler['work'] = async ({ payload }) => {
      calls += 1
      if (payload === 'throws') throw new Error('after the effect')
      if (payload === 'says so') return calls === 2 ? { retry: 'nothing_done' } : { done: null }
      begun.resolve()
      return new Promise(() => {})
    }
    const unknown = ['failed', 'outcome_unknown']
    const { start, add, row, ends } = await stand(work, { isRepeatable: false, longest: SECOND / 2 })
    const outcome = async (id: Id<'job'>) => {
      const { status, reason } = await ends(id)
      return [status, reason]
    }
    await start()
    assert.deepEqual(await outcome(await add({ payload: 'throws' })), unknown)
    // Who knows that nothing was done may say so.
    assert.deepEqual(await outcome(await add({ payload: 'says so' })), ['done', null])
    assert.deepEqual(await outcome(await add({ payload: 'hangs' })), unknown)
    await begun.promise
    assert.equal(calls, 4)
    await stops.pop()?.()
    const other = await stand(work, { isRepeatable: false })
    const worker = await other.start()
    calls = 0
    const id = await other.add({ payload: 'hangs' })
    await until(
      () => calls,
      (count) => count === 1,
      { what: 'the job to have begun' },
    )
    other.endAll()
    await worker.stop()
    const { status, reason } = await row(id)
    assert.deepEqual([status, reason], unknown)
  })

  it('is cancelled at once while nobody has it, and ended while it is being done', async () => {
    const begun = Promise.withResolvers<Doing>()
    const { database, organizationId, newOrganization, start, add, ends, row } = await stand(
      async (_, doing) => {
        begun.resolve(doing)
        return new Promise<Outcome>(() => {})
      },
      { longest: DAY },
    )
    const stranger = await newOrganization()
    const cancel = (id: Id<'job'>, who = organizationId) =>
      database.tx((tx) => cancelJob(tx, who, id, systemClock.now()))
    const waiting = await add()
    assert.equal(await cancel(waiting, stranger), undefined)
    assert.equal((await row(waiting)).status, 'pending')
    assert.equal(await cancel(waiting), 'cancelled')
    assert.equal(await cancel(waiting), 'cancelled')
    const under = await add()
    await start()
    const { signal } = await begun.promise
    assert.equal(await cancel(under), 'pending')
    assert.equal((await ends(under)).status, 'cancelled')
    assert.equal(signal.aborted, true)
  })

  it('may finish what it has begun within the grace of its kind when it is cancelled, and no longer', async () => {
    const [begun, finish] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()]
    const grace = 30 * SECOND
    const { database, organizationId, start, add, ends, row } = await stand(
      async (_, { signal }) => {
        begun.resolve(signal)
        await finish.promise
        return { done: null }
      },
      { longest: DAY, grace },
    )
    const id = await add()
    await start()
    const signal = await begun.promise
    await database.tx((tx) => cancelJob(tx, organizationId, id, systemClock.now()))
    await until(
      () => signal.aborted,
      (isAborted) => isAborted,
      { what: 'the attempt to be aborted' },
    )
    assert.equal((await row(id)).status, 'pending')
    finish.resolve()
    assert.equal((await ends(id)).status, 'cancelled')
    const hanging = await stand(() => new Promise<Outcome>(() => {}), { longest: DAY, grace: 1 })
    const hung = await hanging.add()
    await hanging.start()
    await until(
      () => hanging.row(hung),
      ({ begun: count }) => count === 1,
      { what: 'the job to have begun' },
    )
    await database.tx((tx) => cancelJob(tx, hanging.organizationId, hung, systemClock.now()))
    assert.equal((await hanging.ends(hung)).status, 'cancelled')
  })

  it('is noted as begun with others at the same time, except where it was cancelled or its claim is gone', async () => {
    const { database, organizationId, row } = await stand(async () => ({ done: null }))
    const now = systemClock.now()
    const added = (claimer: string) =>
      database.tx((tx) =>
        addJob(
          tx,
          {
            ...{ kind: 'test.begun', organizationId, laneId: 'one', cap: 4, payload: {}, claimer },
            ...{ dueAt: now, horizon: now + DAY },
          },
          now,
        ),
      )
    const [first, cancelled, lost, last] = [
      await added('ours'),
      await added('ours'),
      await added('theirs'),
      await added('ours'),
    ]
    await database.tx((tx) => cancelJob(tx, organizationId, cancelled.id, now))
    const store = createRowStore({ database, kind: 'test.begun' })
    const jobs = [last, cancelled, first, lost]
    assert.deepEqual(await Promise.all(jobs.map((job) => store.begin('ours', job))), [
      true,
      false,
      true,
      false,
    ])
    const rows = await Promise.all(jobs.map(({ id }) => row(id)))
    assert.deepEqual(
      rows.map(({ begun }) => begun),
      [1, 0, 1, 0],
    )
  })

  it('waits in a lane that is read in pages, with each other lane once', async () => {
    const { database, organizationId } = await stand(async () => ({ done: null }))
    const now = systemClock.now()
    const lanes = Array.from({ length: 501 }, (_, lane) => `lane ${String(lane).padStart(3, '0')}`)
    const life = { organizationId, cap: 4, payload: {}, dueAt: now, horizon: now + DAY }
    const jobs = lanes.map((laneId) => ({ kind: 'test.pages', laneId, ...life }))
    await database.tx((tx) => addJobs(tx, jobs, now))
    const store = createRowStore({ database, kind: 'test.pages' })
    const first = await store.nextDue(undefined)
    const second = await store.nextDue(first.after)
    assert.deepEqual([first.after, second.after], [lanes.at(-2), undefined])
    assert.deepEqual(
      [...first.due, ...second.due].map(({ laneId, dueAt }) => `${laneId} ${dueAt}`),
      lanes.map((lane) => `${lane} ${now}`),
    )
  })

  it('is aborted when another process has claimed it, and changes nothing any more', async () => {
    const [begun, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { database, start, add, row } = await stand(
      async (_, { signal }) => {
        signal.addEventListener('abort', () => seen.resolve())
        begun.resolve()
        await seen.promise
        return { done: 'late' }
      },
      { longest: DAY, grace: DAY },
    )
    const id = await add()
    const worker = await start()
    await begun.promise
    const another = newLease(database)
    await another.start()
    stops.push(another.stop)
    await database.tx((tx) =>
      tx.updateTable('job').set({ claim_id: another.name }).where('id', '=', id).execute(),
    )
    await within('the attempt to be aborted', seen.promise)
    await worker.stop()
    const { status, claim_id } = await row(id)
    assert.deepEqual([status, claim_id], ['pending', another.name])
  })

  for (const [isRepeatable, expected] of [
    [true, ['done', null]],
    [false, ['failed', 'outcome_unknown']],
  ] as const)
    it(`whose process dies is ${isRepeatable ? 'done again' : 'not done again where it must not be'}`, async () => {
      const begun = Promise.withResolvers<void>()
      const dying = Promise.withResolvers<Outcome>()
      let times = 0
      const { database, start, add, ends, row } = await stand(
        async ({ payload }) => {
          if (Object.hasOwn(payload as object, 'next')) return { done: null }
          times += 1
          if (times > 1) return { done: null }
          begun.resolve()
          return dying.promise
        },
        { isRepeatable, longest: DAY },
      )
      const id = await add({ cap: 1 })
      // The dying worker does not poll: on SQLite its poll would take the next one for dead.
      await start({ ...PACE, poll: DAY, heartbeat: DAY })
      await begun.promise
      const { claim_id: claimer, begun: isBegun } = await row(id)
      assert.equal(isBegun, 1)
      // As the next process finds it when the lease of a dead one has run out.
      await database.tx((tx) => tx.deleteFrom('worker').where('id', '=', claimer).execute())
      const next = await add({ cap: 1, payload: { next: true } })
      await start()
      const { status, reason } = await ends(id)
      assert.deepEqual([status, reason], expected)
      assert.equal(times, isRepeatable ? 2 : 1)
      // The place that the dead one had in the lane is free.
      assert.equal((await ends(next)).status, 'done')
      // What it had to say comes too late, and is not heard.
      dying.resolve({ failed: 'late' })
      await stops.at(-2)?.()
      assert.deepEqual((await row(id)).status, status)
    })

  it('that three processes died of is not done once more', async () => {
    const { database, start, add, ends } = await stand(async () => ({ done: null }))
    const [twice, thrice] = [await add(), await add()]
    for (const [id, begun] of [
      [twice, 2],
      [thrice, 3],
    ] as const)
      await database.tx((tx) => tx.updateTable('job').set({ begun }).where('id', '=', id).execute())
    await start()
    assert.equal((await ends(twice)).status, 'done')
    const { status, reason } = await ends(thrice)
    assert.deepEqual([status, reason], ['failed', 'crashed_repeatedly'])
  })

  it('that writes nothing else is settled with those of other organizations, except where its row is locked', async () => {
    const { database, organizationId, newOrganization, row } = await stand(async () => ({ done: null }))
    const now = systemClock.now()
    const kind = 'test.unlocked'
    const added = (whose: Id<'organization'>, claimer: string) =>
      database.tx((tx) =>
        addJob(
          tx,
          {
            ...{ kind, organizationId: whose, laneId: whose, cap: 4, payload: {}, claimer },
            ...{ dueAt: now, horizon: now + DAY },
          },
          now,
        ),
      )
    const other = await newOrganization()
    const [locked, free, cancelled, lost, later] = [
      await added(organizationId, 'ours'),
      await added(other, 'ours'),
      await added(other, 'ours'),
      await added(other, 'theirs'),
      await added(other, 'ours'),
    ]
    await database.tx((tx) => cancelJob(tx, other, cancelled.id, now))
    const committed: string[] = []
    const { unlocked, ...store } = createRowStore({
      ...{ database, kind },
      onCommitted: ({ job, status }) => void committed.push(`${job.id} ${status}`),
    })
    const settlement = (job: RowJob, change: Partial<RowSettlement> = {}): RowSettlement => ({
      ...{ job, status: 'done', reason: job.id, result: null, dueAt: null, ...change },
    })
    const all = [
      settlement(locked),
      settlement(free),
      settlement(cancelled, { status: 'pending', dueAt: now + 1 }),
      settlement(lost),
      settlement(later, { status: 'pending', reason: 'again', dueAt: now + MINUTE }),
    ]
    assert.deepEqual(
      [settlement(free), settlement(free, { status: 'failed' })].map((one) => unlocked?.takes(one)),
      [true, false],
    )
    const [isLocked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // SQLite has one writer, so that no row is locked.
    const holds = engine === 'postgres'
    const held = !holds
      ? isLocked.resolve()
      : database.tx(async (tx) => {
          await tx.updateTable('job').set({ lane_id: 'held' }).where('id', '=', locked.id).execute()
          isLocked.resolve()
          await mayEnd.promise
        })
    await isLocked.promise
    const settled = await unlocked?.settle('ours', all, now)
    mayEnd.resolve()
    await held
    assert.deepEqual(
      settled,
      all.filter(({ job }) => job !== lost && (!holds || job !== locked)),
    )
    // The transaction of its owner settles the locked job.
    await store.settle('ours', holds ? [settlement(locked)] : [], now)
    const rows = await Promise.all([locked, free, cancelled, lost, later].map(({ id }) => row(id)))
    assert.deepEqual(
      rows.map(({ status, reason, claim_id, attempts, due_at }) => [
        status,
        reason,
        claim_id,
        attempts,
        due_at,
      ]),
      [
        ['done', locked.id, null, 1, null],
        ['done', free.id, null, 1, null],
        ['cancelled', cancelled.id, null, 1, null],
        ['pending', null, 'theirs', 0, now],
        ['pending', 'again', null, 1, now + MINUTE],
      ],
    )
    assert.deepEqual(
      committed.toSorted(),
      [
        ...[`${locked.id} done`, `${free.id} done`, `${cancelled.id} cancelled`, `${later.id} pending`],
      ].toSorted(),
    )
  })

  it('that failed is settled in a transaction of its own, which holds no rows of one job while it waits for those of another', async () => {
    const { database, organizationId } = await stand(async () => ({ done: null }))
    const kind = 'test.settled'
    const now = systemClock.now()
    const life = { laneId: 'one', cap: 4, payload: {}, dueAt: now, horizon: now + DAY, claimer: 'w' }
    const jobs = await database.tx(async (tx) => [
      await addJob(tx, { kind, organizationId, ...life }, now),
      await addJob(tx, { kind, organizationId, ...life }, now),
      await addJob(tx, { kind, organizationId, ...life }, now),
      await addJob(tx, { kind, organizationId, ...life }, now),
    ])
    const settled = new Map<string, string[]>()
    const store = createRowStore({
      ...{ database, kind },
      async onSettled(tx, { status }) {
        const transaction = await transactionOf(tx, engine)
        settled.set(transaction, [...(settled.get(transaction) ?? []), status])
      },
    })
    const ends = ['failed', 'done', 'failed', 'done'] as const
    const settlements = jobs.map((job, index) => ({
      ...{ job, status: ends[index] ?? 'done', reason: null, result: null, dueAt: null },
    }))
    await store.settle('w', settlements, now)
    const together = [...settled.values()]
    if (engine === 'postgres') assert.deepEqual(together, [['done', 'done'], ['failed'], ['failed']])
    // SQLite has one writer, so its transactions wait for no locks of rows.
    else assert.deepEqual(together.flat().sort(), ['done', 'done', 'failed', 'failed'])
  })
})

async function transactionOf(tx: Tx, engine: EngineName): Promise<string> {
  if (engine === 'sqlite') return ''
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx)
  return rows[0]?.id ?? ''
}
