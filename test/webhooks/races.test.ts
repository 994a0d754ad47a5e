import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { inOrder } from '../support/held-rows.ts'
import { administrator, type Person } from '../support/people.ts'
import { type Postern, usePostern } from '../support/postern.ts'

async function makeWebhook(postern: Postern, { token }: Person): Promise<string> {
  const endpointPath = `path-${crypto.randomUUID()}`
  const body = { url: 'http://127.0.0.1:9/nobody-listens', events: ['agent.run.completed'], endpointPath }
  const made = await postern.client().post('/v1/webhooks', body, { token })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

// SQLite has one writer, so no other statement runs between those of a transaction.
describe('two changes of a webhook at once on PostgreSQL', () => {
  const server = usePostern('postgres')

  /** A new webhook, and two requests about it that are sent one right after the other. */
  async function twice(
    first: (path: string, call: { token: string }) => Promise<Answer>,
    second: (path: string, call: { token: string }) => Promise<Answer>,
  ) {
    const postern = await server()
    const admin = await administrator(postern)
    const id = await makeWebhook(postern, admin)
    const [path, call] = [`/v1/webhooks/${id}`, { token: admin.token }]
    const answers = await inOrder(postern, 'webhook', id, [() => first(path, call), () => second(path, call)])
    return { postern, admin, id, answers }
  }
  const remove = async (path: string, call: { token: string }) => (await server()).client().delete(path, call)
  const post = (what: string, body: object) => async (path: string, call: { token: string }) =>
    (await server()).client().post(`${path}/${what}`, body, call)

  it('see each other: resuming a webhook that is being paused resumes it', async () => {
    const set = (status: string) => async (path: string, call: { token: string }) =>
      (await server()).client().patch(path, { status }, call)
    const { answers } = await twice(set('paused'), set('active'))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.status]),
      [
        [200, 'paused'],
        [200, 'active'],
      ],
    )
  })

  it('leave no secret to a webhook that is deleted while it is rotated', async () => {
    const { postern, id, answers } = await twice(remove, post('rotate-secret', {}))
    assert.equal(answers[0].status, 204, answers[0].text)
    assertError(answers[1], 'ENTITY_NOT_FOUND')
    const secrets = await postern.app.database.db
      .selectFrom('webhook_secret')
      .select('hint')
      .where('webhook_id', '=', id as never)
      .execute()
    assert.deepEqual(secrets, [])
  })

  it('start no capture window and no replay for a webhook that is being deleted', async () => {
    for (const make of [post('test/start', {}), post('replay', { since: '2026-01-01T00:00:00.000Z' })]) {
      const { answers } = await twice(remove, make)
      assert.equal(answers[0].status, 204, answers[0].text)
      assertError(answers[1], 'ENTITY_NOT_FOUND')
    }
  })

  it('delete it once, with one audit entry', async () => {
    const { postern, admin, answers } = await twice(remove, remove)
    assert.equal(answers[0].status, 204, answers[0].text)
    assertError(answers[1], 'ENTITY_NOT_FOUND')
    const log = await postern.client().get('/v1/audit-log?action=webhook.deleted', { token: admin.token })
    assert.equal(log.body.data.length, 1)
  })
})
