import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { turn } from '../clock.ts'
import { createQueue, type Queue } from './queue.ts'
import { atMost } from './shares.ts'

const never = new AbortController().signal

/** Those who have a place, in the order in which they got it. */
function line(queue: Queue<string>) {
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
    const queue = createQueue<string>(3, atMost(2))
    const { enter, owners } = line(queue)
    await enter('a', 'a', 'a', 'a')
    assert.equal(owners(), 'aa')
    await enter('b')
    assert.equal(owners(), 'aab')
    assert.deepEqual([queue.busy, queue.waiting], [3, 2])
  })

  it('go to whoever has least under way, and of equals to whoever was served longest ago', async () => {
    const { enter, leave, owners } = line(createQueue(3, atMost(2)))
    await enter('a', 'a', 'a', 'a', 'b', 'b', 'c')
    assert.equal(owners(), 'aab')
    await leave(0)
    assert.equal(owners(), 'aabc')
    await leave(2)
    assert.equal(owners(), 'aabcb')
    await leave(1)
    assert.equal(owners(), 'aabcba')
  })

  it('come in the end to who was served already, however many new ones keep coming', async () => {
    const { enter, leave, owners } = line(createQueue(1, atMost(1)))
    await enter('a', 'a', 'b', 'c')
    for (let index = 0; index < 40; index += 1) {
      await leave(index)
      await enter(String.fromCharCode(200 + index))
    }
    const turnOfA = owners().lastIndexOf('a')
    assert.ok(turnOfA > 0 && turnOfA < 40, owners())
  })

  it('on a machine with room for one alone are taken in turns', async () => {
    const { enter, leave, owners } = line(createQueue(2, atMost(1)))
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
    const queue = createQueue<string>(2, atMost(1))
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

  it('are divided by the rule of all that is shared, unless another is given', async () => {
    const queue = createQueue<string>(8)
    const { enter, leave, owners } = line(queue)
    await enter(...'aaaaaa', ...'bbbb', 'c')
    assert.equal(owners(), 'aaaabbc')
    assert.deepEqual([queue.busy, queue.waiting], [7, 4])
    // Two are free then, and nobody who waits has fewer.
    await leave(0)
    assert.equal(owners(), 'aaaabbc')
    await leave(1)
    assert.equal(owners(), 'aaaabbca')
  })

  it('of which somebody has given many back go to who has least, within its share', async () => {
    const { enter, leave, owners } = line(createQueue(4))
    await enter(...'aa', ...'bb', 'c', ...'dd')
    assert.equal(owners(), 'aabc')
    await leave(0)
    assert.equal(owners(), 'aabcd')
    // One is free, which those who wait hold as well.
    await leave(3)
    assert.equal(owners(), 'aabcd')
    await leave(4)
    assert.equal(owners(), 'aabcdd')
    await leave(2)
    assert.equal(owners(), 'aabcddb')
  })

  it('are given back when the work has ended, however it did', async () => {
    const queue = createQueue<string>(1)
    const first = Promise.withResolvers<string>()
    const [one, other] = [queue.use('a', () => first.promise), queue.use('a', async () => 'the second')]
    await turn()
    assert.deepEqual([queue.busy, queue.waiting], [1, 1])
    first.reject(new Error('as it happens'))
    await assert.rejects(one, /as it happens/)
    assert.equal(await other, 'the second')
    assert.deepEqual([queue.busy, queue.waiting], [0, 0])
  })

  it('are taken in turns by however many owners, each time by the one that has waited longest', async () => {
    const { enter, leave, placed, owners } = line(createQueue(1))
    const names = ['a', 'b', 'c', 'd', 'e']
    for (let round = 0; round < 3; round += 1) await enter(...names)
    for (let index = 0; index < 14; index += 1) await leave(index)
    assert.equal(owners(), 'abcde'.repeat(3))
    assert.equal(placed.length, 15)
  })

  it('go to who comes new before who has had one, and to nobody sooner for having gone and come', async () => {
    const { enter, leave, owners } = line(createQueue(1))
    await enter('a', 'a', 'b', 'b')
    await leave(0)
    assert.equal(owners(), 'ab')
    await enter('c')
    await leave(1)
    assert.equal(owners(), 'abc')
    // The first was served before the second, and the third, which comes anew, after both.
    await enter('c')
    for (const index of [2, 3, 4]) await leave(index)
    assert.equal(owners(), 'abcabc')
  })
})
