import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../core/id.ts'
import type { Database, Tx } from '../../db/database.ts'
import { createAccept } from './accept.ts'
import type { Fact, PublishAll } from './publish.ts'

const NOW = 1_763_629_200_000
const organizationId = newId('organization', NOW)
const fact = (type: string): Fact => ({ organizationId, type, data: {} })

/** A database that commits at once, and a door that writes down what came through it together. */
function setUp({ begin = () => {}, commit = () => {} }: { begin?: () => void; commit?: () => void } = {}) {
  const written: string[][] = []
  const database = {
    async brief<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      await Promise.resolve()
      begin()
      const value = await work({} as Tx)
      commit()
      return value
    },
  } as Database
  const publishAll: PublishAll = async (_tx, requests) => {
    const types = requests.map(({ fact: { type } }) => type)
    written.push(types)
    if (types.includes('unwritable')) throw new Error('cannot be written')
    return requests.map(({ now }) => ({ id: newId('event', now), deliveries: 1 }))
  }
  return { written, accept: createAccept({ database, publishAll }) }
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
