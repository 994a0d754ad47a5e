import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { turn } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import type { Database, Tx } from '../../db/database.ts'
import { BusyError } from '../../db/engine/engine.ts'
import { createAccept } from './accept.ts'
import type { Fact, PublishAll } from './publish.ts'

const NOW = 1_763_629_200_000
const organizationId = newId('organization', NOW)
const fact = (type: string): Fact => ({ organizationId, type, data: {} })

/** A database that commits at once, and a door that writes down what came through it together. */
function setUp({
  begin = () => {},
  commit = () => {},
  shared = false,
  held = Promise.resolve(),
}: {
  begin?: () => void
  commit?: () => void
  shared?: boolean
  held?: Promise<void>
} = {}) {
  const written: string[][] = []
  /** Who waits for company, and is told here that it was long enough. */
  const resting: (() => void)[] = []
  const rest = () => new Promise<void>((resolve) => resting.push(resolve))
  const database = {
    shared,
    async brief<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      await Promise.resolve()
      begin()
      const value = await work({} as Tx)
      await held
      commit()
      return value
    },
  } as Pick<Database, 'brief' | 'shared'>
  const publishAll: PublishAll = async (_tx, requests) => {
    const types = requests.map(({ fact: { type } }) => type)
    written.push(types)
    if (types.includes('unwritable')) throw new Error('cannot be written')
    return requests.map(({ now }) => ({ id: newId('event', now), deliveries: 1 }))
  }
  return { written, resting, accept: createAccept({ database, publishAll, rest }) }
}

describe('accepting', () => {
  it('writes together what came together, and gives each its own answer', async () => {
    const { accept, written } = setUp()
    const published = await Promise.all(['a', 'b', 'c'].map((type) => accept(NOW, fact(type))))
    assert.deepEqual(written, [['a', 'b', 'c']])
    assert.equal(new Set(published.map(({ id }) => id)).size, 3)
  })

  it('lets nobody suffer for a neighbour that cannot be written', async () => {
    const { accept, written } = setUp()
    const ends = await Promise.allSettled(['a', 'unwritable', 'c'].map((type) => accept(NOW, fact(type))))
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(written, [['a', 'unwritable', 'c'], ['a'], ['unwritable'], ['c']])
  })

  it('lets those who waited for the database in vain not wait once more, each alone', async () => {
    let begun = 0
    const { accept, written } = setUp({
      begin: () => {
        begun += 1
        throw new BusyError('all in use', { isUsedUp: true, isUntouched: true })
      },
    })
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((type) => accept(NOW, fact(type))))
    assert.deepEqual(
      ends.map((end) => end.status === 'rejected' && end.reason instanceof BusyError),
      [true, true, true],
    )
    assert.deepEqual([begun, written], [1, []])
  })

  it('writes nothing twice when nobody knows what became of the commit', async () => {
    const { accept, written } = setUp({
      commit: () => {
        throw new Error('the connection was lost')
      },
    })
    const ends = await Promise.allSettled(['a', 'b'].map((type) => accept(NOW, fact(type))))
    assert.ok(ends.every(({ status }) => status === 'rejected'))
    assert.deepEqual(written, [['a', 'b']])
  })

  it('tells everybody who waits when the database cannot be reached, and goes on when it can', async () => {
    let isAway = true
    const { accept } = setUp({
      begin: () => {
        if (isAway) throw new Error('away')
      },
    })
    const ends = await Promise.allSettled(['a', 'b'].map((type) => accept(NOW, fact(type))))
    assert.ok(ends.every(({ status }) => status === 'rejected'))
    isAway = false
    assert.equal((await accept(NOW, fact('c'))).deliveries, 1)
  })

  it('lets those who come alone wait for nothing', async () => {
    const { accept, written, resting } = setUp({ shared: true })
    for (const type of ['a', 'b', 'c']) await accept(NOW, fact(type))
    assert.deepEqual(written, [['a'], ['b'], ['c']])
    assert.equal(resting.length, 0)
  })

  it('lets many who have come while commits were under way wait a moment for more', async () => {
    const { promise: held, resolve: commit } = Promise.withResolvers<void>()
    const { accept, written, resting } = setUp({ shared: true, held })
    const come = async (type: string) => {
      const published = accept(NOW, fact(type))
      for (let turns = 0; turns < 3; turns += 1) await turn()
      return { published }
    }
    const all = []
    for (const type of ['a', 'b', 'c', 'd', 'e', 'f']) all.push(await come(type))
    assert.deepEqual(written, [['a'], ['b']])
    assert.equal(resting.length, 0)
    commit()
    await Promise.all([all[0]?.published, all[1]?.published])
    all.push(await come('g'))
    assert.equal(resting.length, 1)
    assert.equal(written.length, 2)
    resting[0]?.()
    await turn()
    assert.deepEqual([resting.length, written.length], [2, 2], 'one has come')
    resting[1]?.()
    await Promise.all(all.map(({ published }) => published))
    assert.deepEqual(written.slice(2), [['c', 'd', 'e', 'f', 'g']])
  })

  it('writes more than fit into one commit in several, in their order', async () => {
    const { accept, written } = setUp()
    const types = Array.from({ length: 450 }, (_, index) => String(index))
    await Promise.all(types.map((type) => accept(NOW, fact(type))))
    assert.deepEqual(
      written.map(({ length }) => length),
      [200, 200, 50],
    )
    assert.deepEqual(written.flat(), types)
  })
})
