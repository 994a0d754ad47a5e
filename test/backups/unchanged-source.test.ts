import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { copyRows, openSource, openTarget } from '#src/db/copy-rows.ts'
import type { Database } from '#src/db/database.ts'
import type { LiveSource } from '#src/db/rows/source-target.ts'
import { everySum } from '../support/every-table.ts'
import { openEngine } from '../support/older-store.ts'
import { type EngineName, onBothEngines, readyStore } from '../support/postern.ts'
import { until, within } from '../support/waits.ts'

/** A small table that no other one refers to. */
const TABLE = 'rate_window'
const ROWS = ['a', 'b', 'c']
const insert = (key: string) =>
  `insert into ${TABLE} (key, window_start, count, expires_at) values ('${key}', 1, 1, 1)`

/** A store with rows, open for writing and as a source. */
async function readStore(engine: EngineName) {
  const env = await readyStore(engine)
  const database = openEngine(env)
  const change = async (...statements: string[]) => {
    for (const one of statements) await database.tx((tx) => sql.raw(one).execute(tx))
  }
  await change(...ROWS.map(insert))
  if (engine === 'postgres') await untilEarlierEnded(database)
  const source = await openSource(readConfig(env).store)
  return {
    env,
    database,
    change,
    source,
    /** Whether the table is certainly the same in a snapshot of this moment. */
    async isUnchanged() {
      await source.renew()
      return source.isUnchanged(tableOf(source), ROWS.length)
    },
    async close() {
      await source.close()
      await database.close()
    },
  }
}

/**
 * Waits for the end of all earlier transactions of the server. A source compares rows with the oldest open
 * transaction of its snapshot, which may be one of another database.
 */
async function untilEarlierEnded({ db }: Pick<Database, 'db'>): Promise<void> {
  const read = async (end: 'xmin' | 'xmax') => {
    const { rows } = await sql<{ id: string }>`
      select ${sql.raw(`pg_snapshot_${end}(pg_current_snapshot())`)}::text as id`.execute(db)
    return BigInt(rows[0]?.id ?? 0)
  }
  const next = await read('xmax')
  await until(
    () => read('xmin'),
    (oldest) => oldest >= next,
    { what: `transactions before ${next} to end` },
  )
}

function tableOf(source: LiveSource) {
  return source.tables.find(({ name }) => name === TABLE) ?? assert.fail(`no table ${TABLE}`)
}

onBothEngines('a source', (engine) => {
  it('has the same rows in a later snapshot where nothing was committed', async () => {
    const store = await readStore(engine)
    assert.equal(await store.isUnchanged(), true)
    const undone = store.database.tx(async (tx) => {
      await sql.raw(insert('d')).execute(tx)
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.equal(await store.isUnchanged(), true)
    await store.close()
  })

  for (const [what, ...statements] of [
    ['an inserted row', insert('d')],
    ['a changed row', `update ${TABLE} set expires_at = 2 where key = 'a'`],
    ['a deleted row', `delete from ${TABLE} where key = 'a'`],
    ['a row in the place of another', `delete from ${TABLE} where key = 'a'`, insert('d')],
    ['a row that was deleted and inserted again', `delete from ${TABLE} where key = 'a'`, insert('a')],
  ] as const)
    it(`notices ${what}`, async () => {
      const store = await readStore(engine)
      await store.change(...statements)
      assert.equal(await store.isUnchanged(), false)
      assert.equal(await store.isUnchanged(), false)
      await store.close()
    })

  it('notices a change that was begun before the first snapshot and committed after it', async () => {
    const store = await readStore(engine)
    await store.source.close()
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const changing = store.database.tx(async (tx) => {
      await sql.raw(`update ${TABLE} set expires_at = 2 where key = 'a'`).execute(tx)
      begun.resolve()
      await goOn.promise
    })
    await within('the change to begin', begun.promise)
    // Later transactions end before it.
    const other = openEngine(store.env)
    if (engine === 'postgres') await other.tx((tx) => sql.raw(insert('z')).execute(tx))
    await other.close()
    const source = await openSource(readConfig(store.env).store)
    const rows = await source.count(tableOf(source))
    goOn.resolve()
    await within('the change to end', changing)
    await source.renew()
    assert.equal(await source.isUnchanged(tableOf(source), rows), false)
    await source.close()
    await store.database.close()
  })

  it('is read once where nothing has changed, and a changed table again', async () => {
    for (const isChanged of [false, true]) {
      const store = await readStore(engine)
      const to = await readyStore(engine === 'sqlite' ? 'postgres' : 'sqlite')
      const target = await openTarget(readConfig(to).store)
      const reads: string[] = []
      const counting: LiveSource = {
        ...store.source,
        read(table, sum) {
          reads.push(table.name)
          return store.source.read(table, sum)
        },
      }
      await copyRows(counting, target, {
        async present() {
          if (isChanged) await store.change(insert('d'))
          await store.source.renew()
        },
        report() {},
      })
      await target.close()
      const [times, again] = [reads.filter((name) => name === TABLE).length, reads.length]
      const tables = store.source.tables.length
      if (isChanged) assert.equal(times, 3)
      else assert.deepEqual([times, again], [1, tables])
      await store.close()
      assert.deepEqual(await everySum(to), await everySum(store.env))
    }
  })
})
