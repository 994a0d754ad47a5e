import assert from 'node:assert/strict'
import { it } from 'node:test'
import { localTrail } from '#src/audit/audit.ts'
import { createBillingWorker } from '#src/billing/billing-worker.ts'
import { takeFrom } from '#src/billing/credits/account.ts'
import { grant, reverse } from '#src/billing/credits/grants.ts'
import { append, findEntry } from '#src/billing/credits/ledger.ts'
import type { Reservation } from '#src/billing/credits/open-account.ts'
import { openAccount } from '#src/billing/credits/open-account.ts'
import { openCycle, readBalance, selectEntries, toEntry } from '#src/billing/credits/read-balance.ts'
import type { Payments } from '#src/billing/payments/payments.ts'
import { DAY, fromIso, MINUTE, type Millis, systemClock, toIso } from '#src/core/clock.ts'
import { ApiError } from '#src/core/errors.ts'
import { type Id, newId } from '#src/core/id.ts'
import { LIFETIME } from '#src/core/limits.ts'
import type { Database } from '#src/db/database.ts'
import type { Movement } from '#src/shared/charge.ts'
import { assertSound, BOOK, FEW, PRICE, statuses, useLedger } from '../support/ledger.ts'
import { onBothEngines } from '../support/store.ts'
import { until } from '../support/waits.ts'

const START = fromIso('2026-01-31T12:00:00Z') as Millis
/** What an organization has that is deleted: its account can be opened no more. */
const GONE = { plan: 'free', flags: '{}', created_at: 1, deleted_at: 1 }
const ALL = { take: 100, before: undefined }
/** After so long a reservation is over. */
const HELD_FOR = LIFETIME.creditReservation

function isRefusal(code: string, details: object) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.deepEqual({ code: error.code, details: error.details }, { code, details })
    return true
  }
}

const isShort = (balance: number) => isRefusal('INSUFFICIENT_CREDITS', { balance, required: PRICE })

onBothEngines('an organization’s credits', (engine) => {
  const { charges, processes, organization } = useLedger(engine)

  /** One organization, and what can be done with its credits. */
  async function openLedger(plan = 'free') {
    const [database] = (await processes()) as [Database]
    const id = await organization(START, plan)
    const deps = { database, book: BOOK }
    const purpose = { organizationId: id, action: 'connection.fetch' as const, reference: 'con_1' }
    return {
      id,
      database,
      reserve: (now = START) => database.tx((tx) => charges.reserve(tx, { ...purpose, now })),
      settle: (one: Reservation, now = START, actual?: number) =>
        database.tx((tx) => charges.settle(tx, one, now, actual)),
      release: (one: Reservation, now = START) => database.tx((tx) => charges.release(tx, one, now)),
      grant: (credits: number, key: string, now = START) =>
        database.tx((tx) =>
          grant(tx, BOOK, localTrail(now), { organizationId: id, credits, reason: 'a present', key }),
        ),
      reverse: (entryId: string, now = START) =>
        database.tx((tx) =>
          reverse(tx, BOOK, localTrail(now), {
            organizationId: id,
            entryId: entryId as Id<'ledgerEntry'>,
            reason: 'by mistake',
          }),
        ),
      balance: (now = START) => readBalance(deps, id, now),
      newest: async () => {
        const [row] = await selectEntries(database.db, id, ALL)
        assert.ok(row)
        return row
      },
      /** What changed, as [kind, of the cycle, of what stays]. */
      changes: async () =>
        (await selectEntries(database.db, id, ALL))
          .reverse()
          .map(({ kind, cycle_amount, purchased_amount }) => [kind, cycle_amount, purchased_amount]),
      statuses: async () => {
        const rows = await database.db
          .selectFrom('reservation')
          .select('status')
          .where('organization_id', '=', id)
          .orderBy('id')
          .execute()
        return rows.map(({ status }) => status)
      },
      audits: async () => {
        const rows = await database.db
          .selectFrom('audit')
          .select(['action', 'target_id', 'details'])
          .where('organization_id', '=', id)
          .orderBy('id')
          .execute()
        return rows.map(({ action, target_id, details }) => [action, target_id, JSON.parse(details)])
      },
    }
  }

  it('are shown as they stand: what can be spent, what is set aside, and what ends with the cycle', async () => {
    const { reserve, settle, grant, balance, statuses } = await openLedger()
    const cycle = { startedAt: toIso(START), renewsAt: toIso(START + DAY) }
    const shown = { unlimited: false, plan: 'free', creditsPerCycle: FEW, cycle }
    assert.deepEqual(await balance(), {
      ...shown,
      balance: FEW,
      reserved: 0,
      cycleCredits: FEW,
      purchasedCredits: 0,
    })
    await grant(5, 'a')
    await settle(await reserve())
    await (await openLedger()).reserve()
    // Within the cycle, so that showing the balance writes nothing.
    const later = START + DAY / 2
    await reserve(later)
    const now = {
      ...shown,
      balance: FEW + 5 - 2 * PRICE,
      reserved: PRICE,
      cycleCredits: FEW - PRICE,
      purchasedCredits: 5,
    }
    assert.deepEqual(await balance(later), now)
    assert.deepEqual(await balance(later + HELD_FOR - 1), now)
    // The reservation has ended, although its row still says `held`.
    const after = { ...now, balance: FEW + 5 - PRICE, reserved: 0 }
    assert.deepEqual(await balance(later + HELD_FOR), after)
    // A reservation that was made too far ahead of the clock has ended, too.
    assert.deepEqual(await balance(later - HELD_FOR), now)
    assert.deepEqual(await balance(later - HELD_FOR - 1), after)
    assert.deepEqual(await statuses(), ['settled', 'held'])
  })

  it('are counted for a plan without limit, which shows that it has none', async () => {
    const { reserve, settle, balance, newest } = await openLedger('unlimited')
    await settle(await reserve())
    const { balance: left, unlimited, creditsPerCycle } = await balance()
    assert.deepEqual(
      { left, unlimited, creditsPerCycle },
      { left: 0, unlimited: true, creditsPerCycle: null },
    )
    const { cycle_amount, purchased_amount, price } = await newest()
    assert.deepEqual([cycle_amount, purchased_amount, price], [0, 0, PRICE])
  })

  it('begin a new cycle in the background though more accounts than a page holds cannot begin theirs', async () => {
    const { id, database, balance } = await openLedger()
    await balance()
    const later = START + 40 * DAY
    const ended = Array.from({ length: 201 }, () => newId('organization', START))
    const account = { anchor_at: 1, cycle_start: 1, cycle_end: 2, cycle_granted: 0 }
    await database.tx(async (tx) => {
      await tx
        .insertInto('organization')
        .values(ended.map((one) => ({ id: one, name: one, ...GONE })))
        .execute()
      await tx
        .insertInto('credit_account')
        .values(ended.map((one) => ({ organization_id: one, ...account })))
        .execute()
    })
    const failed = new Set<string>()
    const worker = createBillingWorker({
      ...{ database, book: BOOK, clock: { ...systemClock, now: () => later } },
      payments: { name: 'manual' } as Payments,
      log: {
        info() {},
        error: ({ organizationId }: { organizationId?: string }) => void failed.add(String(organizationId)),
      } as never,
    })
    worker.start()
    const cycleEnd = async () =>
      (
        await database.db
          .selectFrom('credit_account')
          .select('cycle_end')
          .where('organization_id', '=', id)
          .executeTakeFirstOrThrow()
      ).cycle_end
    await until(cycleEnd, (end) => end > later, { what: 'the cycle to begin' })
    await worker.stop()
    assert.ok(ended.every((one) => failed.has(one)))
    await database.tx((tx) => tx.deleteFrom('credit_account').where('organization_id', 'in', ended).execute())
  })

  it('begin a new cycle when they are looked at after the last one', async () => {
    const { id, database, balance, changes } = await openLedger()
    await balance()
    await balance(START + DAY - 1)
    assert.deepEqual(await changes(), [['renewal', FEW, 0]])
    const { cycle } = await balance(START + DAY)
    assert.deepEqual(cycle, { startedAt: toIso(START + DAY), renewsAt: toIso(START + 2 * DAY) })
    const renewed = [
      ['renewal', FEW, 0],
      ['expiry', -FEW, 0],
      ['renewal', FEW, 0],
    ]
    assert.deepEqual(await changes(), renewed)
    await openCycle({ database, book: BOOK }, id, START + 2 * DAY)
    const listed = await selectEntries(database.db, id, ALL)
    assert.deepEqual(
      listed.map(({ kind, key }) => [kind, key]),
      [2, 1]
        .flatMap((days) =>
          ['renewal', 'expiry'].map((kind) => [kind, `${kind}:${toIso(START + days * DAY)}`]),
        )
        .concat([['renewal', `renewal:${toIso(START)}`]]),
    )
    // A clock that was set back shows the cycle that it is in, which began once.
    assert.equal((await balance(START)).cycle.startedAt, toIso(START))
    assert.equal((await changes()).length, 5)
    const account = await database.tx((tx) => openAccount(tx, BOOK, id, START + 3 * DAY))
    assert.deepEqual([account.cycleStart, account.cycleGranted], [START + 3 * DAY, FEW])
    const row = await database.db
      .selectFrom('credit_account')
      .select(['cycle_start', 'cycle_end', 'cycle_granted'])
      .where('organization_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...row },
      { cycle_start: START + 3 * DAY, cycle_end: START + 4 * DAY, cycle_granted: FEW },
    )
  })

  it('are in the cycle that the configuration names, also when that has changed', async () => {
    const { id, database, balance, changes } = await openLedger()
    await balance()
    const shown = async (cycle: 'day' | 'week', now: Millis) => {
      const { cycle: span } = await readBalance({ database, book: { ...BOOK, cycle } }, id, now)
      return [span.startedAt, span.renewsAt]
    }
    const spanOf = (...days: number[]) => days.map((day) => toIso(START + day * DAY))
    const open = (cycle: 'day' | 'week', now: Millis) =>
      database.tx((tx) => openAccount(tx, { ...BOOK, cycle }, id, now))
    // Another end of the same beginning, and another beginning with the same end.
    await open('week', START)
    assert.deepEqual(await shown('week', START), spanOf(0, 7))
    assert.deepEqual(await changes(), [['renewal', FEW, 0]])
    await open('day', START + 6 * DAY)
    assert.deepEqual(await shown('day', START + 6 * DAY), spanOf(6, 7))
    assert.equal((await changes()).length, 3)
  })

  it('end with their cycle, but for what is set aside, and nothing is written where nothing is left', async () => {
    const { reserve, settle, changes, balance } = await openLedger()
    for (let count = 0; count < 2; count += 1) await settle(await reserve())
    assert.equal((await balance(START + DAY)).cycleCredits, FEW)
    assert.deepEqual((await changes()).slice(-2), [
      ['expiry', -(FEW - 2 * PRICE), 0],
      ['renewal', FEW, 0],
    ])
    const held = await reserve(START + 2 * DAY - 1)
    assert.equal((await balance(START + 2 * DAY)).cycleCredits, FEW + PRICE)
    await settle(held, START + 2 * DAY)
    const none = await openLedger('none')
    await none.balance()
    await none.balance(START + DAY)
    assert.deepEqual(await none.changes(), [
      ['renewal', 0, 0],
      ['renewal', 0, 0],
    ])
  })

  it('are listed newest first, a page behind an entry, and nobody else’s', async () => {
    const { id, database, grant } = await openLedger()
    const other = await openLedger()
    await other.grant(9, 'x')
    for (const key of ['a', 'b', 'c']) await grant(1, key)
    const keys = async (page: { take: number; before: string | undefined }, of = id) =>
      (await selectEntries(database.db, of, page)).map(({ key }) => key)
    const all = await keys(ALL)
    assert.deepEqual(all, ['grant:c', 'grant:b', 'grant:a', `renewal:${toIso(START)}`])
    const [, second] = await selectEntries(database.db, id, ALL)
    assert.deepEqual(await keys({ take: 1, before: second?.id }), ['grant:a'])
    assert.deepEqual(await keys({ take: 5, before: second?.id }), all.slice(2))
    assert.deepEqual(await keys({ take: 5, before: second?.id }, other.id), [])
    assert.deepEqual(await keys({ take: 2, before: undefined }), all.slice(0, 2))
  })

  it('go out with the sums of both kinds', async () => {
    const { reserve, settle, grant, newest } = await openLedger()
    await grant(5, 'a')
    await settle(await reserve(), START + 1)
    const row = await newest()
    assert.deepEqual(toEntry({ ...row, purchased_amount: -2, purchased_balance: 3 }), {
      id: row.id,
      kind: 'debit',
      amount: -PRICE - 2,
      balance: FEW - PRICE + 3,
      cycleCredits: FEW - PRICE,
      purchasedCredits: 3,
      price: PRICE,
      action: 'connection.fetch',
      reference: 'con_1',
      reason: null,
      createdAt: toIso(START + 1),
    })
  })

  it('are written entry after entry, each carrying the balances on, and one key once', async () => {
    const { id, database, balance, newest } = await openLedger()
    const other = await openLedger()
    await balance()
    const { entry: first, isNew } = await database.tx(async (tx) => {
      const account = await openAccount(tx, BOOK, id, START)
      const entry = { key: 'k', kind: 'grant' as const, purchasedAmount: 4, reason: 'why', actorId: 'acc_1' }
      const written = await append(tx, account, entry, START + 5)
      assert.deepEqual([account.sequence, account.cycleBalance, account.purchasedBalance], [2, FEW, 4])
      const repeated = await append(tx, account, { ...entry, purchasedAmount: 9 }, START + 6)
      assert.deepEqual([repeated.isNew, repeated.entry.id], [false, written.entry.id])
      assert.deepEqual([account.sequence, account.purchasedBalance], [2, 4])
      return written
    })
    assert.equal(isNew, true)
    const stored = {
      organization_id: id,
      sequence: 2,
      key: 'k',
      kind: 'grant',
      cycle_amount: 0,
      purchased_amount: 4,
      cycle_balance: FEW,
      purchased_balance: 4,
      price: null,
      action: null,
      reference: null,
      reason: 'why',
      actor_id: 'acc_1',
      created_at: START + 5,
    }
    const { id: entryId, ...rest } = { ...(await newest()) }
    assert.deepEqual(rest, stored)
    assert.equal(entryId, first.id)
    const found = (of: Id<'organization'>, key: string) => database.tx((tx) => findEntry(tx, of, key))
    assert.equal((await found(id, 'k'))?.id, entryId)
    assert.equal(await found(id, 'l'), undefined)
    assert.equal(await found(other.id, 'k'), undefined)
  })

  it('are set aside with all that a reader needs, for a quarter of an hour', async () => {
    const { id, database, reserve } = await openLedger()
    const { id: reservationId, price, organizationId } = await reserve(START + 1)
    assert.deepEqual([price, organizationId], [PRICE, id])
    const row = await database.db
      .selectFrom('reservation')
      .selectAll()
      .where('organization_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...row },
      {
        id: reservationId,
        organization_id: id,
        action: 'connection.fetch',
        reference: 'con_1',
        price: PRICE,
        amount: PRICE,
        status: 'held',
        created_at: START + 1,
        expires_at: START + 1 + 15 * MINUTE,
      },
    )
  })

  it('are set aside to the last one, and no further', async () => {
    const { reserve, grant, balance } = await openLedger()
    await grant(1, 'a')
    for (let count = 0; count < 3; count += 1) await reserve()
    assert.equal((await balance()).balance, FEW + 1 - 3 * PRICE)
    await assert.rejects(reserve(), isShort(0))
    await reserve(START + HELD_FOR)
  })

  it('are taken once, from those that end with the cycle first', async () => {
    const { reserve, settle, grant, changes, newest, statuses } = await openLedger()
    await grant(10, 'a')
    const all = [await reserve(), await reserve(), await reserve()] as const
    for (const one of all) await settle(one)
    for (const one of all) await settle(one)
    assert.deepEqual((await changes()).slice(2), [
      ['debit', -PRICE, 0],
      ['debit', -PRICE, 0],
      ['debit', 2 * PRICE - FEW, FEW - 3 * PRICE],
    ])
    assert.deepEqual(await statuses(), ['settled', 'settled', 'settled'])
    const { key, kind, price, action, reference } = await newest()
    assert.deepEqual(
      [key, kind, price, action, reference],
      [`debit:${all[2].id}`, 'debit', PRICE, 'connection.fetch', 'con_1'],
    )
    // Never -0.
    assert.deepEqual(takeFrom({ cycleBalance: 0 } as never, 0), { cycleAmount: 0, purchasedAmount: 0 })
    assert.deepEqual(takeFrom({ cycleBalance: 3 } as never, 5), { cycleAmount: -3, purchasedAmount: -2 })
  })

  it('are taken as far as they were needed: whole credits, from none to all that was set aside', async () => {
    const { reserve, settle, changes } = await openLedger()
    const one = await reserve()
    for (const actual of [-1, 1.5, PRICE + 1, Number.NaN])
      await assert.rejects(
        settle(one, START, actual),
        (error) =>
          error instanceof RangeError &&
          error.message === `${actual} is not 0 to the ${PRICE} credits of ${one.id}`,
      )
    await settle(one, START, 0)
    await settle(await reserve(), START, 3)
    await settle(await reserve(), START, PRICE)
    assert.deepEqual((await changes()).slice(1), [
      ['debit', 0, 0],
      ['debit', -3, 0],
      ['debit', -PRICE, 0],
    ])
  })

  it('are given back once, and nothing is taken after that', async () => {
    const { reserve, settle, release, changes, balance, statuses } = await openLedger()
    const one = await reserve()
    await release(one)
    await release(one)
    await settle(one)
    assert.equal((await balance()).balance, FEW)
    const other = await reserve()
    await settle(other)
    await release(other)
    const late = await reserve()
    await release(late, START + HELD_FOR)
    assert.deepEqual(await statuses(), ['released', 'settled', 'released'])
    await settle(late, START + HELD_FOR)
    const unknown = { ...one, id: newId('reservation', START) }
    await release(unknown)
    await settle(unknown)
    assert.deepEqual((await changes()).slice(1), [['debit', -PRICE, 0]])
  })

  it('are moved for many at once: who has too little is refused alone, with all that it asked for', async () => {
    const [poor, rich] = [await organization(START), await organization(START, 'scale')]
    const [database] = (await processes()) as [Database]
    const reserve = { action: 'connection.fetch', reference: 'con_1' } as const
    const first = await database.tx((tx) =>
      charges.moveAll(
        tx,
        [poor, rich, poor, poor].map((organizationId) => ({ organizationId, reserve: [reserve] })),
        START,
      ),
    )
    assert.deepEqual(
      first.map(({ refused }) => refused?.details),
      [undefined, undefined, undefined, { balance: FEW - 2 * PRICE, required: PRICE }],
    )
    const of = (index: number, actual: number) => ({
      reservation: first[index]?.reservations[0] as Reservation,
      actual,
    })
    const second = await database.tx((tx) =>
      charges.moveAll(
        tx,
        [
          { organizationId: poor, settle: [of(0, PRICE)], reserve: [{ ...reserve, credits: FEW }] },
          { organizationId: rich, settle: [of(1, 2)], reserve: [reserve] },
          { organizationId: poor, settle: [of(2, 3)] },
        ],
        START,
      ),
    )
    assert.deepEqual(
      second.map(({ refused }) => refused?.code),
      ['INSUFFICIENT_CREDITS', undefined, undefined],
    )
    const stand = await statuses(database, poor)
    assert.deepEqual([...stand.values()].sort(), ['held', 'settled'])
    // What was refused is not settled either.
    assert.equal(stand.get(of(0, 0).reservation.id), 'held')
    assert.equal(await assertSound(database, poor), FEW - PRICE - 3)
    assert.equal(await assertSound(database, rich), 10_000 - 2 - PRICE)
  })

  it('are moved for several pieces of work of one movement, all of them or none', async () => {
    const poor = await organization(START)
    const [database] = (await processes()) as [Database]
    const work = { action: 'connection.fetch', reference: 'con_1' } as const
    const move = async (movement: Omit<Movement<Reservation>, 'organizationId'>) => {
      const movements = [{ organizationId: poor, ...movement }]
      const [moved] = await database.tx((tx) => charges.moveAll(tx, movements, START))
      return moved ?? { reservations: [] }
    }
    const { reservations } = await move({ reserve: [work, { ...work, credits: 2 }] })
    assert.deepEqual(
      reservations.map(({ price }) => price),
      [PRICE, 2],
    )
    const settle = reservations.map((reservation, index) => ({ reservation, actual: index }))
    const refused = await move({ settle, reserve: [work, { ...work, credits: FEW }] })
    assert.deepEqual(refused.refused?.details, { balance: FEW - 1, required: PRICE + FEW })
    assert.deepEqual(refused.reservations, [])
    assert.deepEqual([...(await statuses(database, poor)).values()], ['held', 'held'])
    const moved = await move({ settle, reserve: [{ ...work, credits: 1 }] })
    assert.equal(moved.reservations.length, 1)
    assert.deepEqual([...(await statuses(database, poor)).values()].sort(), ['held', 'settled', 'settled'])
    // Settled again, nothing is taken twice.
    await move({ settle: [...settle, { reservation: moved.reservations[0] as Reservation, actual: 1 }] })
    assert.equal(await assertSound(database, poor), FEW - 2)
  })

  it('of a reservation that is over are taken as far as nobody else holds them', async () => {
    const { reserve, settle, statuses, changes } = await openLedger()
    const late = await reserve()
    const repeated = START + HELD_FOR
    assert.deepEqual(await statuses(), ['held'])
    const held = [await reserve(repeated), await reserve(repeated)]
    assert.deepEqual(await statuses(), ['expired', 'held', 'held'])
    await settle(late, repeated)
    assert.deepEqual((await changes()).at(-1), ['debit', 2 * PRICE - FEW, 0])
    for (const one of held) await settle(one, repeated)
    assert.deepEqual((await changes()).slice(-2), [
      ['debit', -PRICE, 0],
      ['debit', -PRICE, 0],
    ])
  })

  it('are held no longer by what a clock that was ahead set aside', async () => {
    const { reserve, statuses } = await openLedger()
    const ahead = START + HELD_FOR
    for (let count = 0; count < 2; count += 1) await reserve(ahead)
    await assert.rejects(reserve(START), isShort(FEW - 2 * PRICE))
    await reserve(START - 1)
    assert.deepEqual((await statuses()).sort(), ['expired', 'expired', 'held'])
  })

  it('are nobody’s where there is no organization, or not any more', async () => {
    const { database, reserve, balance } = await openLedger()
    await balance()
    const unknown = newId('organization', START)
    const open = (of: Id<'organization'>) => database.tx((tx) => openAccount(tx, BOOK, of, START))
    const missing = (value: string) => isRefusal('ENTITY_NOT_FOUND', { field: 'organizationId', value })
    await assert.rejects(open(unknown), missing(unknown))
    const deleted = await organization(START)
    const end = (of: Id<'organization'>) =>
      database.tx((tx) =>
        tx.updateTable('organization').set({ deleted_at: START }).where('id', '=', of).execute(),
      )
    await end(deleted)
    await assert.rejects(open(deleted), missing(deleted))
    await reserve()
  })

  it('are granted once for each key, beyond the cycle, and the audit log says so', async () => {
    const { grant, changes, newest, audits, balance } = await openLedger()
    const { entry, isNew } = await grant(5, 'a')
    assert.equal(isNew, true)
    const repeated = await grant(9, 'a', START + 1)
    assert.deepEqual([repeated.isNew, repeated.entry.id], [false, entry.id])
    await grant(2, 'b')
    assert.deepEqual(await changes(), [
      ['renewal', FEW, 0],
      ['grant', 0, 5],
      ['grant', 0, 2],
    ])
    const { key, reason, created_at } = await newest()
    assert.deepEqual([key, reason, created_at], ['grant:b', 'a present', START])
    assert.deepEqual((await audits())[0], ['credits.granted', entry.id, { credits: 5, reason: 'a present' }])
    assert.equal((await audits()).length, 2)
    assert.equal((await balance(START + DAY)).purchasedCredits, 7)
  })

  it('return to where they came from when a debit is taken back, once', async () => {
    const { reserve, settle, grant, reverse, newest, changes, audits } = await openLedger()
    await grant(10, 'a')
    for (let count = 0; count < 3; count += 1) await settle(await reserve())
    const debit = await newest()
    const { entry, isNew, spent } = await reverse(debit.id)
    assert.deepEqual([isNew, spent], [true, 0])
    const { key, kind, reference, reason } = entry
    assert.deepEqual(
      [key, kind, reference, reason],
      [`reversal:${debit.id}`, 'reversal', debit.id, 'by mistake'],
    )
    const repeated = await reverse(debit.id)
    assert.deepEqual([repeated.isNew, repeated.entry.id, repeated.spent], [false, entry.id, 0])
    assert.deepEqual((await changes()).slice(-2), [
      ['debit', 2 * PRICE - FEW, FEW - 3 * PRICE],
      ['reversal', FEW - 2 * PRICE, 3 * PRICE - FEW],
    ])
    assert.deepEqual((await audits()).at(-1), [
      'credits.reversed',
      debit.id,
      { credits: PRICE, reason: 'by mistake' },
    ])
    assert.equal((await audits()).length, 2)
  })

  it('of a grant go as far as they are left and nobody has set them aside', async () => {
    const whole = await openLedger()
    const all = await whole.reverse((await whole.grant(5, 'a')).entry.id)
    assert.deepEqual([all.entry.purchased_amount, all.spent], [-5, 0])

    const part = await openLedger('none')
    const { entry } = await part.grant(2 * PRICE, 'a')
    await part.settle(await part.reserve(), START, 3)
    const some = await part.reverse(entry.id)
    assert.deepEqual([some.entry.purchased_amount, some.spent], [3 - 2 * PRICE, 3])
    assert.deepEqual((await part.audits()).at(-1)?.[2], { credits: 3 - 2 * PRICE, reason: 'by mistake' })

    const aside = await openLedger('none')
    const granted = await aside.grant(2 * PRICE, 'a')
    await aside.reserve()
    const rest = await aside.reverse(granted.entry.id)
    assert.deepEqual([rest.entry.purchased_amount, rest.spent], [-PRICE, PRICE])

    // Of several, no more than that one gave.
    const several = await openLedger()
    await several.grant(9, 'a')
    const second = await several.grant(4, 'b')
    assert.equal((await several.reverse(second.entry.id)).entry.purchased_amount, -4)
  })

  it('that were bought are taken back, too', async () => {
    const { id, database, reverse } = await openLedger()
    const { entry } = await database.tx(async (tx) => {
      const account = await openAccount(tx, BOOK, id, START)
      return append(tx, account, { key: 'bought', kind: 'purchase', purchasedAmount: 6 }, START)
    })
    const { entry: back, spent } = await reverse(entry.id)
    assert.deepEqual([back.purchased_amount, back.purchased_balance, spent], [-6, 0, 0])
  })

  it('of a cycle are not taken back, nor what is no entry of the organization', async () => {
    const { balance, newest, reverse } = await openLedger()
    const other = await openLedger()
    const { entry: foreign } = await other.grant(5, 'a')
    await balance()
    const { id: renewal } = await newest()
    await assert.rejects(
      reverse(renewal),
      isRefusal('VALIDATION_FAILED', { field: 'entryId', value: renewal, reason: 'not_reversible' }),
    )
    for (const entryId of [foreign.id, newId('ledgerEntry', START)])
      await assert.rejects(
        reverse(entryId),
        isRefusal('ENTITY_NOT_FOUND', { field: 'entryId', value: entryId }),
      )
  })
})
