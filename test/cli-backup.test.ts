import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { DAY, MINUTE } from '#src/core/clock.ts'
import { administrator, apiKey, newEmail, PASSWORD } from './support/people.ts'
import { freshStore, postern, startPostern } from './support/postern.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('postern backup', () => {
  it('copies the embedded database while the server writes; the copy starts with the key', async () => {
    const running = await startPostern('sqlite')
    const admin = await administrator(running)
    const file = join(folder, 'copy.db')
    const writing = Promise.all(
      Array.from({ length: 20 }, () =>
        running
          .client()
          .post('/v1/invitations', { email: newEmail(), sendEmail: false }, { token: admin.token }),
      ),
    )
    const copied = await postern(running, 'backup', '--to', file)
    assert.equal(copied.code, 0, copied.err)
    assert.match(copied.out, /Copied the database to .*copy\.db\./)
    assert.match(copied.out, /The key is not in it: keep the file .*secret\.key as well/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await writing
    const repeated = await postern(running, 'backup', '--to', file)
    assert.equal(repeated.code, 1)
    assert.match(repeated.err, /copy\.db exists already and is left as it is/)
    const { dataDir } = readConfig(running.env).store
    await running.stop()

    const restored = await freshStore('sqlite')
    copyFileSync(file, join(restored.DATA_DIR ?? '', 'postern.db'))
    copyFileSync(join(dataDir, 'secret.key'), join(restored.DATA_DIR ?? '', 'secret.key'))
    const from = await startPostern('sqlite', { env0: restored })
    const signIn = await from
      .client()
      .post('/v1/auth/sign-in/email', { email: admin.email, password: PASSWORD })
    assert.equal(signIn.status, 200)
    await from.stop()
  })

  it('says where a copy cannot be written', async () => {
    const store = await freshStore('sqlite')
    await postern({ env: store }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
    const { code, err } = await postern({ env: store }, 'backup', '--to', join(folder, 'none', 'x.db'))
    assert.equal(code, 1)
    assert.match(err, /is in a folder that does not exist/)
  })

  it('prints the line for PostgreSQL, without the password, and says that nothing was written', async () => {
    const env = { ...(await freshStore('sqlite')), DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' }
    const past = { ...env, DATABASE_DIRECT_URL: 'postgres://u:hunter2@127.0.0.1:2/x' }
    assert.match((await postern({ env: past }, 'backup')).out, /"\$DATABASE_DIRECT_URL"$/)
    const { code, out, err } = await postern({ env }, 'backup', '--to', "it's.dump")
    assert.equal(code, 1)
    assert.equal(out, `pg_dump --format=custom --file='it'\\''s.dump' "$DATABASE_URL"`)
    assert.match(err, /nothing was written/)
    assert.match(err, /keep the file .*secret\.key as well/)
  })
})

describe('the embedded database after a time of more', () => {
  it('uses freed room again, and is made smaller by the line of the documents, while Postern is stopped', async () => {
    const line = /stop Postern and run `sqlite3 data\/postern\.db (\w+)`/
    const statement = line.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? ''
    const running = await startPostern('sqlite')
    const calls = callsOf(running, await apiKey(running, await administrator(running)))
    const events = Array.from({ length: 40 }, () => ({
      type: 'agent.run.completed',
      data: { ...RUN, output: 'x'.repeat(50_000) },
    }))
    const publish = async () => assert.equal((await calls.post('/v1/events/batch', { events })).status, 202)
    const file = join(running.env.DATA_DIR ?? '', 'postern.db')
    const expire = async () => {
      running.clock.advance(31 * DAY)
      const work = () => {
        running.clock.advance(MINUTE)
        return running.app.database.db.selectFrom('event').select('id').execute()
      }
      await until(work, (rows) => rows.length === 0, { what: 'the events to be removed' })
    }
    await publish()
    await expire()
    await publish()
    await expire()
    await running.stop()
    const before = statSync(file).size
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
    const after = statSync(file).size
    assert.ok(
      before > 2_000_000 && before < 3_500_000 && after < before / 2,
      `${before} bytes, then ${after}`,
    )
    const { DATA_DIR = '' } = running.env
    const again = await startPostern('sqlite', { env0: { DATA_DIR } })
    assert.equal((await postern(again, 'doctor')).code, 0)
    await again.stop()
  })
})
