import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { SEALED } from '#src/db/sealed.ts'
import { signIn } from './support/attacks.ts'
import { administrator, apiKey, PASSWORD, tokenOf } from './support/people.ts'
import { startPostern } from './support/postern.ts'
import { runProcess } from './support/process.ts'
import { startReceiver } from './support/receiver.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

/** The statements that docs/operations.md gives for a key that is lost. */
function recipe(): string {
  const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
  const [, sql = ''] = /sqlite3 data\/postern\.db "(begin;[^"]*commit;)"/.exec(text) ?? []
  assert.match(sql, /key_fingerprint/)
  const left = Object.keys(SEALED).filter((table) => !new RegExp(`(?:from|update) ${table}\\b`).test(sql))
  assert.deepEqual(left, [], 'what is sealed under the lost key, and stays')
  return sql
}

it('what the guide says of a lost secret.key lets everybody in again, and webhooks with a new secret', async () => {
  const destination = await startReceiver()
  const networks = { MCP_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }
  const first = await startPostern('sqlite', { env: networks })
  const admin = await administrator(first)
  const key = await apiKey(first, admin)
  const event = { type: 'agent.run.completed', data: RUN }
  const registered = await callsOf(first, key).post('/v1/webhooks', {
    url: destination.url,
    events: [event.type],
  })
  assert.equal(registered.status, 201, registered.text)
  const tools = await callsOf(first, key).post('/v1/mcp-servers', {
    ...{ name: 'crm', url: 'http://localhost:9/mcp', headers: { 'x-api-key': 'a secret of theirs' } },
  })
  assert.equal(tools.status, 201, tools.text)
  const session = admin.client.cookies.get('session') ?? ''
  await first.stop()

  const { DATA_DIR = '' } = first.env
  rmSync(join(DATA_DIR, 'secret.key'))
  const refused = await runProcess(['start'], { DATA_DIR, PORT: '0' })
  assert.equal(refused.code, 1)
  assert.match(refused.err, /secret\.key/)
  const database = new DatabaseSync(join(DATA_DIR, 'postern.db'))
  database.exec(recipe())
  database.close()

  const second = await startPostern('sqlite', { env0: { DATA_DIR } })
  try {
    const old = await second.client().get('/v1/organizations', { token: admin.token })
    assert.equal(old.status, 401, 'a JWT of before')
    assert.equal((await signIn(second.client(), admin.email, PASSWORD)).status, 200)
    const browser = second.client()
    browser.cookies.set('session', session)
    const token = await tokenOf(browser)
    assert.equal((await second.client().get('/v1/organizations', { token })).status, 200)
    const own = callsOf(second, key)
    assert.deepEqual((await own.get(`/v1/mcp-servers/${tools.body.id}`)).body.headerNames, [])
    const path = `/v1/webhooks/${registered.body.id}`
    assert.equal((await own.get(path)).body.status, 'paused')
    assert.equal((await own.post('/v1/events', event)).status, 202)
    const rotated = await own.post(`${path}/rotate-secret`)
    assert.equal(rotated.status, 200, rotated.text)
    assert.notEqual(rotated.body.secret, registered.body.secret)
    const active = await second.client().patch(path, { status: 'active' }, { token: key })
    assert.equal(active.status, 200, active.text)
    await destination.count(1)
    await until(
      async () => (await own.get(`${path}/deliveries?status=delivered`)).body.data.length,
      (delivered) => delivered === 1,
      { what: 'a delivery with the new secret' },
    )
  } finally {
    await second.stop()
    await destination.stop()
  }
})
