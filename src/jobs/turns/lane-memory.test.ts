import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLaneMemory } from './lane-memory.ts'
import { FIRST_LEVEL, FIRST_LIMIT, recalled } from './level.ts'

const NOW = 1_795_000_000_000

describe('the memory of lanes', () => {
  it('knows what became of a lane last, and says what has changed once', () => {
    const memory = createLaneMemory()
    assert.equal(memory.levelOf('one'), undefined)
    memory.note('one', recalled(7), null)
    memory.note('one', recalled(8), null)
    assert.equal(memory.levelOf('one')?.limit, 8)
    assert.deepEqual(memory.takeChanged(), [{ laneId: 'one', level: 8, parkedAt: null }])
    memory.note('one', recalled(8), null)
    assert.deepEqual(memory.takeChanged(), [])
  })

  it('writes nothing down of a lane that is where every lane begins, and what becomes of it from there on', () => {
    const memory = createLaneMemory()
    memory.note('one', FIRST_LEVEL, null)
    assert.equal(memory.levelOf('one'), FIRST_LEVEL)
    assert.deepEqual(memory.takeChanged(), [])
    for (const limit of [FIRST_LIMIT + 1, FIRST_LIMIT]) {
      memory.note('one', recalled(limit), null)
      assert.deepEqual(memory.takeChanged(), [{ laneId: 'one', level: limit, parkedAt: null }])
    }
  })

  it('says of what is parked that it is, each time, and once that it is no more', () => {
    const memory = createLaneMemory()
    const parked = { laneId: 'one', level: 1, parkedAt: NOW }
    memory.note('one', recalled(1), NOW)
    assert.deepEqual(memory.takeChanged(), [parked])
    assert.deepEqual(memory.takeChanged(), [parked])
    const open = { ...parked, parkedAt: null }
    memory.note('one', recalled(1), null)
    assert.deepEqual(memory.takeChanged(), [open])
    assert.deepEqual(memory.takeChanged(), [])
  })

  it('learns what was written down, and believes itself more', () => {
    const memory = createLaneMemory()
    memory.note('one', recalled(7), null)
    memory.takeChanged()
    memory.learn([
      { laneId: 'one', level: 3, parkedAt: null },
      { laneId: 'two', level: 9, parkedAt: null },
    ])
    assert.deepEqual([memory.levelOf('one')?.limit, memory.levelOf('two')?.limit], [7, 9])
    assert.deepEqual(memory.takeChanged(), [])
  })

  it('forgets what was used least lately, parked or not', () => {
    const memory = createLaneMemory(2)
    memory.note('one', recalled(1), NOW)
    memory.takeChanged()
    for (const laneId of ['two', 'three']) memory.note(laneId, recalled(5), null)
    assert.equal(memory.levelOf('one'), undefined)
    assert.deepEqual(
      memory.takeChanged().map(({ laneId }) => laneId),
      ['two', 'three'],
    )
  })

  it("knows and says nothing more of what is another owner's, and learns it from the table when it comes back", () => {
    const memory = createLaneMemory()
    memory.note('theirs', recalled(7), NOW)
    memory.note('ours', recalled(8), null)
    memory.forget((laneId) => laneId === 'theirs')
    assert.equal(memory.levelOf('theirs'), undefined)
    assert.deepEqual(memory.takeChanged(), [{ laneId: 'ours', level: 8, parkedAt: null }])
    assert.deepEqual(memory.takeChanged(), [])
    memory.learn([{ laneId: 'theirs', level: 30, parkedAt: null }])
    assert.equal(memory.levelOf('theirs')?.limit, 30)
  })
})
