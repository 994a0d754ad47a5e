import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Want } from '#src/jobs/job-store.ts'
import type { RowJob, RowSettlement } from '#src/jobs/rows/row.ts'
import type { JobRow } from './simulator/jobs/row-model.ts'
import { createRowTwins, type RowTwins } from './simulator/jobs/row-twins.ts'
import { createLeaseOperations } from './simulator/lease-operations.ts'
import { createDice, type Dice } from './simulator/world.ts'
import { useDatabase } from './support/database.ts'
import { nightly } from './support/nightly.ts'
import { type EngineName, onBothEngines } from './support/postern.ts'

/** Sequences of operations that are tried, and how long each is. */
const SEQUENCES: Record<EngineName, number> = nightly(
  { sqlite: 12, postgres: 10 },
  { sqlite: 6, postgres: 6 },
)
const LENGTH = 120
const START = 1_795_000_000_000

/** What the simulator proves of the model holds for the store because both do the same. */
onBothEngines('the store of jobs in rows', (engine) => {
  const open = useDatabase(engine)

  /** Both stores, empty. */
  async function fresh(): Promise<RowTwins> {
    const database = await open()
    await database.tx(async (tx) => {
      await tx.deleteFrom('organization').execute()
      await tx.deleteFrom('worker').execute()
    })
    return createRowTwins(database, START)
  }

  /** A worker with jobs of one lane, in the order in which they became due. */
  async function working(count: number) {
    const twins = await fresh()
    const [lane] = twins.lanes as [RowTwins['lanes'][number]]
    for (let index = 0; index < count; index += 1)
      await twins.add(lane, { payload: index, dueAt: START + index, horizon: START + HOUR }, START)
    await twins.both(({ lease }) => lease.join('w', START + DAY))
    const claim = (now: Millis, want: Partial<Want<RowJob>> = {}) =>
      twins.both((store) => store.claim('w', [{ laneId: lane.id, limit: 100, ...want }], now))
    const settle = (job: RowJob, what: End, now: Millis) =>
      twins.both((store) => store.settle('w', [settlementOf(job, what, now)], now))
    const statuses = () => twins.rows().map(({ status }) => status)
    return { twins, lane, claim, settle, statuses }
  }

  it('claims the longest due with what its lane takes', async () => {
    const { lane, claim, settle } = await working(3)
    const now = START + SECOND
    const [first] = (await claim(now, { limit: 1 })) as [RowJob]
    assert.deepEqual([first.payload, first.cap], [0, lane.cap])
    await settle(first, 'retry', now)
    const later = now + MINUTE
    assert.deepEqual(
      (await claim(later, { limit: 1 })).map(({ payload }) => payload),
      [1],
    )
    assert.deepEqual(
      (await claim(later)).map(({ payload }) => payload),
      [2, 0],
    )
    assert.deepEqual(await claim(later), [])
  })

  it('begins and settles only under the claim, and not what is to be cancelled', async () => {
    const { twins, claim, settle, statuses } = await working(3)
    const now = START + SECOND
    const [one, two, three] = (await claim(now)) as [RowJob, RowJob, RowJob]
    const begin = (who: string, job: RowJob) => twins.both((store) => store.begin(who, job))
    assert.deepEqual([await begin('other', one), await begin('w', one)], [false, true])
    assert.equal(await twins.cancel(one, now), 'pending')
    assert.equal(await twins.cancel(two, now), 'pending')
    assert.equal(await begin('w', two), false)
    const attempts = [one, two, three].flatMap((job) => [
      { ...job, claimer: 'w' },
      { ...job, claimer: 'other' },
      { ...job, claimer: 'w', attempts: job.attempts + 1 },
    ])
    const revoked = await twins.both((store) => store.revoked(attempts))
    assert.deepEqual(
      attempts.filter((attempt) => !revoked.includes(attempt)),
      [attempts[6]],
    )
    await settle(one, 'retry', now)
    await settle(two, 'done', now)
    assert.deepEqual(statuses(), ['cancelled', 'done', 'pending'])
    await settle(two, 'failed', now)
    assert.deepEqual(statuses(), ['cancelled', 'done', 'pending'])
  })

  it('cancels no job by a notification alone: its row says whether it is to be cancelled', async () => {
    const { twins, claim, settle } = await working(1)
    const now = START + SECOND
    const [job] = (await claim(now)) as [RowJob]
    await settle(job, 'cancelled', now)
    assert.deepEqual(
      twins.rows().map(({ status, due }) => [status, due]),
      [['pending', now]],
    )
  })

  it('finds no claim of another kind under the name that all kinds of a process share', async () => {
    const { twins } = await working(1)
    // The twins have a job of another kind that this name has claimed.
    assert.deepEqual(await twins.both((store) => store.claimedBy('somebody')), [])
    await twins.both((store) => store.giveUp('somebody'))
  })

  it('frees what the dead had begun with what is known of it, and what is given back unbegun without', async () => {
    const { twins, claim } = await working(2)
    const now = START + SECOND
    const [one, two] = (await claim(now)) as [RowJob, RowJob]
    for (const job of [one, two]) assert.equal(await twins.both((store) => store.begin('w', job)), true)
    await twins.both((store) => store.release('w', [two]))
    const late = START + DAY
    await twins.both(({ lease }) => lease.join('next', late + DAY))
    await twins.both(({ lease }) => lease.removeDead('next', late, true))
    await twins.both((store) => store.freeLost(late))
    assert.deepEqual(
      twins.rows().map(({ claim: claimer, begun }) => [claimer, begun]),
      [
        [null, 1],
        [null, 0],
      ],
    )
  })

  it(`does what the simulator's model does, in ${SEQUENCES[engine]} sequences of ${LENGTH} operations`, async () => {
    const rows: JobRow[] = []
    for (let seed = 1; seed <= SEQUENCES[engine]; seed += 1) {
      const trail: string[] = []
      try {
        rows.push(...(await run(createDice(seed), await fresh(), trail)))
      } catch (error) {
        const steps = trail.slice(-10).join('\n')
        throw new Error(`sequence ${seed}, after\n${steps}`, { cause: error })
      }
    }
    const count = (is: (row: JobRow) => boolean) => rows.filter(is).length
    for (const status of ['pending', 'done', 'failed', 'cancelled'])
      assert.ok(count((row) => row.status === status) > SEQUENCES[engine] / 2, `few are ${status}`)
    for (const [what, is] of Object.entries({
      'tried again': ({ attempts }: JobRow) => attempts > 1,
    }))
      assert.ok(count(is) > SEQUENCES[engine] / 3, `few are ${what}`)
  })
})

/** Operations by chance, each done with both stores. */
async function run(dice: Dice, twins: RowTwins, trail: string[]): Promise<JobRow[]> {
  const clock = { now: START }
  const { both } = twins
  const lanes = twins.lanes.map(({ id }) => id)
  const { someone, newest, operations: leases } = createLeaseOperations({ dice, clock, both })
  /** What was claimed at some time; by now it may be another's, or have ended. */
  const claimed: { worker: string; job: RowJob }[] = []
  const keep = (worker: string, jobs: RowJob[]) => {
    for (const job of jobs) claimed.push({ worker, job })
  }
  /** One that was claimed, and mostly by whom. */
  const attempt = () => {
    const one = claimed.length === 0 ? undefined : dice.pick(claimed.slice(-6))
    return one && { worker: dice.chance(0.9) ? one.worker : someone(), job: one.job }
  }

  const operations: Record<string, () => Promise<unknown>> = {
    ...leases,
    async add() {
      for (let times = dice.between(1, 6); times > 0; times -= 1) {
        const claimer = dice.chance(0.2) ? someone() : undefined
        const dueAt = clock.now + dice.pick([0, 0, 0, MINUTE])
        const what = { payload: { number: clock.now % 1_000 }, dueAt, horizon: clock.now + HOUR }
        const job = await twins.add(
          dice.pick(twins.lanes),
          { ...what, ...(claimer && { claimer }) },
          clock.now,
        )
        // What is born claimed is handed over without asking the store.
        if (claimer !== undefined) keep(claimer, [job])
        clock.now += 1
      }
    },
    nextDue() {
      const after = dice.pick([undefined, ...lanes])
      return both((store) => store.nextDue(after))
    },
    dueOf() {
      const some = lanes.filter(() => dice.chance(0.5))
      return both((store) => store.dueOf(some))
    },
    async claim() {
      const worker = dice.chance(0.6) ? newest() : someone()
      const wants = lanes
        .filter(() => dice.chance(0.6))
        .map((laneId): Want<RowJob> => ({ laneId, limit: dice.between(1, 5) }))
      keep(worker, await both((store) => store.claim(worker, wants, clock.now)))
    },
    async begin() {
      const one = attempt()
      if (one !== undefined) await both((store) => store.begin(one.worker, one.job))
    },
    revoked() {
      const attempts = claimed
        .filter(() => dice.chance(0.3))
        .map(({ worker, job }) => ({ ...job, claimer: worker }))
      return both((store) => store.revoked(attempts))
    },
    release() {
      const worker = attempt()?.worker ?? someone()
      const jobs = claimed.filter(() => dice.chance(0.1)).map(({ job }) => job)
      const unique = [...new Map(jobs.map((job) => [job.id, job])).values()]
      // Of some that were lost sight of nothing is known but the id.
      const some = unique.map((job) => (dice.chance(0.3) ? { id: job.id } : job))
      return both((store) => store.release(worker, some))
    },
    claimedBy() {
      const worker = someone()
      return both((store) => store.claimedBy(worker))
    },
    settle() {
      const worker = attempt()?.worker ?? someone()
      const its = claimed.filter((one) => (one.worker === worker ? dice.chance(0.5) : dice.chance(0.05)))
      // One of several results of a job, and not always the last.
      if (dice.chance(0.3)) its.reverse()
      const jobs = [...new Map(its.map(({ job }) => [job.id, job])).values()]
      const settlements = jobs.map((job) => settlementOf(job, dice.pick(ENDS), clock.now))
      return both((store) => store.settle(worker, settlements, clock.now))
    },
    async cancel() {
      const rows = twins.rows()
      if (rows.length > 0) await twins.cancel(dice.pick(rows), clock.now)
    },
    async end() {
      if (dice.chance(0.2)) await twins.end(dice.pick(twins.lanes).organizationId, clock.now)
    },
  }
  const names = Object.keys(operations)
  const often = ['join', 'add', 'claim', 'claim', 'begin', 'begin', 'settle', 'settle', 'cancel']

  await operations.join?.()
  for (let step = 0; step < LENGTH; step += 1) {
    clock.now += dice.pick([1, 1, 1, SECOND, 10 * SECOND, MINUTE])
    if (dice.chance(0.02)) clock.now += dice.pick([HOUR, DAY])
    // A clock that is set back.
    if (dice.chance(0.03)) clock.now -= 30 * SECOND
    const name = dice.pick(dice.chance(0.7) ? often : names)
    trail.push(`${clock.now - START} ms ${name}`)
    await operations[name]?.()
  }
  return twins.rows()
}

const ENDS = ['done', 'failed', 'failed', 'cancelled', 'retry', 'retry', 'retry'] as const
type End = (typeof ENDS)[number]

function settlementOf(job: RowJob, what: End, now: Millis): RowSettlement {
  if (what === 'retry')
    return { job, status: 'pending', reason: 'not_yet', result: null, dueAt: now + 10 * SECOND }
  const end = { job, status: what, dueAt: null }
  if (what === 'done') return { ...end, reason: null, result: { of: job.attempts } }
  return { ...end, reason: what === 'failed' ? 'broken' : null, result: null }
}
