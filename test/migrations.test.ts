import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { VERSION } from '#src/core/version.ts'
import { type Database, openDatabase, SCHEMA_VERSION } from '#src/db/database.ts'
import { Client } from './support/browser.ts'
import { olderStore } from './support/older-store.ts'
import { freshStore, onBothEngines } from './support/postern.ts'
import { runProcess, startProcess } from './support/process.ts'

type Store = Record<string, string>

/** Opens a store as the program does, and tells the steps that it took. */
async function open(store: Store): Promise<{ database: Database; steps: string[] }> {
  const { dataDir, databaseUrl } = readConfig(store).store
  const steps: string[] = []
  const database = await openDatabase({
    dataDir,
    databaseUrl,
    clock: systemClock,
    report: (step) => steps.push(step),
    onConnectionError: () => {},
  })
  return { database, steps }
}

/** Every migration that was applied, and when. */
async function applied(database: Database): Promise<unknown[]> {
  const { rows } = await sql`select version, name, applied_at from migration order by version`.execute(
    database.db,
  )
  return rows
}

onBothEngines('migrations', (engine) => {
  it('report a new database in one line, and change nothing the second time', async () => {
    const store = await freshStore(engine)
    const first = await open(store)
    assert.deepEqual(first.steps, [`schema ${SCHEMA_VERSION}, a new database`])
    const before = await applied(first.database)
    await first.database.close()
    const second = await open(store)
    assert.deepEqual(second.steps, [])
    assert.deepEqual(await applied(second.database), before)
    await second.database.close()
  })

  it('are logged by the server: one line for a new database, a line a step for one that is brought up', async () => {
    let store: Store = await freshStore(engine)
    const steps = async () => {
      const server = await startProcess({ ...store, LOG_LEVEL: 'info' })
      const lines = server.out().split('\n')
      await server.end()
      return lines.filter((line) => line.includes('"migrating"')).map((line) => JSON.parse(line).step)
    }
    assert.deepEqual(await steps(), [`schema ${SCHEMA_VERSION}, a new database`])
    assert.deepEqual(await steps(), [])
    store = await olderStore(engine, SCHEMA_VERSION - 2, async () => {})
    const numbers = (await steps()).map((step) => /^schema (\d+)\/(\d+): ./.exec(step)?.slice(1))
    assert.deepEqual(
      numbers,
      [SCHEMA_VERSION - 1, SCHEMA_VERSION].map((version) => [`${version}`, `${SCHEMA_VERSION}`]),
    )
  })

  it('refuse in one sentence a database that they cannot bring up, say which Postern wrote it, and change nothing', async () => {
    for (const writer of [undefined, '0.0.9']) {
      const store = await olderStore(engine, 2, async (tx) => {
        // What step 3 makes is there already: the schema is not the one that the step begins with.
        await sql`create table connection (id text primary key)`.execute(tx)
        if (writer !== undefined)
          await tx.insertInto('meta').values({ key: 'version', value: writer }).execute()
      })
      const by = writer === undefined ? 'an earlier Postern' : `Postern ${writer}`
      for (const _time of ['first', 'second']) {
        const { code, err } = await runProcess(['start'], { ...store, PORT: '0', LOG_LEVEL: 'error' })
        assert.equal(code, 1)
        assert.match(
          err.trim(),
          new RegExp(
            `^The database was written by ${by} \\(schema version 2\\), and Postern \\S+ cannot bring it to schema version ${SCHEMA_VERSION}: ` +
              'step 3 failed \\([^\\n]+\\), and nothing was changed\\. Start the Postern that wrote it, or begin a new database elsewhere\\.$',
          ),
        )
      }
    }
  })

  it('of processes that start at once on an empty database do not collide', async () => {
    const store = await freshStore(engine)
    const ended = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        runProcess(['invite', '--organization', 'Acme', '--email', `${name}@acme.test`, '--json'], store),
      ),
    )
    assert.deepEqual(
      ended.map(({ code, err }) => [code, err.replace(/^migrating: .*\n/gm, '')]),
      ended.map(() => [0, '']),
    )
    // One of them made the organization, one of them the key, and all of them found both.
    assert.equal(new Set(ended.map(({ out }) => JSON.parse(out).organizationId)).size, 1)
    const { database, steps } = await open(store)
    assert.deepEqual(steps, [])
    assert.equal((await applied(database)).length, SCHEMA_VERSION)
    await database.close()
  })

  it('refuse a database that a newer Postern wrote, and name both versions', async () => {
    const store = await freshStore(engine)
    const { database } = await open(store)
    const newer = SCHEMA_VERSION + 3
    await database.tx((tx) =>
      sql`insert into migration (version, name, applied_at) values (${newer}, 'later', 0)`.execute(tx),
    )
    await database.close()
    const { code, err } = await runProcess(['start'], { ...store, PORT: '0', LOG_LEVEL: 'error' })
    assert.equal(code, 1)
    assert.equal(
      err.trim(),
      `The database was written by a newer Postern (schema version ${newer}); this one (Postern ${VERSION}) knows versions up to ${SCHEMA_VERSION}. ` +
        'Start the Postern that wrote it, or restore the backup made before the upgrade.',
    )
    const doctor = await runProcess(['doctor'], store)
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, new RegExp(`schema ${newer} of ${SCHEMA_VERSION}: a newer Postern wrote it`))
  })
})

it('two servers start at once on an empty PostgreSQL database, and both serve', async () => {
  const store = await freshStore('postgres')
  const servers = await Promise.all([startProcess(store), startProcess(store)])
  for (const { url } of servers) assert.equal((await new Client(url).get('/readyz')).status, 200)
  for (const server of servers) assert.equal(await server.end(), 0)
})

it('of two servers that start at once on an empty data folder one serves and one says why not', async () => {
  const store = await freshStore('sqlite')
  const outcomes = await Promise.allSettled([startProcess(store), startProcess(store)])
  const [serving] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  assert.match(String(refused), /Postern already runs on /)
  assert.equal(await serving?.end(), 0)
})

/** Has SQLite's lock on the file that a server holds, as far as `begin` takes it. */
async function holdLock(begin: string) {
  const store = await freshStore('sqlite')
  const lock = new DatabaseSync(join(store.DATA_DIR ?? '', 'server.lock'))
  lock.exec(begin)
  return { store, lock }
}

it('a server starts while another only looks whether it may', async () => {
  const { store, lock } = await holdLock('begin; select * from sqlite_master')
  const server = await startProcess(store)
  lock.close()
  assert.equal(await server.end(), 0)
})

it('a server that is refused has touched nothing of the data', async () => {
  const { store, lock } = await holdLock('begin immediate')
  const { code, err } = await runProcess(['start'], { ...store, PORT: '0', LOG_LEVEL: 'error' })
  assert.equal(code, 1)
  assert.match(err.trim(), /^Postern already runs on \S+\. Stop it first, or set another DATA_DIR\.$/)
  for (const name of ['postern.db', 'secret.key'])
    assert.ok(!existsSync(join(store.DATA_DIR ?? '', name)), name)
  lock.close()
})
