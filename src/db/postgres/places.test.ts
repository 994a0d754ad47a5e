import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pause } from '../../core/clock.ts'
import { createPlaces, LateError } from './places.ts'

const LONG = 60_000

/** Places, and who has come to one, in that order. */
function watched(most: number, patience = LONG, times = 1) {
  const places = createPlaces({ most, patience, times })
  const served: (string | undefined)[] = []
  const held: { name: string | undefined; leave: () => void }[] = []
  const ask = (name: string | undefined, times = 1) =>
    Array.from({ length: times }, async () => {
      held.push({ name, leave: await places.take(name) })
      served.push(name)
    })
  const give = (name: string | undefined) => {
    const [one] = held.splice(
      held.findIndex((other) => other.name === name),
      1,
    )
    one?.leave()
  }
  /** Until all have been served that may be. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { places, served, ask, give, settled }
}

/** It is taken. */
function isAtOnce(places: ReturnType<typeof createPlaces>, name: string | undefined): () => void {
  const leave = places.take(name)
  assert.ok(typeof leave === 'function')
  return leave
}

describe('the places of a pool', () => {
  it('are given at once while there are some, half of them to who is alone', () => {
    const { places } = watched(7)
    for (let time = 0; time < 4; time += 1) isAtOnce(places, 'one')
    assert.ok(places.take('one') instanceof Promise)
    assert.equal(places.waiting(), 1)
    isAtOnce(places, 'other')
    isAtOnce(places, 'other')
    isAtOnce(places, 'third')
    assert.ok(places.take('fourth') instanceof Promise)
  })

  it('leave nobody without any, however few there are', () => {
    for (const most of [1, 2, 3]) isAtOnce(watched(most).places, 'one')
  })

  it('are all for what is nobody’s own', () => {
    const { places } = watched(3)
    for (let time = 0; time < 3; time += 1) isAtOnce(places, undefined)
    assert.ok(places.take(undefined) instanceof Promise)
  })

  it('go to those who wait in turns, the requests of each in their order, whoever asked for how many', async () => {
    const { places, served, ask, give, settled } = watched(1)
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
    assert.equal(places.waiting(), 0)
  })

  it('pass over who has used up its share, and go on to it when others have given theirs back', async () => {
    const { served, ask, give, settled, places } = watched(4)
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
    assert.deepEqual([served.length, served.at(-1), places.waiting()], [6, 'crowd', 6])
  })

  it('are waited for so long, and who is late stands in no line any more', async () => {
    const { places } = watched(2, 5)
    const leave = isAtOnce(places, 'one')
    await assert.rejects(
      async () => places.take('one'),
      (error) => error instanceof LateError && !error.isUsedUp,
    )
    places.take('other')
    await assert.rejects(
      async () => places.take('third'),
      (error) => error instanceof LateError && error.isUsedUp,
    )
    assert.equal(places.waiting(), 0)
    leave()
    isAtOnce(places, 'third')
  })

  it('are waited for longer by who has used up its own share, as long as that keeps nobody from one', async () => {
    const { places } = watched(2, 20, 1_000)
    places.take('one')
    const own = Promise.resolve(places.take('one')).then(
      () => 'served',
      () => 'late',
    )
    const hasPassed = pause(100).then(() => 'it waits')
    assert.equal(await Promise.race([own, hasPassed]), 'it waits')
    places.take('other')
    assert.equal(await own, 'late')
  })

  it('are not all in use for long where some were free in between', async () => {
    const { places } = watched(2, 20, 1_000)
    places.take('one')
    const own = Promise.resolve(places.take('one')).then(
      () => 'served',
      () => 'late',
    )
    let isOver = false
    const hasPassed = pause(200).then(() => {
      isOver = true
      return 'it waits'
    })
    // All but for a moment of each patience.
    void (async () => {
      while (!isOver) {
        const leave = isAtOnce(places, 'other')
        await pause(3)
        leave()
        await pause(0)
      }
    })()
    assert.equal(await Promise.race([own, hasPassed]), 'it waits')
  })
})
