import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Charges, createCharges } from '#src/billing/credits/reservations.ts'
import { readConfig } from '#src/config/config.ts'
import { type Millis, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { BUILT_IN_PLANS, type Plan, type PlanBook } from '#src/core/plans.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import { type EngineName, readyStore } from './store.ts'

/** What a unit of work costs in these tests; a cycle gives few of them, so that there is often too little. */
export const PRICE = 7
export const FEW = 20

const give = (name: string, creditsPerCycle: number | null): [string, Plan] => [
  name,
  {
    name,
    requestsPerMinute: null,
    modules: [],
    webhooks: 100,
    storageGiB: null,
    creditsPerCycle,
    price: null,
  },
]

export const BOOK: PlanBook = {
  ...BUILT_IN_PLANS,
  plans: new Map([
    give('none', 0),
    give('free', FEW),
    give('team', FEW + 12),
    give('scale', 10_000),
    give('unlimited', null),
  ]),
  // Short, so that a reservation often outlasts one.
  cycle: 'day',
  prices: { ...BUILT_IN_PLANS.prices, 'connection.fetch': PRICE },
}

/** A database of the engine with credits in it, as several processes see it where several can. */
export function useLedger(engine: EngineName) {
  const charges: Charges = createCharges(BOOK)
  let opened: Promise<Database[]> | undefined
  after(async () => {
    for (const database of (await opened) ?? []) await database.close()
  })
  async function open(): Promise<Database[]> {
    const env = await readyStore(engine)
    const options = { ...readConfig(env).store, clock: systemClock, report() {}, onConnectionError() {} }
    const first = await openDatabase(options)
    return engine === 'sqlite' ? [first] : [first, await openDatabase(options)]
  }
  return {
    charges,
    processes: () => {
      opened ??= open()
      return opened
    },
    async organization(now: Millis, plan = 'free'): Promise<Id<'organization'>> {
      opened ??= open()
      const [database] = await opened
      const id = newId('organization', now)
      await database?.tx((tx) =>
        tx
          .insertInto('organization')
          .values({ id, name: `Org of ${id}`, plan, flags: '{}', created_at: now, deleted_at: null })
          .execute(),
      )
      return id
    },
  }
}

/** The invariants of a ledger. */
export async function assertSound({ db }: Database, organizationId: Id<'organization'>): Promise<number> {
  const of = (table: 'ledger_entry' | 'reservation') =>
    db.selectFrom(table).where('organization_id', '=', organizationId)
  const entries = await of('ledger_entry').selectAll('ledger_entry').orderBy('sequence').execute()
  const reservations = await of('reservation').selectAll('reservation').execute()
  let [cycle, purchased] = [0, 0]
  for (const [index, entry] of entries.entries()) {
    assert.equal(entry.sequence, index + 1)
    cycle += entry.cycle_amount
    purchased += entry.purchased_amount
    assert.equal(entry.cycle_balance, cycle, 'the balance is the sum of the entries')
    assert.equal(entry.purchased_balance, purchased)
    assert.ok(cycle >= 0 && purchased >= 0, 'never below zero')
  }
  const held = reservations.flatMap(({ status, amount }) => (status === 'held' ? amount : []))
  const total = held.reduce((sum, amount) => sum + amount, 0)
  assert.ok(total <= cycle + purchased, 'nothing is set aside that is not there')
  const debits = entries.filter(({ kind }) => kind === 'debit').map(({ key }) => key)
  const settled = reservations.flatMap(({ id, status }) => (status === 'settled' ? `debit:${id}` : []))
  assert.deepEqual(debits.sort(), settled.sort(), 'what is settled is taken, once; nothing else is')
  const renewals = entries.flatMap(({ kind, key }) => (kind === 'renewal' ? key : []))
  assert.equal(new Set(renewals).size, renewals.length)
  return cycle + purchased - total
}

/** How each reservation stands. */
export async function statuses(
  { db }: Database,
  organizationId: Id<'organization'>,
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('reservation')
    .select(['id', 'status'])
    .where('organization_id', '=', organizationId)
    .execute()
  return new Map(rows.map(({ id, status }) => [id, status]))
}
