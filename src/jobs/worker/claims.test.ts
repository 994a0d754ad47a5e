import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock, Millis } from '../../core/clock.ts'
import { turn } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { type Job, type Owned, STORE_RETRY } from '../job.ts'
import type { Due, Want } from '../job-store.ts'
import { createClaimedJobs } from './claimed-jobs.ts'
import { type Claims, createClaims, MOST_LANES, MOST_ROWS } from './claims.ts'
import { createRelease } from './release.ts'

const NOW = 1_795_000_000_000
const CLOCK: Clock = { now: () => NOW, after: () => () => {} }

const newOwned = (organizationId = newId('organization', NOW)): Owned<Job> => ({
  laneId: newId('webhook', NOW),
  organizationId,
})
const due = (webhook: Owned<Job>, dueAt: Millis = NOW): Due<Job> => ({ ...webhook, dueAt })
const many = (count: number, organizationId: Id<'organization'>) =>
  Array.from({ length: count }, () => newOwned(organizationId))
const idsOf = (webhooks: Owned<Job>[]) => webhooks.map(({ laneId }) => laneId)

/** Claims over a store whose answers the test gives. */
function stand({ room = 1_000 } = {}) {
  const asked: { wants: Want<Job>[]; answer: (jobs: Job[]) => Promise<void>; fail: () => Promise<void> }[] =
    []
  const named: string[][] = []
  const alarms = new Map<string, Millis>()
  const claimed: Job[] = []
  const ended: string[][] = []
  const released: string[] = []
  const counted: string[][] = []
  const next = new Map<string, Due<Job>>()
  const rooms = new Map<string, number>()
  const parked = new Set<string>()
  const failures: unknown[] = []
  /** The waits of the next queries for remaining jobs. */
  const knowing: Promise<void>[] = []
  const lease = { name: 'one' }
  const state = { mayWork: true }
  const others = new Set<string>()
  const claimedJobs = createClaimedJobs<Job>()
  const claims = createClaims<Job>({
    clock: CLOCK,
    lease,
    store: {
      claim(_worker, wants) {
        const { promise, resolve, reject } = Promise.withResolvers<Job[]>()
        const answer = async (jobs: Job[]) => {
          resolve(jobs)
          await turn()
        }
        const fail = async () => {
          reject(new Error('the store failed'))
          await turn()
        }
        asked.push({ wants, answer, fail })
        return promise
      },
      async claimNamed(_worker, some) {
        named.push(some.map(({ id }) => id))
        return []
      },
      async dueOf(webhooks) {
        counted.push(webhooks)
        await knowing.shift()
        return webhooks.flatMap((id) => next.get(id) ?? [])
      },
      async release(_worker, jobs) {
        assert.ok(jobs.length > 0, 'nothing is given back for nothing')
        released.push(...jobs.map(({ id }) => id))
      },
    },
    lanes: {
      wanted: ({ laneId }) => rooms.get(laneId) ?? room,
      isParked: (laneId) => parked.has(laneId),
    },
    alarm: { set: (id, moment) => void alarms.set(id, moment) },
    mayWork: () => state.mayWork,
    ownership: {
      isOwner: (laneId) => !others.has(laneId),
      partOf: ({ laneId, cap }) => (others.has(laneId) ? 0 : cap),
    },
    claimedJobs,
    track: (work) => void work.catch((error: unknown) => failures.push(error)),
  })
  claims.listen({
    onClaimed: (jobs) => void claimed.push(...jobs),
    onEnded: (webhooks) => void ended.push(webhooks),
  })
  const wanted = (index: number) => asked[index]?.wants.map(({ laneId }) => laneId) ?? []
  const stores = { asked, named, counted, knowing, next, released, wanted }
  return {
    claims,
    claimedJobs,
    ...stores,
    alarms,
    claimed,
    ended,
    rooms,
    parked,
    failures,
    lease,
    state,
    others,
  }
}

/** Whether a new job waits behind those in the table, for a lane with several concurrent calls. */
const isBehind = (claims: Claims<Job>, { laneId }: Pick<Job, 'laneId'>) => claims.isBehind({ laneId, cap: 2 })

const jobOf = (webhook: Owned<Job>) => ({ ...webhook, cap: 1, id: newId('delivery', NOW) }) as unknown as Job

describe('the claims', () => {
  it('are made for many webhooks in one statement, one statement at a time, of a bounded size', async () => {
    const { claims, asked } = stand()
    const webhooks = many(2 * MOST_LANES + 10, newId('organization', NOW))
    for (const webhook of webhooks) claims.notice(due(webhook))
    // The first query had one lane; all others arrived while it was running.
    assert.deepEqual(
      asked.map(({ wants }) => wants),
      [[{ laneId: webhooks[0]?.laneId, limit: MOST_ROWS, order: 'due' }]],
    )
    await asked[0]?.answer([])
    assert.equal(asked.length, 2)
    assert.equal(asked[1]?.wants.length, MOST_LANES)
    for (const { limit } of asked[1]?.wants ?? []) assert.equal(limit, MOST_ROWS / MOST_LANES)
    await asked[1]?.answer([])
    await asked[2]?.answer([])
    assert.deepEqual(
      asked.map(({ wants }) => wants.length),
      [1, MOST_LANES, MOST_LANES, 9],
    )
    assert.equal(asked[3]?.wants[0]?.limit, Math.floor(MOST_ROWS / 9))
  })

  it('are made for another organization in its turn, however many webhooks one has', async () => {
    const { claims, asked, wanted } = stand()
    for (const webhook of many(500, newId('organization', NOW))) claims.notice(due(webhook))
    const other = newOwned()
    claims.notice(due(other))
    await asked[0]?.answer([])
    assert.ok(wanted(1).indexOf(other.laneId) <= 1)
  })

  it('take as many jobs as lanes have room for, when they have room', async () => {
    const { claims, asked, rooms, wanted } = stand()
    const [full, one, other] = [newOwned(), newOwned(), newOwned()]
    rooms.set(full.laneId, 0)
    rooms.set(one.laneId, 3)
    claims.notice(due(full))
    assert.equal(asked.length, 0)
    claims.notice(due(one))
    assert.equal(asked[0]?.wants[0]?.limit, 3)
    // The lane is full now.
    claims.notice(due(other))
    rooms.set(other.laneId, 0)
    await asked[0]?.answer([])
    assert.equal(asked.length, 1)
    assert.equal(isBehind(claims, other), true)
    rooms.set(full.laneId, 1)
    claims.refill(other.laneId)
    claims.refill(newOwned().laneId)
    assert.equal(asked.length, 1)
    claims.refillAll()
    assert.deepEqual(wanted(1), [full.laneId])
    rooms.delete(other.laneId)
    claims.refill(other.laneId)
    await asked[1]?.answer([])
    assert.deepEqual(wanted(2), [other.laneId])
  })

  it('of a parked lane ask for the job to probe with', () => {
    const { claims, asked, parked } = stand()
    const webhook = newOwned()
    parked.add(webhook.laneId)
    claims.notice(due(webhook))
    assert.equal(asked[0]?.wants[0]?.order, 'probe')
  })

  it('pass claimed jobs on, and claim remaining jobs that are due', async () => {
    const { claims, asked, claimed, ended, next, counted, alarms } = stand()
    const webhooks = [newOwned(), newOwned(), newOwned()] as [Owned<Job>, Owned<Job>, Owned<Job>]
    for (const webhook of webhooks) claims.notice(due(webhook))
    await asked[0]?.answer([])
    next.set(webhooks[1].laneId, due(webhooks[1]))
    next.set(webhooks[2].laneId, due(webhooks[2], NOW + 5))
    for (const { laneId } of webhooks)
      assert.equal(isBehind(claims, { laneId }), laneId !== webhooks[0].laneId)
    const job = jobOf(webhooks[1])
    await asked[1]?.answer([job])
    assert.deepEqual(claimed, [job])
    assert.deepEqual(counted, [idsOf(webhooks.slice(0, 1)), idsOf(webhooks.slice(1))])
    assert.deepEqual(ended, counted)
    // Due now: behind until it is claimed. Due later: the alarm claims it.
    assert.equal(isBehind(claims, webhooks[1]), true)
    assert.equal(isBehind(claims, webhooks[2]), false)
    assert.equal(alarms.get(webhooks[2].laneId), NOW + 5)
    claims.refill(webhooks[1].laneId)
    assert.equal(asked.length, 3)
  })

  it('continue for other lanes while the remaining jobs of a lane are read, and for that lane afterwards', async () => {
    const { claims, claimedJobs, asked, ended, next, knowing, wanted } = stand()
    const [one, other, third] = [newOwned(), newOwned(), newOwned()]
    const known = Promise.withResolvers<void>()
    knowing.push(known.promise)
    claims.notice(due(one))
    claims.notice(due(other))
    await asked[0]?.answer([jobOf(one)])
    assert.deepEqual(wanted(1), [other.laneId])
    // One statement at a time, and none for the first lane before its remaining jobs are known.
    claims.notice(due(third))
    claims.notice(due(one))
    assert.equal(asked.length, 2)
    assert.deepEqual(claimedJobs.claiming().sort(), [one.laneId, other.laneId].sort())
    await asked[1]?.answer([jobOf(other)])
    assert.deepEqual(wanted(2), [third.laneId])
    assert.deepEqual(ended, [[other.laneId]])
    next.set(one.laneId, due(one))
    known.resolve()
    await turn()
    assert.deepEqual(ended, [[other.laneId], [one.laneId]])
    claims.refill(one.laneId)
    await asked[2]?.answer([])
    assert.deepEqual(wanted(3), [one.laneId])
  })

  it('are the only query for new jobs, unless there may be more of them', async () => {
    const { claims, asked, next, counted, rooms } = stand()
    const [few, many] = [newOwned(), newOwned()]
    rooms.set(many.laneId, 2)
    for (const lane of [few, many]) {
      claims.notice(due(lane))
      await asked.at(-1)?.answer([])
    }
    const before = counted.length
    next.set(many.laneId, due(many))
    claims.arrived([few.laneId])
    await asked.at(-1)?.answer([jobOf(few)])
    assert.equal(counted.length, before)
    assert.equal(isBehind(claims, few), false)
    claims.arrived([many.laneId])
    await asked.at(-1)?.answer([jobOf(many), jobOf(many)])
    assert.deepEqual(counted.slice(before), [[many.laneId]])
    assert.equal(isBehind(claims, many), true)
  })

  it('let new jobs wait behind them if other jobs may be due, or the lane has one call at a time', async () => {
    const { claims, asked, rooms, knowing } = stand()
    const lane = newOwned()
    rooms.set(lane.laneId, 2)
    const known = Promise.withResolvers<void>()
    const behind = () => [1, 2].map((cap) => claims.isBehind({ laneId: lane.laneId, cap }))
    claims.notice(due(lane))
    assert.deepEqual(behind(), [true, true], 'what waits is as old as may be')
    await asked.at(-1)?.answer([jobOf(lane)])
    assert.deepEqual(behind(), [false, false], 'nothing waits')
    claims.arrived([lane.laneId])
    assert.deepEqual(behind(), [true, false], 'only new ones are claimed')
    claims.arrived([lane.laneId])
    assert.deepEqual(behind(), [true, true], 'some wait for the next claim')
    knowing.push(known.promise)
    await asked.at(-1)?.answer([jobOf(lane), jobOf(lane)])
    assert.deepEqual(behind(), [true, true], 'more may be left')
    known.resolve()
  })

  it('are followed by a read of the next due moment if a new job was not due yet, because its writer may have a clock that is ahead', async () => {
    const { claims, asked, next, alarms } = stand()
    const lane = newOwned()
    claims.notice(due(lane))
    await asked.at(-1)?.answer([])
    next.set(lane.laneId, due(lane, NOW + 300))
    claims.arrived([lane.laneId])
    await asked.at(-1)?.answer([])
    assert.equal(alarms.get(lane.laneId), NOW + 300)
  })

  it('are followed by a read of the remaining jobs if other jobs may be due', async () => {
    const { claims, asked, counted } = stand()
    const [lane, other] = [newOwned(), newOwned()]
    for (const one of [lane, other]) claims.notice(due(one))
    // During the claim for the first lane a job of the second arrives, so its due moment has to be read again.
    claims.arrived([other.laneId])
    await asked[0]?.answer([])
    await asked[1]?.answer([jobOf(other)])
    assert.deepEqual(counted, [[lane.laneId], [other.laneId]])
  })

  it('are repeated a moment later when the store fails, and delay no other claims', async () => {
    const { claims, asked, alarms, failures, ended, wanted } = stand()
    const [one, other] = [newOwned(), newOwned()]
    claims.notice(due(one))
    claims.notice(due(other))
    await asked[0]?.fail()
    assert.equal(failures.length, 1)
    assert.deepEqual([...alarms], [[one.laneId, NOW + STORE_RETRY]])
    assert.deepEqual(ended, [[one.laneId]])
    assert.equal(isBehind(claims, one), false)
    assert.deepEqual(wanted(1), [other.laneId])
  })

  it('look up the organization of a webhook before its turn', async () => {
    const { claims, asked, counted, next, wanted } = stand()
    const webhook = newOwned()
    next.set(webhook.laneId, due(webhook))
    claims.wake([webhook.laneId])
    assert.equal(asked.length, 0)
    await turn()
    assert.deepEqual(counted, [[webhook.laneId]])
    assert.deepEqual(wanted(0), [webhook.laneId])
    next.clear()
    await asked[0]?.answer([])
    claims.wake([webhook.laneId])
    assert.deepEqual(wanted(1), [webhook.laneId])
    assert.equal(counted.length, 2)
  })

  it('take jobs that a person requested first, together, and report them once', async () => {
    const { claims, asked, named } = stand()
    claims.notice(due(newOwned()))
    const ids = Array.from({ length: MOST_LANES + 1 }, () => newId('delivery', NOW))
    for (const id of ids) claims.claimUrgent(newOwned().laneId, id)
    claims.notice(due(newOwned()))
    // While claims are running, any of them may return the job.
    claims.refillAll()
    assert.deepEqual(named, [])
    await asked[0]?.answer([])
    assert.deepEqual(named, [ids.slice(0, -1), ids.slice(-1)])
    assert.equal(asked.length, 2)
    const [first, second] = ids as [Id<'delivery'>, Id<'delivery'>]
    assert.deepEqual(
      [first, first].map((id) => claims.takeUrgent(id)),
      [true, false],
    )
    await asked[1]?.answer([])
    claims.refillAll()
    assert.equal(claims.takeUrgent(second), false)
  })

  it('are made at once for a job that a person requested, and take no other delivery', async () => {
    const { claims, claimedJobs, named, ended } = stand()
    const id = newId('delivery', NOW)
    const { laneId } = newOwned()
    claims.claimUrgent(laneId, id)
    assert.deepEqual(named, [[id]])
    assert.deepEqual(claimedJobs.claiming(), [laneId])
    // A running claim may still return it.
    claims.refillAll()
    assert.equal(claims.takeUrgent(id), true)
    await turn()
    assert.deepEqual(ended, [[]])
    assert.deepEqual(claimedJobs.claiming(), [])
  })

  it('keep requests of people while the worker may not claim', async () => {
    const { claims, named, state } = stand()
    state.mayWork = false
    const id = newId('delivery', NOW)
    claims.claimUrgent(newOwned().laneId, id)
    claims.refillAll()
    assert.deepEqual(named, [])
    assert.equal(claims.takeUrgent(id), true)
    state.mayWork = true
    claims.refillAll()
    assert.deepEqual(named, [[id]])
    await turn()
  })

  it('give a webhook one turn, for any number of notifications', async () => {
    const { claims, asked } = stand()
    claims.notice(due(newOwned()))
    const webhook = newOwned()
    for (let count = 0; count < 3; count += 1) claims.notice(due(webhook))
    await asked[0]?.answer([])
    assert.deepEqual(asked[1]?.wants, [{ laneId: webhook.laneId, limit: MOST_ROWS, order: 'due' }])
    await asked[1]?.answer([])
    assert.equal(asked.length, 2)
  })

  it('release nothing if a claim under an ended name returned no job', async () => {
    const { claims, asked, released, failures, lease } = stand()
    claims.notice(due(newOwned()))
    lease.name = 'two'
    await asked[0]?.answer([])
    assert.deepEqual([released, failures], [[], []])
  })

  it('release jobs that were claimed under an ended name, and claim nothing without a valid one', async () => {
    const { claims, asked, claimed, released, lease, state } = stand()
    const webhook = newOwned()
    claims.notice(due(webhook))
    lease.name = 'two'
    const [stale, late] = [jobOf(webhook), jobOf(webhook)]
    await asked[0]?.answer([stale])
    assert.deepEqual(released, [stale.id])
    claims.notice(due(webhook))
    state.mayWork = false
    await asked[1]?.answer([late])
    assert.deepEqual([claimed, released], [[], [stale.id, late.id]])
    claims.notice(due(webhook))
    claims.claimUrgent(late.laneId, late.id)
    assert.equal(asked.length, 2)
    state.mayWork = true
    claims.refillAll()
    await turn()
    assert.equal(asked.length, 3)
    await asked[2]?.answer([])
    assert.deepEqual(released, [stale.id, late.id])
  })
})

describe('a webhook of another worker', () => {
  it('causes no claim, whatever notification arrives', async () => {
    const { claims, asked, named, counted, next, others } = stand()
    const webhook = newOwned()
    others.add(webhook.laneId)
    next.set(webhook.laneId, due(webhook))
    claims.notice(due(webhook))
    claims.wake([webhook.laneId])
    claims.claimUrgent(webhook.laneId, newId('delivery', NOW))
    claims.refillAll()
    await turn()
    assert.deepEqual([asked, named, counted], [[], [], []])
    assert.equal(isBehind(claims, webhook), false)
  })

  it('is given up when its owner changes: its turns are dropped, and jobs of a running claim are released', async () => {
    const { claims, claimedJobs, asked, claimed, released, rooms, others } = stand()
    const [one, other, full] = [newOwned(), newOwned(), newOwned()]
    rooms.set(full.laneId, 0)
    for (const webhook of [one, other, full]) claims.notice(due(webhook))
    assert.deepEqual(claimedJobs.claiming(), [one.laneId])
    for (const { laneId } of [one, other, full]) others.add(laneId)
    const job = jobOf(one)
    await asked[0]?.answer([job])
    rooms.clear()
    claims.refillAll()
    await turn()
    assert.deepEqual([claimed, released, asked.length], [[], [job.id], 1])
    assert.deepEqual(claimedJobs.claiming(), [])
    for (const { laneId } of [one, other, full]) assert.equal(isBehind(claims, { laneId }), false)
  })
})

describe('released jobs', () => {
  it('share the next commit with releases that arrive during the present one', async () => {
    const commits: { worker: string; ids: string[]; done: PromiseWithResolvers<void> }[] = []
    const left: Job[] = []
    const give = createRelease<Job>(
      {
        release(worker, jobs) {
          const done = Promise.withResolvers<void>()
          commits.push({ worker, ids: jobs.map(({ id }) => id), done })
          return done.promise
        },
      },
      { leave: (job) => void left.push(job) },
    )
    const jobs = Array.from({ length: 4 }, () => jobOf(newOwned())) as [Job, Job, Job, Job]
    await give([], 'w')
    const given = [give([jobs[0]], 'w'), give([jobs[1]], 'w'), give([jobs[2]], 'v'), give([jobs[3]], 'w')]
    assert.deepEqual(
      commits.map(({ worker, ids }) => [worker, ids]),
      [['w', [jobs[0].id]]],
    )
    assert.deepEqual(left, [])
    commits[0]?.done.resolve()
    await given[0]
    assert.deepEqual(left, [jobs[0]])
    await turn()
    assert.deepEqual([commits[1]?.worker, commits[1]?.ids], ['w', [jobs[1].id, jobs[3].id]])
    commits[1]?.done.resolve()
    await turn()
    assert.deepEqual([commits[2]?.worker, commits[2]?.ids], ['v', [jobs[2].id]])
    commits[2]?.done.reject(new Error('the store failed'))
    for (const promise of given.slice(1)) await assert.rejects(promise, /the store failed/)
    assert.deepEqual(new Set(left), new Set(jobs))
    const after = give([jobs[0]], 'w')
    commits[3]?.done.resolve()
    await after
  })

  it('delay new claims of their lane until all of them are written', async () => {
    const { claims, asked, wanted, claimed, released } = stand()
    const [one, other] = [newOwned(), newOwned()]
    const back = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    claims.notice(due(one))
    const holds = back.map(({ promise }) => claims.hold(one.laneId, promise))
    // The claim was running, so its jobs are newer than the returning ones.
    const late = jobOf(one)
    await asked[0]?.answer([late])
    assert.deepEqual([claimed, released], [[], [late.id]])
    claims.notice(due(one))
    claims.notice(due(other))
    assert.deepEqual(wanted(1), [other.laneId])
    assert.equal(isBehind(claims, one), true)
    await asked[1]?.answer([])
    back[0].resolve()
    await holds[0]
    assert.equal(asked.length, 2, 'the other one is still on its way')
    back[1].resolve()
    await holds[1]
    assert.deepEqual(wanted(2), [one.laneId])
  })
})
