import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import { runCommand } from '#src/cli/command.ts'
import { administrator } from './support/people.ts'
import { freshStore, onBothEngines, postern, startPostern, testOnOneEngineByDay } from './support/postern.ts'
import { until } from './support/waits.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

onBothEngines('postern doctor', (engine) => {
  const test = testOnOneEngineByDay(engine)
  it('finds nothing wrong with a running server, and changes nothing', async () => {
    const running = await startPostern(engine, { env: { MAIL_FROM: 'postern@acme.test' } })
    const { code, out } = await postern(running, 'doctor')
    // The PostgreSQL of the tests does not wait for its disk.
    const isQuick = engine === 'postgres'
    assert.equal(code, isQuick ? 1 : 0, out)
    const unwell = [...out.matchAll(/^(?:warning|problem) +(.*)$/gm)].map(([, text = '']) =>
      text.split(' is off')[0]?.replace(/ +/, ' '),
    )
    assert.deepEqual(unwell, isQuick ? ['Durability fsync', 'Durability full_page_writes'] : [])
    assert.match(out, /^ok +Database +(SQLite|PostgreSQL) answers, schema (\d+) of \2$/m)
    assert.match(out, /^ok +Mail +127\.0\.0\.1:\d+ answers and would take mail$/m)
    assert.match(out, /^ok +Base URL +Postern answers at /m)
    if (!isQuick) assert.match(out, /All is well\.$/)
    assert.deepEqual(running.mailbox.recipients, [])
    await running.stop()
  })

  it('says how many processes send, where several may', async () => {
    const running = await startPostern(engine)
    const { out } = await until(
      () => postern(running, 'doctor'),
      (found) => engine === 'sqlite' || found.out.includes('1 sending'),
    )
    if (engine === 'sqlite') assert.doesNotMatch(out, /Workers/)
    else assert.match(out, /^ok +Workers +1 sending$/m)
    await running.stop()
    if (engine === 'postgres')
      assert.match((await postern(running, 'doctor')).out, /^ok +Workers +no process sends just now$/m)
  })

  it('adds the ledger of credits up, and tells whose was changed by hand', async () => {
    const running = await startPostern(engine)
    const { token, organizationId } = await administrator(running)
    assert.equal((await running.client().get('/v1/billing/balance', { token })).status, 200)
    assert.match(
      (await postern(running, 'doctor')).out,
      /^ok +Ledger +every balance is the sum of its entries$/m,
    )
    const enrich = () =>
      running.app.database.tx((tx) =>
        tx
          .updateTable('ledger_entry')
          .set({ cycle_balance: 1_000_000 })
          .where('organization_id', '=', organizationId as never)
          .execute(),
      )
    await assert.rejects(enrich, /ledger_entry is append-only/)
    const guard = { sqlite: 'ledger_entry_no_update', postgres: 'ledger_entry_append_only on ledger_entry' }
    await running.app.database.tx((tx) => sql.raw(`drop trigger ${guard[engine]}`).execute(tx))
    await enrich()
    const { code, out } = await postern(running, 'doctor')
    assert.equal(code, 1)
    assert.match(
      out,
      new RegExp(`^problem +Ledger +the entries of ${organizationId} do not add up to the balance`, 'm'),
    )
    await running.stop()
  })

  test('says what has become otherwise while it watches', async () => {
    const running = await startPostern(engine, { env: { MAIL_FROM: 'postern@acme.test' } })
    const [said, lines]: [string[], string[]] = [[], []]
    const begun = Promise.withResolvers<void>()
    const watching = runCommand(['doctor', '--watch', '--every', '1', '--count', '4'], {
      env: running.env,
      print(line) {
        lines.push(line)
        begun.resolve()
      },
      complain(line) {
        said.push(line)
        begun.resolve()
      },
    })
    await Promise.race([begun.promise, watching])
    await running.stop()
    assert.equal(await watching, 1)
    // The PostgreSQL of the tests does not wait for its disk, which is said first.
    if (engine === 'sqlite') assert.match(said.join(), /^All is well. Looking every 1 seconds/)
    else assert.match(lines[0] ?? '', /^\S+Z {2}problem {2}Durability +fsync is off/)
    const mails = lines.filter((line) => line.includes('Mail'))
    assert.equal(mails.length, 1, lines.join('\n'))
    assert.match(mails[0] ?? '', /^\S+Z {2}problem {2}Mail +\S/)
    const { err, code } = await postern(running, 'doctor', '--watch', '--every', '0')
    assert.equal(code, 2)
    assert.match(err, /^--every must be/)
  })

  it('names the wrong key and ends with 1', async () => {
    const store = await freshStore(engine)
    await postern({ env: store }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
    const { code, out } = await postern({ env: { ...store, SECRET_KEY: 'x'.repeat(32) } }, 'doctor')
    assert.equal(code, 1)
    assert.match(out, /^problem +Key +SECRET_KEY has fingerprint \w{16}, the database was begun with \w{16}/m)
  })
})

describe('postern doctor', () => {
  const doctor = async (env: Record<string, string>) =>
    postern({ env: { DATA_DIR: join(folder, 'nowhere'), ...env } }, 'doctor')

  it('tells every problem of the settings', async () => {
    const { code, out } = await doctor({ PORT: 'http', ROLE: 'cook' })
    assert.equal(code, 1)
    assert.match(out, /^problem +Settings +PORT must/m)
    assert.match(out, /^problem +Settings +ROLE must/m)
    assert.match(out, /2 problems, 0 warnings\.$/)
  })

  it('warns of what works and is not as it should be', async () => {
    const { code, out } = await doctor({
      BASE_URL: 'https://postern.invalid',
      ALLOWED_ORIGINS: 'https://app.other.example',
    })
    assert.equal(code, 0)
    assert.match(out, /^warning +Mail +no SMTP_URL/m)
    assert.match(out, /^warning +Base URL +nothing answers at https:\/\/postern\.invalid/m)
    assert.match(
      (await doctor({ SMPT_URL: 'x' })).out,
      /^warning +Settings +SMPT_URL is no setting; rename it if SMTP_URL is meant$/m,
    )
    assert.match(out, /^warning +Proxy +TRUST_PROXY is not set while BASE_URL is https/m)
    assert.match(out, /^warning +Origins +https:\/\/app\.other\.example is another site/m)
  })

  it('finds a mail server and a database that do not answer', async () => {
    const { code, out } = await doctor({
      SMTP_URL: 'smtp://u:hunter2@127.0.0.1:1',
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
      TRUST_PROXY: '0.0.0.0/0',
      BASE_URL: 'https://postern.invalid',
    })
    assert.equal(code, 1)
    assert.match(out, /^problem +Database +PostgreSQL cannot be reached/m)
    assert.match(out, /^problem +Mail +127\.0\.0\.1:1 does not take mail/m)
    assert.match(out, /^problem +Proxy +TRUST_PROXY trusts every address/m)
    assert.doesNotMatch(out, /hunter2/)
  })

  it('warns of a folder and refuses a key that others can read', async () => {
    const store = await freshStore('sqlite')
    await postern({ env: store }, 'invite', '--organization', 'Acme', '--email', 'ada@acme.test')
    chmodSync(store.DATA_DIR ?? '', 0o755)
    chmodSync(join(store.DATA_DIR ?? '', 'secret.key'), 0o644)
    const { code, out } = await doctor(store)
    assert.equal(code, 1)
    assert.match(out, /^warning +Data folder +other users can look into it; run: chmod 700 /m)
    assert.match(out, /^problem +Key +other users can read it; run: chmod 600 /m)
    writeFileSync(join(store.DATA_DIR ?? '', 'secret.key'), '\n')
    assert.match((await doctor(store)).out, /^problem +Key +The key file .*secret\.key is empty\./m)
    rmSync(join(store.DATA_DIR ?? '', 'secret.key'))
    assert.match((await doctor(store)).out, /^problem +Key +.*secret\.key is missing; put it back/m)
    assert.equal(existsSync(join(store.DATA_DIR ?? '', 'secret.key')), false)
  })
})
