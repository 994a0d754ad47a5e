import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import { SqliteConnection, sqliteDialect } from '../sqlite/connection.ts'
import type { Tables } from '../tables/tables.ts'
import { guardDb } from './guard.ts'
import { preparedForList } from './lists.ts'

/** More than fits into one statement. */
const LONGEST = 100

const select = preparedForList<{ id: string }, { id: string }>({ id: 'text' }, (db, list) =>
  sql<{ id: string }>`with list (id) as (${list}) select id from list`.compile(db),
)

describe('a list that stands in its statement', () => {
  it('is answered whole and in its order, whatever its length, by few different statements', async () => {
    const connection = new SqliteConnection(new DatabaseSync(':memory:'))
    const texts = new Set<string>()
    const db = guardDb(new Kysely<Tables>({ dialect: sqliteDialect(connection) }), (text, parameters) => {
      texts.add(text)
      return connection.execute(text, parameters)
    })
    for (let length = 0; length <= LONGEST; length += 1) {
      const rows = Array.from({ length }, (_, index) => ({ id: `${length} ${index}` }))
      assert.deepEqual(
        (await select(db, rows)).map(({ id }) => id),
        rows.map(({ id }) => id),
      )
    }
    assert.ok(texts.size <= 10, `${texts.size} different statements`)
  })

  it('is let go of once it is answered, though the driver may keep what it was given', async () => {
    const kept: (readonly unknown[])[] = []
    class Keeping extends SqliteConnection {
      override executeQuery<Row>(query: CompiledQuery) {
        kept.push(query.parameters)
        return super.executeQuery<Row>(query)
      }
    }
    const connection = new Keeping(new DatabaseSync(':memory:'))
    const db = guardDb(new Kysely<Tables>({ dialect: sqliteDialect(connection) }))
    assert.deepEqual(
      (await select(db, [{ id: 'one' }])).map(({ id }) => id),
      ['one'],
    )
    assert.deepEqual(kept, [[]])
  })
})
