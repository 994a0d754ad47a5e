import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { createCharges } from '#src/billing/credits/reservations.ts'
import { readConfig } from '#src/config/config.ts'
import { DAY, fromIso, MINUTE, systemClock } from '#src/core/clock.ts'
import type { ApiError } from '#src/core/errors.ts'
import { type Id, newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import { onBothEngines, readyStore } from '../support/store.ts'

const START = fromIso('2026-01-31T12:00:00Z') as number

onBothEngines('credits', (engine) => {
  const prices = { ...BUILT_IN_PLANS.prices, 'connection.fetch': 40 }
  const charges = createCharges({ ...BUILT_IN_PLANS, prices })
  let opened: Promise<Database> | undefined
  const store = () => {
    opened ??= readyStore(engine).then((env) =>
      openDatabase({ ...readConfig(env).store, clock: systemClock, report() {}, onConnectionError() {} }),
    )
    return opened
  }
  after(async () => (await opened)?.close())

  async function organization(plan: string) {
    const database = await store()
    const id = newId('organization', START)
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id, name: id, plan, flags: '{}', created_at: START, deleted_at: null })
        .execute(),
    )
    const purpose = { organizationId: id, action: 'connection.fetch' as const, reference: 'con_1' }
    return {
      reserve: (now: number, credits?: number) =>
        database.tx((tx) =>
          charges.reserve(tx, { ...purpose, now, ...(credits !== undefined && { credits }) }),
        ),
      settle: (reservation: Awaited<ReturnType<typeof charges.reserve>>, now: number, actual?: number) =>
        database.tx((tx) => charges.settle(tx, reservation, now, actual)),
      release: (reservation: Awaited<ReturnType<typeof charges.reserve>>, now: number) =>
        database.tx((tx) => charges.release(tx, reservation, now)),
      entries: () => entriesOf(database, id),
    }
  }

  async function entriesOf({ db }: Database, id: Id<'organization'>) {
    const rows = await db
      .selectFrom('ledger_entry')
      .select(['kind', 'cycle_amount as amount', 'cycle_balance as balance', 'price'])
      .where('organization_id', '=', id)
      .orderBy('sequence')
      .execute()
    return rows.map((row) => ({ ...row }))
  }

  const isShort = (balance: number) => (error: ApiError) => {
    assert.equal(error.code, 'INSUFFICIENT_CREDITS')
    assert.deepEqual(error.details, { balance, required: 40 })
    return true
  }

  it('are set aside, then taken or given back, and run out', async () => {
    const { reserve, settle, release, entries } = await organization('free')
    const [one, two] = [await reserve(START), await reserve(START)]
    await assert.rejects(reserve(START), isShort(20))
    await release(one, START)
    const three = await reserve(START)
    for (const _ of [1, 2]) await settle(two, START)
    await settle(three, START, 15)
    // Ended once, whatever is asked afterwards.
    await release(two, START)
    await settle(one, START)
    assert.deepEqual(await entries(), [
      { kind: 'renewal', amount: 100, balance: 100, price: null },
      { kind: 'debit', amount: -40, balance: 60, price: 40 },
      { kind: 'debit', amount: -15, balance: 45, price: 15 },
    ])
    await assert.rejects(settle(one, START, 41), RangeError)
  })

  it('are set aside as many as a piece of work costs that has a price of its own', async () => {
    const { reserve, settle, entries } = await organization('free')
    await assert.rejects(reserve(START, 101), (error: ApiError) => {
      assert.deepEqual(error.details, { balance: 100, required: 101 })
      return true
    })
    await settle(await reserve(START, 100), START, 99)
    assert.deepEqual((await entries()).at(-1), { kind: 'debit', amount: -99, balance: 1, price: 99 })
  })

  it('that a crash left set aside come back after a while', async () => {
    const { reserve, settle, entries } = await organization('free')
    const [late] = [await reserve(START), await reserve(START)]
    await assert.rejects(reserve(START + 15 * MINUTE - 1), isShort(20))
    const repeated = [await reserve(START + 15 * MINUTE), await reserve(START + 15 * MINUTE)]
    assert.equal(repeated.length, 2)
    // Work that ends after its reservation is paid from the credits that no other reservation holds.
    await settle(late, START + 16 * MINUTE)
    assert.deepEqual((await entries()).at(-1), { kind: 'debit', amount: -20, balance: 80, price: 40 })
  })

  it('that were set aside before the clock was set back are not stuck until it is there again', async () => {
    const { reserve, settle } = await organization('free')
    const later = START + 20 * DAY
    const held = [await reserve(later), await reserve(later)]
    await assert.rejects(reserve(later), isShort(20))
    // Clocks of two machines differ by a little; that is no jump.
    await assert.rejects(reserve(later - 10 * MINUTE), isShort(20))
    for (const now of [START, START + 1]) await settle(await reserve(now), now)
    // And the work that was under way is still paid, as far as that goes.
    await settle(held[0] as NonNullable<(typeof held)[0]>, START + 2)
    await assert.rejects(reserve(START + 3), isShort(0))
  })

  it('are renewed once a cycle, unused ones ending, but for what is set aside', async () => {
    const { reserve, settle, entries } = await organization('free')
    await settle(await reserve(START), START)
    const end = fromIso('2026-02-28T12:00:00Z') as number
    const held = await reserve(end - MINUTE)
    await reserve(end)
    await settle(held, end + MINUTE)
    assert.deepEqual(await entries(), [
      { kind: 'renewal', amount: 100, balance: 100, price: null },
      { kind: 'debit', amount: -40, balance: 60, price: 40 },
      { kind: 'expiry', amount: -20, balance: 40, price: null },
      { kind: 'renewal', amount: 100, balance: 140, price: null },
      { kind: 'debit', amount: -40, balance: 100, price: 40 },
    ])
  })

  it('are renewed once a cycle by a clock that jumps months ahead and back', async () => {
    const { reserve, release, entries } = await organization('free')
    const moments = [0, 95, 1, 0, 33, 1, 62, 95, 33, 0, 130].map((days) => START + days * DAY)
    for (const now of moments) await release(await reserve(now), now)
    const renewals = (await entries()).filter(({ kind }) => kind === 'renewal')
    // Of 31 January, 28 February, 31 March, 30 April and 31 May; some were looked at again and again.
    assert.equal(renewals.length, 5)
    assert.ok((await entries()).every(({ balance }) => balance <= 100))
  })

  it('of a plan without limit are not counted, but written down', async () => {
    const { reserve, settle, entries } = await organization('unlimited')
    for (let count = 0; count < 3; count += 1) await settle(await reserve(START), START)
    assert.deepEqual(
      (await entries()).map(({ kind, amount, price }) => [kind, amount, price]),
      [
        ['renewal', 0, null],
        ['debit', 0, 40],
        ['debit', 0, 40],
        ['debit', 0, 40],
      ],
    )
  })
})
