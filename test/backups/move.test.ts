import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { openSource } from '#src/db/carry-rows.ts'
import { createRowSum } from '#src/db/rows/row-sum.ts'
import { fillEveryTable } from '../support/every-table.ts'
import { liveIn, proveLivedIn } from '../support/lived-in.ts'
import { freshStore, type Postern, postern, readyStore, startPostern } from '../support/postern.ts'
import { beginProcess, runProcess } from '../support/process.ts'
import { within } from '../support/waits.ts'

type Env = Record<string, string>

/** The sum of each table that has rows. */
async function sumsOf(env: Env): Promise<Record<string, string>> {
  const source = await openSource(readConfig(env).store)
  const sums: Record<string, string> = {}
  for (const table of source.tables) {
    const sum = createRowSum()
    for await (const _ of source.read(table, sum));
    sums[table.name] = sum.text()
  }
  await source.close()
  return sums
}

/** An embedded store with rows in every table, begun with a key as a server begins it. */
async function fullStore(): Promise<Env> {
  const env = await readyStore('sqlite')
  await postern({ env }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
  fillEveryTable(join(env.DATA_DIR ?? '', 'postern.db'))
  return env
}

describe('postern move', () => {
  it('carries every row of every table to PostgreSQL and back, and leaves nothing out', async () => {
    const env = await fullStore()
    const before = await sumsOf(env)
    assert.ok(Object.keys(before).length > 60)
    assert.deepEqual(
      Object.entries(before).filter(([, sum]) => Number.parseInt(sum, 10) < 2),
      [],
      'tables without rows of the test',
    )
    const { DATABASE_URL = '' } = await freshStore('postgres')
    const moved = await postern({ env }, 'move', '--to', DATABASE_URL, '--json')
    assert.equal(moved.code, 0, moved.err)
    const onPostgres = { ...env, DATABASE_URL }
    assert.deepEqual(await sumsOf(onPostgres), before)

    const { DATA_DIR = '' } = await freshStore('sqlite')
    const back = await postern({ env: onPostgres }, 'move', '--to', `sqlite:${DATA_DIR}`)
    assert.equal(back.code, 0, back.err)
    assert.match(back.out, /delivery: \d+ rows, digests are equal/)
    assert.deepEqual(await sumsOf({ DATA_DIR }), before)
    const database = new DatabaseSync(join(DATA_DIR, 'postern.db'))
    assert.deepEqual(database.prepare('pragma foreign_key_check').all(), [])
    database.close()
    assert.equal(
      readFileSync(join(DATA_DIR, 'secret.key'), 'utf8'),
      readFileSync(join(env.DATA_DIR ?? '', 'secret.key'), 'utf8'),
    )
  })

  it('lets sessions, keys, webhooks, files and searches go on at PostgreSQL, and back in an embedded database', async () => {
    const first = await startPostern('sqlite')
    const lived = await liveIn(first)
    let second: Postern | undefined
    try {
      const { DATABASE_URL = '' } = await freshStore('postgres')
      const refused = await postern(first, 'move', '--to', DATABASE_URL)
      assert.equal(refused.code, 1)
      assert.match(refused.err, /Postern already runs on .*Stop it first/)
      await first.stop()
      const { DATA_DIR = '' } = first.env
      const moved = await postern({ env: { DATA_DIR } }, 'move', '--to', DATABASE_URL)
      assert.equal(moved.code, 0, moved.err)
      assert.match(moved.out, /texts for searches: 1 passages indexed/)

      const left = await runProcess(['start'], { DATA_DIR, PORT: '0' })
      assert.equal(left.code, 1)
      assert.match(
        left.err,
        /Everything in this database was moved to PostgreSQL at .*\. Start with the settings for that/,
      )
      second = await startPostern('postgres', {
        env0: { DATA_DIR, DATABASE_URL, PORT: first.env.PORT ?? '' },
        clock: first.clock,
      })
      await proveLivedIn(second, lived)
      const running = await postern(second, 'move', '--to', `sqlite:${DATA_DIR}/back`)
      assert.equal(running.code, 1)
      assert.match(running.err, /Postern runs on this database\. Stop all of its processes first\./)
      const running0 = second
      second = undefined
      await running0.stop()

      const occupied = await postern(
        { env: { DATA_DIR, DATABASE_URL } },
        'move',
        '--to',
        `sqlite:${DATA_DIR}`,
      )
      assert.equal(occupied.code, 1)
      assert.match(occupied.err, /was moved to|is not empty/)
    } finally {
      await lived.receiver.stop()
    }
  })

  it('refuses a database that has rows of another installation, and mixes nothing', async () => {
    const [env, other] = [await fullStore(), await readyStore('postgres')]
    await postern({ env: other }, 'invite', '--organization', 'Other', '--email', 'bob@other.test')
    const before = await sumsOf(other)
    const refused = await postern({ env }, 'move', '--to', other.DATABASE_URL ?? '')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /is not empty: it has rows of its own \(in account, /)
    assert.deepEqual(await sumsOf(other), before)
    const invited = await postern({ env }, 'invite', '--organization', 'Acme', '--email', 'eve@acme.test')
    assert.equal(invited.code, 0, invited.err)
  })

  it('continues after a kill with the table that was missing; until then no server starts on either half', async () => {
    const env = await fullStore()
    const { DATABASE_URL = '' } = await freshStore('postgres')
    const { child, gone } = beginProcess(['move', '--to', DATABASE_URL], env)
    const begun = new Promise<void>((resolve) =>
      child.stdout?.on('data', () => {
        child.kill('SIGKILL')
        resolve()
      }),
    )
    await within('a table to be moved', begun)
    await within('the killed move to be gone', gone)
    const half = await runProcess(['start'], { ...env, DATABASE_URL, PORT: '0' })
    assert.equal(half.code, 1)
    assert.match(half.err, /not all of them are here\. Repeat the same "postern move"/)
    const other = await postern({ env: await fullStore() }, 'move', '--to', DATABASE_URL)
    assert.match(other.err, /is not empty: it holds a part of another installation/)

    const again = await postern({ env }, 'move', '--to', DATABASE_URL)
    assert.equal(again.code, 0, again.err)
    assert.match(again.out, /digests are equal \(before\)/)
    assert.deepEqual(await sumsOf({ ...env, DATABASE_URL }), await sumsOf(env))
  })
})
