import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isFirstIn, NO_WORKERS, partIn, workerSetOf } from './worker-set.ts'

const NAMES = Array.from({ length: 60 }, (_, index) => `worker ${index}`)
const anyWorkers = fc.subarray(NAMES, { minLength: 1 })
const anyLane = fc.uuid().map((id) => `whk_${id}`)
const anyCap = fc.integer({ min: 1, max: 200 })
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

describe('a set of workers', () => {
  it('has the same digest for the same workers in any order', () => {
    assert.equal(workerSetOf(['b', 'a']).digest, workerSetOf(['a', 'b']).digest)
    assert.notEqual(workerSetOf(['a']).digest, workerSetOf(['a', 'b']).digest)
  })

  it('divides the whole concurrency of a lane, half of it to its only owner', () => {
    fc.assert(
      fc.property(anyWorkers, anyLane, anyCap, (ids, lane, cap) => {
        const view = workerSetOf(ids)
        const parts = ids.map((id) => partIn(view, id, lane, cap))
        assert.equal(sum(parts), cap)
        const owners = ids.filter((id) => isFirstIn(view, id, lane))
        assert.equal(owners.length, 1)
        const part = partIn(view, owners[0] as string, lane, cap)
        assert.equal(part, ids.length === 1 ? cap : Math.ceil(cap / 2))
      }),
    )
  })

  it('gives no worker less when another one ends, and moves only the lanes of the ended one', () => {
    fc.assert(
      fc.property(
        fc.subarray(NAMES, { minLength: 2 }),
        fc.nat(),
        anyLane,
        anyCap,
        (ids, index, lane, cap) => {
          const gone = ids[index % ids.length] as string
          const [before, after] = [workerSetOf(ids), workerSetOf(ids.filter((id) => id !== gone))]
          for (const id of after.ids) {
            assert.ok(partIn(after, id, lane, cap) >= partIn(before, id, lane, cap))
            if (isFirstIn(before, id, lane)) assert.ok(isFirstIn(after, id, lane))
          }
        },
      ),
    )
  })

  it('gives nothing to a worker that is not in it', () => {
    assert.equal(partIn(workerSetOf(['a']), 'b', 'lane', 9), 0)
    assert.equal(partIn(NO_WORKERS, 'a', 'lane', 9), 0)
    assert.equal(isFirstIn(NO_WORKERS, 'a', 'lane'), false)
  })

  it('spreads lanes evenly over workers', () => {
    const ids = NAMES.slice(0, 4)
    const view = workerSetOf(ids)
    const lanes = Array.from({ length: 4_000 }, (_, index) => `whk_0198c1f2-0000-7000-8000-${index}`)
    for (const id of ids) {
      const count = lanes.filter((lane) => isFirstIn(view, id, lane)).length
      assert.ok(Math.abs(count - 1_000) < 200, `${count} of 4,000 lanes`)
    }
  })
})
