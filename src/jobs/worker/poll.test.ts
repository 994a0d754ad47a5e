import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import { ALONE } from '../ownership/ownership.ts'
import { createClaimedJobs } from './claimed-jobs.ts'
import { createPoll } from './poll.ts'

type Deps = Parameters<typeof createPoll<Job>>[0]

/** The lease of a process with a right clock that finds no dead processes. */
function leaseOf() {
  return { name: 'one', duration: 1, removeDead: async () => {}, correction: { until: 0 } }
}

/** A poll of a store without due jobs. @param given replaces single parts, and single methods of the store */
function newPoll({
  store = {},
  ...given
}: Partial<Omit<Deps, 'store'>> & { store?: Partial<Deps['store']> }) {
  return createPoll<Job>({
    clock: { now: () => 0, after: () => () => {} },
    store: {
      freeLost: async () => {},
      nextDue: async () => ({ due: [], after: undefined }),
      claimedBy: async () => [],
      correctDue: async () => [],
      release: async () => {},
      interrupt() {},
      ...store,
    },
    lease: leaseOf(),
    claimedJobs: createClaimedJobs<Job>(),
    ownership: ALONE,
    mayPoll: () => true,
    waiting: () => [],
    drop() {},
    afterPoll: async () => [],
    claims: { notice() {}, wake() {} },
    resume() {},
    track() {},
    ...given,
  })
}

it('a poll frees lost jobs every few steps of a long backlog, and runs all steps', async () => {
  const done: string[] = []
  const note = (what: string) => void done.push(what)
  const works: Promise<void>[] = []
  let isOver = false
  const poll = newPoll({
    store: {
      async freeLost() {
        note('freed')
      },
    },
    mayPoll: () => !isOver,
    // There are always more jobs; every third step the next poll is due.
    async afterPoll() {
      note('step')
      const steps = done.filter((what) => what === 'step').length
      if (steps >= 30) isOver = true
      else if (steps % 3 === 0) works.push(poll.now())
      return ['lane']
    },
    track: (work) => void works.push(work),
  })
  works.push(poll.now())
  for (const work of works) await work
  assert.equal(done.filter((what) => what === 'step').length, 30)
  assert.equal(done.filter((what) => what === 'freed').length, 10)
})

it('a poll reads due jobs again only after four times the duration of the last read, ten seconds at most, except on request and after an incomplete read', async () => {
  let now = 1_795_000_000_000
  let [took, reads, mayPoll]: [number, number, boolean] = [0, 0, true]
  const poll = newPoll({
    clock: { now: () => now, after: () => () => {} },
    store: {
      async nextDue() {
        reads += 1
        now += took
        if (took < 0) throw new Error('the store failed')
        return { due: [], after: undefined }
      },
    },
    mayPoll: () => mayPoll,
  })
  /** Whether a poll after a given time reads due jobs. */
  async function isReadAfter(later: number, how: 'regularly' | 'now' = 'regularly'): Promise<boolean> {
    const before = reads
    now += later
    await poll[how]().catch(() => {})
    return reads > before
  }
  assert.equal(await isReadAfter(0), true, 'the first time')
  assert.equal(await isReadAfter(0), true, 'it took no time')
  took = SECOND
  assert.equal(await isReadAfter(0), true)
  assert.equal(await isReadAfter(4 * SECOND - 1), false)
  assert.equal(await isReadAfter(0, 'now'), true)
  assert.equal(await isReadAfter(4 * SECOND), true)
  took = 60 * SECOND
  assert.equal(await isReadAfter(4 * SECOND), true)
  assert.equal(await isReadAfter(10 * SECOND - 1), false)
  now -= 3_600 * SECOND
  assert.equal(await isReadAfter(0), false, 'the clock was set back')
  took = -1
  assert.equal(await isReadAfter(10 * SECOND), true)
  assert.equal(await isReadAfter(0), true, 'the store has failed')
  took = 0
  mayPoll = false
  assert.equal(await isReadAfter(0), false)
  mayPoll = true
  assert.equal(await isReadAfter(0), true)
})

it('a poll serves requests that arrive before it reads due jobs, runs again for later ones and after a failure, and prepares again under a new name of the worker', async () => {
  const lease = leaseOf()
  const done: string[] = []
  const works: Promise<void>[] = []
  let onStep = (_: string) => {}
  const note = async (what: string) => {
    done.push(`${what} as ${lease.name}`)
    onStep(what)
  }
  const poll = newPoll({
    store: {
      freeLost: () => note('freed'),
      async nextDue() {
        await note('read')
        return { due: [], after: undefined }
      },
    },
    lease,
    ownership: { agree: () => note('agreed') },
    track: (work) => void works.push(work),
  })
  onStep = (what) => {
    if (what === 'agreed') works.push(poll.now(), poll.regularly())
  }
  await poll.now()
  await Promise.all(works.splice(0))
  assert.deepEqual(done.splice(0), ['freed as one', 'agreed as one', 'read as one'], 'parts changed')
  onStep = (what) => {
    if (what !== 'freed' || lease.name !== 'one') return
    lease.name = 'two'
    works.push(poll.now())
  }
  await poll.now()
  await Promise.all(works.splice(0))
  const again = ['freed as two', 'agreed as two', 'read as two']
  assert.deepEqual(done.splice(0), ['freed as one', 'agreed as two', ...again], 'a new name')
  onStep = (what) => {
    if (what === 'read' && done.length === 3) works.push(poll.now())
  }
  await poll.now()
  await Promise.all(works.splice(0))
  assert.deepEqual(done.splice(0), [...again, ...again], 'it had begun to read')
  onStep = (what) => {
    if (what !== 'freed' || done.length > 1) return
    works.push(poll.now(), poll.regularly())
    throw new Error('the store failed')
  }
  await assert.rejects(poll.now(), /the store failed/)
  await Promise.all(works.splice(0))
  assert.deepEqual(done, ['freed as two', ...again], 'it failed')
})

it('the search for due times of a wrong clock runs beside the polls, for a hundredth of the time, until twice a lease after a start or a correction', async () => {
  let now = 1_795_000_000_000
  const [took, duration] = [SECOND / 10, 40 * SECOND]
  const begun: number[] = []
  const woken: string[] = []
  let looking = Promise.withResolvers<string[]>()
  const lease = { ...leaseOf(), duration, correction: { until: now + 2 * duration } }
  function setBack(): void {
    now -= 3_600 * SECOND
    lease.correction = { until: now + 2 * duration }
  }
  const poll = newPoll({
    clock: { now: () => now, after: () => () => {} },
    store: {
      correctDue(at) {
        begun.push(at)
        return looking.promise
      },
    },
    lease,
    claims: { notice() {}, wake: (lanes) => void woken.push(...lanes) },
    track: (work) => void works.push(work),
  })
  const works: Promise<void>[] = []
  /** Whether a poll after a given time starts the search. */
  async function looksAfter(later: number): Promise<boolean> {
    const before = begun.length
    now += later
    await poll.regularly()
    return begun.length > before
  }
  async function endLook(found: string[] = []): Promise<void> {
    now += took
    looking.resolve(found)
    await works.at(-1)
    looking = Promise.withResolvers()
  }
  const start = now
  assert.equal(await looksAfter(0), true, 'the first time')
  assert.equal(await looksAfter(0), false, 'one look is under way, for which no poll waits')
  await endLook(['lane'])
  assert.deepEqual(woken, ['lane'])
  assert.equal(await looksAfter(100 * took - 1), false, 'it rests')
  assert.equal(await looksAfter(1), true)
  await endLook()
  now = start + 2 * duration - 1
  assert.equal(await looksAfter(0), true)
  await endLook()
  assert.equal(await looksAfter(duration), true, 'once more after the last that may have come')
  await endLook()
  assert.equal(await looksAfter(duration), false, 'nothing can come any more')
  setBack()
  assert.equal(await looksAfter(0), true, 'the clock was set back')
  // The clock is set back again during the search.
  setBack()
  looking.resolve([])
  await works.at(-1)
  assert.equal(await looksAfter(0), true)
})
