import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, MINUTE } from '#src/core/clock.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { until } from '../support/webhook-calls.ts'

onBothEngines('the renewal of credits', (engine) => {
  const start = (more: Parameters<typeof startPostern>[1] = {}) =>
    startPostern(engine, { ...more, env: { DEFAULT_PLAN: 'free', ...more.env } })

  /** The renewals in the table. Reading them renews nothing, so the background job has written them. */
  async function renewals({ app }: Postern, organizationId: string): Promise<string[]> {
    const rows = await app.database.db
      .selectFrom('ledger_entry')
      .select('key')
      .where('organization_id', '=', organizationId as never)
      .where('kind', '=', 'renewal')
      .orderBy('sequence')
      .execute()
    return rows.map(({ key }) => key)
  }

  const count = (postern: Postern, id: string, wanted: number) =>
    until(
      () => renewals(postern, id),
      ({ length }) => length === wanted,
    )

  it('is made in the background, once a cycle, over a restart and a clock that jumps', async () => {
    const first = await start()
    const admin = await administrator(first)
    const { organizationId: id } = admin
    const token = await apiKey(first, admin, 'administrator')
    // Who has asked once has an account; nobody asks from here on.
    await first.client().get('/v1/billing/balance', { token })
    await count(first, id, 1)
    first.clock.advance(31 * DAY)
    await count(first, id, 2)
    await first.stop()
    // Three cycles go by while nobody is there.
    first.clock.advance(95 * DAY)
    const second = await start({ env0: first.env, clock: first.clock })
    try {
      await count(second, id, 3)
      const seen = await renewals(second, id)
      // Back by two cycles, to one that nobody began, and forward again.
      second.clock.advance(-62 * DAY)
      second.clock.advance(MINUTE)
      const { body } = await second.client().get('/v1/billing/balance', { token })
      assert.equal(body.balance, 100)
      await count(second, id, 4)
      second.clock.advance(62 * DAY)
      for (let minutes = 0; minutes < 5; minutes += 1) second.clock.advance(MINUTE)
      assert.equal((await second.client().get('/v1/billing/balance', { token })).body.balance, 100)
      const all = await renewals(second, id)
      assert.equal(new Set(all).size, 4)
      assert.deepEqual(all.slice(0, 3), seen)
    } finally {
      await second.stop()
    }
  })

  it('is made once by two processes and fifty requests that come at the same moment', async () => {
    const one = await start()
    const other =
      engine === 'postgres' ? await start({ env0: one.env, clock: one.clock, env: { PORT: '0' } }) : one
    try {
      const admin = await administrator(one)
      const token = await apiKey(one, admin, 'administrator')
      one.clock.advance(31 * DAY)
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? one : other).client().get('/v1/billing/balance', { token }),
        ),
      )
      for (const { status, body } of answers) assert.deepEqual([status, body.balance], [200, 100])
      one.clock.advance(MINUTE)
      const all = await renewals(one, admin.organizationId)
      assert.equal(new Set(all).size, all.length)
      assert.ok(all.length <= 2)
    } finally {
      if (other !== one) await other.stop()
      await one.stop()
    }
  })
})
