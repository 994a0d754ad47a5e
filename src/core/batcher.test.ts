import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createBatchedLookup } from './batched-lookup.ts'
import { type BatcherOptions, createBatcher, FailedItem, type WriteBatch } from './batcher.ts'
import { turn } from './clock.ts'
import { createCoalescedRuns } from './coalesced-runs.ts'
import { currentOwner, runForOwner } from './context.ts'

/** A batcher of texts whose batches and waits the test ends. */
function stand(options: BatcherOptions<string> = {}) {
  const batches: { items: string[]; end: PromiseWithResolvers<(string | FailedItem)[]> }[] = []
  const waits: (() => void)[] = []
  const rest = () => new Promise<void>((resolve) => waits.push(resolve))
  const write: WriteBatch<string, string> = async (take) => {
    // Like a transaction, which begins before it takes items.
    await Promise.resolve()
    const end = Promise.withResolvers<(string | FailedItem)[]>()
    batches.push({ items: take(), end })
    return end.promise
  }
  const batcher = createBatcher(write, { rest, ...options })
  return {
    ...{ batcher, batches, waits },
    written: () => batches.map(({ items }) => items.join(' ')),
    /** Each text is an item. */
    async add(texts: string) {
      const results = texts.split(' ').map((item) => batcher.add(item))
      await turn()
      return results
    },
    /** A batch ends with the items in capitals. */
    async commit(index: number) {
      const { items = [], end } = batches[index] ?? {}
      end?.resolve(items.map((item) => item.toUpperCase()))
      await turn()
    },
    async rest(index: number) {
      waits[index]?.()
      await turn()
    },
  }
}

describe('a batcher', () => {
  it('collects items that arrive during a batch into the next one, and gives each item its result', async () => {
    const { add, commit, written, batcher } = stand()
    const results = [...(await add('a b')), ...(await add('c')), ...(await add('d'))]
    assert.deepEqual([written(), batcher.waiting], [['a b'], 2])
    await commit(0)
    assert.deepEqual(written(), ['a b', 'c d'])
    await commit(1)
    assert.deepEqual(await Promise.all(results), ['A', 'B', 'C', 'D'])
  })

  it('writes more than fit into one batch in several, in their order', async () => {
    const { add, commit, written } = stand({ most: 2 })
    await add('a b c d e')
    for (const index of [0, 1, 2]) await commit(index)
    assert.deepEqual(written(), ['a b', 'c d', 'e'])
  })

  it('runs as many batches at once as allowed, and no empty one', async () => {
    const { add, commit, written } = stand({ atOnce: 2 })
    await add('a')
    await add('b')
    await add('c d')
    assert.deepEqual(written(), ['a', 'b'])
    await commit(1)
    assert.deepEqual(written(), ['a', 'b', 'c d'])
    await commit(0)
    await commit(2)
    assert.equal(written().length, 3)
  })

  it('accepts items until the batch takes them', async () => {
    const begun = Promise.withResolvers<void>()
    const written: string[][] = []
    const batcher = createBatcher<string>(
      async (take) => {
        await begun.promise
        written.push(take())
        return undefined
      },
      { atOnce: 2 },
    )
    const all = [batcher.add('a')]
    await turn()
    all.push(batcher.add('b'))
    await turn()
    begun.resolve()
    await Promise.all(all)
    assert.deepEqual(written, [['a', 'b']])
  })

  it('runs several batches although they wait for their pace, and although four items wait', async () => {
    const paces: (() => void)[] = []
    const paced = stand({ atOnce: 2, most: 1, pace: () => new Promise((resolve) => paces.push(resolve)) })
    await paced.add('a b')
    assert.equal(paces.length, 2)
    for (const begin of paces) begin()
    await turn()
    assert.deepEqual(paced.written(), ['a', 'b'])
    const { add, commit, written } = stand({ atOnce: 2, most: 4 })
    await add('a b c d e')
    await commit(0)
    await add('f')
    assert.deepEqual(written(), ['a b c d', 'e', 'f'])
  })

  it('takes in one batch no more than fit, however often it takes, and writes no empty one after it', async () => {
    const written: string[] = []
    const batcher = createBatcher<string>(
      async (take) => {
        const first = take(2)
        await turn()
        written.push([...first, ...take()].join(' '))
        return undefined
      },
      { most: 3 },
    )
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(batcher.add))
    await batcher.idle()
    await turn()
    assert.deepEqual([written, batcher.waiting], [['a b c', 'd e'], 0])
  })

  it('lets an error of a batch reach its items, and no others', async () => {
    const { add, batches, commit } = stand()
    const first = await add('a b')
    const second = await add('c')
    batches[0]?.end.reject(new Error('disk full'))
    for (const one of first) await assert.rejects(one, /disk full/)
    await turn()
    await commit(1)
    assert.deepEqual(await Promise.all(second), ['C'])
  })

  it('fails the waiting items if a batch fails before it takes any', async () => {
    let isAway = true
    const batcher = createBatcher<string>(async (take) => {
      if (isAway) throw new Error('away')
      take()
      return undefined
    })
    for (const one of [batcher.add('a'), batcher.add('b')]) await assert.rejects(one, /away/)
    isAway = false
    await batcher.add('c')
    assert.equal(batcher.waiting, 0)
  })

  it('writes the items of a failed batch again, one by one, if one item may have caused the error', async () => {
    const written: string[] = []
    const batcher = createBatcher<string, string>(
      async (take) => {
        await turn()
        const items = take()
        written.push(items.join(' '))
        if (items.includes('bad')) throw new Error('cannot be written')
        if (items.includes('late')) throw new TypeError('all wait in vain')
        return items
      },
      { isItemError: (error) => !(error instanceof TypeError) },
    )
    const ends = await Promise.allSettled(['a', 'bad', 'c'].map(batcher.add))
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(written.splice(0), ['a bad c', 'a', 'bad', 'c'])
    const late = await Promise.allSettled(['a', 'late'].map(batcher.add))
    assert.deepEqual([late.map(({ status }) => status), written], [['rejected', 'rejected'], ['a late']])
  })

  it('fails only the item whose result is an error', async () => {
    const { add, batches } = stand()
    const [good, bad] = await add('a b')
    batches[0]?.end.resolve(['A', new FailedItem(new Error('no credits'))])
    await assert.rejects(bad as Promise<string>, /no credits/)
    assert.equal(await good, 'A')
  })

  it('writes items without a result first in the next batch', async () => {
    const { add, batches, commit, written } = stand()
    const all = await add('a b c')
    await add('d')
    batches[0]?.end.resolve(['A'])
    await turn()
    await commit(1)
    assert.deepEqual(written(), ['a b c', 'b c d'])
    assert.deepEqual(await Promise.all(all), ['A', 'B', 'C'])
  })

  it('runs one batch while four items wait, which waits as long as more arrive, four times at most', async () => {
    const { add, commit, rest, written, waits } = stand({ atOnce: 2, groupWait: 1 })
    await add('a')
    await add('b')
    await add('c d e f')
    assert.deepEqual([written(), waits.length], [['a', 'b'], 0])
    await commit(0)
    await commit(1)
    assert.deepEqual([written().length, waits.length], [2, 1])
    await add('g')
    await rest(0)
    await rest(1)
    assert.deepEqual([written().slice(2), waits.length], [['c d e f g'], 2])
    await add('h i j k')
    assert.equal(written().length, 3, 'four waiting items have one batch')
    await commit(2)
    for (const index of [2, 3, 4, 5]) {
      await add('l')
      await rest(index)
    }
    assert.deepEqual([written().slice(3), waits.length], [['h i j k l l l l'], 6])
    await commit(3)
    await add('m')
    assert.deepEqual([written().slice(4), waits.length], [['m'], 6], 'one alone does not wait')
  })

  it('does not wait for more where many items wait, or where a batch costs less than a wait', async () => {
    const many = Array.from({ length: 32 }, (_, index) => String(index)).join(' ')
    for (const [options, items] of [
      [{ groupWait: 1 }, many],
      [{ groupWait: 0 }, 'a b c d'],
      [{}, 'a b c d'],
    ] as const) {
      const { add, commit, written, waits } = stand(options)
      await add('first')
      await add(items)
      await commit(0)
      assert.deepEqual([written(), waits.length], [['first', items], 0])
    }
  })

  it('waits for its pace before each batch', async () => {
    const paces: (() => void)[] = []
    const { add, commit, written } = stand({ pace: () => new Promise((resolve) => paces.push(resolve)) })
    await add('a')
    await add('b')
    assert.deepEqual(written(), [])
    paces[0]?.()
    await turn()
    await add('c')
    await commit(0)
    assert.deepEqual([written(), paces.length], [['a b'], 2])
  })

  it('runs without an owner, whichever owner begins a batch', async () => {
    const behalves: (string | undefined)[] = []
    const batcher = createBatcher<string>(async (take) => {
      await turn()
      take()
      behalves.push(currentOwner())
      return undefined
    })
    await Promise.all(['a', 'b'].map((one) => runForOwner(one, () => batcher.add(one).then(turn))))
    assert.deepEqual(behalves, [undefined])
    await runForOwner('c', async () => {
      await batcher.add('c')
      assert.equal(currentOwner(), 'c')
    })
  })

  it('is idle when no item waits and no batch runs', async () => {
    const { add, batcher, commit } = stand()
    await batcher.idle()
    await add('a')
    await add('b')
    let isIdle = false
    void batcher.idle().then(() => {
      isIdle = true
    })
    await commit(0)
    assert.equal(isIdle, false)
    await commit(1)
    assert.equal(isIdle, true)
  })
})

describe('a batcher with owners', () => {
  const perOwner = { most: 2, ownerOf: (item: string) => item.slice(0, 1) }

  it('takes no more than so many of one in a batch, and serves the others before its next', async () => {
    const { add, commit, written } = stand({ most: 3, perOwner })
    await add('a1 a2 a3 a4 a5')
    await add('b1 c1')
    await add('b2')
    for (const index of [0, 1, 2]) await commit(index)
    assert.deepEqual(written(), ['a1 a2', 'a3 a4 b1', 'c1 a5 b2'])
  })

  it('puts an owner without waiting items behind waiting owners', async () => {
    const { add, commit, written } = stand({ most: 1, perOwner })
    await add('a1')
    await add('b1')
    await add('a2')
    for (const index of [0, 1]) await commit(index)
    assert.deepEqual(written(), ['a1', 'b1', 'a2'])
  })

  it('loses no item, and keeps the order of each owner and every limit, for any arrivals and failures', async () => {
    const item = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 6 }) })
    /** For a batch: how many quarters of it are written; 5: it fails. */
    const steps = fc.array(fc.oneof(item, fc.integer({ min: 1, max: 5 })), { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (steps, most) => {
        const { batcher, batches } = stand({ most, perOwner })
        const ends = new Map<string, 'written' | 'failed'>()
        const added: string[] = []
        const order: string[] = []
        const waitingSince = new Map<string, number>()
        let next = 0
        async function finish(part: number): Promise<void> {
          const batch = batches[next]
          if (batch === undefined) return
          next += 1
          const { items, end } = batch
          assert.ok(items.length > 0 && items.length <= most)
          for (const own of Map.groupBy(items, perOwner.ownerOf).values()) assert.ok(own.length <= 2)
          if (part === 5) {
            order.push(...items)
            end.reject(new Error('failed'))
          } else {
            const some = items.slice(0, Math.ceil((items.length * part) / 4))
            order.push(...some)
            end.resolve(some)
          }
          await turn()
        }
        for (const step of steps) {
          if (typeof step === 'number') await finish(step)
          else {
            for (let count = 0; count < step.count; count += 1) {
              const name = `${step.owner}${added.length}`
              added.push(name)
              waitingSince.set(name, batches.length)
              void batcher.add(name).then(
                (result) => ends.set(name, result === name ? 'written' : 'failed'),
                () => ends.set(name, 'failed'),
              )
            }
            await turn()
          }
        }
        while (next < batches.length) await finish(4)
        assert.equal(ends.size, added.length)
        for (const owner of ['a', 'b', 'c']) {
          const of = (names: string[]) => names.filter((name) => name.startsWith(owner))
          assert.deepEqual(of(order), of(added))
        }
      }),
    )
  })

  it('writes an item of a quiet owner in the next batches, however much another has waiting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 200 }), async (flood) => {
        const { add, commit, written } = stand({ most: 4, perOwner })
        await add(Array.from({ length: flood }, (_, index) => `a${index}`).join(' '))
        await add('b')
        await commit(0)
        assert.ok(written()[1]?.split(' ').includes('b'))
      }),
    )
  })
})

describe('questions that are asked together', () => {
  it('are those of one turn, and those that arrive while two batches run', async () => {
    const asked: { keys: string[]; answer: PromiseWithResolvers<Map<string, string>> }[] = []
    const ask = createBatchedLookup<string, string>((keys) => {
      const answer = Promise.withResolvers<Map<string, string>>()
      asked.push({ keys, answer })
      return answer.promise
    })
    const answer = (index: number) =>
      asked[index]?.answer.resolve(new Map(asked[index].keys.map((key) => [key, key.toUpperCase()])))
    const settled = async () => {
      for (let turns = 0; turns < 3; turns += 1) await turn()
    }
    const first = [ask('a'), ask('b'), ask('a')]
    await settled()
    const second = ask('c')
    await settled()
    const third = [ask('d'), ask('e')]
    await settled()
    assert.deepEqual(
      asked.map(({ keys }) => keys),
      [['a', 'b'], ['c']],
    )
    answer(0)
    assert.deepEqual(await Promise.all(first), ['A', 'B', 'A'])
    await settled()
    assert.deepEqual(asked[2]?.keys, ['d', 'e'])
    asked[1]?.answer.reject(new Error('no answer'))
    await assert.rejects(second, /no answer/)
    asked[2]?.answer.resolve(new Map([['d', 'D']]))
    assert.deepEqual(await Promise.all(third), ['D', undefined])
  })

  it('are one at a time where many asked the last, and two again where few did', async () => {
    const asked: { keys: string; answer: () => void }[] = []
    const ask = createBatchedLookup<string, string>((keys) => {
      const { promise, resolve } = Promise.withResolvers<Map<string, string>>()
      asked.push({ keys: keys.join(''), answer: () => resolve(new Map()) })
      return promise
    })
    const asks = async (...keys: string[]) => {
      for (const key of keys) void ask(key)
      for (let turns = 0; turns < 3; turns += 1) await turn()
    }
    await asks('a', 'a', 'a', 'b')
    await asks('c')
    await asks('d')
    assert.deepEqual(
      asked.map(({ keys }) => keys),
      ['ab'],
    )
    asked[0]?.answer()
    await asks()
    await asks('e')
    assert.deepEqual(
      asked.map(({ keys }) => keys),
      ['ab', 'cd', 'e'],
    )
  })
})

describe('work that runs one at a time', () => {
  it('begins at once, and runs once more however often that is asked for during a run', async () => {
    const begun: PromiseWithResolvers<void>[] = []
    const work = createCoalescedRuns(() => {
      const end = Promise.withResolvers<void>()
      begun.push(end)
      return end.promise
    })
    const ended: string[] = []
    void work.ask().then(() => ended.push('first'))
    assert.equal(begun.length, 1)
    for (let asked = 0; asked < 3; asked += 1) void work.ask().then(() => ended.push('second'))
    await turn()
    assert.equal(begun.length, 1)
    let isIdle = false
    void work.idle().then(() => {
      isIdle = true
    })
    begun[0]?.resolve()
    await turn()
    assert.deepEqual([begun.length, isIdle, ended], [2, false, ['first']])
    begun[1]?.resolve()
    await turn()
    assert.deepEqual([begun.length, isIdle, ended], [2, true, ['first', 'second', 'second', 'second']])
    void work.ask()
    assert.equal(begun.length, 3)
  })
})
