import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { openDatabase, SCHEMA_VERSION } from '#src/db/database.ts'
import { olderStore } from './support/older-store.ts'
import { freshStore, onBothEngines, postern } from './support/postern.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-migrate-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Store = Record<string, string>

/** Changes a store at this program's schema by hand. */
async function change(store: Store, ...statements: string[]): Promise<void> {
  const database = await openDatabase({
    ...readConfig(store).store,
    clock: systemClock,
    report() {},
    onConnectionError() {},
  })
  await database.tx(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
  await database.close()
}

/** Each command that works with what is stored, in a form that it understands. */
const COMMANDS = [
  ['invite', '--organization', 'Acme', '--email', 'ada@acme.test'],
  ['mail'],
  ['account', '--email', 'ada@acme.test', '--disable'],
  ['plan', '--organization', 'Acme'],
  ['credits'],
  ['organizations'],
  ['rotate-key'],
]

onBothEngines('postern migrate', (engine) => {
  it('makes the schema, and does nothing the second time', async () => {
    const store = await freshStore(engine)
    const first = await postern({ env: store }, 'migrate')
    assert.equal(first.code, 0, first.err)
    assert.match(first.out, new RegExp(`^Migrating: schema ${SCHEMA_VERSION}, a new database$`, 'm'))
    assert.match(first.out, new RegExp(`schema version ${SCHEMA_VERSION} now, it had 0\\.$`))
    const repeated = await postern({ env: store }, 'migrate', '--json')
    assert.deepEqual(JSON.parse(repeated.out), { from: SCHEMA_VERSION, to: SCHEMA_VERSION, steps: [] })
  })

  it('and a start alone bring a store to another version; every other command refuses one, in words', async () => {
    const store = await olderStore(engine, SCHEMA_VERSION - 1, async () => {})
    for (const args of COMMANDS) {
      const { code, err } = await postern({ env: store }, ...args)
      assert.equal(code, 1, args.join(' '))
      assert.equal(
        err,
        `The database has schema version ${SCHEMA_VERSION - 1}, this Postern works with ${SCHEMA_VERSION}. ` +
          'Make a backup with "npx postern backup", then start Postern, or run "npx postern migrate".',
      )
    }
    const told = new RegExp(`^warning +Database .*schema ${SCHEMA_VERSION - 1} of ${SCHEMA_VERSION}`, 'm')
    assert.match((await postern({ env: store }, 'doctor')).out, told)
    if (engine === 'sqlite') {
      const file = join(folder, 'before.tar')
      const env = { ...store, BACKUP_PASSPHRASE: 'correct horse battery staple' }
      const { code, err } = await postern({ env }, 'backup', '--to', file)
      assert.equal(code, 0, err)
      assert.ok(existsSync(file))
    }
    assert.match((await postern({ env: store }, 'doctor')).out, told)
    const migrated = await postern({ env: store }, 'migrate', '--json')
    assert.equal(migrated.code, 0, migrated.err)
    assert.equal(JSON.parse(migrated.out).from, SCHEMA_VERSION - 1)
    assert.equal((await postern({ env: store }, ...(COMMANDS[0] ?? []))).code, 0)
  })

  it('refuses a store that a newer Postern wrote, as every command does', async () => {
    const store = await freshStore(engine)
    assert.equal((await postern({ env: store }, 'migrate')).code, 0)
    await change(store, "insert into migration (version, name, applied_at) values (99, 'later', 0)")
    await change(store, 'insert into schema_floor (version) values (99)')
    for (const args of [...COMMANDS, ['migrate']]) {
      const { code, err } = await postern({ env: store }, ...args)
      assert.equal(code, 1, args.join(' '))
      assert.match(err, /^The database was written by Postern \S+ \(schema version 99\); this one /)
    }
  })
})
