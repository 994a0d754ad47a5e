import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { systemClock } from '#src/core/clock.ts'
import { runForOwner } from '#src/core/context.ts'
import { BusyError } from '#src/db/engine/engine.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { assertError } from './support/attacks.ts'
import type { Answer } from './support/browser.ts'
import { startCutLink } from './support/cut-link.ts'
import { connectTo, untilLocked, WAITS_FOR_LOCK } from './support/locks.ts'
import { IS_NIGHTLY } from './support/nightly.ts'
import { administrator, apiKey, type Person } from './support/people.ts'
import { ENGINES, freshStore, type Options, type Postern, startPostern } from './support/postern.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

/** The statement timeout is 30 seconds. */
const skip = !IS_NIGHTLY && 'at night'

const endings: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of endings.reverse()) await end()
})

async function start(options: Options = {}) {
  const store = await freshStore('postgres')
  const link = await startCutLink(store.DATABASE_URL ?? '')
  endings.push(link.stop)
  const postern = await startPostern('postgres', { ...options, env0: { ...store, DATABASE_URL: link.url } })
  endings.push(() => postern.stop())
  const [holder, observer] = [await connect(store), await connect(store)]
  return { postern, link, holder, observer, admin: await administrator(postern) }
}

async function connect(env: Record<string, string>): Promise<pg.Client> {
  const client = await connectTo({ env })
  endings.push(() => client.end())
  return client
}

const create = (postern: Postern, { token }: Person) =>
  postern
    .client()
    .post('/v1/api-keys', { name: 'one' }, { token, headers: { 'idempotency-key': 'the only one' } })

const cancelAll = (observer: pg.Client) =>
  observer.query(`select pg_cancel_backend(pid) from pg_stat_activity where ${WAITS_FOR_LOCK}`)

function assertBusy(answer: Answer): void {
  assertError(answer, 'RATE_LIMITED', { retryAfterSeconds: 5 })
  assert.equal(answer.headers.get('retry-after'), '5')
}

/** The repetition takes effect, and the first request took none. */
async function assertMadeOnce(postern: Postern, admin: Person): Promise<void> {
  const made = await create(postern, admin)
  assert.equal(made.status, 201, made.text)
  assert.equal(made.headers.get('idempotent-replayed'), null)
  const { body } = await postern.client().get('/v1/api-keys', { token: admin.token })
  assert.equal(body.data.length, 1)
}

if (ENGINES.includes('postgres'))
  describe('a request that PostgreSQL cannot serve now', () => {
    async function whileHeld(end: (observer: pg.Client) => Promise<unknown>): Promise<void> {
      const { postern, holder, observer, admin } = await start()
      await holder.query('begin; lock table audit in access exclusive mode')
      const answer = create(postern, admin)
      await untilLocked(observer, 1)
      await end(observer)
      assertBusy(await answer)
      await holder.query('rollback')
      assert.match(postern.log(), /"level":50,.*PostgreSQL ended a statement: canceling statement due to/)
      await assertMadeOnce(postern, admin)
    }

    it('is asked to come back where its statement was cancelled', () => whileHeld(cancelAll))

    it('is asked to come back where the statement that writes its event was cancelled', async () => {
      const { postern, holder, observer, admin } = await start()
      const calls = callsOf(postern, await apiKey(postern, admin))
      const publish = () => calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })
      await holder.query('begin; lock table event in access exclusive mode')
      const answer = publish()
      await untilLocked(observer, 1)
      await cancelAll(observer)
      assertBusy(await answer)
      await holder.query('rollback')
      assert.equal((await publish()).status, 202)
      const { body } = await calls.get('/v1/events?type=agent.run.completed')
      assert.equal(body.data.length, 1)
    })

    it('is asked to come back where a lock was held for longer than the statement timeout', { skip }, () =>
      whileHeld(async () => {}),
    )

    it('is asked to come back where it was the victim of a deadlock', async () => {
      const { postern, holder, observer, admin } = await start({ deadlocks: 'expected' })
      // The request looks for a deadlock first, and is its victim.
      await holder.query(`set deadlock_timeout = '1min'`)
      await holder.query('begin; lock table audit in access exclusive mode')
      const answer = create(postern, admin)
      await untilLocked(observer, 1)
      // The request has written the row of its key.
      await holder.query('lock table idempotency in access exclusive mode')
      assertBusy(await answer)
      await holder.query('rollback')
      assert.match(postern.log(), /deadlock detected/)
      await assertMadeOnce(postern, admin)
    })

    it('is asked to come back where no connection can be made', async () => {
      const { postern, link, admin } = await start()
      link.close()
      // Connections that the pool still holds have to end first.
      const refused = await until(
        () => create(postern, admin),
        ({ status }) => status === 429,
      )
      assertBusy(refused)
      link.open()
      await until(
        () => postern.client().get('/readyz'),
        ({ status }) => status === 200,
      )
      await assertMadeOnce(postern, admin)
    })

    it('is not asked to come back where a part of it was committed', async () => {
      const store = await freshStore('postgres')
      const engine = openPostgres(store.DATABASE_URL ?? '', {
        ...{ clock: systemClock, size: 5 },
        onConnectionError() {},
      })
      endings.push(() => engine.close())
      const [holder, observer] = [await connect(store), await connect(store)]
      await holder.query('create table held (value text)')
      await holder.query('begin; lock table held in access exclusive mode')
      const work = (isFirst: boolean) =>
        runForOwner('one', async () => {
          if (!isFirst) await engine.tx((tx) => sql`select 1`.execute(tx))
          await engine.tx((tx) => sql`insert into held values ('one')`.execute(tx))
        }).catch((error: unknown) => error)
      for (const isFirst of [true, false]) {
        const ended = work(isFirst)
        await untilLocked(observer, 1)
        await cancelAll(observer)
        const error = await ended
        assert.ok(error instanceof BusyError)
        assert.equal(error.isUntouched, isFirst)
      }
      await holder.query('rollback')
    })
  })
