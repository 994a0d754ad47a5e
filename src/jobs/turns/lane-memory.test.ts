import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLaneMemory } from './lane-memory.ts'
import { FIRST_LEVEL, FIRST_LIMIT, recalled } from './level.ts'

const NOW = 1_795_000_000_000
const WELL = { probeAt: null, failingAt: null, cause: null }

describe('the memory of lanes', () => {
  it('knows what became of a lane last, and says what has changed once', () => {
    const memory = createLaneMemory()
    assert.equal(memory.levelOf('one'), undefined)
    memory.note('one', { level: recalled(7), parkedAt: null }, NOW)
    memory.note('one', { level: recalled(8), parkedAt: null }, NOW)
    assert.equal(memory.levelOf('one')?.limit, 8)
    assert.deepEqual(memory.takeChanged(NOW), [{ ...WELL, laneId: 'one', level: 8, parkedAt: null }])
    memory.note('one', { level: recalled(8), parkedAt: null }, NOW)
    assert.deepEqual(memory.takeChanged(NOW), [])
  })

  it('writes nothing down of a lane that is where every lane begins, and what becomes of it from there on', () => {
    const memory = createLaneMemory()
    memory.note('one', { level: FIRST_LEVEL, parkedAt: null }, NOW)
    assert.equal(memory.levelOf('one'), FIRST_LEVEL)
    assert.deepEqual(memory.takeChanged(NOW), [])
    for (const limit of [FIRST_LIMIT + 1, FIRST_LIMIT]) {
      memory.note('one', { level: recalled(limit), parkedAt: null }, NOW)
      assert.deepEqual(memory.takeChanged(NOW), [{ ...WELL, laneId: 'one', level: limit, parkedAt: null }])
    }
  })

  it('says of what is parked that it is, each time, and once that it is no more', () => {
    const memory = createLaneMemory()
    const parked = { ...WELL, laneId: 'one', level: 1, parkedAt: NOW }
    memory.note('one', { level: recalled(1), parkedAt: NOW }, NOW)
    assert.deepEqual(memory.takeChanged(NOW), [parked])
    assert.deepEqual(memory.takeChanged(NOW), [parked])
    const open = { ...parked, parkedAt: null }
    memory.note('one', { level: recalled(1), parkedAt: null }, NOW)
    assert.deepEqual(memory.takeChanged(NOW), [open])
    assert.deepEqual(memory.takeChanged(NOW), [])
  })

  it('learns what was written down, and believes itself more', () => {
    const memory = createLaneMemory()
    memory.note('one', { level: recalled(7), parkedAt: null }, NOW)
    memory.takeChanged(NOW)
    memory.learn([
      { ...WELL, laneId: 'one', level: 3, parkedAt: null },
      { ...WELL, laneId: 'two', level: 9, parkedAt: null },
    ])
    assert.deepEqual([memory.levelOf('one')?.limit, memory.levelOf('two')?.limit], [7, 9])
    assert.deepEqual(memory.takeChanged(NOW), [])
  })

  it('forgets what was used least lately, parked or not', () => {
    const memory = createLaneMemory(2)
    memory.note('one', { level: recalled(1), parkedAt: NOW }, NOW)
    memory.takeChanged(NOW)
    for (const laneId of ['two', 'three']) memory.note(laneId, { level: recalled(5), parkedAt: null }, NOW)
    assert.equal(memory.levelOf('one'), undefined)
    assert.deepEqual(
      memory.takeChanged(NOW).map(({ laneId }) => laneId),
      ['two', 'three'],
    )
  })

  it("knows and says nothing more of what is another owner's, and learns it from the table when it comes back", () => {
    const memory = createLaneMemory()
    memory.note('theirs', { level: recalled(7), parkedAt: NOW }, NOW)
    memory.note('ours', { level: recalled(8), parkedAt: null }, NOW)
    memory.forget((laneId) => laneId === 'theirs')
    assert.equal(memory.levelOf('theirs'), undefined)
    assert.deepEqual(memory.takeChanged(NOW), [{ ...WELL, laneId: 'ours', level: 8, parkedAt: null }])
    assert.deepEqual(memory.takeChanged(NOW), [])
    memory.learn([{ ...WELL, laneId: 'theirs', level: 30, parkedAt: null }])
    assert.equal(memory.levelOf('theirs')?.limit, 30)
  })

  it('says since when a lane fails and why, once it has for a second, and once that it does no more', () => {
    const memory = createLaneMemory()
    const note = (failure: string | null, at: number) =>
      memory.note('one', { level: FIRST_LEVEL, parkedAt: null, failure }, at)
    note('http_503', NOW)
    assert.deepEqual(memory.takeChanged(NOW + 999), [])
    const failing = { ...WELL, laneId: 'one', level: FIRST_LIMIT, parkedAt: null, failingAt: NOW }
    assert.deepEqual(memory.takeChanged(NOW + 1_000), [{ ...failing, cause: 'http_503' }])
    assert.deepEqual(memory.takeChanged(NOW + 1_000), [])
    note('timeout', NOW + 5_000)
    assert.deepEqual(memory.takeChanged(NOW + 5_000), [{ ...failing, cause: 'timeout' }])
    note(null, NOW + 6_000)
    assert.deepEqual(memory.takeChanged(NOW + 6_000), [{ ...failing, failingAt: null }])
    note('reset', NOW + 7_000)
    note(null, NOW + 7_100)
    assert.deepEqual(memory.takeChanged(NOW + 9_000), [])
  })

  it('gives notice when a lane begins or ends to fail, and not of what happens in between', () => {
    let news = 0
    const memory = createLaneMemory(10)
    memory.listen(() => {
      news += 1
    })
    const note = (failure: string | null, parkedAt: number | null = null) =>
      memory.note('one', { level: FIRST_LEVEL, parkedAt, failure }, NOW)
    note(null)
    assert.equal(news, 0)
    note('timeout')
    note('timeout')
    assert.equal(news, 1)
    note('timeout', NOW)
    assert.equal(news, 2)
    note(null)
    assert.equal(news, 3)
  })

  it('knows that a lane failed in another process, and says once that its first attempt here succeeded', () => {
    const memory = createLaneMemory()
    const failing = { ...WELL, laneId: 'one', level: 4, parkedAt: null, failingAt: NOW, cause: 'timeout' }
    memory.learn([failing])
    memory.note('one', { level: FIRST_LEVEL, parkedAt: null, failure: null }, NOW + 5_000)
    assert.deepEqual(memory.takeChanged(NOW + 5_000), [{ ...failing, failingAt: null, cause: null }])
    memory.note('two', { level: FIRST_LEVEL, parkedAt: null, failure: null }, NOW + 5_000)
    memory.note('two', { level: FIRST_LEVEL, parkedAt: null, failure: null }, NOW + 6_000)
    assert.deepEqual(memory.takeWell(), ['one', 'two'])
    memory.note('two', { level: FIRST_LEVEL, parkedAt: null, failure: null }, NOW + 7_000)
    assert.deepEqual(memory.takeWell(), [])
  })
})
