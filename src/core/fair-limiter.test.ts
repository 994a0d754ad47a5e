import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { testClock } from '../../test/support/clock.ts'
import { SECOND, turn } from './clock.ts'
import {
  atMost,
  createFairLimiter,
  createSemaphore,
  createShares,
  FAIR,
  type FairLimiter,
} from './fair-limiter.ts'

const never = new AbortController().signal

/** The holders of places, in the order in which they got them. */
function line(limiter: FairLimiter<string>) {
  const placed: { owner: string; leave: () => void }[] = []
  return {
    placed,
    owners: () => placed.map(({ owner }) => owner).join(''),
    async enter(...owners: string[]) {
      for (const owner of owners) limiter.enter(owner, never).then((leave) => placed.push({ owner, leave }))
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
    const limiter = createFairLimiter<string>(3, atMost(2))
    const { enter, owners } = line(limiter)
    await enter('a', 'a', 'a', 'a')
    assert.equal(owners(), 'aa')
    await enter('b')
    assert.equal(owners(), 'aab')
    assert.deepEqual([limiter.busy, limiter.waiting], [3, 2])
  })

  it('go to the owner with the fewest in use, and of equal owners to the one served longest ago', async () => {
    const { enter, leave, owners } = line(createFairLimiter(3, atMost(2)))
    await enter('a', 'a', 'a', 'a', 'b', 'b', 'c')
    assert.equal(owners(), 'aab')
    await leave(0)
    assert.equal(owners(), 'aabc')
    await leave(2)
    assert.equal(owners(), 'aabcb')
    await leave(1)
    assert.equal(owners(), 'aabcba')
  })

  it('are also given to owners that were served before, however many new owners arrive', async () => {
    const { enter, leave, owners } = line(createFairLimiter(1, atMost(1)))
    await enter('a', 'a', 'b', 'c')
    for (let index = 0; index < 40; index += 1) {
      await leave(index)
      await enter(String.fromCharCode(200 + index))
    }
    const turnOfA = owners().lastIndexOf('a')
    assert.ok(turnOfA > 0 && turnOfA < 40, owners())
  })

  it('are taken in turns if only one exists', async () => {
    const { enter, leave, owners } = line(createFairLimiter(2, atMost(1)))
    await enter('a', 'a', 'a', 'b', 'b', 'c')
    assert.equal(owners(), 'ab')
    await leave(0)
    assert.equal(owners(), 'abc')
    await leave(2)
    assert.equal(owners(), 'abca')
    await leave(1)
    assert.equal(owners(), 'abcab')
  })

  it('are released once, and waited for only while an owner wants one', async () => {
    const limiter = createFairLimiter<string>(2, atMost(1))
    const { enter, leave, placed } = line(limiter)
    await enter('a')
    const abort = new AbortController()
    const waiting = limiter.enter('a', abort.signal)
    abort.abort(new Error('not any more'))
    await assert.rejects(waiting, /not any more/)
    await assert.rejects(limiter.enter('a', abort.signal), /not any more/)
    assert.deepEqual([limiter.busy, limiter.waiting], [1, 0])
    await leave(0)
    placed[0]?.leave()
    assert.equal(limiter.busy, 0)
  })

  it('come without a signal too, and to one behind that needs fewer when the first gives up', async () => {
    const limiter = createFairLimiter<string>(3, atMost(3))
    const [first, second] = [await limiter.enter('a'), await limiter.enter('a')]
    const abort = new AbortController()
    const many = limiter.enter('a', abort.signal, 2)
    const few = limiter.enter('a')
    await turn()
    assert.deepEqual([limiter.busy, limiter.waiting], [2, 2])
    abort.abort(new Error('not any more'))
    await assert.rejects(many, /not any more/)
    const third = await few
    assert.deepEqual([limiter.busy, limiter.waiting], [3, 0])
    for (const leave of [first, second, third]) leave()
    assert.equal(limiter.busy, 0)
  })

  it('are divided by the rule of all that is shared, unless another is given', async () => {
    const limiter = createFairLimiter<string>(8)
    const { enter, leave, owners } = line(limiter)
    await enter(...'aaaaaa', ...'bbbb', 'c')
    assert.equal(owners(), 'aaaabbc')
    assert.deepEqual([limiter.busy, limiter.waiting], [7, 4])
    // Two places are free, and no waiting owner has fewer places.
    await leave(0)
    assert.equal(owners(), 'aaaabbc')
    await leave(1)
    assert.equal(owners(), 'aaaabbca')
  })

  it('that an owner has released go to the owner with the fewest, within its share', async () => {
    const { enter, leave, owners } = line(createFairLimiter(4))
    await enter(...'aa', ...'bb', 'c', ...'dd')
    assert.equal(owners(), 'aabc')
    await leave(0)
    assert.equal(owners(), 'aabcd')
    // One place is free, and the waiting owners hold as many.
    await leave(3)
    assert.equal(owners(), 'aabcd')
    await leave(4)
    assert.equal(owners(), 'aabcdd')
    await leave(2)
    assert.equal(owners(), 'aabcddb')
  })

  it('are given back when the work has ended, however it did', async () => {
    const limiter = createFairLimiter<string>(1)
    const first = Promise.withResolvers<string>()
    const [one, other] = [limiter.use('a', () => first.promise), limiter.use('a', async () => 'the second')]
    await turn()
    assert.deepEqual([limiter.busy, limiter.waiting], [1, 1])
    first.reject(new Error('as it happens'))
    await assert.rejects(one, /as it happens/)
    assert.equal(await other, 'the second')
    assert.deepEqual([limiter.busy, limiter.waiting], [0, 0])
  })

  it('are waited for within the patience that is given, and then refused with its error', async () => {
    const clock = testClock()
    const patience = { clock, longest: 9.5 * SECOND, late: () => new Error('no place came free') }
    const limiter = createFairLimiter<string>(2, FAIR, patience)
    const slow = Promise.withResolvers<string>()
    const first = limiter.use('a', () => slow.promise)
    const isLate = assert.rejects(
      limiter.use('a', async () => 'the second'),
      /no place came free/,
    )
    assert.equal(await limiter.use('b', async () => 'a neighbour’s'), 'a neighbour’s')
    await clock.advance(9.5 * SECOND)
    await isLate
    const third = limiter.use('a', async () => 'the third')
    await turn()
    slow.resolve('the first')
    assert.deepEqual(await Promise.all([first, third]), ['the first', 'the third'])
  })

  it('are held as long as the work takes, with any patience, and released when it fails', async () => {
    const clock = testClock()
    const patience = { clock, longest: SECOND, late: () => new Error('no place came free') }
    const limiter = createFairLimiter<string>(1, FAIR, patience)
    const slow = Promise.withResolvers<string>()
    const first = limiter.use('a', () => slow.promise)
    await clock.advance(2 * SECOND)
    slow.reject(new Error('cut short'))
    await assert.rejects(first, /cut short/)
    assert.equal(await limiter.use('a', async () => 'the next'), 'the next')
  })

  it('are taken in turns by however many owners, each time by the one that has waited longest', async () => {
    const { enter, leave, placed, owners } = line(createFairLimiter(1))
    const names = ['a', 'b', 'c', 'd', 'e']
    for (let round = 0; round < 3; round += 1) await enter(...names)
    for (let index = 0; index < 14; index += 1) await leave(index)
    assert.equal(owners(), 'abcde'.repeat(3))
    assert.equal(placed.length, 15)
  })

  it('go to new owners before owners that had one, and no owner gains by leaving and returning', async () => {
    const { enter, leave, owners } = line(createFairLimiter(1))
    await enter('a', 'a', 'b', 'b')
    await leave(0)
    assert.equal(owners(), 'ab')
    await enter('c')
    await leave(1)
    assert.equal(owners(), 'abc')
    // The first was served before the second, and the third, which is new, after both.
    await enter('c')
    for (const index of [2, 3, 4]) await leave(index)
    assert.equal(owners(), 'abcabc')
  })
})

/** Takes places one by one, as far as its share allows. */
function takeAll(shares: ReturnType<typeof createShares<string>>, name: string): number {
  let taken = 0
  for (; shares.room(name) > 0; taken += 1) shares.take(name)
  return taken
}

describe('shares', () => {
  it('give half to a single owner, and half of the remaining ones to each later owner', () => {
    const shares = createShares<string>(1_000)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((name) => takeAll(shares, name)),
      [500, 250, 125, 63],
    )
    assert.equal(shares.free, 62)
    assert.equal(shares.heldBy('a'), 500)
    assert.equal(shares.heldBy('e'), 0)
  })

  it('become equal for all when owners with more release places and take again', () => {
    const shares = createShares<string>(1_000)
    const names = ['a', 'b', 'c']
    for (const name of names) takeAll(shares, name)
    for (let round = 0; round < 2_000; round += 1) {
      const name = names[round % names.length] as string
      shares.give(name)
      takeAll(shares, name)
    }
    for (const name of names) assert.ok(Math.abs(shares.heldBy(name) - 250) <= 1, `${shares.heldBy(name)}`)
  })

  it('report the places that an owner may hold: the held ones and those it may still take', () => {
    const shares = createShares<string>(100)
    assert.equal(shares.shareOf('a'), 50)
    shares.take('a', 20)
    assert.equal(shares.shareOf('a'), 50)
    assert.equal(shares.room('a'), 30)
    shares.take('b', 40)
    assert.equal(shares.room('a'), 10)
    assert.equal(shares.shareOf('a'), 30)
    shares.give('b', 40)
    shares.give('a', 20)
    assert.equal(shares.free, 100)
    assert.equal(shares.room('a'), 50)
  })

  it('never let a name take when it holds as much as is free, nor refuse it when it holds less', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }), (free, held) => {
        const room = FAIR(free, held)
        assert.equal(room > 0, held < free)
        assert.ok(Number.isInteger(room) && room >= 0)
        // Then it holds as many places as are free, or one more.
        if (room > 0) assert.ok([0, 1].includes(held + room - (free - room)))
      }),
    )
  })

  it('are used up when not even an owner without any may take one', () => {
    const shares = createShares<string>(3)
    assert.equal(takeAll(shares, 'a'), 2)
    assert.deepEqual([shares.free, shares.room('a'), shares.isUsedUp], [1, 0, false])
    assert.equal(takeAll(shares, 'b'), 1)
    assert.equal(shares.isUsedUp, true)
    shares.give('a')
    assert.equal(shares.isUsedUp, false)
  })

  it('hold by another rule where they are given one', () => {
    const shares = createShares<string>(10, (free) => free)
    assert.equal(takeAll(shares, 'a'), 10)
    assert.equal(shares.room('b'), 0)
  })
})

describe('a semaphore', () => {
  it('admits so many at a time, in their order, and no more when one fails', async () => {
    const semaphore = createSemaphore(2)
    const begun: number[] = []
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const all = ends.map(({ promise }, index) =>
      semaphore.use(undefined, () => {
        begun.push(index)
        return promise
      }),
    )
    await turn()
    assert.deepEqual([begun, semaphore.busy, semaphore.waiting], [[0, 1], 2, 2])
    ends[1]?.reject(new Error('failed'))
    await assert.rejects(all[1] as Promise<void>, /failed/)
    await turn()
    assert.deepEqual(begun, [0, 1, 2])
    for (const { resolve } of ends) resolve()
    await all[3]
    assert.deepEqual([begun, semaphore.busy], [[0, 1, 2, 3], 0])
  })
})
