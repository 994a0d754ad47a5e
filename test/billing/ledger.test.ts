import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { localTrail } from '#src/audit/audit.ts'
import { grant, reverse } from '#src/billing/credits/grants.ts'
import type { Reservation } from '#src/billing/credits/open-account.ts'
import { openAccount } from '#src/billing/credits/open-account.ts'
import { endBilling } from '#src/billing/end-billing.ts'
import { changePlan } from '#src/billing/plans/change-plan.ts'
import { readConfig } from '#src/config/config.ts'
import { DAY, fromIso, MINUTE, type Millis, systemClock } from '#src/core/clock.ts'
import { ApiError } from '#src/core/errors.ts'
import { type Id, newId } from '#src/core/id.ts'
import { type Database, openDatabase, type Tx } from '#src/db/database.ts'
import { addJob } from '#src/jobs/rows/row.ts'
import { endOrganization } from '#src/operator/end-organization.ts'
import { deleteOrganization } from '#src/organizations/organizations.ts'
import { startCutLink } from '../support/cut-link.ts'
import { assertSound, BOOK, FEW, PRICE, statuses, useLedger } from '../support/ledger.ts'
import { nightly } from '../support/nightly.ts'
import { onBothEngines, readyStore } from '../support/store.ts'
import { until } from '../support/waits.ts'

const START = fromIso('2026-01-31T12:00:00Z') as Millis

/** One thing that happens to an organization's credits; several happen at once. */
type Step =
  | { do: 'reserve' }
  | { do: 'settle'; which: number; actual: number }
  | { do: 'move'; which: number; actual: number }
  | { do: 'release'; which: number }
  | { do: 'crash'; which: number }
  | { do: 'grant'; credits: number; key: number }
  | { do: 'reverse'; which: number }
  | { do: 'plan'; plan: string }

const which = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ do: 'reserve' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('settle' as const), which, actual: fc.nat(PRICE) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('move' as const), which, actual: fc.nat(PRICE) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      credits: fc.integer({ min: 1, max: 50 }),
      key: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reverse' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('plan' as const),
      plan: fc.constantFrom('none', 'free', 'team', 'unlimited'),
    }),
  },
)
/** Steps that happen at once, and how far the clock moves before them: past a reservation, past cycles, and back. */
const round = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  move: fc.constantFrom(0, 0, 0, MINUTE, 10 * MINUTE, 16 * MINUTE, DAY, 3 * DAY, -MINUTE, -2 * DAY),
})

class Crash extends Error {}

onBothEngines('the ledger', (engine) => {
  const { charges, processes, organization } = useLedger(engine)

  it('lets work end that was paid for by an organization which is deleted meanwhile, and takes nothing for it', async () => {
    const organizationId = await organization(START)
    const [database] = await processes()
    const asked = { organizationId, action: 'connection.fetch', reference: 'con_1', now: START } as const
    const tx = (database as Database).tx
    const [first, second] = [
      await tx((open) => charges.reserve(open, asked)),
      await tx((open) => charges.reserve(open, asked)),
    ]
    await tx(async (open) => {
      const row = { id: organizationId, name: organizationId }
      await deleteOrganization(open, localTrail(START), row)
      await endBilling(open, organizationId, START)
    })
    await tx((open) => charges.release(open, first, START))
    await tx((open) => charges.settle(open, second, START))
    await assert.rejects(
      tx((open) => charges.reserve(open, asked)),
      { code: 'ENTITY_NOT_FOUND' },
    )
    const settle = [{ reservation: second, actual: PRICE }]
    const reserve = [{ action: 'connection.fetch', reference: 'con_1' } as const]
    const moved = await tx((open) =>
      charges.moveAll(
        open,
        [
          { organizationId, settle },
          { organizationId, settle, reserve },
        ],
        START,
      ),
    )
    assert.deepEqual(
      moved.map(({ refused }) => refused?.code),
      [undefined, 'ENTITY_NOT_FOUND'],
    )
  })

  if (engine === 'postgres') {
    it('is locked in one order, whoever names several organizations in whatever order: nobody waits in a circle', async () => {
      const [one, other] = (await processes()) as [Database, Database]
      const organizations = [await organization(START), await organization(START)].sort()
      const [first, last] = organizations as [Id<'organization'>, Id<'organization'>]
      const work = { action: 'connection.fetch', reference: 'con_1' } as const
      const alone = (organizationId: Id<'organization'>) => ({ ...work, organizationId, now: START })
      const movements = [last, first].map((organizationId) => ({ organizationId, reserve: [work] }))
      const isLocked = Promise.withResolvers<void>()
      const holder = one.tx(async (tx) => {
        await charges.reserve(tx, alone(first))
        isLocked.resolve()
        await until(
          () => countWaiting(tx),
          (count) => count === 1,
          { what: 'the one that moves the credits of both, and waits for the first’s' },
        )
        // It has none of the last one's in its hands, so that who has the first's may go on to them.
        await charges.reserve(tx, alone(last))
      })
      await isLocked.promise
      await Promise.all([holder, other.tx((tx) => charges.moveAll(tx, movements, START))])
      for (const each of organizations) assert.equal(await assertSound(one, each), FEW - 2 * PRICE)
    })

    it('lets what is under way end when the organization does: whatever that has in its hands, nobody waits in a circle', async () => {
      const [one, other] = (await processes()) as [Database, Database]
      const ways: ((tx: Tx, id: Id<'organization'>) => Promise<unknown>)[][] = [
        [(tx, id) => openAccount(tx, BOOK, id, START)],
        [holdRow('job')],
        [holdRow('knowledge_base')],
        [holdRow('job'), holdRow('knowledge_base')],
      ]
      for (const [begin, ...others] of ways) {
        const id = await organization(START)
        const reservation = await one.tx(async (tx) => {
          const times = { created_at: START, updated_at: START }
          const base = { id: newId('knowledgeBase', START), name: 'one', embedding: null, created_by: null }
          await tx
            .insertInto('knowledge_base')
            .values({ ...base, ...times, organization_id: id, deleted_at: null })
            .execute()
          const job = { kind: 'one', laneId: id, cap: 1, payload: {}, dueAt: START, horizon: START + DAY }
          await addJob(tx, { ...job, organizationId: id }, START)
          const work = { action: 'connection.fetch', reference: 'con_1' } as const
          return charges.reserve(tx, { ...work, organizationId: id, now: START })
        })
        const isHeld = Promise.withResolvers<void>()
        const work = one.tx(async (tx) => {
          await begin?.(tx, id)
          isHeld.resolve()
          await until(
            () => countWaiting(tx),
            (count) => count === 1,
            { what: 'the end of the organization to wait for what is under way' },
          )
          for (const hold of others) await hold(tx, id)
          await charges.settle(tx, reservation, START)
        })
        await isHeld.promise
        const end = other.tx((tx) => endOrganization(tx, localTrail(START), { id, name: id }))
        const outcomes = await Promise.allSettled([work, end])
        assert.deepEqual(
          outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'ended')),
          ['ended', 'ended'],
        )
        const entries = await one.db
          .selectFrom('ledger_entry')
          .select('kind')
          .where('organization_id', '=', id)
          .orderBy('sequence')
          .execute()
        assert.deepEqual(
          entries.map(({ kind }) => kind),
          ['renewal', 'debit'],
        )
        assert.deepEqual([...(await statuses(one, id))], [])
      }
    })

    it('is moved in as few journeys for one piece of work as for many', async () => {
      const store = await readyStore(engine)
      const link = await startCutLink(store.DATABASE_URL ?? '')
      const env = { ...store, DATABASE_URL: link.url }
      const options = { ...readConfig(env).store, clock: systemClock, report() {}, onConnectionError() {} }
      const database = await openDatabase(options)
      try {
        const organizations = [newId('organization', START), newId('organization', START)] as const
        for (const id of organizations)
          await database.tx((tx) =>
            tx
              .insertInto('organization')
              .values({ id, name: id, plan: 'scale', flags: '{}', created_at: START, deleted_at: null })
              .execute(),
          )
        /** Without those that begin the transaction and end it. */
        async function journeys<T>(work: (tx: Tx) => Promise<T>): Promise<[number, T]> {
          const before = link.answered().all
          const answer = await database.tx(work)
          return [link.answered().all - before - 2, answer]
        }
        const action = 'connection.fetch' as const
        const asked = { organizationId: organizations[0], action, reference: 'con_1' }
        const reserve = (now: Millis) => journeys((tx) => charges.reserve(tx, { ...asked, now }))
        const [, early] = await reserve(START)
        const movements = organizations.map((organizationId) => ({
          ...asked,
          organizationId,
          reserve: [asked],
        }))
        const [, begun] = await journeys((tx) => charges.moveAll(tx, movements, START))
        const next = movements.map((movement, index) => ({
          ...movement,
          settle: [{ reservation: begun[index]?.reservations[0] as Reservation, actual: 1 }],
        }))
        const later = START + 20 * MINUTE
        const [held, first] = await reserve(START)
        const [, second] = await reserve(START)
        const counted = {
          reserve: held,
          settle: (await journeys((tx) => charges.settle(tx, first, START)))[0],
          release: (await journeys((tx) => charges.release(tx, second, START)))[0],
          'settle and reserve, many': (await journeys((tx) => charges.moveAll(tx, next, START)))[0],
          'reserve, where others are over': (await reserve(later))[0],
          'settle what is over': (await journeys((tx) => charges.settle(tx, early, later)))[0],
        }
        assert.deepEqual(counted, {
          reserve: 3,
          settle: 4,
          release: 3,
          'settle and reserve, many': 4,
          'reserve, where others are over': 5,
          'settle what is over': 4,
        })
      } finally {
        await database.close()
        await link.stop()
      }
    })
  }

  it('is sound after any interleaving of debits, expiries, renewals, grants, reversals and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 12 }), async (rounds) => {
        const databases = await processes()
        const organizationId = await organization(START)
        const made: Reservation[] = []
        // Shortly before the end of a cycle.
        let now = START + DAY - 15 * MINUTE
        let ended = new Map<string, string>()
        for (const { steps, move } of rounds) {
          now += move
          await Promise.all(
            steps.map((one, index) => take(one, databases[index % databases.length] as Database, now)),
          )
          await assertSound(databases[0] as Database, organizationId)
          const after = await statuses(databases[0] as Database, organizationId)
          for (const [id, status] of ended)
            if (status === 'settled' || status === 'released') assert.equal(after.get(id), status)
          ended = after
        }

        async function take(one: Step, database: Database, moment: Millis): Promise<void> {
          const trail = localTrail(moment)
          const tx = <T>(work: (tx: Tx) => Promise<T>) => database.tx(work)
          const reservation = 'which' in one ? made[one.which % Math.max(1, made.length)] : undefined
          try {
            if (one.do === 'reserve')
              made.push(
                await tx((open) =>
                  charges.reserve(open, {
                    organizationId,
                    action: 'connection.fetch',
                    reference: 'con_1',
                    now: moment,
                  }),
                ),
              )
            if (one.do === 'grant')
              await tx((open) =>
                grant(open, BOOK, trail, {
                  organizationId,
                  credits: one.credits,
                  reason: 'because',
                  key: `${one.key}`,
                }),
              )
            if (one.do === 'plan')
              await tx((open) =>
                changePlan(open, { book: BOOK, forgetCallers() {} }, trail, {
                  organizationId,
                  plan: one.plan,
                  actorId: null,
                }),
              )
            if (one.do === 'reverse') await tx((open) => reverseOne(open, one.which, moment))
            if (reservation === undefined) return
            if (one.do === 'move') await moveTwo(tx, reservation, one.actual, moment)
            if (one.do === 'settle') await tx((open) => charges.settle(open, reservation, moment, one.actual))
            if (one.do === 'release') await tx((open) => charges.release(open, reservation, moment))
            if (one.do === 'crash')
              await tx(async (open) => {
                await charges.settle(open, reservation, moment)
                throw new Crash()
              })
          } catch (error) {
            if (error instanceof Crash) return
            if (!(error instanceof ApiError) || error.code !== 'INSUFFICIENT_CREDITS') throw error
            const { balance, required } = error.details as { balance: number; required: number }
            assert.ok(balance >= 0 && balance < required, `refused with ${balance} for ${required}`)
          }
        }

        /** Settles one, twice, and sets aside for two more: each is refused by itself where there is too little. */
        async function moveTwo(
          tx: Database['tx'],
          reservation: Reservation,
          actual: number,
          moment: Millis,
        ): Promise<void> {
          const movement = {
            ...{ organizationId, settle: [{ reservation, actual }] },
            reserve: [{ action: 'connection.fetch' as const, reference: 'con_1' }],
          }
          const moved = await tx((open) => charges.moveAll(open, [movement, movement], moment))
          for (const { reservations, refused } of moved) {
            assert.equal(reservations.length === 0, refused !== undefined)
            if (refused === undefined) made.push(...reservations)
            else assert.equal(refused?.code, 'INSUFFICIENT_CREDITS')
          }
        }

        async function reverseOne(tx: Tx, index: number, moment: Millis): Promise<void> {
          const entries = await tx
            .selectFrom('ledger_entry')
            .select('id')
            .where('organization_id', '=', organizationId)
            .where('kind', 'in', ['debit', 'grant'])
            .orderBy('sequence')
            .execute()
          const entry = entries[index % Math.max(1, entries.length)]
          if (entry === undefined) return
          await reverse(tx, BOOK, localTrail(moment), {
            organizationId,
            entryId: entry.id,
            reason: 'by mistake',
          })
        }
      }),
      { numRuns: engine === 'sqlite' ? nightly(120, 60) : nightly(40, 20) },
    )
  })

  it('gives no more than there is to fifty who ask at once, and all of that', async () => {
    const databases = await processes()
    const organizationId = await organization(START)
    const purpose = { organizationId, action: 'connection.fetch' as const, reference: 'con_1', now: START }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        (databases[index % databases.length] as Database).tx((tx) => charges.reserve(tx, purpose)),
      ),
    )
    const got = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    assert.equal(got.length, Math.floor(FEW / PRICE))
    // Each is settled ten times at once, and taken once.
    await Promise.all(
      got.flatMap((reservation) =>
        Array.from({ length: 10 }, (_, index) =>
          (databases[index % databases.length] as Database).tx((tx) =>
            charges.settle(tx, reservation, START),
          ),
        ),
      ),
    )
    assert.equal(await assertSound(databases[0] as Database, organizationId), FEW % PRICE)
  })

  for (const seed of nightly([1, 2, 3, 4, 5, 6], [1, 2, 3])) {
    it(`leaves no credit stuck when processes die between reserve and settle (seed ${seed})`, async () => {
      const databases = await processes()
      const organizationId = await organization(START, 'scale')
      const random = seeded(seed)
      let now = START
      const paid: string[] = []
      /** One piece of work in one process, which may die at any moment of it. */
      async function work(database: Database): Promise<void> {
        const reservation = await database.tx((tx) =>
          charges.reserve(tx, { organizationId, action: 'connection.fetch', reference: 'con_1', now }),
        )
        if (random() < 0.3) return
        // Some work takes longer than its reservation.
        const ended = now + (random() < 0.1 ? 20 * MINUTE : 0)
        const fails = random() < 0.2
        const diesBeforeCommit = random() < 0.2
        await database
          .tx(async (tx) => {
            if (fails) await charges.release(tx, reservation, ended)
            else await charges.settle(tx, reservation, ended)
            if (diesBeforeCommit) throw new Crash()
            if (!fails) paid.push(reservation.id)
          })
          .catch((error) => assert.ok(error instanceof Crash))
      }
      for (let count = 0; count < 25; count += 1) {
        const several = 1 + Math.floor(random() * 4)
        await Promise.all(
          Array.from({ length: several }, (_, index) =>
            work(databases[index % databases.length] as Database),
          ),
        )
        now += Math.floor(random() * 5 * MINUTE)
      }
      await assertSound(databases[0] as Database, organizationId)
      // All processes are dead. After 40 minutes all reservations have ended, and a request frees the unpaid.
      now += 40 * MINUTE
      const [database] = databases
      await database?.tx(async (tx) => {
        const last = await charges.reserve(tx, {
          organizationId,
          action: 'connection.fetch',
          reference: 'con_1',
          now,
        })
        await charges.release(tx, last, now)
      })
      const left = await assertSound(database as Database, organizationId)
      assert.equal(left, 10_000 - paid.length * PRICE)
    })
  }
})

/** Locks the row of an organization, as a write of it does. */
function holdRow(table: 'job' | 'knowledge_base') {
  return async (tx: Tx, id: Id<'organization'>) => {
    const { rows } = await sql`
      select id from ${sql.table(table)} where organization_id = ${id} for no key update`.execute(tx)
    assert.equal(rows.length, 1)
  }
}

/** How many wait for what this transaction has locked. */
async function countWaiting(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_locks
    where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Mulberry32: the same seed, the same faults. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
