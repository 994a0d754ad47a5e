import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import type { Job } from '../job.ts'
import { createIntake } from './intake.ts'

const LEASE = 40 * SECOND

/** An intake that records its actions; `owned` are the lanes of this process. */
function stand() {
  const done: string[] = []
  const note = (...what: unknown[]) => void done.push(what.join(' '))
  const owned = new Set<string>()
  const state = { now: 1_795_000_000_000 }
  const intake = createIntake<Job>({
    clock: { now: () => state.now, after: () => () => {} },
    lease: { name: 'one', duration: LEASE, isGood: () => true },
    lanes: { hasRoom: () => true, tryNow: (laneId, first) => note('tries', laneId, first) },
    claims: {
      isBehind: () => false,
      wake: () => {},
      arrived: () => {},
      claimUrgent: (_, id) => note('claims', id),
    },
    ownership: {
      isOwner: (laneId) => owned.has(laneId),
      partOf: ({ laneId, cap }) => (owned.has(laneId) ? cap : 0),
    },
    isRunning: () => true,
    hasSeenAll: () => true,
    isOrdered: ({ cap }) => cap === 1,
    take: ({ id }) => note('takes', id),
    giveBackExcess: () => {},
    pump: () => {},
    notifyOwner: (laneId) => note('tells', laneId),
  })
  const taken = () => done.splice(0)
  return { intake, owned, state, taken }
}

const jobOf = (laneId: string, id: string) => ({ laneId, id }) as unknown as Job

describe('a job of a new event', () => {
  it('is claimed by this worker at its insertion only if the worker owns the lane and the lane allows several calls at once', () => {
    const { intake, owned } = stand()
    const lane = { laneId: 'lane', organizationId: newId('organization', 0), perSecond: null }
    assert.equal(intake.claimFor({ ...lane, cap: 2 }), undefined)
    owned.add('lane')
    assert.equal(intake.claimFor({ ...lane, cap: 2 }), 'one')
    assert.equal(intake.claimFor({ ...lane, cap: 1 }), undefined)
  })

  it('is accepted under the present name of the worker only; for lanes of others their owner is notified', () => {
    const { intake, owned, taken } = stand()
    owned.add('own')
    const fresh = { job: jobOf('own', 'of own'), claimer: 'one' }
    intake.accept([fresh, { job: jobOf('own', 'of an earlier life'), claimer: 'none' }], ['theirs'])
    assert.deepEqual(taken(), ['takes of own', 'tells theirs'])
  })
})

describe('an attempt that a person requested', () => {
  it('is made at once in a lane of this process, and in another lane as soon as this process owns it', () => {
    const { intake, owned, taken } = stand()
    owned.add('own')
    intake.tryNow('own', 'a')
    assert.deepEqual(taken(), ['tries own a', 'claims a'])
    intake.tryNow('theirs', 'b')
    assert.deepEqual(taken(), [])
    owned.add('theirs')
    owned.delete('own')
    intake.tryExpected()
    assert.deepEqual(taken(), ['tries theirs b', 'claims b'])
  })

  it('is not made later than two leases after the request', () => {
    const { intake, owned, state, taken } = stand()
    intake.tryNow('theirs', 'b')
    state.now += 2 * LEASE + 1
    owned.add('theirs')
    intake.tryExpected()
    assert.deepEqual(taken(), [])
  })
})
