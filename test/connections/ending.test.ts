import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { askMagicLink, assertError } from '../support/attacks.ts'
import { Client } from '../support/browser.ts'
import { connectReal, connectWild, lasting, useConnections } from '../support/connections.ts'
import { inviteByHand } from '../support/invitees.ts'
import { administrator, newEmail, signUp } from '../support/people.ts'
import { postern as command, onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'
import type { WildProvider } from '../support/wild-provider.ts'

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
    const promoted = await postern
      .client()
      .patch(
        `/v1/organizations/${ada.organizationId}/members/${stranger.accountId}`,
        { role: 'administrator' },
        { token: ada.token },
      )
    assert.equal(promoted.status, 200, promoted.text)
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
    const unanswered = () => {
      wild.instead = { revoke: (_request, response) => void response.writeHead(503).end() }
    }
    /** Deletes a connection, and resolves when the next attempt to revoke it stands in the table. @returns in how long it is due */
    const endInVain = async (id: string): Promise<number> => {
      unanswered()
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
      const next = await startProcess(settings)
      await revoked(wild, before, 1)
      assert.equal(await next.end(), 0)
    } finally {
      wild.instead = {}
    }
  })
})
