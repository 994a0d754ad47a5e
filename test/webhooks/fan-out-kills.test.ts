import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MINUTE, pause } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { Client } from '../support/browser.ts'
import { countPairs, writeWebhooks } from '../support/many-webhooks.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'

const WEBHOOKS = 1_000
const EVENTS = 20
/** Further kills after the first, which comes before most of the deliveries are written. */
const MORE_KILLS = nightly(2, 0)

onBothEngines('a server that is killed during the fan-out of a batch', (engine) => {
  it('continues with the next start, and each webhook gets each event exactly once', async () => {
    const before = await startPostern(engine)
    const admin = await administrator(before)
    const organizationId = admin.organizationId as Id<'organization'>
    const token = await apiKey(before, admin)
    const ids = await writeWebhooks(before.app.database, organizationId, WEBHOOKS, before.clock.now())
    await before.stop()
    const { DATA_DIR, DATABASE_URL } = before.env
    const store = { DATA_DIR, DATABASE_URL, DEFAULT_PLAN: 'unlimited' }
    const env = Object.fromEntries(
      Object.entries(store).filter(([, value]) => value !== undefined),
    ) as Record<string, string>

    const first = await startProcess(env)
    const events = Array.from({ length: EVENTS }, (_, index) => ({ type: 'file.processed', data: { index } }))
    const answer = await new Client(first.url).post('/v1/events/batch', { events }, { token })
    assert.equal(answer.status, 202, answer.text)
    await until(
      async () => (await new Client(first.url).get(`/v1/webhooks/${ids[0]}/stats`, { token })).body,
      ({ deliveries }) => deliveries.pending > 0,
      { what: 'the first deliveries to be written' },
    )
    await first.kill()
    for (let times = 0; times < MORE_KILLS; times += 1) {
      const next = await startProcess(env)
      await pause(150)
      await next.kill()
    }

    const last = await startPostern(engine, { env0: env })
    const stats = `/v1/webhooks/${ids.at(-1)}/stats`
    try {
      await until(
        async () => (await last.client().get(stats, { token })).body,
        ({ deliveries }) => deliveries.pending === EVENTS,
        { patience: 3 * MINUTE },
      )
      assert.deepEqual(await countPairs(last.app.database, organizationId), {
        deliveries: EVENTS * WEBHOOKS,
        pairs: EVENTS * WEBHOOKS,
      })
    } finally {
      await last.stop()
    }
  })
})
