import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import type { Job } from '../job.ts'
import { createIntake } from './intake.ts'

const LEASE = 40 * SECOND

/** An intake that tells what it does; `owned` are the lanes of this process. */
function stand() {
  const done: string[] = []
  const note = (...what: unknown[]) => void done.push(what.join(' '))
  const owned = new Set<string>()
  const state = { now: 1_795_000_000_000 }
  const intake = createIntake<Job>({
    clock: { now: () => state.now, after: () => () => {} },
    lease: { name: 'one', duration: LEASE },
    lanes: { hasRoom: () => true, tryNow: (laneId, first) => note('tries', laneId, first) },
    claims: {
      isBehind: () => false,
      nudge: () => {},
      arrived: () => {},
      first: (_, id) => note('claims', id),
    },
    shards: { owns: (laneId) => owned.has(laneId), isSeen: () => true },
    standing: { isRunning: true, isGood: () => true },
    release: async (jobs) => note('gives back', ...jobs.map(({ id }) => id)),
    hasSeenAll: () => true,
    isOrdered: ({ cap }) => cap === 1,
    take: ({ id }) => note('takes', id),
    shed: () => {},
    pump: () => {},
    tellOwner: (laneId, asked) =>
      asked === undefined ? note('tells', laneId) : note('passes on', laneId, asked.first),
    track: (work) => void work,
  })
  const taken = () => done.splice(0)
  return { intake, owned, state, taken }
}

const jobOf = (laneId: string, id: string) => ({ laneId, id }) as unknown as Job

describe('what is brought to a worker', () => {
  it('is born in its hands only where the lane is its own and takes several at once', () => {
    const { intake, owned } = stand()
    const lane = { laneId: 'lane', organizationId: newId('organization', 0) }
    assert.equal(intake.claimFor({ ...lane, cap: 2 }), undefined)
    owned.add('lane')
    assert.equal(intake.claimFor({ ...lane, cap: 2 }), 'one')
    assert.equal(intake.claimFor({ ...lane, cap: 1 }), undefined)
  })

  it("goes to the owner where the lane has become another's since", async () => {
    const { intake, owned, taken } = stand()
    owned.add('own')
    const fresh = ['own', 'gone'].map((laneId) => ({ job: jobOf(laneId, `of ${laneId}`), claimer: 'one' }))
    intake.accept([...fresh, { job: jobOf('own', 'of an earlier life'), claimer: 'none' }], ['theirs'])
    await Promise.resolve()
    assert.deepEqual(taken(), ['takes of own', 'gives back of gone', 'tells theirs', 'tells gone'])
  })
})

describe('an attempt that a person expects', () => {
  it("is made when the lane is this process's, and soon after where it is not yet", () => {
    const { intake, owned, taken } = stand()
    owned.add('own')
    intake.tryNow('own', 'a')
    assert.deepEqual(taken(), ['tries own a', 'claims a'])
    intake.tryNow('theirs', 'b')
    intake.tryAsked()
    assert.deepEqual(taken(), [])
    owned.add('theirs')
    intake.tryAsked()
    assert.deepEqual(taken(), ['tries theirs b', 'claims b'])
    intake.tryAsked()
    assert.deepEqual(taken(), [], 'once')
  })

  it('is passed on with its lane unless it was made, or asked for long ago', () => {
    const { intake, owned, state, taken } = stand()
    for (const laneId of ['kept', 'made', 'given', 'paused']) owned.add(laneId)
    intake.tryNow('old', 'x')
    state.now += 2 * LEASE + 1
    for (const laneId of ['kept', 'made', 'given']) intake.tryNow(laneId, `of ${laneId}`)
    intake.tryNow('paused')
    intake.made(jobOf('made', 'of made'))
    intake.made(jobOf('given', 'another of given'))
    intake.made(jobOf('paused', 'any of paused'))
    taken()
    intake.passOn((laneId) => laneId !== 'kept')
    assert.deepEqual(taken(), ['passes on given of given'])
  })
})
