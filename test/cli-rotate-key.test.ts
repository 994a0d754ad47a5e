import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { openVault, type Vault } from '#src/core/secret.ts'
import { openDatabase, type Tx } from '#src/db/database.ts'
import { SEALED, sealContext } from '#src/db/sealed.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { addJob } from '#src/jobs/rows/row.ts'
import { identityLinkedMail } from '#src/mail/mail-templates.ts'
import { createOutbox } from '#src/mail/outbox.ts'
import { openStore } from '#src/store/open-store.ts'
import { beginConnecting, connectionsEnv, connectWild, wildEntry } from './support/connections.ts'
import { problemsIn } from './support/doctor.ts'
import { enrolTotp } from './support/factors.ts'
import { startForgingProvider } from './support/forging-provider.ts'
import { connect, refresh } from './support/oauth.ts'
import { administrator, newEmail, PASSWORD, type Person, signUpBody } from './support/people.ts'
import {
  type EngineName,
  OPERATOR_TOKEN,
  onBothEngines,
  postern,
  readyStore,
  startPostern,
  testOnOneEngineByDay,
} from './support/postern.ts'
import { beginProcess } from './support/process.ts'
import { opened, sealedLooking, sealedValues } from './support/sealed.ts'
import { begin, storeOf } from './support/social.ts'
import { until, within } from './support/waits.ts'
import { startWildProvider } from './support/wild-provider.ts'

const OLD_KEY = 'the old key, of thirty-two bytes or more'
const NEW_KEY = 'the new key, of thirty-two bytes or more'

/** The database of some settings, looked at by itself. */
async function inspect<T>(
  env: Record<string, string>,
  look: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = readConfig(env).store
  const database = await openDatabase({
    dataDir,
    databaseUrl,
    clock: systemClock,
    report: () => {},
    onConnectionError: () => {},
  })
  try {
    return await look(database)
  } finally {
    await database.close()
  }
}

/** A store with a mail in it, whose text is sealed, and no process on it. */
async function usedStore(engine: EngineName, more: Record<string, string> = {}) {
  const store = { ...(await readyStore(engine)), ...more }
  const config = readConfig(store).store
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const { database, vault } = await openStore({ config, clock: systemClock, log })
  const mail = { to: 'ada@acme.test', template: identityLinkedMail({ provider: 'Sealed Words', ip: '' }) }
  await database.tx((tx) =>
    createOutbox({ vault, configured: false, product: 'Postern', language: 'en', add: addJob }).queue(
      tx,
      systemClock.now(),
      mail,
    ),
  )
  await database.close()
  return store
}

/** Whether these settings open what is sealed. */
async function assertReadable(env: Record<string, string>): Promise<void> {
  const { out, err } = await postern({ env }, 'mail')
  assert.match(out, /Sign-in with Sealed Words was added/, err)
}

/** A request for a mail that no worker has looked into yet, sealed under the old key. */
function aMailRequest(): Tables['mail_request'] {
  const id = newId('mail', systemClock.now())
  return {
    id,
    kind: 'magic_link',
    email: 'nobody@acme.test',
    binding_hash: null,
    payload: openVault(OLD_KEY).seal('{"code":"","callbackURL":null}', sealContext('mail_request', id)),
    ip: '',
    created_at: systemClock.now(),
  }
}

/** A connection whose tokens are still to be revoked. */
function anEndedConnection({ organizationId }: Person): Tables['ended_connection'] {
  const id = newId('connection', systemClock.now())
  return {
    ...{ id, organization_id: organizationId as Id<'organization'>, provider: 'wild' },
    tokens: openVault(OLD_KEY).seal(
      '{"accessToken":"","refreshToken":null}',
      sealContext('ended_connection', id),
    ),
    created_at: systemClock.now(),
  }
}

/** Lets a person's session be begun by an identity provider, and one more sign-in wait for a second factor. */
async function signInThrough(tx: Tx, provider: Id<'identityProvider'>, person: Person): Promise<void> {
  const account = person.accountId as Id<'account'>
  const by = {
    identity_provider_id: provider,
    provider_hint: openVault(OLD_KEY).seal('a token', sealContext('session', provider, account)),
  }
  await tx.updateTable('session').set(by).where('account_id', '=', account).execute()
  const now = systemClock.now()
  await tx
    .insertInto('pending_sign_in')
    .values({
      ...{ token_hash: 'a-hash', account_id: account, how: 'sso', return_to: null, tries: 0 },
      ...{ created_at: now, expires_at: now, provider_session_hash: null, ...by },
    })
    .execute()
}

/** A key of Postern's own for an identity provider. */
function aSamlKey(provider: Id<'identityProvider'>, { organizationId }: Person): Tables['saml_key'] {
  return {
    ...{ organization_id: organizationId as Id<'organization'>, identity_provider_id: provider },
    ...{ purpose: 'encryption', fingerprint: 'a', certificate: '', created_at: 1, ends_at: null },
    private_key: openVault(OLD_KEY).seal('a key', sealContext('saml_key', provider, 'a')),
  }
}

/** A sign-in on its way. */
function aSocialState(vault: Vault): Tables['social_state'] {
  return {
    state_hash: 'a-hash',
    provider: 'google',
    binding_hash: '',
    payload: vault.seal('{}', sealContext('social_state', 'a-hash')),
    created_at: systemClock.now(),
    expires_at: systemClock.now(),
  }
}

/** Makes every change of a sign-in on its way take longer than any test, and undoes that. */
const HINDRANCE: Record<EngineName, { make: string[]; remove: string[] }> = {
  sqlite: {
    make: [
      `create trigger hindrance before update on social_state begin
        select count(*) from (
          with recursive counter (x) as (select 1 union all select x + 1 from counter where x < 1000000000)
          select x from counter
        );
      end`,
    ],
    remove: ['drop trigger hindrance'],
  },
  postgres: {
    make: [
      `create function hinder() returns trigger language plpgsql as $$ begin perform pg_sleep(25); return new; end $$`,
      'create trigger hindrance before update on social_state for each row execute function hinder()',
    ],
    remove: [
      // The server goes on with the statement of a client that is gone.
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'update "social_state"%' and pid <> pg_backend_pid()`,
      'drop trigger hindrance on social_state',
    ],
  },
}

onBothEngines('postern rotate-key', (engine) => {
  const test = testOnOneEngineByDay(engine)
  it('seals everything under the new key; what was made under the old one goes on', async () => {
    const [idp, wild] = await Promise.all([startForgingProvider(), startWildProvider()])
    const env = {
      ...connectionsEnv({ wild: wildEntry(wild) }, { WILD_SECRET: 'wild' }),
      ...idp.env('GOOGLE'),
    }
    const first = await startPostern(engine, { env: { ...env, SECRET_KEY: OLD_KEY } })
    let isStopped = false
    try {
      const admin = await administrator(first)
      const { token } = admin
      const idempotent = { token, headers: { 'idempotency-key': 'the same key' } }
      const key = await first.client().post('/v1/api-keys', { name: 'machine' }, idempotent)
      const hook = { url: 'http://127.0.0.1:9/nobody', events: ['*'] }
      const webhook = await first.client().post('/v1/webhooks', hook, { token })
      await first.client().post(`/v1/webhooks/${webhook.body.id}/rotate-secret`, {}, { token })
      const tools = { name: 'crm', url: 'https://mcp.acme.test/', headers: { 'x-key': 'a key' } }
      await first.client().post('/v1/mcp-servers', tools, { token })
      const oidc = { issuer: 'https://login.acme.test', clientId: 'postern', clientSecret: 'a-secret' }
      const login = { kind: 'oidc', name: 'Acme login', oidc }
      const provider = await first.client().post('/v1/identity-providers', login, { token })
      const siem = { name: 'SIEM', url: 'http://127.0.0.1:9/', headers: { 'x-key': 'a key' } }
      await first.client().post('/v1/operator/audit-streams', siem, { token: OPERATOR_TOKEN })
      const id = await connectWild({ wild }, admin)
      const pending = wild.authorize(await beginConnecting(admin, 'wild'))
      await begin(first.client(), 'google', {
        callbackURL: 'https://app.acme.test/',
        errorCallbackURL: 'https://app.acme.test/',
      })
      const member = await administrator(first)
      await enrolTotp(first, member)
      const application = { name: 'Gateway', redirectUris: ['https://acme.test/'], isConfidential: true }
      const registered = await first
        .client()
        .post('/v1/operator/oauth-clients', application, { token: OPERATOR_TOKEN })
      assert.equal(registered.status, 201, registered.text)
      const granted = await connect(first, admin)
      const email = newEmail('waits')
      await first.client().post('/v1/invitations', { email, sendEmail: false }, { token })
      await first.client().post('/v1/auth/sign-up/email', signUpBody(email))
      const { token: confirmation } = await first.mailbox.next(email)
      first.mailbox.behaviour.onRecipient = () => Object.assign(new Error('later'), { responseCode: 451 })
      await first.client().post('/v1/invitations', { email: newEmail('queued') }, { token })
      // While a server runs nothing is changed.
      const rotation = { ...first.env, NEXT_SECRET_KEY: NEW_KEY }
      const early = await postern({ env: rotation }, 'rotate-key')
      assert.equal(early.code, 1, early.out)
      assert.match(early.err, engine === 'sqlite' ? /already runs on/ : /Stop all of its processes first/)
      await first.stop()
      isStopped = true

      const known = Object.entries(SEALED).map(([table, { column }]) => `${table}.${column}`)
      await inspect(rotation, async (database) => {
        await database.tx((tx) => tx.insertInto('mail_request').values(aMailRequest()).execute())
        await database.tx((tx) =>
          tx.insertInto('ended_connection').values(anEndedConnection(admin)).execute(),
        )
        await database.tx((tx) => signInThrough(tx, provider.body.id, member))
        await database.tx((tx) =>
          tx.insertInto('saml_key').values(aSamlKey(provider.body.id, admin)).execute(),
        )
        // `SEALED` lists all columns with sealed texts; each has a sealed text in this database.
        assert.deepEqual(await sealedLooking(database, engine), known.sort())
      })

      const done = await postern({ env: rotation }, 'rotate-key')
      assert.equal(done.code, 0, done.err)
      assert.match(done.out, /^ {2}connection: 1 sealed$/m)
      assert.match(done.out, /^Set SECRET_KEY to what NEXT_SECRET_KEY is/m)
      for (const secret of [OLD_KEY, NEW_KEY]) assert.ok(!`${done.out}${done.err}`.includes(secret))
      await inspect(rotation, async (database) => {
        const values = await sealedValues(database)
        assert.ok(values.length >= known.length)
        assert.equal(opened(openVault(NEW_KEY), values), values.length)
        assert.equal(opened(openVault(OLD_KEY), values), 0)
      })
      const repeated = await postern({ env: rotation }, 'rotate-key')
      assert.equal(repeated.code, 0, repeated.err)
      assert.match(repeated.out, /changed already/)

      const store = storeOf(first)
      const stale = await postern({ env: { ...store, SECRET_KEY: OLD_KEY } }, 'mail')
      assert.match(stale.err, /is not the one this database was begun with/)
      const ports = { PORT: first.env.PORT ?? '', BASE_URL: `http://localhost:${first.env.PORT}` }
      const second = await startPostern(engine, {
        env: { ...env, SECRET_KEY: NEW_KEY, ...ports },
        env0: store,
        clock: first.clock,
      })
      try {
        const client = second.client()
        const replayed = await client.post('/v1/api-keys', { name: 'machine' }, idempotent)
        assert.equal(replayed.body.key, key.body.key, replayed.text)
        assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
        const refreshed = await client.post(`/v1/connections/${id}/refresh`, {}, { token })
        assert.equal(refreshed.status, 200, refreshed.text)
        const cookie = [...admin.client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const connected = await client.get(pending, { headers: { cookie } })
        assert.match(connected.headers.get('location') ?? '', /connectionId=con_/)
        const confirmed = await client.post('/v1/auth/verify-email', {
          token: confirmation,
          password: PASSWORD,
        })
        assert.equal(confirmed.status, 200, confirmed.text)
        const renewed = await refresh(second, granted.client, granted.refresh)
        assert.equal(renewed.status, 200, renewed.text)
        const tested = await client.post(`/v1/webhooks/${webhook.body.id}/test`, {}, { token })
        assert.equal(tested.status, 200, tested.text)
      } finally {
        await second.stop()
      }
    } finally {
      if (!isStopped) await first.stop()
      await Promise.all([idp.stop(), wild.stop()])
    }
  })

  test('makes a key file of its own, and keeps the old one for the backups', async () => {
    const store = await usedStore(engine)
    const file = join(store.DATA_DIR ?? '', 'secret.key')
    const before = readFileSync(file, 'utf8')
    const { code, out, err } = await postern({ env: store }, 'rotate-key')
    assert.equal(code, 0, err)
    const after = readFileSync(file, 'utf8')
    assert.notEqual(after, before)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const kept = `${file}.${openVault(before.trim()).fingerprint}`
    assert.equal(readFileSync(kept, 'utf8'), before)
    assert.equal(statSync(kept).mode & 0o777, 0o600)
    assert.ok(out.includes(kept))
    assert.ok(!out.includes(after.trim()) && !out.includes(before.trim()))
    await assertReadable(store)
    assert.deepEqual(problemsIn((await postern({ env: store }, 'doctor')).out), [])
  })

  test('moves from the file to SECRET_KEY', async () => {
    const store = await usedStore(engine)
    const moved = await postern({ env: { ...store, NEXT_SECRET_KEY: NEW_KEY } }, 'rotate-key')
    assert.equal(moved.code, 0, moved.err)
    await assertReadable({ ...store, SECRET_KEY: NEW_KEY })
    const without = await postern({ env: store }, 'mail')
    assert.equal(without.code, 1)
  })

  it('survives a kill before its end, and a crash between the database and the key file', async () => {
    const store = await usedStore(engine)
    const file = join(store.DATA_DIR ?? '', 'secret.key')
    const key = readFileSync(file, 'utf8').trim()
    const vault = openVault(key)
    const rows = Array.from({ length: 600 }, (_, index) => String(index))
    await inspect(store, (database) =>
      database.tx(async (tx) => {
        await tx
          .insertInto('idempotency')
          .values(
            rows.map((name) => ({
              scope: 'filler',
              key: name,
              fingerprint: '',
              status: 200,
              answer: vault.seal('{}', sealContext('idempotency', 'filler', name)),
              created_at: systemClock.now(),
            })),
          )
          .execute()
        await tx.insertInto('social_state').values(aSocialState(vault)).execute()
      }),
    )
    // What comes after the rows above takes very long.
    const hindrance = HINDRANCE[engine]
    await inspect(store, async ({ tx }) => {
      for (const statement of hindrance.make) await tx((one) => sql.raw(statement).execute(one))
    })
    await killDuring(store, 'idempotency: 600 sealed')
    await inspect(store, async ({ tx }) => {
      for (const statement of hindrance.remove) await tx((one) => sql.raw(statement).execute(one))
    })
    await inspect(store, async (database) => {
      const values = await sealedValues(database)
      assert.equal(opened(vault, values), values.length)
    })
    await assertReadable(store)

    const done = await postern({ env: store }, 'rotate-key')
    assert.equal(done.code, 0, done.err)
    const next = openVault(readFileSync(file, 'utf8').trim())
    await inspect(store, async (database) => {
      const values = await sealedValues(database)
      assert.ok(values.length > rows.length)
      assert.equal(opened(next, values), values.length)
    })
    // As if it had died after the commit: the file still has the old key, and the new one lies beside it.
    renameSync(file, `${file}.next`)
    writeFileSync(file, `${key}\n`, { mode: 0o600 })
    await assertReadable(store)
    assert.equal(openVault(readFileSync(file, 'utf8').trim()).fingerprint, next.fingerprint)
    assert.equal(existsSync(`${file}.next`), false)
    // A next key that never came to be is nobody's.
    writeFileSync(`${file}.next`, `${NEW_KEY}\n`, { mode: 0o600 })
    await assertReadable(store)
    assert.equal(openVault(readFileSync(file, 'utf8').trim()).fingerprint, next.fingerprint)
  })

  test('changes nothing where it cannot open everything, or has not been told what to', async () => {
    const store = await usedStore(engine, { SECRET_KEY: OLD_KEY })
    const without = await postern({ env: store }, 'rotate-key')
    assert.equal(without.code, 2)
    assert.match(without.err, /NEXT_SECRET_KEY must be set beside SECRET_KEY/)
    const same = await postern({ env: { ...store, NEXT_SECRET_KEY: OLD_KEY } }, 'rotate-key')
    assert.equal(same.code, 2)
    const wrong = { ...store, SECRET_KEY: 'x'.repeat(32), NEXT_SECRET_KEY: NEW_KEY }
    const refused = await postern({ env: wrong }, 'rotate-key')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /sealed under the key with fingerprint \w{16}; this one has \w{16}/)
    await inspect(store, (database) =>
      database.tx((tx) =>
        tx
          .insertInto('idempotency')
          .values({
            scope: 'a',
            key: 'b',
            fingerprint: '',
            status: 200,
            answer: openVault('another key altogether').seal('{}', sealContext('idempotency', 'a', 'b')),
            created_at: systemClock.now(),
          })
          .execute(),
      ),
    )
    const unreadable = await postern({ env: { ...store, NEXT_SECRET_KEY: NEW_KEY } }, 'rotate-key')
    assert.equal(unreadable.code, 1)
    assert.match(unreadable.err, /A value in idempotency \(a, b\) opens under neither key/)
    await assertReadable(store)
    const nowhere = { DATA_DIR: join(store.DATA_DIR ?? '', 'nowhere') }
    const nothing = await postern({ env: nowhere }, 'rotate-key')
    assert.equal(nothing.code, 1)
    assert.equal(existsSync(nowhere.DATA_DIR), false)
  })

  if (engine === 'postgres')
    it('is refused by a server that has been through an outage of the database as well', async () => {
      const running = await startPostern(engine, { env: { SECRET_KEY: OLD_KEY } })
      const { db } = running.app.database
      const presence = async () => {
        const { rows } = await sql<{ pid: number }>`
          select pid from pg_stat_activity
          where datname = current_database() and application_name = 'postern presence'`.execute(db)
        return rows.map(({ pid }) => pid)
      }
      try {
        const [first] = await presence()
        await sql`select pg_terminate_backend(${first})`.execute(db)
        await until(presence, (now) => now.length > 0 && !now.includes(first ?? 0), {
          what: 'a new presence in place of the one that was ended',
        })
        const refused = await postern({ env: { ...running.env, NEXT_SECRET_KEY: NEW_KEY } }, 'rotate-key')
        assert.match(refused.err, /Stop all of its processes first/)
      } finally {
        await running.stop()
      }
    })

  /** Kills the command when it has said so much; nothing of it may be left. */
  async function killDuring(store: Record<string, string>, words: string): Promise<void> {
    const { child, gone } = beginProcess(['rotate-key'], store)
    let said = ''
    const killed = new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: string) => {
        said += chunk
        if (!said.includes(words)) return
        child.kill('SIGKILL')
        resolve()
      })
      void gone.then(() => resolve())
    })
    await within(`the command to say: ${words}`, killed, { now: () => said })
    assert.equal(await gone, null, `it had ended: ${said}`)
    assert.doesNotMatch(said, /Every secret is sealed/)
  }
})
