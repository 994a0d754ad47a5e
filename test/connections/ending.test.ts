import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { askMagicLink, assertError } from '../support/attacks.ts'
import { Client } from '../support/browser.ts'
import {
  assertNotConnected,
  beginConnecting,
  connectReal,
  connectWild,
  lasting,
  useConnections,
} from '../support/connections.ts'
import { json } from '../support/http-server.ts'
import { inviteByHand } from '../support/invitees.ts'
import { administrator, changeRole, member, newEmail, signUp } from '../support/people.ts'
import { postern as command, onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'
import type { Handler, WildProvider } from '../support/wild-provider.ts'

onBothEngines('a connection that ends', (engine) => {
  const server = useConnections(engine)

  /** Resolves when the provider has taken back both tokens of so many connections more than `before`. */
  const revoked = ({ givenBack }: WildProvider, before: number, count: number) =>
    until(
      () => givenBack.length,
      (length) => length >= before + 2 * count,
      { what: 'tokens to be revoked at the provider' },
    )

  /** Nothing is kept of tokens that a provider has taken back. */
  async function nothingKept({ app }: Postern): Promise<void> {
    await until(
      () => app.database.db.selectFrom('ended_connection').select('id').execute(),
      (rows) => rows.length === 0,
      { what: 'tokens to be thrown away' },
    )
  }

  it('is revoked at the provider when a person deletes it', async () => {
    const context = await server()
    const { postern, real, admin } = context
    const id = await connectReal(context, admin, 'leaving')
    const revocations = real.revocations()
    const path = `/v1/connections/${id}`
    assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
    assertError(await postern.client().get(path, { token: admin.token }), 'ENTITY_NOT_FOUND')
    assertError(await postern.client().delete(path, { token: admin.token }), 'ENTITY_NOT_FOUND')
    await until(real.revocations, (count) => count >= revocations + 2, {
      what: 'the provider to have revoked both tokens',
    })
    await nothingKept(postern)
  })

  it('is revoked when the mailbox of the account that made it is proven', async () => {
    const context = await server()
    const { postern, wild } = context
    const ada = await administrator(postern)
    const email = newEmail('taken')
    const { token: invitationToken } = await inviteByHand(postern, ada, email)
    const stranger = await signUp(postern, { email, invitationToken, organizationId: ada.organizationId })
    await changeRole(postern, ada, stranger, 'administrator')
    const { body } = await stranger.client.get('/v1/auth/token')
    await connectWild(context, { ...stranger, token: body.token })
    await connectWild(context, ada)
    const before = wild.givenBack.length
    const { client, token } = await askMagicLink(postern, email)
    assert.equal((await client.post('/v1/auth/magic-link/verify', { token })).status, 200)
    await revoked(wild, before, 1)
    await nothingKept(postern)
    const { data } = (await postern.client().get('/v1/connections', { token: ada.token })).body
    assert.deepEqual(
      data.map(({ createdBy }: { createdBy: string }) => createdBy),
      [ada.accountId],
    )
    assert.equal(wild.givenBack.length, before + 2)
  })

  it('is revoked when its organization is deleted, by the operator or by a command', async () => {
    const context = await server()
    const { postern, wild } = context
    const name = newEmail('Org')
    await connectWild(context, await administrator(postern, name))
    const before = wild.givenBack.length
    const { code, err } = await command(postern, 'organizations', '--delete', name, '--yes')
    assert.equal(code, 0, err)
    await revoked(wild, before, 1)
    await nothingKept(postern)
    assert.equal(wild.givenBack.length, before + 2)
  })

  it('is revoked later where its provider does not answer, and thrown away after a day', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const { db } = postern.app.database
    /** Deletes a connection, and resolves when the next attempt to revoke it stands in the table. @returns in how long it is due */
    const endInVain = async (id: string): Promise<number> => {
      wild.instead = { revoke: unanswered }
      const answer = await postern.client().delete(`/v1/connections/${id}`, { token: admin.token })
      assert.equal(answer.status, 204, answer.text)
      const job = await until(
        () =>
          db
            .selectFrom('job')
            .select('due_at')
            .where('payload', 'like', `%${id}%`)
            .where('attempts', '=', 1)
            .where('claim_id', 'is', null)
            .executeTakeFirst(),
        (row) => row !== undefined,
        { what: 'a first attempt' },
      )
      return (job?.due_at ?? 0) - postern.clock.now()
    }
    const [late, never] = [await connectWild(context, admin), await connectWild(context, admin)]
    const before = wild.givenBack.length
    try {
      const wait = await endInVain(late)
      assert.ok(wait > 0, `due in ${wait} ms`)
      wild.instead = {}
      postern.clock.advance(wait)
      await revoked(wild, before, 1)
      await nothingKept(postern)
      await endInVain(never)
      postern.clock.advance(DAY)
      await nothingKept(postern)
      assert.equal(wild.givenBack.length, before + 2)
    } finally {
      wild.instead = {}
    }
  })

  /** Moves the clock to the second attempts of so many jobs that revoke tokens, once their first ones have failed. */
  async function passFirstAttempts({ app: { database }, clock }: Postern, count: number): Promise<void> {
    const failed = await until(
      () =>
        database.db
          .selectFrom('job')
          .select('due_at')
          .where('kind', '=', 'revocation')
          .where('status', '=', 'pending')
          .where('attempts', '=', 1)
          .where('claim_id', 'is', null)
          .execute(),
      (rows) => rows.length === count,
      { what: `${count} first attempts` },
    )
    clock.advance(Math.max(...failed.map(({ due_at }) => due_at ?? 0)) - clock.now())
  }

  const unanswered: Handler = (_request, response) => void response.writeHead(503).end()

  it('has the tokens of a refresh that it overlaps revoked by a job as well', async () => {
    const { postern, wild, admin } = await server()
    const id = await connectWild({ wild }, admin)
    const fresh = ['access_token', 'refresh_token'].map((name) => [name, `${name}-${crypto.randomUUID()}`])
    const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    try {
      wild.instead = {
        async token(_request, response) {
          asked.resolve()
          await ended.promise
          json(response, { ...Object.fromEntries(fresh), token_type: 'Bearer', expires_in: 3600 })
        },
        revoke: unanswered,
      }
      const path = `/v1/connections/${id}`
      const refreshing = postern.client().post(`${path}/refresh`, {}, { token: admin.token })
      await asked.promise
      assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
      ended.resolve()
      assertError(await refreshing, 'ENTITY_NOT_FOUND')
      const { db } = postern.app.database
      const kept = JSON.stringify(await db.selectFrom('ended_connection').selectAll().execute())
      assert.equal(kept.split('"tokens"').length, 3, 'the tokens that it had, and the new ones')
      for (const [, token = ''] of fresh) assert.ok(!kept.includes(token) && !postern.log().includes(token))
      await passFirstAttempts(postern, 2)
      wild.instead = {}
      await nothingKept(postern)
      for (const [, token = ''] of fresh) assert.ok(wild.givenBack.includes(token), token)
    } finally {
      ended.resolve()
      wild.instead = {}
    }
  })

  it('has tokens revoked by a job that were granted to who lost the right to them on the way', async () => {
    const { postern, wild } = await server()
    const admin = await administrator(postern)
    const leaver = await member(postern, admin, 'administrator')
    const authUrl = await beginConnecting(leaver, 'wild')
    await changeRole(postern, admin, leaver, 'member')
    const before = wild.givenBack.length
    try {
      wild.instead = { revoke: unanswered }
      assertNotConnected(await leaver.client.get(wild.authorize(authUrl)), 'FORBIDDEN')
      await passFirstAttempts(postern, 1)
      wild.instead = {}
      await revoked(wild, before, 1)
      await nothingKept(postern)
    } finally {
      wild.instead = {}
    }
  })

  it('is revoked after a start, where the process was killed in the middle of it', async () => {
    const { env, wild } = await server()
    const first = await startPostern(engine, { env })
    const admin = await lasting(first)
    const id = await connectWild({ wild }, admin)
    const { PORT: _, SMTP_URL: __, ...settings } = first.env
    await first.stop()
    const before = wild.givenBack.length
    const asked = Promise.withResolvers<void>()
    try {
      // The provider does not answer until the process is gone.
      wild.instead = { revoke: () => asked.resolve() }
      const killed = await startProcess(settings)
      const { status } = await new Client(killed.url).delete(`/v1/connections/${id}`, { token: admin.token })
      assert.equal(status, 204)
      await asked.promise
      await killed.kill()
      wild.instead = {}
      const next = await startPostern(engine, { env0: settings })
      await revoked(wild, before, 1)
      await next.stop()
    } finally {
      wild.instead = {}
    }
  })
})
