import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Id } from '#src/core/id.ts'
import { assertError, atOnce, tally } from '../support/attacks.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { postern as command, onBothEngines, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const BODY = { url: 'http://127.0.0.1:9/', events: ['*'] }

onBothEngines('the number of webhooks that a plan allows', (engine) => {
  const server = usePostern(engine, { env: { DEFAULT_PLAN: 'free' } })

  it('is never exceeded by concurrent requests, and a deleted webhook frees its place', async () => {
    const postern = await server()
    const admin = await administrator(postern, 'Full')
    const own = callsOf(postern, await apiKey(postern, admin))
    await writeWebhooks(
      postern.app.database,
      admin.organizationId as Id<'organization'>,
      15,
      postern.clock.now(),
    )
    const answers = await atOnce(12, () => own.post('/v1/webhooks', BODY))
    assert.deepEqual(tally(answers), { 201: 5, 403: 7 })
    const refused = answers.find(({ status }) => status === 403)
    assert.ok(refused)
    assertError(refused, 'FORBIDDEN', { reason: 'too_many_webhooks', limit: 20 })
    const made = answers.find(({ status }) => status === 201)
    assert.equal((await own.delete(`/v1/webhooks/${made?.body.id}`)).status, 204)
    assert.equal((await own.post('/v1/webhooks', BODY)).status, 201)
    assert.equal((await own.post('/v1/webhooks', BODY)).status, 403)
    // The list of plans shows the number of another plan.
    const { body } = await own.get('/v1/billing/plans')
    const numbers = body.data.map(({ name, webhooks }: { name: string; webhooks: number }) => [
      name,
      webhooks,
    ])
    assert.deepEqual(Object.fromEntries(numbers), { free: 20, team: 100, scale: 1_000, unlimited: 10_000 })
    assert.match((await command(postern, 'plan')).out, /^team .*; 100 webhooks; /m)
    assert.equal((await command(postern, 'plan', '--organization', 'Full', '--plan', 'team')).code, 0)
    assert.equal((await own.post('/v1/webhooks', BODY)).status, 201)
    // A change back to the smaller plan deletes nothing.
    await command(postern, 'plan', '--organization', 'Full', '--plan', 'free')
    assert.equal((await own.post('/v1/webhooks', BODY)).status, 403)
    assert.equal((await own.get('/v1/webhooks?limit=100')).body.data.length, 21)
  })
})
