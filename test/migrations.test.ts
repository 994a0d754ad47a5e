import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { DAY, systemClock } from '#src/core/clock.ts'
import { VERSION } from '#src/core/version.ts'
import { type Database, openDatabase, SCHEMA_VERSION } from '#src/db/database.ts'
import type { Db } from '#src/db/engine/handles.ts'
import { migrate } from '#src/db/migrate.ts'
import { floorOf, MIGRATIONS, type Migration } from '#src/db/migrations/migrations.ts'
import { freeLost } from '#src/jobs/queue/lost-claims.ts'
import { findNarrowing } from './support/narrowing.ts'
import { olderStore, openEngine, storeBeforeRelease } from './support/older-store.ts'
import {
  type EngineName,
  freshStore,
  onBothEngines,
  postern,
  startPostern,
  testOnOneEngineByDay,
} from './support/postern.ts'
import { beginProcess, runProcess } from './support/process.ts'
import { refusedStart } from './support/start-here.ts'
import { within } from './support/waits.ts'

type Store = Record<string, string>

/**
 * A digest of the statements of each migration, by engine. An entry is added with its migration and never changed after a
 * release, because a database that has had the migration does not get its statements once more.
 */
const DIGESTS: Record<string, Record<EngineName, string>> = {
  '001 organizations': { sqlite: '2f4b728a1ccfdd26', postgres: '5ae9dd5298baebe3' },
  '002 access': { sqlite: '501a4a6b01ac8eb6', postgres: '1740ed91abd8a40d' },
  '003 audit': { sqlite: '57ea6bb403c88246', postgres: 'd53b48be41442fe3' },
  '004 oauth': { sqlite: '4b5737786b1814ad', postgres: 'b1fb199d6aeba5e9' },
  '005 mail': { sqlite: 'ed35407d2edfb6ee', postgres: '08c4bdd28408889b' },
  '006 http': { sqlite: '058ccf5b8e82025f', postgres: 'd2831b05c687c2e5' },
  '007 jobs': { sqlite: '8690e3e18badf9c1', postgres: '5bf512bd7bf7fb90' },
  '008 webhooks': { sqlite: 'a5cec6f6f74cff28', postgres: '70344d81547295d8' },
  '009 delivery': { sqlite: 'dd4b1947831ded2c', postgres: '6b4c2574ead3e3be' },
  '010 billing': { sqlite: '35ce96270fdda44d', postgres: '5ee52e5f6e3e30cb' },
  '011 connections': { sqlite: '259a5c5ad020b62e', postgres: 'a0bf0f668d72f1fe' },
  '012 blobs': { sqlite: 'e1421b49ba3e2611', postgres: 'bb336cca212eb837' },
  '013 files': { sqlite: 'e99f4ce00055371e', postgres: '9b37624df6d354b9' },
  '014 knowledge': { sqlite: 'f686bebe5e830425', postgres: '0c9ad1be35da678b' },
  '015 agents': { sqlite: '294f8fadc50e563c', postgres: 'd4411fc8a53d5761' },
  '016 live': { sqlite: '13dda760ac6c6129', postgres: '149ae5bddfa8ed72' },
  '017 db': { sqlite: 'e5de7814707e7fe3', postgres: '29284c00092f398b' },
  '018 external ids': { sqlite: '85d1d422d914c2e9', postgres: 'd2a9938b2b3f4e59' },
  '019 key scopes': { sqlite: '03d40e38fd6fe14d', postgres: '03d40e38fd6fe14d' },
  '020 service accounts': { sqlite: 'a9674924f0c87328', postgres: 'bad03b43ffddc1e2' },
  '021 platform keys': { sqlite: '8c18a78b007d749e', postgres: 'ea0727f3f19fb85a' },
  '022 leases': { sqlite: '6e6178d74043afc5', postgres: '6e6178d74043afc5' },
  '023 key expiry': { sqlite: 'c9b8003261b7449f', postgres: 'c9b8003261b7449f' },
  '024 ended keys': { sqlite: '423c86ed6161d5c7', postgres: 'a88518a16b78b90d' },
  '025 second factors': { sqlite: '22939b419825f415', postgres: 'b8512a4345219f85' },
  '026 oauth grants': { sqlite: 'dd47227170f85fad', postgres: '32628052fcc26d87' },
  '027 imported hashes': { sqlite: 'd734d0cdfb971662', postgres: '118eb90e136cbbda' },
  '028 roles': { sqlite: '6063a4d32026c8eb', postgres: 'dbe9fcea5c624d67' },
  '029 languages': { sqlite: 'fccb0c70ea285995', postgres: 'fccb0c70ea285995' },
  '030 domains': { sqlite: 'e2ef151c7093eaf3', postgres: '7267f827b600be6b' },
  '031 audit streams': { sqlite: '2327307d68a41083', postgres: 'd538d73fe486ebf2' },
  '032 listeners': { sqlite: '16a86ce9a36bbe89', postgres: '6aa0426a1a3ea1c1' },
  '033 scim': { sqlite: 'a3fee6b11fe339d9', postgres: 'ea0ffb8233d78d34' },
  '034 identity providers': { sqlite: 'c39fd98b9a23202e', postgres: 'dd1cd864b0fa56b9' },
  '035 factor grace': { sqlite: '581c27922753a2d2', postgres: '24e3c8d1258ae3e5' },
  '036 saml': { sqlite: 'd1ec3c76bb98b0c7', postgres: '22050f4ad2f916cb' },
  '037 provider logout': { sqlite: '0cbcb6ae8a4b74b4', postgres: '57b40ec56aa34a66' },
  '038 setup links': { sqlite: '7e8ac667b1d246d1', postgres: 'd85954a3014ccb13' },
  '039 provider sign-out': { sqlite: 'c2876812ebecb602', postgres: 'dbc83ae1e77a128a' },
  '040 saml keys': { sqlite: 'a29483592b286bdd', postgres: 'f9a63b69eeba4c30' },
  '041 scim exchanges': { sqlite: '0c911a04557e4242', postgres: '6005c80e373c07a6' },
  '042 retired secrets': { sqlite: '66fbe810b737e280', postgres: 'eb1fd509453dcc44' },
  '043 scim places': { sqlite: 'c9bc0793e4fdbbaf', postgres: 'c10b21d140555f23' },
}

/**
 * Tables whose rows do not name an organization: those of people and of the installation, and those that are read by the
 * row above them only. Any other table has `organization_id`, so that it can be divided (docs/architecture.md).
 */
const WITHOUT_ORGANIZATION = [
  ...['second_factor', 'recovery_code', 'pending_sign_in', 'passkey_challenge', 'imported_hash_kind'],
  ...[
    'account',
    'identity',
    'session',
    'one_time_token',
    'oauth_record',
    'sign_in_throttle',
    'social_state',
    'mail_request',
  ],
  ...[
    'platform_key',
    'platform_key_secret',
    'signing_key',
    'rate_window',
    'idempotency',
    'mail',
    'worker',
    'presence',
    'meta',
    'migration',
    'schema_floor',
  ],
  ...['audit_stream', 'audit_stream_secret'],
  ...['agent_version', 'run_wait', 'capture', 'webhook_secret', 'webhook_url'],
  ...['document_text', 'document_next_text', 'knowledge_count', 'removal', 'chunk_vector', 'chunk_terms'],
]

/** The statements of a migration, without regard to how they are indented. */
function digestOf(statements: string[]): string {
  const text = statements.map((statement) => statement.replaceAll(/\s+/g, ' ')).join(';')
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Migrations of a program that is newer than this one: `extra` follow those of this program. */
function newer(...extra: [name: string, ...statements: string[]][]): Migration[] {
  return [
    ...MIGRATIONS,
    ...extra.map(([name, ...statements]) => ({ name, read: async () => ({ statements: () => statements }) })),
  ]
}

/** Brings a store to the schema of a newer program. @returns its steps */
async function upgrade(store: Store, migrations: Migration[]): Promise<string[]> {
  const engine = openEngine(store)
  const steps: string[] = []
  try {
    await migrate(engine, { migrations, now: 1, report: (step) => steps.push(step) })
    return steps
  } finally {
    await engine.close()
  }
}

/** Asks a store for rows, whatever its schema. */
async function rowsOf(store: Store, read: string): Promise<unknown[]> {
  const engine = openEngine(store)
  try {
    const { rows } = await sql.raw<object>(read).execute(engine.db)
    return rows.map((row) => ({ ...row }))
  } finally {
    await engine.close()
  }
}

/** The names of the tables of a store. */
async function tablesOf(store: Store): Promise<string[]> {
  const engine = openEngine(store)
  try {
    return (await engine.db.introspection.getTables()).map(({ name }) => name).sort()
  } finally {
    await engine.close()
  }
}

/** Opens a store as the program does, and returns the steps that it reported. */
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
async function applied({ db }: { db: Db }): Promise<unknown[]> {
  const { rows } = await sql`select version, name, applied_at from migration order by version`.execute(db)
  return rows
}

onBothEngines('migrations', (engine) => {
  const test = testOnOneEngineByDay(engine)
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

  test('are logged by the server: one line for a new database, a line a step for one that is brought up', async () => {
    let store: Store = await freshStore(engine)
    const steps = async () => {
      const server = await startPostern(engine, { env0: store })
      const lines = server.log().split('\n')
      await server.stop()
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
        // The table that step 3 makes exists already: the schema is not the one that the step begins with.
        await sql`create table audit (id text primary key)`.execute(tx)
        if (writer !== undefined)
          await tx.insertInto('meta').values({ key: 'version', value: writer }).execute()
      })
      const by = writer === undefined ? 'an earlier Postern' : `Postern ${writer}`
      for (const _time of ['first', 'second']) {
        const { code, err } = await refusedStart(store)
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

  test('refuse in one sentence a database from before the first release, and change nothing', async () => {
    for (const version of [3, SCHEMA_VERSION, 38]) {
      const store = await storeBeforeRelease(engine, version)
      const [before, recorded] = [
        await tablesOf(store),
        'select version, name from migration order by version',
      ]
      const steps = await rowsOf(store, recorded)
      for (const run of [
        () => refusedStart(store),
        () => postern({ env: store }, 'migrate'),
        () => postern({ env: store }, 'organizations'),
      ]) {
        const { code, err } = await run()
        assert.equal(code, 1)
        assert.equal(
          err.trim(),
          `The database was written by a Postern from before the first release (schema version ${version} of that time), ` +
            `and Postern ${VERSION} cannot take its data over: begin with a new database by setting another ` +
            `${engine === 'sqlite' ? 'DATA_DIR' : 'DATABASE_URL'}, or start the Postern that wrote it; nothing was changed.`,
        )
      }
      const doctor = await postern({ env: store }, 'doctor')
      assert.equal(doctor.code, 1)
      assert.match(
        doctor.out,
        /^problem +Database .*written by a Postern from before the first release; begin a new database, or start that one$/m,
      )
      assert.deepEqual(await tablesOf(store), before)
      assert.deepEqual(await rowsOf(store, recorded), steps)
      assert.deepEqual(await rowsOf(store, 'select name from organization'), [{ name: 'Acme' }])
    }
  })

  it('bring a store up with its data, one step after the other', async () => {
    const store = await olderStore(engine, SCHEMA_VERSION, async (tx) => {
      await sql`insert into organization (id, name, plan, created_at) values ('org_1', 'Acme', 'free', 5)`.execute(
        tx,
      )
    })
    const next = newer(
      ['colours', `alter table organization add column colour text not null default 'grey'`],
      ['red ones', `update organization set colour = 'red' where created_at = 5`],
    )
    assert.deepEqual(await upgrade(store, next), [
      `schema ${SCHEMA_VERSION + 1}/${SCHEMA_VERSION + 2}: colours`,
      `schema ${SCHEMA_VERSION + 2}/${SCHEMA_VERSION + 2}: red ones`,
    ])
    assert.deepEqual(await rowsOf(store, 'select name, colour from organization'), [
      { name: 'Acme', colour: 'red' },
    ])
    assert.deepEqual(await upgrade(store, next), [])
    const versions = await rowsOf(store, 'select version from migration order by version')
    assert.equal(versions.length, SCHEMA_VERSION + 2)
  })

  it('let an organization of an earlier version have no external id, and two of them one each', async () => {
    const before = MIGRATIONS.findIndex(({ name }) => name === 'external ids')
    const store = await olderStore(engine, before, async (tx) => {
      for (const name of ['Acme', 'Beta'])
        await sql`insert into organization (id, name, plan, created_at) values (${`org_${name}`}, ${name}, 'free', 5)`.execute(
          tx,
        )
    })
    const { database } = await open(store)
    const identify = (id: string, externalId: string) =>
      database.tx((tx) =>
        tx
          .updateTable('organization')
          .set({ external_id: externalId })
          .where('id', '=', id as never)
          .execute(),
      )
    const read = database.db.selectFrom('organization').select(['name', 'external_id']).orderBy('name')
    assert.deepEqual(
      (await read.execute()).map(({ name, external_id }) => [name, external_id]),
      [
        ['Acme', null],
        ['Beta', null],
      ],
    )
    await identify('org_Acme', 'cus_1')
    await assert.rejects(identify('org_Beta', 'cus_1'), (error) => database.isUniqueViolation(error))
    await database.close()
  })

  it('leave one row of a process that had one for each of its queues, and free what the others had claimed', async () => {
    const before = MIGRATIONS.findIndex(({ name }) => name === 'leases')
    const store = await olderStore(engine, before, async (tx) => {
      const until = systemClock.now() + DAY
      for (const queue of ['delivery', 'mail', 'file'])
        await sql`insert into worker (id, queue, alive_until) values (${`of ${queue}`}, ${queue}, ${until})`.execute(
          tx,
        )
      for (const queue of ['mail', 'file'])
        await sql`insert into job (id, kind, lane_id, cap, payload, status, attempts, begun, due_at, horizon_at, claim_id, created_at, updated_at)
          values (${`job of ${queue}`}, ${queue}, 'one', 1, '{}', 'pending', 0, 0, 5, ${until}, ${`of ${queue}`}, 5, 5)`.execute(
          tx,
        )
    })
    const { database } = await open(store)
    const { db } = database
    const workers = await db.selectFrom('worker').select('id').execute()
    assert.deepEqual(
      workers.map(({ id }) => id),
      ['of delivery'],
    )
    for (const kind of ['mail', 'file'])
      await freeLost(database, { table: 'job', lane: 'lane_id', kind }, systemClock.now())
    const claims = await db.selectFrom('job').select('claim_id').execute()
    assert.deepEqual(
      claims.map(({ claim_id }) => claim_id),
      [null, null],
    )
    await database.close()
  })

  test('leave API keys that were made before scopes with all that their role may', async () => {
    const before = MIGRATIONS.findIndex(({ name }) => name === 'key scopes')
    const store = await olderStore(engine, before, async (tx) => {
      await sql`insert into organization (id, name, plan, created_at) values ('org_1', 'Acme', 'free', 5)`.execute(
        tx,
      )
      await sql`insert into api_key (id, organization_id, name, role, key_hash, hint, created_at)
        values ('key_1', 'org_1', 'Deploys', 'member', 'hash', 'abcd', 5)`.execute(tx)
    })
    await upgrade(store, [...MIGRATIONS])
    const keys = await rowsOf(store, 'select name, role, scopes from api_key')
    assert.deepEqual(keys, [{ name: 'Deploys', role: 'member', scopes: null }])
  })

  it('of one start are all taken or none: where a later one fails, the store is as it was', async () => {
    const store = await olderStore(engine, SCHEMA_VERSION, async (tx) => {
      await sql`insert into organization (id, name, plan, created_at) values ('org_1', 'Acme', 'free', 5)`.execute(
        tx,
      )
    })
    const before = await tablesOf(store)
    const good: [string, string] = ['colours', 'create table colour (name text primary key)']
    await assert.rejects(
      upgrade(
        store,
        newer(good, [
          'paint',
          `update organization set name = 'Painted'`,
          'alter table wall add colour text',
        ]),
      ),
      new RegExp(`step ${SCHEMA_VERSION + 2} failed \\(.*wall.*\\), and nothing was changed\\.`),
    )
    assert.deepEqual(await tablesOf(store), before)
    assert.deepEqual(await rowsOf(store, 'select name from organization'), [{ name: 'Acme' }])
    assert.deepEqual(
      await rowsOf(store, `select version from migration where version > ${SCHEMA_VERSION}`),
      [],
    )
    assert.equal((await upgrade(store, newer(good))).length, 1)
  })

  it('that a killed process began are taken whole by the next start', async () => {
    const store = await freshStore(engine)
    const { child, gone } = beginProcess(['start'], { ...store, PORT: '0', LOG_LEVEL: 'info' })
    let said = ''
    const hasBegun = new Promise<void>((resolve) =>
      child.stdout?.on('data', (text: string) => {
        said += text
        if (said.includes('"migrating"')) resolve()
      }),
    )
    await within('a start to begin with the schema', hasBegun, { now: () => said })
    child.kill('SIGKILL')
    await within('a killed start to be gone', gone)
    const server = await startPostern(engine, { env0: store })
    assert.equal((await server.client().get('/readyz')).status, 200)
    await server.stop()
    const recorded = await rowsOf(store, 'select version, name from migration order by version')
    assert.deepEqual(
      recorded,
      MIGRATIONS.map(({ name }, index) => ({
        version: index + 1,
        name,
      })),
    )
  })

  it('of a release are never edited', async () => {
    const engineOf = openEngine(await freshStore(engine))
    const { dialect } = engineOf
    await engineOf.close()
    for (const [index, { name, read }] of MIGRATIONS.entries()) {
      const key = `${String(index + 1).padStart(3, '0')} ${name}`
      const digest = digestOf((await read()).statements(dialect))
      assert.equal(
        digest,
        DIGESTS[key]?.[engine],
        `Migration ${key} has other statements on ${engine} than its digest stands for. A released migration is never edited, ` +
          'renamed or moved, nor is a statement of the dialect that it is written with: undo that, and make the change by a new ' +
          `migration with the next number. A migration that no release has gets the digest ${digest} in the table of this test.`,
      )
    }
    assert.equal(Object.keys(DIGESTS).length, MIGRATIONS.length)
  })

  it('only add, or say with a floor which programs still work after them', async () => {
    const engineOf = openEngine(await freshStore(engine))
    const { dialect } = engineOf
    await engineOf.close()
    for (const [index, { name, floor, read }] of MIGRATIONS.entries()) {
      const narrowing = findNarrowing((await read()).statements(dialect))
      if (floor === undefined)
        assert.equal(
          narrowing,
          undefined,
          `Migration ${index + 1} (${name}) takes something from programs before it. Give it a floor in migrations.ts: the oldest schema ` +
            'version whose program works after it; or add now, and take away with a later minor version.',
        )
      else {
        assert.ok(Number.isSafeInteger(floor) && floor >= 1 && floor <= index + 1, name)
        assert.ok(floor >= floorOf(MIGRATIONS.slice(0, index)), `${name} lowers the floor`)
      }
    }
  })

  it('make tables that say whose each row is, but for those that are known not to', async () => {
    const { database } = await open(await freshStore(engine))
    const tables = await database.db.introspection.getTables()
    await database.close()
    const without = tables
      .filter(({ columns }) => !columns.some(({ name }) => name === 'organization_id'))
      .map(({ name }) => name)
      // The engine's own, and those beside the index of texts.
      .filter(
        (name) => name !== 'organization' && !name.startsWith('sqlite_') && !name.startsWith('chunk_terms_'),
      )
    assert.deepEqual(without.sort(), WITHOUT_ORGANIZATION.toSorted())
  })

  it('of processes that bring an older store up at once do not collide', async () => {
    const store = await olderStore(engine, SCHEMA_VERSION - 2, async () => {})
    const ended = await Promise.all(['a', 'b'].map(() => runProcess(['migrate', '--json'], store)))
    assert.deepEqual(
      ended.map(({ code, err }) => [code, err]),
      ended.map(() => [0, '']),
    )
    const steps = ended.map(({ out }) => JSON.parse(out).steps.length).sort()
    assert.deepEqual(steps, [0, 2])
  })

  it('of processes that start at once on an empty database do not collide', async () => {
    const store = await freshStore(engine)
    const ended = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
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

  test('of a newer Postern that only add let this one start, and its commands but those that must know every table', async () => {
    const store = await freshStore(engine)
    await (await open(store)).database.close()
    await upgrade(
      store,
      newer(['colours', `alter table organization add column colour text not null default 'grey'`]),
    )
    const server = await startPostern(engine, { env0: store })
    assert.equal((await server.client().get('/readyz')).status, 200)
    await server.stop()
    const env = { ...store, SMTP_URL: 'smtp://127.0.0.1:1' }
    const invited = await postern({ env }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
    assert.equal(invited.code, 0, invited.err)
    const doctor = await postern({ env: store }, 'doctor')
    assert.match(
      doctor.out,
      new RegExp(`schema ${SCHEMA_VERSION + 1} of ${SCHEMA_VERSION}: a newer Postern serves it too`),
    )
    for (const command of [['rotate-key'], ['move', '--to', 'sqlite:/nowhere/at/all']]) {
      const { code, err } = await postern({ env: store }, ...command)
      assert.equal(code, 1)
      assert.match(err, /^The database was written by .*Start the Postern that wrote it, or restore/)
    }
    assert.deepEqual(await rowsOf(store, 'select name, colour from organization'), [
      { name: 'Acme', colour: 'grey' },
    ])
  })

  it('refuse a database that a newer Postern wrote, and name both versions', async () => {
    const store = await freshStore(engine)
    const { database } = await open(store)
    const newer = SCHEMA_VERSION + 3
    await database.tx((tx) =>
      sql`insert into migration (version, name, applied_at) values (${newer}, 'later', 0)`.execute(tx),
    )
    await database.tx((tx) => sql`insert into schema_floor (version) values (${newer - 1})`.execute(tx))
    await database.close()
    const { code, err } = await refusedStart(store)
    assert.equal(code, 1)
    assert.equal(
      err.trim(),
      `The database was written by a newer Postern (schema version ${newer}); this one (Postern ${VERSION}) knows versions up to ${SCHEMA_VERSION}, and works with none that asks for ${newer - 1} or later. ` +
        'Start the Postern that wrote it, or restore the backup made before the upgrade.',
    )
    const doctor = await postern({ env: store }, 'doctor')
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, new RegExp(`schema ${newer} of ${SCHEMA_VERSION}: a newer Postern wrote it`))
  })
})

describe('a statement of a migration', () => {
  const narrowing = [
    'drop table file',
    'alter table file drop column name',
    'alter table file rename column name to title',
    'alter table file rename to document',
    'alter table file add column colour text not null',
    'alter table file alter column name set not null',
    'alter table file add constraint named check (name is not null)',
    'create unique index file_name on file (organization_id, name)',
    'create trigger file_frozen before update on file for each row execute function refuse()',
  ]
  for (const statement of narrowing)
    it(`that takes something from programs before it is found: ${statement}`, () => {
      assert.equal(findNarrowing(['create table colour (name text)', statement]), statement)
    })

  it('that only adds is none', () => {
    const adding = [
      'create table colour (name text not null)',
      'create unique index colour_name on colour (name)',
      'alter table file add column colour text',
      'alter table file add column shade integer not null default 0',
      'create unique index file_colour on file (organization_id, colour) where colour is not null',
      'create index file_shade on file (shade)',
    ]
    assert.equal(findNarrowing(adding), undefined)
  })
})

it('two servers start at once on an empty PostgreSQL database, and both serve', async () => {
  const store = await freshStore('postgres')
  const start = () => startPostern('postgres', { env0: store })
  const servers = await Promise.all([start(), start()])
  for (const server of servers) assert.equal((await server.client().get('/readyz')).status, 200)
  for (const server of servers) await server.stop()
})

it('of two servers that start at once on an empty data folder one serves and one says why not', async () => {
  const store = await freshStore('sqlite')
  const start = () => startPostern('sqlite', { env0: store })
  const outcomes = await Promise.allSettled([start(), start()])
  const [serving] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  assert.match(String(refused), /Postern already runs on /)
  assert.equal((await serving?.client().get('/readyz'))?.status, 200)
  await serving?.stop()
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
  const server = await startPostern('sqlite', { env0: store })
  lock.close()
  await server.stop()
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
