import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { createLateWriteSweep } from '#src/operator/late-writes.ts'
import { bytesLeft } from '../files/support.ts'
import { agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { startChatServer } from '../support/chat-server.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, newEmail, signUp } from '../support/people.ts'
import {
  postern as command,
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { answering } from '../support/replays.ts'
import { advanceAtRest } from '../support/rest.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }

const chat = await startChatServer()
after(() => chat.stop())

/** The webhook's reason while its organization is disabled. */
const SUSPENDED = 'organization_disabled'

onBothEngines('the operator API, over a whole organization,', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const receivers: Receiver[] = []
  after(() => Promise.all(receivers.map((one) => one.stop())))
  async function receive(status: number): Promise<Receiver> {
    const receiver = await startReceiver()
    receivers.push(receiver)
    receiver.answer = answering(status)
    return receiver
  }
  const server = usePostern(engine, { env: chat.env })
  const operator = (postern: Postern) => callsOf(postern, OPERATOR_TOKEN)
  const pathOf = (id: string) => `/v1/operator/organizations/${id}`

  it('lets its first administrator in by a link, which the next one kills', async () => {
    const postern = await server()
    const { post } = operator(postern)
    const made = await post('/v1/operator/organizations', { name: `Founded ${newEmail()}` })
    const path = `${pathOf(made.body.id)}/invitations`
    const email = newEmail('founder')
    const first = await post(path, { email })
    assert.equal(first.status, 201, first.text)
    assert.deepEqual([first.body.role, first.body.isMailed], ['administrator', true])
    const mail = await postern.mailbox.next(email)
    assert.ok(first.body.acceptUrl.endsWith(`?token=${mail.token}`))
    const second = await post(path, { email: email.toUpperCase(), sendEmail: false })
    assert.deepEqual([second.status, second.body.isMailed, second.body.email], [201, false, email])
    const preview = (token: string) => postern.client().get(`/v1/invitations/preview?token=${token}`)
    assert.equal((await preview(mail.token)).status, 404)
    const token = new URL(second.body.acceptUrl).searchParams.get('token') ?? ''
    const person = await signUp(postern, { email, invitationToken: token, organizationId: made.body.id })
    const members = await callsOf(postern, person.token).get(`/v1/organizations/${made.body.id}/members`)
    assert.deepEqual(
      members.body.data.map(({ role }: { role: string }) => role),
      ['administrator'],
    )
    assertError(await post(path, { email }), 'DUPLICATE', { field: 'email', value: email })
    assertError(await post(path, { email: 'nobody' }), 'INVALID_EMAIL')
    // Of concurrent invitations of an address without an account, one link works.
    const unknown = newEmail('at-once')
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(path, { email: unknown })))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    const links = answers.map(({ body }) => new URL(body.acceptUrl).searchParams.get('token') ?? '')
    const alive = await Promise.all(links.map(async (link) => (await preview(link)).status === 200))
    assert.equal(alive.filter(Boolean).length, 1)
    const missing = made.body.id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
    assertError(await post(`${pathOf(missing)}/invitations`, { email }), 'ENTITY_NOT_FOUND')
  })

  it('does what makes something once for each Idempotency-Key', async () => {
    const postern = await server()
    const post = (path: string, body: object, key: string) =>
      postern.client().post(`/v1/operator/organizations${path}`, body, {
        token: OPERATOR_TOKEN,
        headers: { 'idempotency-key': key },
      })
    const name = `Founded ${newEmail()}`
    const made = await post('', { name }, 'make')
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    const email = newEmail('once')
    const calls: [string, object, object][] = [
      ['', { name }, { name: `${name} & Co` }],
      [`/${id}/credits`, { credits: 500, reason: 'a gift' }, { credits: 501, reason: 'a gift' }],
      [`/${id}/invitations`, { email, sendEmail: false }, { email }],
    ]
    for (const [path, body, other] of calls) {
      const first = await post(path, body, 'make')
      assert.ok(first.status < 300, first.text)
      for (const again of await Promise.all([1, 2, 3].map(() => post(path, body, 'make'))))
        if (again.status !== 409) assert.equal(again.text, first.text)
      assert.equal((await post(path, body, 'make')).headers.get('idempotent-replayed'), 'true')
      assertError(await post(path, other, 'make'), 'VALIDATION_FAILED', { field: 'Idempotency-Key' })
    }
    const entries = await postern.app.database.db
      .selectFrom('ledger_entry')
      .select('purchased_amount')
      .where('organization_id', '=', id)
      .where('kind', '=', 'grant')
      .execute()
    assert.deepEqual(
      entries.map(({ purchased_amount }) => Number(purchased_amount)),
      [500],
    )
    assert.equal(
      (await post(`/${id}/credits`, { credits: 500, reason: 'a gift' }, 'more')).body.granted,
      true,
    )
    // The link that was answered first opens still: the repetitions have not replaced it.
    const link = (await post(`/${id}/invitations`, { email, sendEmail: false }, 'make')).body.acceptUrl
    const token = new URL(link).searchParams.get('token')
    assert.equal((await postern.client().get(`/v1/invitations/preview?token=${token}`)).status, 200)
  })

  it('disables it, so that nobody comes in and nothing goes out, until it is enabled', async () => {
    const postern = await server()
    const receiver = await receive(500)
    const admin = await administrator(postern)
    const calls = callsOf(postern, admin.token)
    const key = callsOf(postern, await apiKey(postern, admin))
    const path = `of-${admin.organizationId.slice(4)}`
    const hook = await calls.post('/v1/webhooks', {
      ...{ url: receiver.url, events: [EVENT.type] },
      endpointPath: path,
    })
    assert.equal(hook.status, 201, hook.text)
    const inbound = () => postern.client().post(`/v1/webhooks/${path}`, { from: 'outside' })
    const paused = await calls.post('/v1/webhooks', { url: receiver.url, events: ['file.processed'] })
    await calls.patch(`/v1/webhooks/${paused.body.id}`, { status: 'paused' })
    await key.post('/v1/events', EVENT)
    await receiver.count(1)
    chat.answer = () => {}
    const agents = agentCalls(postern, admin)
    const run = await agents.run(await agents.agent({ model: 'stub' }), 'Take your time.')
    await agents.becomes(run.id, 'running')
    const stream = await watchLive(postern.url, admin.token)

    const { patch, get } = operator(postern)
    const disabled = await patch(pathOf(admin.organizationId), { status: 'disabled' })
    assert.deepEqual([disabled.status, disabled.body.status], [200, 'disabled'], disabled.text)
    postern.clock.advance(5 * SECOND)
    await stream.sees('its end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    for (const caller of [calls, key]) assertError(await caller.get('/v1/webhooks'), 'UNAUTHORIZED')
    assertError(await key.post('/v1/events', EVENT), 'UNAUTHORIZED')
    for (const query of ['', `?organizationId=${admin.organizationId}`])
      assertError(await admin.client.get(`/v1/auth/token${query}`), 'FORBIDDEN', { reason: SUSPENDED })
    const statuses = async () =>
      (await admin.client.get('/v1/auth/session')).body.user.organizations.map(
        ({ id, status }: Record<string, string>) => [id, status],
      )
    assert.deepEqual(await statuses(), [[admin.organizationId, 'disabled']])
    assertError(await inbound(), 'ENTITY_NOT_FOUND')
    receiver.answer = answering(204)
    const before = receiver.received.length
    postern.clock.advance(60 * SECOND)
    // The engine has had its turn with all that is due once it has sent what came later to another organization.
    const other = await administrator(postern)
    const witness = await receive(204)
    await callsOf(postern, other.token).post('/v1/webhooks', { url: witness.url, events: [EVENT.type] })
    await callsOf(postern, other.token).post('/v1/events', EVENT)
    await witness.count(1)
    assert.equal(receiver.received.length, before)

    const enabled = await patch(pathOf(admin.organizationId), { status: 'active' })
    assert.equal(enabled.body.status, 'active')
    assert.deepEqual(await statuses(), [[admin.organizationId, 'active']])
    await receiver.count(before + 1)
    assert.equal((await calls.get(`/v1/webhooks/${hook.body.id}`)).body.status, 'active')
    assert.equal((await calls.get(`/v1/webhooks/${paused.body.id}`)).body.status, 'paused')
    assert.equal((await agents.ended(run.id)).status, 'cancelled')
    assert.equal((await inbound()).status, 202)
    assert.equal((await admin.client.get('/v1/auth/token')).status, 200)
    const { body } = await calls.get('/v1/audit-log?limit=100')
    const actions = body.data.map(({ action }: { action: string }) => action)
    for (const action of ['organization.disabled', 'organization.enabled'])
      assert.ok(actions.includes(action))
    assert.equal((await get('/v1/operator/organizations?limit=1')).status, 200)
  })

  it('disables what was made on a right that was good a moment before, as soon as nobody is let in any more', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    await operator(postern).patch(pathOf(admin.organizationId), { status: 'disabled' })
    // As a request leaves it that had begun before, and is done after.
    const calls = callsOf(postern, (await administrator(postern)).token)
    const late = await calls.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: [EVENT.type] })
    const { database } = postern.app
    const of = admin.organizationId as never
    await database.tx((tx) =>
      tx.updateTable('webhook').set({ organization_id: of }).where('id', '=', late.body.id).execute(),
    )
    postern.clock.advance(6 * SECOND)
    await until(
      () =>
        database.db
          .selectFrom('webhook')
          .select(['status', 'disabled_reason'])
          .where('id', '=', late.body.id)
          .executeTakeFirstOrThrow(),
      ({ status, disabled_reason }) => status === 'disabled' && disabled_reason === SUSPENDED,
      { what: 'the late webhook to be suspended' },
    )
  })

  test('is disabled and enabled by the command as well, which its list shows', async () => {
    const postern = await server()
    const name = `Commanded ${newEmail()}`
    const admin = await administrator(postern, name)
    const listed = async () =>
      (await command(postern, 'organizations')).out.split('\n').find((line) => line.includes(name))
    assert.equal((await command(postern, 'organizations', '--disable', name)).code, 0)
    assert.match((await listed()) ?? '', /, disabled$/)
    postern.clock.advance(6 * SECOND)
    assertError(await callsOf(postern, admin.token).get('/v1/webhooks'), 'UNAUTHORIZED')
    assert.equal((await command(postern, 'organizations', '--enable', name)).code, 0)
    assert.doesNotMatch((await listed()) ?? '', /disabled/)
    assert.equal((await callsOf(postern, admin.token).get('/v1/webhooks')).status, 200)
    assert.equal((await command(postern, 'organizations', '--enable', name, '--disable', name)).code, 2)
  })

  it('is ended by the next round of housekeeping though the end of each one before it fails', async () => {
    const postern = await server()
    const disabled: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const { organizationId } = await administrator(postern)
      await operator(postern).patch(pathOf(organizationId), { status: 'disabled' })
      disabled.push(organizationId)
    }
    const [asked, logged]: [string[], string[]] = [[], []]
    const log = {
      error: ({ organizationId }: { organizationId: string }, message: string) =>
        void logged.push(`${message}: ${organizationId}`),
    }
    const { sweep } = createLateWriteSweep({
      ...{ clock: postern.clock, database: postern.app.database, log: log as never, forgetWebhook() {} },
      async cancelRuns(id) {
        asked.push(id)
        throw new Error('the runs of this organization cannot be cancelled')
      },
    })
    await sweep()
    assert.deepEqual(
      disabled.filter((id) => !asked.includes(id)),
      [],
    )
    assert.deepEqual(
      logged,
      asked.map((id) => `what an organization left behind: ${id}`),
    )
  })

  it('deletes it with files and their bytes, knowledge, runs and what is shown live, once its name is said', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = callsOf(postern, admin.token)
    const stream = await watchLive(postern.url, admin.token)
    const uploaded = await postern.client().post('/v1/files?name=note.txt', 'Kept.', {
      token: admin.token,
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(uploaded.status, 201, uploaded.text)
    const base = await calls.post('/v1/knowledge-bases', { name: 'Known' })
    await calls.post(
      `/v1/knowledge-bases/${base.body.id}/documents`,
      { text: 'Something.' },
      { prefer: 'wait=30' },
    )
    chat.answer = () => {}
    const agents = agentCalls(postern, admin)
    const conversationId = await agents.conversation()
    await agents.run(await agents.agent({ model: 'stub' }), 'Take your time.', { conversationId })
    await stream.sees('the run', ({ event }) => event === 'run')
    const { body } = await operator(postern).get('/v1/operator/organizations?limit=100')
    const { name } = body.data.find(({ id }: { id: string }) => id === admin.organizationId)
    const { delete: remove } = operator(postern)
    const path = pathOf(admin.organizationId)
    assertError(await remove(`${path}?name=Another`), 'VALIDATION_FAILED', {
      field: 'name',
      reason: 'not_its_name',
    })
    assertError(await remove(path), 'MISSING_REQUIRED_FIELD')
    assert.equal((await calls.get('/v1/files')).status, 200)

    const named = `${path}?name=${encodeURIComponent(name)}`
    const removed = await remove(named)
    assert.equal(removed.status, 204, removed.text + postern.log())
    assertError(await remove(named), 'ENTITY_NOT_FOUND')
    assertError(await calls.get('/v1/files'), 'UNAUTHORIZED')
    postern.clock.advance(5 * SECOND)
    await stream.sees('its end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    const { db } = postern.app.database
    const of = admin.organizationId as never
    const tables = [
      ...([
        'membership',
        'invitation',
        'api_key',
        'service_account',
        'file',
        'agent',
        'run',
        'conversation',
        'message',
      ] as const),
      ...(['stream_change', 'stream', 'storage', 'credit_account', 'mcp_server', 'connection'] as const),
    ]
    const left = async () => {
      const counts = await Promise.all(
        tables.map(async (table) => {
          const rows = await db.selectFrom(table).selectAll().where('organization_id', '=', of).execute()
          return rows.length === 0 ? [] : [table]
        }),
      )
      return counts.flat()
    }
    await until(left, (names) => names.length === 0, { what: 'nothing to be left' })
    // Bytes and knowledge go in steps, by clocks of their own.
    const going = async () => {
      await advanceAtRest(postern, MINUTE)
      const bases = await db
        .selectFrom('knowledge_base')
        .select('id')
        .where('organization_id', '=', of)
        .execute()
      const { files, kept } = await bytesLeft(postern)
      return { bases: bases.length, files, kept }
    }
    await until(going, ({ bases, files, kept }) => bases + files + kept === 0, {
      what: 'bytes and bases to go',
    })
  })
})
