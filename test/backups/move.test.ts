import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { move } from '#src/backups/move.ts'
import type { Terminal } from '#src/cli/terminal/terminal.ts'
import { withStore } from '#src/cli/with-store.ts'
import { readConfig } from '#src/config/config.ts'
import { fromIso, systemClock } from '#src/core/clock.ts'
import { everySum, fillEveryTable } from '../support/every-table.ts'
import { liveIn, proveLivedIn } from '../support/lived-in.ts'
import { nightly } from '../support/nightly.ts'
import { openEngine } from '../support/older-store.ts'
import { ENGINES, freshStore, type Postern, postern, readyStore, startPostern } from '../support/postern.ts'
import { beginProcess, runProcess } from '../support/process.ts'
import { refusedStart } from '../support/start-here.ts'
import { until, within } from '../support/waits.ts'

type Env = Record<string, string>

/** An embedded store with rows in every table, begun with a key as a server begins it. */
async function fullStore(): Promise<Env> {
  const env = await readyStore('sqlite')
  await invite(env, 'ada@acme.test')
  fillEveryTable(join(env.DATA_DIR ?? '', 'postern.db'))
  return env
}

/** Runs a statement on a store beside whatever has it open. */
async function change(env: Env, statement: string): Promise<void> {
  const engine = openEngine(env)
  await engine.tx((tx) => sql.raw(statement).execute(tx))
  await engine.close()
}

/** As `change`, while this process waits. */
function changeAtOnce(env: Env, statement: string): void {
  const script = `
    const [url, file, statement] = process.argv.slice(1)
    if (url === '') {
      const { DatabaseSync } = await import('node:sqlite')
      new DatabaseSync(file).exec(statement)
    } else {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(statement)
      await client.end()
    }`
  const { DATABASE_URL = '', DATA_DIR = '' } = env
  execFileSync(process.execPath, [
    ...['--input-type=module', '-e', script, '--', DATABASE_URL],
    ...[join(DATA_DIR, 'postern.db'), statement],
  ])
}

/** What a statement finds in a store. */
async function rowsOf(env: Env, statement: string): Promise<unknown[]> {
  const engine = openEngine(env)
  try {
    return (await sql.raw(statement).execute(engine.db)).rows
  } finally {
    await engine.close()
  }
}

/** A full store of an engine, and an empty one of the other. */
async function storesFrom(engine: 'sqlite' | 'postgres'): Promise<[from: Env, to: Env]> {
  const env = await fullStore()
  if (engine === 'sqlite') return [env, await freshStore('postgres')]
  const { DATABASE_URL = '' } = await freshStore('postgres')
  await moveHere(env, { DATABASE_URL }, () => {})
  return [{ ...env, DATABASE_URL }, await freshStore('sqlite')]
}

/** A terminal of a command that says nothing. */
const terminalOf = (env: Env): Terminal => ({ env, print() {}, complain() {}, answer() {} })

/** Runs a move in this process. @param onStep called with each table, and each schema step */
async function moveHere(env: Env, to: Env, onStep: (what: string) => void): Promise<number> {
  const { dataDir, databaseUrl } = readConfig(to).store
  const from = readConfig(env).store
  const place = { ...from, dataDir: databaseUrl === undefined ? dataDir : from.dataDir, databaseUrl }
  return move(from, place, {
    clock: systemClock,
    say: onStep,
    onTable: ({ table }) => onStep(table),
    onIndexed: () => onStep('indexed'),
  })
}

const invite = (env: Env, email: string) =>
  postern({ env }, 'invite', '--organization', 'Acme', '--email', email)

const rowsIn = (sums: Record<string, string>) =>
  Object.values(sums).reduce((all, sum) => all + Number.parseInt(sum, 10), 0)

/**
 * Moves a store, cut off after more steps each time; between two runs the source changes. What depends on the change is most of all
 * tables, among them those to which rows are only added.
 */
async function moveInPieces(env: Env, to: Env): Promise<void> {
  const every = nightly(1, 13)
  for (let cut = 1, isOver = false; !isOver; cut += every) {
    let steps = 0
    const begun = moveHere(env, to, () => {
      steps += 1
      if (steps === cut) throw new Error('cut off')
    })
    isOver = await begun.then(
      () => true,
      (error: Error) => {
        assert.equal(error.message, 'cut off')
        return false
      },
    )
    if (isOver) break
    // Numbers of the rows of the test are too large for what the command computes on PostgreSQL.
    if (env.DATABASE_URL === undefined) {
      const invited = await invite(env, `cut${cut}@acme.test`)
      assert.equal(invited.code, 0, invited.err)
    }
    const table = cut % 2 === 0 ? 'account' : 'organization'
    await change(env, `update ${table} set created_at = ${cut} where created_at <> 5`)
  }
}

describe('postern move', () => {
  it('that is cut off at any table, each time with other rows in its source, ends with what the source has then', async () => {
    const env = await fullStore()
    const { DATABASE_URL = '' } = await freshStore('postgres')
    const onPostgres = { ...env, DATABASE_URL }
    await moveInPieces(env, onPostgres)
    assert.deepEqual(await everySum(onPostgres), await everySum(env))
    const back = await freshStore('sqlite')
    await moveInPieces(onPostgres, back)
    assert.deepEqual(await everySum(back), await everySum(onPostgres))
    for (const one of [onPostgres, back])
      await assert.rejects(change(one, 'update ledger_entry set created_at = 1'), /append-only/)
  })

  it('notices what a command changes while it is under way, and counts the rows that are there in the end', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const [env, to] = await storesFrom(engine)
      const rows = await moveHere(env, to, (what) => {
        // The move goes on when the change is there.
        if (what === 'webhook')
          changeAtOnce(env, 'update account set created_at = 77; delete from rate_window')
      })
      const sums = await everySum(to)
      assert.deepEqual(sums, await everySum(env))
      assert.equal(rows, rowsIn(sums))
      const late = await postern({ env }, 'organizations')
      assert.match(late.err, /Everything in this database was moved to/)
      const again = await postern({ env }, 'move', '--to', (await freshStore('postgres')).DATABASE_URL ?? '')
      assert.match(again.err, /Everything in this database was moved to/)
    }
  })

  it('lets a command that was there before write nothing after it', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const [env, to] = await storesFrom(engine)
      const writing = withStore(terminalOf(env), async ({ database }) => {
        await moveHere(env, to, () => {})
        await database.tx((tx) => tx.updateTable('account').set({ created_at: 78 }).execute())
        return 0
      })
      await assert.rejects(writing, /Everything in this database was moved to/)
      assert.deepEqual(await everySum(to), await everySum(env))
    }
  })

  it('waits for what a command is writing, and carries it', async () => {
    const [env, to] = await storesFrom('postgres')
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = withStore(terminalOf(env), ({ database }) =>
      database.tx(async (tx) => {
        await tx.updateTable('account').set({ created_at: 79 }).execute()
        begun.resolve()
        await goOn.promise
        return 0
      }),
    )
    await within('the command to write', begun.promise)
    const moving = moveHere(env, to, () => {})
    await until(
      () => rowsOf(env, `select 1 from pg_locks where relation = 'meta'::regclass and not granted`),
      (waiting) => waiting.length > 0,
      { what: 'the move to wait for the command' },
    )
    goOn.resolve()
    assert.equal(await writing, 0)
    await moving
    assert.deepEqual(await everySum(to), await everySum(env))
    const [{ moved }] = (await rowsOf(to, 'select min(created_at) as moved from account')) as [
      { moved: number },
    ]
    assert.equal(Number(moved), 79)
  })

  it('looks before it makes anything: a place with tables of others stays as it was', async () => {
    const env = await fullStore()
    const to = await freshStore('postgres')
    const tables = async () => {
      const engine = openEngine(to)
      const names = await engine.tables()
      await engine.close()
      return [...names].sort()
    }
    await change(to, 'create table users (id int primary key, born date); create table account (id int)')
    const refused = await postern({ env }, 'move', '--to', to.DATABASE_URL ?? '')
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /is not empty: it has other tables \(account, users\)\. Nothing was written there/,
    )
    assert.deepEqual(await tables(), ['account', 'users'])
    const invited = await invite(env, 'eve@acme.test')
    assert.equal(invited.code, 0, invited.err)
  })

  it('refuses a folder with another key, and says what to do about a key that is in no file', async () => {
    const env = await fullStore()
    const { DATA_DIR = '' } = await freshStore('sqlite')
    writeFileSync(join(DATA_DIR, 'secret.key'), 'a key of another installation, 32 bytes and more')
    const refused = await postern({ env }, 'move', '--to', `sqlite:${DATA_DIR}`)
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /^The key in the file .*secret\.key \(fingerprint \w{16}\) is not the one of the database that is moved \(fingerprint \w{16}\): name another folder, or take that file away\. Nothing was changed\.$/,
    )
    assert.deepEqual(readdirSync(DATA_DIR), ['secret.key'])
    const SECRET_KEY = readFileSync(join(env.DATA_DIR ?? '', 'secret.key'), 'utf8').trim()
    const said = await postern({ env: { ...env, SECRET_KEY } }, 'move', '--to', `sqlite:${DATA_DIR}`)
    assert.equal(said.code, 0, said.err)
    assert.match(said.out, /Keep SECRET_KEY as it is/)
    const without = await invite({ DATA_DIR }, 'eve@acme.test')
    assert.match(without.err, /is not the one this database was begun with/)
    const served = await invite({ DATA_DIR, SECRET_KEY }, 'eve@acme.test')
    assert.equal(served.code, 0, served.err)
  })

  it('carries every row of every table to PostgreSQL and back, and leaves nothing out', async () => {
    const env = await fullStore()
    const before = await everySum(env)
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
    assert.deepEqual(await everySum(onPostgres), before)

    const { DATA_DIR = '' } = await freshStore('sqlite')
    const back = await postern({ env: onPostgres }, 'move', '--to', `sqlite:${DATA_DIR}`)
    assert.equal(back.code, 0, back.err)
    assert.match(back.out, /delivery: \d+ rows, digests are equal/)
    assert.deepEqual(await everySum({ DATA_DIR }), before)
    const database = new DatabaseSync(join(DATA_DIR, 'postern.db'))
    assert.deepEqual(database.prepare('pragma foreign_key_check').all(), [])
    database.close()
    assert.equal(
      readFileSync(join(DATA_DIR, 'secret.key'), 'utf8'),
      readFileSync(join(env.DATA_DIR ?? '', 'secret.key'), 'utf8'),
    )
  })

  it('commits no table that the target alters, and copies what was altered there between two runs again', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const [env, to] = await storesFrom(engine)
      const cutOff = moveHere(env, to, (what) => {
        if (what === 'account') throw new Error('cut off')
      })
      await assert.rejects(cutOff, /cut off/)
      await change(to, 'update account set created_at = 80')
      await change(
        to,
        engine === 'sqlite'
          ? `create function altered() returns trigger language plpgsql as 'begin new.created_at = 81; return new; end';
             create trigger altered before insert on webhook for each row execute function altered()`
          : 'create trigger altered after insert on webhook begin update webhook set created_at = 81 where id = new.id; end',
      )
      await assert.rejects(
        moveHere(env, to, () => {}),
        /^MismatchError: The rows of webhook differ after they were written/,
      )
      assert.deepEqual(await rowsOf(to, 'select id from webhook'), [])
      await change(to, `drop trigger altered${engine === 'sqlite' ? ' on webhook' : ''}`)
      await moveHere(env, to, () => {})
      assert.deepEqual(await everySum(to), await everySum(env))
    }
  })

  it('builds the indexes of a large table after its rows, and leaves them as migrations make them', async () => {
    const env = await fullStore()
    const large = Array.from({ length: 3 }, (_, piece) => `select ${piece} as piece`).join(' union all ')
    await change(
      env,
      `insert into event (id, organization_id, type, body, created_at)
       select event.id || piece, organization_id, type, zeroblob(700000), event.created_at from event, (${large})
       where event.id = (select min(id) from event)`,
    )
    const to = await freshStore('postgres')
    const migrated = await readyStore('postgres')
    await moveHere(env, to, () => {})
    const definitions =
      'select tablename, indexname, indexdef from pg_indexes where schemaname = current_schema() order by 1, 2'
    const made = await rowsOf(migrated, definitions)
    assert.ok(made.length > 100, `${made.length} indexes`)
    assert.deepEqual(await rowsOf(to, definitions), made)
    assert.deepEqual(await everySum(to), await everySum(env))
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

  it('says of a second one, and of a start, that the first is under way, since when, and what to do', async () => {
    for (const engine of ENGINES) {
      const env = await readyStore(engine)
      const first = openEngine(env)
      const since = systemClock.now()
      await first.claimAlone('postern move')
      try {
        const { DATA_DIR = '' } = await freshStore('sqlite')
        const second = await postern({ env }, 'move', '--to', `sqlite:${DATA_DIR}`)
        const server = await refusedStart(env)
        for (const { code, err } of [second, server]) {
          assert.equal(code, 1)
          const [, at = ''] =
            /^"postern move" is at work on .* since (\S+Z)(?: \(process \d+\))?\. Wait until it has ended, then try again\.\n?$/.exec(
              err,
            ) ?? assert.fail(err)
          assert.ok(Math.abs((fromIso(at) ?? 0) - since) < 60_000, at)
        }
      } finally {
        await first.close()
      }
    }
  })

  it('names --to where that PostgreSQL cannot be reached', async () => {
    const env = await readyStore('sqlite')
    const { code, err } = await postern({ env }, 'move', '--to', 'postgres://u:p@127.0.0.1:1/x')
    assert.deepEqual(
      [code, err],
      [1, 'PostgreSQL cannot be reached (ECONNREFUSED 127.0.0.1:1). Check --to, and whether it runs.'],
    )
  })

  it('refuses a database that has rows of another installation, and mixes nothing', async () => {
    const [env, other] = [await fullStore(), await readyStore('postgres')]
    await postern({ env: other }, 'invite', '--organization', 'Other', '--email', 'bob@other.test')
    const before = await everySum(other)
    const refused = await postern({ env }, 'move', '--to', other.DATABASE_URL ?? '')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /is not empty: it has rows of its own \(in account, /)
    assert.deepEqual(await everySum(other), before)
    const invited = await invite(env, 'eve@acme.test')
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
    const begunLate = beginProcess(['move', '--to', DATABASE_URL], env)
    const indexing = new Promise<void>((resolve) =>
      begunLate.child.stdout?.on('data', (text: string) => {
        if (!text.includes('texts for searches')) return
        begunLate.child.kill('SIGKILL')
        resolve()
      }),
    )
    await within('all tables to be moved', indexing)
    await within('the killed move to be gone', begunLate.gone)
    for (const place of [env, { ...env, DATABASE_URL }]) {
      const { code, err } = await postern({ env: place }, 'organizations')
      assert.equal(code, 1)
      assert.match(err, /repeat the (same "postern )?move/i)
    }

    const again = await postern({ env }, 'move', '--to', DATABASE_URL)
    assert.equal(again.code, 0, again.err)
    assert.match(again.out, /digests are equal \(before\)/)
    assert.deepEqual(await everySum({ ...env, DATABASE_URL }), await everySum(env))
  })
})
