import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { migrate } from '#src/db/migrate.ts'
import { MIGRATIONS, SCHEMA_VERSION } from '#src/db/migrations/migrations.ts'
import { Client } from './support/browser.ts'
import { nextVersion } from './support/next-version.ts'
import { nightly } from './support/nightly.ts'
import { openEngine } from './support/older-store.ts'
import { PASSWORD } from './support/people.ts'
import { startPostern } from './support/postern.ts'
import { type ServerProcess, startProcess } from './support/process.ts'
import { useReceivers } from './support/processes.ts'
import { publishTo, sendingInstallation } from './support/publishing.ts'
import { refusedStart } from './support/start-here.ts'
import { until } from './support/waits.ts'

/** Tables that every event, delivery and request uses: statements of the older program go on while these get columns. */
const HOT = ['organization', 'api_key', 'webhook', 'event', 'delivery', 'attempt', 'job', 'worker', 'lane']

/** How many servers are replaced, one after the other. */
const OLDER = nightly(2, 1)

const receiver = useReceivers()
const installation = () => sendingInstallation(receiver)
const servers: ServerProcess[] = []
after(async () => {
  for (const server of servers) await server.kill()
})

async function start(env: Record<string, string>, program?: string): Promise<ServerProcess> {
  const server = await startProcess(env, program)
  servers.push(server)
  return server
}

/** Ends a server as an orchestrator does: it is out of the balance once it says that it is not ready. */
async function takeOut(server: ServerProcess, balanced: ServerProcess[]): Promise<void> {
  const ended = server.end()
  await until(
    () => fetch(`${server.url}/readyz`).then(({ status }) => status),
    (status) => status === 503,
    { what: 'a server to say that it is about to end' },
  )
  balanced.splice(balanced.indexOf(server), 1)
  assert.equal(await ended, 0)
}

describe('two processes on PostgreSQL', () => {
  it('are rolled to the next version under load: nothing is lost, refused or sent twice', async () => {
    const { env, key, receivers } = await installation()
    const next = nextVersion([
      ...HOT.map((table) => `alter table ${table} add column later text`),
      'create table later (id text primary key, organization_id text not null)',
    ])
    const older = await Promise.all(Array.from({ length: OLDER }, () => start(env)))
    const newer: ServerProcess[] = []
    const balanced = [...older]
    const load = publishTo(balanced, key)
    for (const old of older) await load.more(old, 20)
    for (const old of older) {
      const server = await start(env, next.program)
      newer.push(server)
      balanced.push(server)
      // The older one goes on beside it, on the later schema.
      await load.more(server, 20)
      await load.more(old, 20)
      assert.equal(await schemaOf(env), SCHEMA_VERSION + 1)
      await takeOut(old, balanced)
    }
    for (const server of newer) await load.more(server, 20)
    await load.stop()

    const { acknowledged, retried, refused } = load.ledger
    assert.deepEqual(refused, [])
    assert.deepEqual(retried, [])
    for (const { received } of receivers) {
      const ids = () => new Set(received.map(({ event }) => event.id))
      await until(
        () => [...acknowledged.keys()].filter((id) => !ids().has(id)),
        (missing) => missing.length === 0,
        { what: 'every acknowledged event to be received' },
      )
      assert.equal(received.length, acknowledged.size, 'received twice, or never acknowledged')
    }
    for (const server of newer) assert.equal(await server.end(), 0)
  })

  it('keep a version away that would take from them what they need, until they have ended', async () => {
    const { env } = await installation()
    const server = await startPostern('postgres', { env0: env })
    const engine = openEngine(env)
    const read = async () => ({ statements: () => ['alter table worker rename column divides to shares'] })
    const narrowed = [...MIGRATIONS, { name: 'shares', floor: SCHEMA_VERSION + 1, read }]
    const bring = () => migrate(engine, { migrations: narrowed, now: 1, report() {} })
    try {
      await assert.rejects(
        bring(),
        new RegExp(
          `^OlderProcessError: An older Postern \\(schema version ${SCHEMA_VERSION}\\) runs on this database, .*: stop all older ones first; nothing was changed\\.$`,
        ),
      )
      assert.equal(await schemaOf(env), SCHEMA_VERSION)
      await server.stop()
      await bring()
    } finally {
      await engine.close()
    }
    const { code, err } = await refusedStart(env)
    assert.equal(code, 1)
    assert.match(
      err,
      new RegExp(
        `schema version ${SCHEMA_VERSION + 1}\\); this one .* knows versions up to ${SCHEMA_VERSION}\\. Start the Postern`,
      ),
    )
    assert.equal(err.trim().split('\n').length, 1)
  })

  it('go on while the schema waits for a transaction that holds a table, and it is changed once that has ended', async () => {
    const { env, key, email } = await installation()
    const server = await startPostern('postgres', { env0: env })
    const signIn = async () => {
      for (let times = 0; times < 4; times += 1) {
        const { status, text } = await new Client(server.url).post('/v1/auth/sign-in/email', {
          email,
          password: PASSWORD,
        })
        assert.equal(status, 200, text)
      }
    }
    await signIn()
    const engine = openEngine(env)
    // A plain connection: one of Postern's would end a transaction that is idle for 30 seconds.
    const holder = new pg.Client({ connectionString: String(env.DATABASE_URL) })
    await holder.connect()
    const read = async () => ({
      statements: () => ['event', 'account'].map((one) => `alter table ${one} add column later text`),
    })
    try {
      await holder.query('begin; lock table event in access share mode')
      const changed = migrate(engine, {
        migrations: [...MIGRATIONS, { name: 'later', read }],
        now: 1,
        report() {},
      })
      const load = publishTo([server], key)
      await load.more(server, 60)
      await load.stop()
      assert.deepEqual([load.ledger.refused, load.ledger.retried], [[], []])
      assert.equal(await schemaOf(env), SCHEMA_VERSION)
      await holder.query('commit')
      await changed
      assert.equal(await schemaOf(env), SCHEMA_VERSION + 1)
      // A prepared query of a connection must not use the columns from before the migration.
      await signIn()
    } finally {
      await holder.end()
      await engine.close()
      await server.stop()
    }
  })
})

async function schemaOf(env: Record<string, string>): Promise<number> {
  const engine = openEngine(env)
  const { rows } = await sql<{ version: string }>`select max(version) as version from migration`.execute(
    engine.db,
  )
  await engine.close()
  return Number(rows[0]?.version)
}
