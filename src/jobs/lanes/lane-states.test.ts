import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Millis } from '../../core/clock.ts'
import { FIRST_LIMIT, limitOf } from './concurrency-limit.ts'
import { createLaneStates, type LaneState, MOST_REMEMBERED } from './lane-states.ts'

const NOW = 1_795_000_000_000
const WELL = { probeAt: null, parkedAt: null, failingAt: null, cause: null }

/** States over a store that records writes; the worker owns all lanes except `theirs`. */
function stand({ workers = 1 } = {}) {
  const state = { now: NOW, timers: [] as (() => void)[] }
  const table: LaneState[] = []
  const failing: { laneId: string; isParked: boolean }[] = []
  const saved: LaneState[] = []
  const cleared: string[] = []
  const parkedElsewhere: string[] = []
  const states = createLaneStates({
    clock: {
      now: () => state.now,
      after(_, work) {
        state.timers.push(work)
        return () => {}
      },
    },
    store: {
      load: async () => table,
      save: async (some) => void saved.push(...some),
      failing: async () => failing,
      clear: async (laneIds) => void cleared.push(...laneIds),
    },
    ownership: {
      isOwner: (laneId) => laneId !== 'theirs',
      setParked: (lanes) => void parkedElsewhere.push(...lanes),
      workers,
    },
    log: { error: (_, message) => assert.fail(message) },
  })
  return {
    ...{ states, state, table, failing, cleared, parkedElsewhere },
    note(
      laneId: string,
      {
        limit = FIRST_LIMIT,
        parkedAt = null,
        failure,
      }: { limit?: number; parkedAt?: Millis | null; failure?: string | null },
      now: Millis = state.now,
    ) {
      const known = { concurrency: limitOf(limit), isProven: failure === null }
      states.note(laneId, { ...known, parkedAt, probeAt: null, failure }, now)
    },
    /** The rows that the next save writes. */
    async save(now = state.now) {
      state.now = now
      await states.save()
      return saved.splice(0)
    },
    limitOf: (laneId: string) => states.recall(laneId)?.concurrency.limit,
  }
}

describe('the states of lanes', () => {
  it('are written once, with the latest values of each lane', async () => {
    const { states, note, save, limitOf } = stand()
    assert.equal(states.recall('one'), undefined)
    note('one', { limit: 7 })
    note('one', { limit: 8, failure: null })
    assert.deepEqual([limitOf('one'), states.recall('one')?.isProven], [8, true])
    assert.deepEqual(await save(), [{ ...WELL, laneId: 'one', level: 8 }])
    note('one', { limit: 8 })
    assert.deepEqual(await save(), [])
  })

  it('of a new lane are not written until they change', async () => {
    const { note, save } = stand()
    note('one', { limit: FIRST_LIMIT })
    assert.deepEqual(await save(), [])
    for (const limit of [FIRST_LIMIT + 1, FIRST_LIMIT]) {
      note('one', { limit })
      assert.deepEqual(await save(), [{ ...WELL, laneId: 'one', level: limit }])
    }
  })

  it('of parked lanes are written at each save, and once after the end of parking', async () => {
    const { note, save } = stand()
    const parked = { ...WELL, laneId: 'one', level: 1, parkedAt: NOW }
    note('one', { limit: 1, parkedAt: NOW })
    assert.deepEqual(await save(), [parked])
    assert.deepEqual(await save(), [parked])
    note('one', { limit: 1 })
    assert.deepEqual(await save(), [{ ...parked, parkedAt: null }])
    assert.deepEqual(await save(), [])
  })

  it('are read from the table for unknown lanes', async () => {
    const { states, table, note, save, limitOf } = stand()
    note('one', { limit: 7 })
    await save()
    table.push({ ...WELL, laneId: 'one', level: 3 }, { ...WELL, laneId: 'two', level: 9 })
    await states.load()
    assert.deepEqual([limitOf('one'), limitOf('two')], [7, 9])
    assert.equal(states.recall('two')?.isProven, false)
    assert.deepEqual(await save(), [])
  })

  it('are forgotten in the order of their last use, also of parked lanes', async () => {
    const { note, save, limitOf } = stand()
    note('first', { limit: 1, parkedAt: NOW })
    note('second', { limit: 2 })
    await save()
    note('first', { limit: 1, parkedAt: NOW })
    for (let count = 1; count < MOST_REMEMBERED; count += 1) note(`lane ${count}`, {})
    assert.deepEqual([limitOf('first'), limitOf('second')], [1, undefined])
    for (let count = 0; count < MOST_REMEMBERED; count += 1) note(`other ${count}`, {})
    assert.deepEqual([limitOf('first'), limitOf('other 0')], [undefined, FIRST_LIMIT])
    assert.deepEqual(await save(), [])
  })

  it('of lanes that move to another owner are dropped without a write, and read when the lane returns', async () => {
    const { states, table, note, save, limitOf } = stand()
    note('given', { limit: 7, parkedAt: NOW })
    note('ours', { limit: 8 })
    states.forget((laneId) => laneId === 'given')
    assert.equal(limitOf('given'), undefined)
    assert.deepEqual(await save(), [{ ...WELL, laneId: 'ours', level: 8 }])
    assert.deepEqual(await save(), [])
    table.push({ ...WELL, laneId: 'given', level: 30 })
    await states.load()
    assert.equal(limitOf('given'), 30)
  })

  it('are written with the moment and the cause of a failure after it has lasted a second, and once at its end', async () => {
    const { note, save } = stand()
    note('one', { failure: 'http_503' })
    assert.deepEqual(await save(NOW + 999), [])
    const failing = { ...WELL, laneId: 'one', level: FIRST_LIMIT, failingAt: NOW }
    assert.deepEqual(await save(NOW + 1_000), [{ ...failing, cause: 'http_503' }])
    assert.deepEqual(await save(NOW + 1_000), [])
    note('one', { failure: 'timeout' }, NOW + 5_000)
    assert.deepEqual(await save(NOW + 5_000), [{ ...failing, cause: 'timeout' }])
    note('one', { failure: null }, NOW + 6_000)
    assert.deepEqual(await save(NOW + 6_000), [{ ...failing, failingAt: null }])
    note('one', { failure: 'reset' }, NOW + 7_000)
    note('one', { failure: null }, NOW + 7_100)
    assert.deepEqual(await save(NOW + 9_000), [])
  })

  it('are written within a second after a lane starts or stops failing or being parked, and not for changes in between', async () => {
    const { state, note, save } = stand()
    /** Whether the note causes a save within the next second. */
    async function isSoon(noted: Parameters<typeof note>[1]): Promise<boolean> {
      for (const timer of state.timers.splice(0)) timer()
      await save(state.now + 2_000)
      for (const timer of state.timers.splice(0)) timer()
      await save(state.now + 2_000)
      assert.deepEqual(state.timers, [])
      note('one', noted)
      return state.timers.length === 1
    }
    assert.equal(await isSoon({ failure: null }), false)
    assert.equal(await isSoon({ failure: 'timeout' }), true)
    assert.equal(await isSoon({ failure: 'timeout' }), false)
    assert.equal(await isSoon({ failure: 'timeout', parkedAt: NOW }), true)
    assert.equal(await isSoon({ failure: null }), true)
  })

  it('end a failure that an earlier process wrote with the first success in this one', async () => {
    const { states, table, note, save, cleared } = stand()
    const failing = { ...WELL, laneId: 'one', level: 4, failingAt: NOW, cause: 'timeout' }
    table.push(failing)
    await states.load()
    note('one', { failure: null })
    assert.deepEqual(await save(), [{ ...failing, failingAt: null, cause: null }])
    note('two', { failure: null })
    note('two', { failure: null })
    await save()
    assert.deepEqual(cleared, ['two'])
    note('two', { failure: null })
    await save()
    assert.deepEqual(cleared, ['two'])
  })

  it('of lanes of another owner are not written; their failures are read, and cleared by a success', async () => {
    const { failing, note, save, cleared, parkedElsewhere } = stand({ workers: 2 })
    note('theirs', { limit: 9, failure: 'timeout' })
    note('theirs', { limit: 9, failure: null })
    assert.deepEqual(await save(NOW + 2_000), [])
    failing.push({ laneId: 'theirs', isParked: true }, { laneId: 'other', isParked: false })
    await save()
    assert.deepEqual([cleared.splice(0), parkedElsewhere], [[], ['theirs']])
    note('theirs', { limit: 9, failure: null })
    await save()
    assert.deepEqual(cleared, ['theirs'])
  })
})
