import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { turn } from '../core/clock.ts'
import { createQueue, type Queue } from './queue.ts'

const never = new AbortController().signal

/** Those who have a place, in the order in which they got it. */
function line(queue: Queue) {
  const placed: { owner: string; leave: () => void }[] = []
  return {
    placed,
    owners: () => placed.map(({ owner }) => owner).join(''),
    async enter(...owners: string[]) {
      for (const owner of owners) queue.enter(owner, never).then((leave) => placed.push({ owner, leave }))
      await turn()
    },
    async leave(index: number) {
      placed[index]?.leave()
      await turn()
    },
  }
}

describe('places', () => {
  it('are for one owner as many as there are, but for one that only another can take', async () => {
    const queue = createQueue(2)
    const { enter, owners } = line(queue)
    await enter('a', 'a', 'a', 'a')
    assert.equal(owners(), 'aa')
    await enter('b')
    assert.equal(owners(), 'aab')
    assert.deepEqual([queue.busy, queue.waiting], [3, 2])
  })

  it('go to whoever has least under way, and of equals to whoever was served longest ago', async () => {
    const { enter, leave, owners } = line(createQueue(2))
    await enter('a', 'a', 'a', 'a', 'b', 'b', 'c')
    assert.equal(owners(), 'aab')
    await leave(0)
    assert.equal(owners(), 'aabc')
    await leave(2)
    assert.equal(owners(), 'aabcb')
    await leave(1)
    assert.equal(owners(), 'aabcba')
  })

  it('on a machine with room for one alone are taken in turns', async () => {
    const { enter, leave, owners } = line(createQueue(1))
    await enter('a', 'a', 'a', 'b', 'b', 'c')
    assert.equal(owners(), 'ab')
    await leave(0)
    assert.equal(owners(), 'abc')
    await leave(2)
    assert.equal(owners(), 'abca')
    await leave(1)
    assert.equal(owners(), 'abcab')
  })

  it('are given back once, and waited for only as long as somebody wants one', async () => {
    const queue = createQueue(1)
    const { enter, leave, placed } = line(queue)
    await enter('a')
    const abort = new AbortController()
    const waiting = queue.enter('a', abort.signal)
    abort.abort(new Error('not any more'))
    await assert.rejects(waiting, /not any more/)
    await assert.rejects(queue.enter('a', abort.signal), /not any more/)
    assert.deepEqual([queue.busy, queue.waiting], [1, 0])
    await leave(0)
    placed[0]?.leave()
    assert.equal(queue.busy, 0)
  })
})
