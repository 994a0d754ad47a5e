import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pause } from '../../core/clock.ts'
import { createConnectionShares, LateError } from './connection-shares.ts'

const LONG = 60_000

/** The shares of a pool, and the owners that got a connection, in that order. */
function watched(most: number, patience = LONG, times = 1) {
  const shares = createConnectionShares({ most, patience, times })
  const served: (string | undefined)[] = []
  const held: { name: string | undefined; leave: () => void }[] = []
  const ask = (name: string | undefined, times = 1) =>
    Array.from({ length: times }, async () => {
      held.push({ name, leave: await shares.take(name) })
      served.push(name)
    })
  const give = (name: string | undefined) => {
    const [one] = held.splice(
      held.findIndex((other) => other.name === name),
      1,
    )
    one?.leave()
  }
  /** Waits until all possible owners are served. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { shares, served, ask, give, settled }
}

/** Takes a connection. @returns whether it was free at once */
function isAtOnce(shares: ReturnType<typeof createConnectionShares>, name: string | undefined): () => void {
  const leave = shares.take(name)
  assert.ok(typeof leave === 'function')
  return leave
}

/** The end of a wait for a connection. */
function endOf(
  taken: ReturnType<ReturnType<typeof createConnectionShares>['take']>,
): Promise<'served' | 'late'> {
  return Promise.resolve(taken).then(
    () => 'served',
    () => 'late',
  )
}

describe('the shares of a pool', () => {
  it('are given at once while some are free, half of them to a single owner', () => {
    const { shares } = watched(7)
    for (let time = 0; time < 4; time += 1) isAtOnce(shares, 'one')
    assert.ok(shares.take('one') instanceof Promise)
    assert.equal(shares.waiting(), 1)
    isAtOnce(shares, 'other')
    isAtOnce(shares, 'other')
    isAtOnce(shares, 'third')
    assert.ok(shares.take('fourth') instanceof Promise)
  })

  it('leave no owner without any, however few exist', () => {
    for (const most of [1, 2, 3]) isAtOnce(watched(most).shares, 'one')
  })

  it('are all available to work without an owner', () => {
    const { shares } = watched(3)
    for (let time = 0; time < 3; time += 1) isAtOnce(shares, undefined)
    assert.ok(shares.take(undefined) instanceof Promise)
  })

  it('go to waiting owners in turns, and to the requests of each in order, for any number of requests', async () => {
    const { shares, served, ask, give, settled } = watched(1)
    ask('first')
    ask('crowd', 5)
    ask('one', 2)
    ask(undefined, 1)
    await settled()
    for (const name of ['first', 'crowd', 'one', undefined, 'crowd', 'one', 'crowd', 'crowd'] as const) {
      assert.equal(served.at(-1), name)
      give(name)
      await settled()
    }
    assert.equal(served.at(-1), 'crowd')
    assert.equal(shares.waiting(), 0)
  })

  it('skip an owner that has used up its share, until others have released theirs', async () => {
    const { served, ask, give, settled, shares } = watched(4)
    ask('crowd', 9)
    ask('one')
    ask('two')
    await settled()
    assert.deepEqual(served, ['crowd', 'crowd', 'one', 'two'])
    ask('three')
    give('one')
    await settled()
    assert.equal(served.at(-1), 'three')
    give('two')
    give('three')
    await settled()
    // Two of four is its share.
    assert.equal(served.length, 5)
    give('crowd')
    await settled()
    assert.deepEqual([served.length, served.at(-1), shares.waiting()], [6, 'crowd', 6])
  })

  it('are waited for only for the patience, after which a request leaves the queue', async () => {
    const { shares } = watched(2, 5)
    const leave = isAtOnce(shares, 'one')
    await assert.rejects(
      async () => shares.take('one'),
      (error) => error instanceof LateError && !error.isUsedUp,
    )
    shares.take('other')
    await assert.rejects(
      async () => shares.take('third'),
      (error) => error instanceof LateError && error.isUsedUp,
    )
    assert.equal(shares.waiting(), 0)
    leave()
    isAtOnce(shares, 'third')
  })

  it('are waited for longer by an owner that has used up its share, while that delays no other owner', async () => {
    const { shares } = watched(2, 20, 1_000)
    shares.take('one')
    const own = endOf(shares.take('one'))
    const hasPassed = pause(100).then(() => 'it waits')
    assert.equal(await Promise.race([own, hasPassed]), 'it waits')
    shares.take('other')
    assert.equal(await own, 'late')
  })

  it('are not all in use for long where some were free in between', async () => {
    const { shares } = watched(2, 20, 1_000)
    shares.take('one')
    const own = endOf(shares.take('one'))
    let isOver = false
    const hasPassed = pause(200).then(() => {
      isOver = true
      return 'it waits'
    })
    // Nearly the whole patience of each wait.
    void (async () => {
      while (!isOver) {
        const leave = isAtOnce(shares, 'other')
        await pause(3)
        leave()
        await pause(0)
      }
    })()
    assert.equal(await Promise.race([own, hasPassed]), 'it waits')
  })
})
