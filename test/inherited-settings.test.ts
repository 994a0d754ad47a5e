import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { systemClock } from '#src/core/clock.ts'
import type { Db } from '#src/db/engine/handles.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { noPooler, poolers, startPooler } from './support/pgbouncer.ts'
import { freshStore } from './support/postern.ts'

const endings: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of endings.reverse()) await end()
})

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

function open(url: string) {
  const engine = openPostgres(url, { clock: systemClock, size: 4, onConnectionError() {} })
  endings.push(() => engine.close())
  return engine
}

/** After which PostgreSQL ends a statement, and a transaction in which nothing happens. */
const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout']

/** What PostgreSQL says that a setting is. */
async function shown(db: Db, setting: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`show ${sql.ref(setting)}`.execute(db)
  return rows[0]?.[setting]
}

/** A database whose operator gives every session other settings. */
async function careless(): Promise<string> {
  const url = (await freshStore('postgres')).DATABASE_URL ?? ''
  const name = new URL(url).pathname.slice(1)
  for (const setting of [
    `synchronous_commit = 'off'`,
    `default_transaction_isolation = 'serializable'`,
    `statement_timeout = 0`,
    `idle_in_transaction_session_timeout = 0`,
  ])
    await ask(url, `alter database ${name} set ${setting}`)
  return url
}

describe('what the operator gives every session of PostgreSQL', () => {
  async function proveOwnSettings(url: string): Promise<void> {
    const { tx, brief, relaxed, background, reserved } = open(url)
    for (const write of [tx, brief, background.tx, background.brief, reserved.tx, reserved.brief]) {
      assert.equal(await write((own) => shown(own, 'synchronous_commit')), 'on')
      assert.equal(await write((own) => shown(own, 'transaction_isolation')), 'read committed')
      for (const limit of LIMITS) assert.equal(await write((own) => shown(own, limit)), '30s')
    }
    assert.equal(await relaxed((own) => shown(own, 'synchronous_commit')), 'off')
    assert.equal(await tx((own) => shown(own, 'synchronous_commit')), 'on')
  }

  it('is not what a commit waits for, nor how a transaction sees others', async () => {
    const url = await careless()
    await proveOwnSettings(url)
    const { db, background, reserved } = open(url)
    for (const reading of [db, background.db, reserved.db]) {
      assert.equal(await shown(reading, 'transaction_isolation'), 'read committed')
      for (const limit of LIMITS) assert.equal(await shown(reading, limit), '30s')
    }
  })

  it('is not that behind a pooler either', { skip: noPooler }, async () => {
    for (const { path } of poolers) {
      const pooler = await startPooler(path, await careless(), 2)
      endings.push(pooler.stop)
      await proveOwnSettings(pooler.url)
    }
  })
})

describe('a connection to a PostgreSQL that takes no writes any more', () => {
  it('is not used again: the next one may lead to the new primary', async () => {
    const url = (await freshStore('postgres')).DATABASE_URL ?? ''
    await ask(url, 'create table kept (value integer)')
    const { tx } = open(url)
    const write = () => tx((own) => sql`insert into kept values (1)`.execute(own))
    const session = () =>
      tx(async (own) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(own)).rows)
    await write()
    const before = await session()
    // As a server says it that has become a standby under its connections.
    await tx((own) => sql`set session characteristics as transaction read only`.execute(own))
    await assert.rejects(write(), { code: '25006' })
    await write()
    assert.notDeepEqual(await session(), before)
  })
})
