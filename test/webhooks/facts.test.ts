import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { inviteByHand, inviteByMail } from '../support/invitees.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, signUp } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, turnsTaken, until } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const FACTS = ['invitation.created', 'invitation.accepted', 'member.role_changed', 'member.removed']

/** Lets every transaction fail after its work, like a full disk, until the returned function is called. */
function breakCommits({ app: { database } }: Postern): () => void {
  const { tx, brief } = database
  const broken: typeof tx = (work) =>
    tx(async (open) => {
      await work(open)
      throw new Error('database or disk is full')
    })
  Object.assign(database, { tx: broken, brief: broken })
  return () => void Object.assign(database, { tx, brief })
}

onBothEngines('the platform’s own facts', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  async function listen(events = FACTS) {
    const { receiver, register } = await sender()
    const destination = await receiver()
    await register(destination.url, { events })
    return {
      destination,
      /** Waits for the first event of a type. @returns its data */
      async reported(type: string, isIt: (data: Record<string, unknown>) => boolean = () => true) {
        const found = await until(
          async () => destination.received.find(({ event }) => event.type === type && isIt(event.data)),
          (call) => call !== undefined,
        )
        return found?.event.data
      },
    }
  }

  it('report an invitation, mailed or handed over, never with its token', async () => {
    const { postern, admin } = await sender()
    const { reported, destination } = await listen()
    for (const invite of [inviteByMail, inviteByHand]) {
      const { id, email, token } = await invite(postern, admin)
      const data = await reported('invitation.created', (one) => one.email === email)
      assert.deepEqual(data, { invitationId: id, email, role: 'member', inviterId: admin.accountId })
      assert.ok(token.length > 20)
      for (const call of destination.received) assert.ok(!call.body.includes(token))
    }
  })

  it('report an invitation that a sign-up accepted, never with the password', async () => {
    const { postern, admin } = await sender()
    const { reported, destination } = await listen()
    const { id, email, token } = await inviteByMail(postern, admin)
    const { accountId } = await signUp(postern, {
      email,
      invitationToken: token,
      organizationId: admin.organizationId,
    })
    const data = await reported('invitation.accepted', (one) => one.email === email)
    assert.deepEqual(data, { invitationId: id, accountId, email, role: 'member' })
    for (const { body } of destination.received) {
      assert.ok(!body.includes(token))
      assert.ok(!body.includes(PASSWORD))
    }
  })

  test('report to each inviting organization only its own invitation', async () => {
    const { postern, admin } = await sender()
    const { reported, destination } = await listen(['*'])
    const other = await administrator(postern)
    const email = newEmail('shared')
    const mine = await inviteByHand(postern, admin, email)
    const theirs = await inviteByHand(postern, other, email)
    await signUp(postern, { email, invitationToken: mine.token, organizationId: admin.organizationId })
    const data = await reported('invitation.accepted', (one) => one.email === email)
    assert.equal(data?.invitationId, mine.id)
    await turnsTaken(await sender())
    assert.ok(destination.received.every(({ body }) => !body.includes(theirs.id)))
  })

  it('report a changed role of a member, and a removed member', async () => {
    const { postern, admin } = await sender()
    const { reported } = await listen()
    const { accountId } = await member(postern, admin)
    const own = callsOf(postern, admin.token)
    const path = `/v1/organizations/${admin.organizationId}/members/${accountId}`
    const changed = await own.patch(path, { role: 'administrator' })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(await reported('member.role_changed', (one) => one.accountId === accountId), {
      accountId,
      from: 'member',
      to: 'administrator',
    })
    const removed = await own.delete(path)
    assert.equal(removed.status, 204, removed.text)
    assert.deepEqual(await reported('member.removed', (one) => one.accountId === accountId), { accountId })
  })

  test('are not published without a change: for a refused request, and for an unchanged role', async () => {
    const { postern, admin } = await sender()
    const { destination } = await listen()
    const own = callsOf(postern, admin.token)
    const path = `/v1/organizations/${admin.organizationId}/members/${admin.accountId}`
    assert.ok((await own.patch(path, { role: 'administrator' })).status < 500)
    assert.ok((await own.delete(path)).status >= 400, 'the last administrator stays')
    assertError(await own.post('/v1/invitations', { email: 'nonsense' }), 'INVALID_EMAIL')
    await turnsTaken(await sender())
    assert.deepEqual(
      destination.received.map(({ event }) => event.type),
      [],
    )
  })

  it('commit together with their cause, or not at all', async () => {
    const { postern, admin, key } = await sender()
    const { destination, reported } = await listen()
    const invited = await member(postern, admin)
    await reported('invitation.accepted')
    const arrived = destination.received.length
    const own = callsOf(postern, key)
    const people = `/v1/organizations/${admin.organizationId}/members/${invited.accountId}`
    const events = async () => (await own.get('/v1/events?limit=100')).body.data.length
    const before = await events()
    const email = newEmail('lost')
    const repair = breakCommits(postern)
    const failed = [
      await own.post('/v1/invitations', { email }),
      await own.patch(people, { role: 'administrator' }),
      await own.delete(people),
      await own.post('/v1/events', { type: 'file.processed', data: {} }),
      await own.post('/v1/events/batch', { events: [{ type: 'file.processed', data: {} }] }),
    ]
    repair()
    for (const answer of failed) assertError(answer, 'PROCESSING_FAILED')
    assert.equal(await events(), before)
    const invitations = (await own.get('/v1/invitations?limit=100')).body.data as { email: string }[]
    assert.ok(invitations.every((one) => one.email !== email))
    const members = (await own.get(`/v1/organizations/${admin.organizationId}/members?limit=100`)).body.data
    const kept = members.find((one: { accountId: string }) => one.accountId === invited.accountId)
    assert.equal(kept?.role, 'member')
    await turnsTaken(await sender())
    assert.equal(destination.received.length, arrived)
    assert.equal((await own.post('/v1/invitations', { email })).status, 201)
    await reported('invitation.created', (one) => one.email === email)
  })
})

onBothEngines('two organizations', (engine) => {
  const sender = useSender(usePostern(engine))

  it('know nothing of one another’s webhooks, events, deliveries, captures, replays and types', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    const own = callsOf(postern, key)
    const theirs = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const destination = await receiver()
    const { id } = await register(destination.url, { endpointPath: 'two-organizations' })
    const event = await publish()
    const { id: deliveryId } = await delivery(id, ({ status }) => status === 'delivered')
    const { captureId } = (await own.post(`/v1/webhooks/${id}/test/start`)).body
    await postern.client().post('/v1/webhooks/two-organizations', {})
    const replay = (await own.post(`/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).body
    const webhook = `/v1/webhooks/${id}`
    for (const answer of [
      await theirs.get(webhook),
      await theirs.patch(webhook, { status: 'paused' }),
      await theirs.delete(webhook),
      await theirs.post(`${webhook}/rotate-secret`),
      await theirs.post(`${webhook}/test`),
      await theirs.post(`${webhook}/test/start`),
      await theirs.post(`${webhook}/test/stop`),
      await theirs.get(`${webhook}/test/captures`),
      await theirs.post(`${webhook}/test/captures/${captureId}/deliver`),
      await theirs.get(`${webhook}/deliveries`),
      await theirs.get(`${webhook}/stats`),
      await theirs.post(`${webhook}/replay`, { since: '2026-01-01T00:00:00Z' }),
      await theirs.get(`/v1/events/${event.id}`),
      await theirs.get(`/v1/deliveries/${deliveryId}`),
      await theirs.post(`/v1/deliveries/${deliveryId}/retry`),
      await theirs.get(`/v1/replays/${replay.id}`),
      await theirs.delete(`/v1/replays/${replay.id}`),
    ]) {
      assertError(answer, 'ENTITY_NOT_FOUND')
    }
    const mine = (await theirs.post('/v1/webhooks', { url: destination.url, events: ['*'] })).body
    assertError(
      await theirs.post(`/v1/webhooks/${mine.id}/test/captures/${captureId}/deliver`),
      'ENTITY_NOT_FOUND',
      { field: 'captureId' },
    )
    const arrived = destination.received.length
    await publish()
    await destination.count(arrived + 1)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, arrived + 1, 'an event reaches its own organization alone')
    assert.equal((await own.get(webhook)).body.status, 'active')
    assert.equal((await own.get(webhook)).body.previousSecretExpiresAt, null)
  })
})
