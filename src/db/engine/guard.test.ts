import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { turn } from '../../core/clock.ts'
import type { Tables } from '../tables/tables.ts'
import { afterCommit, guardTx } from './guard.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const connection = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

describe('notifications after a commit', () => {
  it('are sent once, in the order of the requests', () => {
    const { tx, committed } = guardTx(connection)
    const told: number[] = []
    for (const each of [1, 2, 3]) afterCommit(tx, () => told.push(each))
    assert.deepEqual(told, [])
    committed()
    committed()
    assert.deepEqual(told, [1, 2, 3])
  })

  it('are released after they are sent, although a reference to the transaction remains', async () => {
    const { tx, committed } = guardTx(connection)
    const row = noteRow()
    committed()
    // The target of a reference is kept for the rest of the turn.
    await turn()
    collect()
    assert.equal(row.deref(), undefined)
    assert.equal(tx.isTransaction, false)

    function noteRow(): WeakRef<object> {
      const body = { bytes: new Uint8Array(1_024) }
      afterCommit(tx, () => assert.equal(body.bytes.length, 1_024))
      return new WeakRef(body)
    }
  })
})
