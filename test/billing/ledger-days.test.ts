import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { localTrail } from '#src/audit/audit.ts'
import { grant } from '#src/billing/credits/grants.ts'
import { DAY, HOUR, toIso } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, newEmail } from '../support/people.ts'
import { postern as command, onBothEngines, usePostern } from '../support/postern.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'

interface Day {
  date: string
  credited: number
  debited: number
  entries: number
  balance: number
}

onBothEngines('the ledger by time', (engine) => {
  const server = usePostern(engine, { env: { DEFAULT_PLAN: 'free' } })

  /** An organization that nothing happens to but what a test does, one grant after the other. */
  async function granted(credits: number[], apart = HOUR) {
    const postern = await server()
    const name = newEmail('Org')
    const key = await apiKey(postern, await administrator(postern, name))
    const calls = callsOf(postern, key)
    const { balance: begun } = (await calls.get('/v1/billing/balance')).body
    const at: string[] = []
    for (const amount of credits) {
      const { database } = postern.app
      at.push(toIso(postern.clock.now()))
      const { organization_id } = await database.db
        .selectFrom('api_key')
        .innerJoin('organization', 'organization.id', 'api_key.organization_id')
        .select('organization_id')
        .where('organization.name', '=', name)
        .executeTakeFirstOrThrow()
      const trail = localTrail(postern.clock.now())
      await database.tx((tx) =>
        grant(tx, BUILT_IN_PLANS, trail, {
          organizationId: organization_id,
          credits: amount,
          reason: `=gift ${amount}`,
          key: `gift ${amount}`,
        }),
      )
      postern.clock.advance(apart)
    }
    return { postern, calls, key, name, begun: Number(begun), at }
  }

  it('is summed up by day, with the days on which nothing changed', async () => {
    const { postern, calls, begun, at } = await granted([5, 7], 2 * DAY)
    const { body } = await calls.get('/v1/billing/ledger/daily')
    const days = body.data as Day[]
    assert.equal(days.length, 30)
    assert.equal(days.at(-1)?.date, toIso(postern.clock.now()).slice(0, 10))
    const [first = '', second = ''] = at.map((moment) => moment.slice(0, 10))
    const dayOf = (date: string) => days.find((day) => day.date === date)
    const between = days[days.findIndex(({ date }) => date === first) + 1]
    assert.deepEqual(
      [dayOf(first)?.balance, between?.balance, dayOf(second)?.balance, days.at(-1)?.balance],
      [begun + 5, begun + 5, begun + 12, begun + 12],
    )
    assert.deepEqual([between?.entries, between?.credited, between?.debited], [0, 0, 0])
    assert.deepEqual([dayOf(second)?.credited, dayOf(second)?.entries], [7, 1])
    assert.deepEqual(days[0]?.balance, 0, 'before there was the organization')
    const narrow = (
      await calls.get(`/v1/billing/ledger/daily?since=${at[1]}&until=${toIso(postern.clock.now())}`)
    ).body
    assert.deepEqual(
      narrow.data.map(({ date }: Day) => date),
      days.slice(-3).map(({ date }) => date),
    )
    assert.equal(narrow.data[0].balance, begun + 12)
    assert.deepEqual(
      (await calls.get(`/v1/billing/ledger/daily?since=${at[1]}&until=${at[0]}`)).body.data,
      [],
    )
    assertError(await calls.get('/v1/billing/ledger/daily?since=2001-01-01T00:00:00Z'), 'VALIDATION_FAILED', {
      field: 'since',
      reason: 'too_many_days',
    })
    assertError(await calls.get('/v1/billing/ledger/daily?since=today'), 'VALIDATION_FAILED')
  })

  it('is narrowed by time and action, page by page, and given as a table', async () => {
    const { postern, calls, key, name, at } = await granted([11, 12, 13])
    const reasons = async (query: string) =>
      (await readAll(calls, `/v1/billing/ledger?${query}`, 1)).map(({ amount }: { amount: number }) => amount)
    assert.deepEqual(await reasons(`since=${at[1]}`), [13, 12])
    assert.deepEqual(await reasons(`since=${at[1]}&until=${at[2]}`), [12])
    assert.deepEqual(await reasons('action=connection.fetch'), [])
    assert.equal((await reasons(`until=${at[2]}`))[0], 12)
    const { text, status } = await postern
      .client()
      .get(`/v1/billing/ledger?since=${at[0]}`, { token: key, headers: { accept: 'text/csv' } })
    assert.equal(status, 200, text)
    const rows = parse(text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.slice(0, 3).map(({ amount, reason }) => [amount, reason]),
      [13, 12, 11].map((amount) => [String(amount), `'=gift ${amount}`]),
    )
    const shown = JSON.parse((await command(postern, 'credits', '--organization', name, '--json')).out)
    assert.equal(shown.entries[0].amount, 13)
  })

  it('is found across more entries than are looked at in one go', async () => {
    const { postern, calls, at } = await granted([21], DAY)
    const { database } = postern.app
    const [entry] = await readAll(calls, '/v1/billing/ledger')
    const row = await database.db
      .selectFrom('ledger_entry')
      .selectAll()
      .where('id', '=', entry.id)
      .executeTakeFirstOrThrow()
    // As ten thousand calls of two days later would have left it.
    const later = postern.clock.now()
    await database.tx(async (tx) => {
      for (let batch = 0; batch < 21; batch += 1)
        await tx
          .insertInto('ledger_entry')
          .values(
            Array.from({ length: 500 }, (_, index) => ({
              ...row,
              id: newId('ledgerEntry', later),
              sequence: row.sequence + 1 + batch * 500 + index,
              key: `many ${batch} ${index}`,
              action: 'connection.fetch',
              kind: 'debit' as const,
              purchased_amount: 0,
              cycle_amount: 0,
              created_at: later,
            })),
          )
          .execute()
    })
    const found = (await calls.get(`/v1/billing/ledger?until=${toIso(later)}&limit=1`)).body.data
    assert.equal(found[0].amount, 21)
    const { body } = await calls.get(`/v1/billing/ledger/daily?since=${at[0]}`)
    assert.equal(body.data[0].credited >= 21, true)
    assert.equal(body.data.at(-1).entries, 10_500)
  })
})
