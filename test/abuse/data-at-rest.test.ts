import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { hash } from '@node-rs/argon2'
import type { JWK } from 'jose'
import { sql } from 'kysely'
import { sealContext } from '#src/db/sealed.ts'
import { askMagicLink, askReset, signIn, withPostern } from '../support/attacks.ts'
import { administrator, apiKey, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { type EngineName, onBothEngines, type Postern } from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import { placeAccounts } from '../support/strangers.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

/** A unique password, so that a match means that it was stored. */
const uniquePassword = () => `horse ${crypto.randomUUID()}`

/** The whole storage as one binary text. */
async function dump({ app, env }: Postern, engine: EngineName): Promise<string> {
  if (engine === 'sqlite') {
    const folder = env.DATA_DIR ?? ''
    const files = readdirSync(folder).filter((name) => name.startsWith('postern.db'))
    assert.ok(files.includes('postern.db-wal'), files.join())
    return files.map((name) => readFileSync(join(folder, name)).toString('latin1')).join('\n')
  }
  const { db } = app.database
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
  assert.ok(tables.rows.length >= 15)
  const parts: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`
      select ${sql.table(name)}::text as row from ${sql.table(name)}`.execute(db)
    // The database shows bytes in hex, so they are also read as text.
    for (const { row } of rows) {
      parts.push(
        row,
        row.replace(/\\+x([0-9a-f]{2,})/g, (_, hex) => Buffer.from(hex, 'hex').toString('latin1')),
      )
    }
  }
  return parts.join('\n')
}

/** The forms in which storage could contain a secret: plain, or simply encoded. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ]
}

onBothEngines('data at rest', (engine) => {
  it('79: a password with other hash parameters is hashed again when its owner signs in', () =>
    withPostern(engine, { hashes: 'production' }, async (postern) => {
      const { db, tx } = postern.app.database
      const [email = ''] = await placeAccounts(postern, 'active', 1)
      const stored = async () => {
        const found = db.selectFrom('account').select('password_hash').where('email', '=', email)
        return (await found.executeTakeFirstOrThrow()).password_hash ?? ''
      }
      const older = await hash(PASSWORD, { algorithm: 2, memoryCost: 9_216, timeCost: 4, parallelism: 1 })
      const keep = { password_hash: older }
      await tx((own) => own.updateTable('account').set(keep).where('email', '=', email).execute())
      assert.equal((await signIn(postern.client(), email, 'never chosen by anybody')).status, 401)
      assert.equal(await stored(), older)
      assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
      const renewed = await stored()
      assert.match(renewed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      assert.equal((await signIn(postern.client(), email, 'never chosen by anybody')).status, 401)
      assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
      assert.equal(await stored(), renewed, 'hashed anew though nothing has changed')
    }))

  it('79: a dump of the whole database holds no secret that opens anything', () =>
    withPostern(engine, {}, async (postern) => {
      const secrets = new Map<string, string>()
      const keep = (name: string, secret: string | undefined) => {
        assert.ok(secret, name)
        secrets.set(name, secret)
      }
      const admin = await administrator(postern)
      for (const [name, value] of admin.client.cookies) keep(`cookie ${name}`, value)
      keep('JWT', admin.token)
      keep('signature of the JWT', admin.token.split('.')[2])
      keep('API key', await apiKey(postern, admin))
      const idempotent = { token: admin.token, headers: { 'idempotency-key': 'key-of-a-machine' } }
      const stored = await postern.client().post('/v1/api-keys', { name: 'stored answer' }, idempotent)
      keep('API key in a stored answer', stored.body.key)

      const hook = { url: 'http://127.0.0.1:9/nobody-listens', events: ['*'] }
      const webhook = await postern.client().post('/v1/webhooks', hook, {
        token: admin.token,
        headers: { 'idempotency-key': 'hook' },
      })
      keep('webhook secret', webhook.body.secret)
      const rotated = await postern
        .client()
        .post(`/v1/webhooks/${webhook.body.id}/rotate-secret`, {}, { token: admin.token })
      keep('webhook secret after a rotation', rotated.body.secret)

      const email = newEmail('invited')
      const quiet = { email, sendEmail: false }
      const invited = await postern.client().post('/v1/invitations', quiet, {
        token: admin.token,
        headers: { 'idempotency-key': 'link-by-hand' },
      })
      keep('invitation token', URL.parse(invited.body.acceptUrl)?.searchParams.get('token') ?? undefined)
      const typed = uniquePassword()
      const started = await postern
        .client()
        .post('/v1/auth/sign-up/email', signUpBody(email, { password: typed, firstName: 'Waiting' }))
      assert.equal(started.body.emailVerificationRequired, true, started.text)
      keep('password of a sign-up that waits', typed)
      const confirmation = await postern.mailbox.next(email)
      keep('confirmation token', confirmation.token)

      const reset = await askReset(postern, admin.email)
      const replaced = uniquePassword()
      const done = await postern
        .client()
        .post('/v1/auth/reset-password', { token: reset, newPassword: replaced })
      assert.equal(done.status, 200, done.text)
      keep('password', replaced)
      const signedIn = postern.client()
      const body = { email: admin.email, password: replaced }
      assert.equal((await signedIn.post('/v1/auth/sign-in/email', body)).status, 200)
      for (const [name, value] of signedIn.cookies) keep(`cookie ${name} after a sign-in`, value)
      const link = await askMagicLink(postern, admin.email)
      keep('magic link token', link.token)
      keep('magic link code', link.code)
      keep('binding cookie', link.client.cookies.get('binding'))
      keep('reset token', await askReset(postern, admin.email))

      // Mails that wait for an unreachable server contain live links.
      postern.mailbox.behaviour.onRecipient = () => Object.assign(new Error('later'), { responseCode: 451 })
      const waiting = newEmail('waiting')
      await postern.client().post('/v1/invitations', { email: waiting }, { token: admin.token })
      await postern.client().post('/v1/auth/magic-link', { email: admin.email })
      keep('what a waiting mail says', 'Accept the invitation')

      const keys = await postern.app.database.db.selectFrom('signing_key').selectAll().execute()
      for (const row of keys) {
        const jwk = JSON.parse(
          postern.app.vault.open(row.private_jwk, sealContext('signing_key', row.kid)),
        ) as JWK
        keep('private half of the signing key', jwk.d)
      }

      const text = await dump(postern, engine)
      // The search finds texts that are stored in plain form.
      for (const present of [admin.email, email, 'argon2id', keys[0]?.kid ?? 'no key']) {
        assert.ok(text.includes(present), present)
      }
      assert.ok(secrets.size >= 18)
      for (const [name, secret] of secrets) {
        for (const disguise of disguises(secret))
          assert.ok(!text.includes(disguise), `${name} is in the dump`)
      }
      const log = postern.log()
      for (const [name, secret] of secrets) assert.ok(!log.includes(secret), `${name} is in the log`)
    }))
  it('79: a sealed value opens only in its own row: a secret that is moved to another webhook signs nothing', () =>
    withPostern(engine, {}, async (postern) => {
      const own = callsOf(postern, await apiKey(postern, await administrator(postern)))
      const destination = await startReceiver()
      try {
        const register = async (path: string, type: string) =>
          (await own.post('/v1/webhooks', { url: `${destination.url}/${path}`, events: [type] })).body
        const [one, other] = [
          await register('one', 'agent.run.completed'),
          await register('other', 'file.processed'),
        ]
        await postern.app.database.tx(async (tx) => {
          const secrets = tx.selectFrom('webhook_secret').select('secret')
          const { secret } = await secrets.where('webhook_id', '=', other.id).executeTakeFirstOrThrow()
          await tx.updateTable('webhook_secret').set({ secret }).where('webhook_id', '=', one.id).execute()
        })
        for (const type of ['agent.run.completed', 'file.processed'])
          assert.equal((await own.post('/v1/events', { type, data: RUN })).status, 202)
        // The other webhook, with its own secret, gets its delivery; the one that could not be signed is reported.
        await destination.count(1)
        await until(postern.log, (log) => log.includes('"level":50'), {
          what: 'a line about what does not open',
        })
        assert.deepEqual(
          destination.received.map(({ path }) => path),
          ['/other'],
        )
      } finally {
        await destination.stop()
      }
    }))
})
