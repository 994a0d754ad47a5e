import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { SECOND } from '../core/clock.ts'
import { collectList, createExportQueue } from './export-queue.ts'

/** A queue of numbers, with the exports that have begun; each ends once it is answered. */
function queueOfNumbers() {
  const clock = testClock()
  const began: { items: number[]; answer: () => void; refuse: (error: Error) => void }[] = []
  const dropped: [number, string | undefined][] = []
  const queue = createExportQueue<number, number[]>({
    ...{ clock, collecting: collectList() },
    send(items) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      began.push({ items, answer: resolve, refuse: reject })
      return promise
    },
    onDropped: (count, failure) => dropped.push([count, failure?.message]),
  })
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) queue.add(index)
  }
  const sizes = () => began.map(({ items }) => items.length)
  return { clock, queue, add, began, sizes, dropped }
}

const turn = () => new Promise(setImmediate)

describe('what waits to be exported', () => {
  it('is collected during an export until it fills one or a second is over, however short exports are', async () => {
    const { clock, add, began, sizes } = queueOfNumbers()
    using _still = clock.stop()
    add(1_024)
    assert.deepEqual(sizes(), [1_024])
    add(100)
    began[0]?.answer()
    await turn()
    assert.deepEqual(sizes(), [1_024])
    add(923)
    assert.deepEqual(sizes(), [1_024])
    add(3)
    assert.deepEqual(sizes(), [1_024, 1_024])
    clock.advance(SECOND)
    began[1]?.answer()
    await turn()
    assert.deepEqual(sizes(), [1_024, 1_024, 2])
  })

  it('goes whole with a flush, what came during it included', async () => {
    const { clock, queue, add, began, sizes } = queueOfNumbers()
    using _still = clock.stop()
    add(1_024 + 5)
    const flushed = queue.flush()
    began[0]?.answer()
    await turn()
    assert.deepEqual(sizes(), [1_024, 5])
    add(7)
    const again = queue.flush()
    began[1]?.answer()
    await turn()
    began[2]?.answer()
    await Promise.all([flushed, again])
    assert.deepEqual(sizes(), [1_024, 5, 7])
  })

  it('is dropped beyond 8,192 while an export is under way, and counted with what an export has lost', async () => {
    const { clock, queue, add, began, sizes, dropped } = queueOfNumbers()
    using _still = clock.stop()
    add(1_024 + 8_192 + 3)
    assert.deepEqual(dropped, Array(3).fill([1, undefined]))
    began[0]?.refuse(new Error('away'))
    await turn()
    assert.deepEqual(dropped.at(-1), [1_024, 'away'])
    assert.deepEqual(sizes(), [1_024, 1_024])
    const flushed = queue.flush()
    for (let index = 1; index <= 8; index += 1) {
      began[index]?.answer()
      await turn()
    }
    await flushed
    assert.deepEqual(sizes(), Array(9).fill(1_024))
  })
})
