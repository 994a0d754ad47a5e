import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import { SECOND, systemClock } from '#src/core/clock.ts'
import { UnknownOutcomeError } from '#src/db/engine/engine.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { type CutLink, startCutLink } from './support/cut-link.ts'
import { administrator, apiKey } from './support/people.ts'
import { freshStore, startPostern } from './support/postern.ts'
import { startReceiver } from './support/receiver.ts'
import { advanceAtRest } from './support/rest.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const endings: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of endings.reverse()) await end()
})

/** An empty database by a way that can be cut. */
async function byLink(): Promise<{ store: Record<string, string>; link: CutLink }> {
  const store = await freshStore('postgres')
  const link = await startCutLink(store.DATABASE_URL ?? '')
  endings.push(link.stop)
  return { store: { ...store, DATABASE_URL: link.url }, link }
}

describe('work that ends with one statement on PostgreSQL', () => {
  async function open() {
    const { store, link } = await byLink()
    const engine = openPostgres(store.DATABASE_URL ?? '', {
      clock: systemClock,
      size: 4,
      onConnectionError() {},
    })
    endings.push(() => engine.close())
    await engine.tx((tx) => sql`create table kept (value text unique)`.execute(tx))
    const kept = async () => {
      const { rows } = await sql<{ value: string }>`select value from kept order by value`.execute(engine.db)
      return rows.map(({ value }) => value)
    }
    const write = (value: string) => engine.brief((tx) => sql`insert into kept values (${value})`.execute(tx))
    return { engine, link, kept, write }
  }

  it('takes no journeys to begin and to end', async () => {
    const { engine, link } = await open()
    const work = async (tx: Tx) => {
      await tx.selectFrom('pg_class' as never).execute()
      await sql`insert into kept values (${'one'})`.execute(tx)
    }
    const before = link.answered()
    await engine.brief(work)
    const after = link.answered()
    assert.deepEqual([after.all - before.all, after.within - before.within], [2, 0])
  })

  it('asks nothing after that statement, which would be in another transaction', async () => {
    const { engine, kept } = await open()
    const twice = engine.brief(async (tx) => {
      await sql`insert into kept values ('one')`.execute(tx)
      await sql`insert into kept values ('two')`.execute(tx)
    })
    await assert.rejects(
      twice,
      (error) => error instanceof UnknownOutcomeError && /asks nothing after/.test(String(error.cause)),
    )
    assert.deepEqual(await kept(), ['one'])
  })

  it('has failed where PostgreSQL refuses it', async () => {
    const { engine, write } = await open()
    await write('one')
    await assert.rejects(write('one'), (error) => engine.isUniqueViolation(error))
  })

  for (const [when, rows] of [
    ['before', []],
    ['after', ['one']],
  ] as const) {
    it(`has an outcome that nobody knows where the connection ends ${when} it was done`, async () => {
      const { link, kept, write } = await open()
      const isCut = link.cut('one', when)
      await assert.rejects(write('one'), UnknownOutcomeError)
      await isCut
      assert.deepEqual(await kept(), rows)
      await write('two')
      assert.deepEqual(await kept(), [...rows, 'two'])
    })
  }
})

describe('events that are accepted by a connection that is cut', () => {
  it('are neither confirmed without being written nor written twice, and what was written arrives once', async () => {
    const { store, link } = await byLink()
    const destination = await startReceiver()
    endings.push(() => destination.stop())
    const first = await startPostern('postgres', { env0: store })
    const key = await apiKey(first, await administrator(first))
    const type = 'agent.run.completed'
    const made = await callsOf(first, key).post('/v1/webhooks', { url: destination.url, events: [type] })
    assert.equal(made.status, 201, made.text)
    await first.stop()
    // One that has published nothing yet, not even a fact of its own.
    const postern = await startPostern('postgres', { env0: store })
    endings.push(() => postern.stop())
    const calls = callsOf(postern, key)
    const publish = (output: string) =>
      calls.post('/v1/events', { type, data: { ...RUN, runId: output, output } })
    const written = async () => {
      const { data } = (await calls.get(`/v1/events?limit=100&type=${type}`)).body
      return (data as { id: string }[]).map(({ id }) => id)
    }
    const earliest = await publish('earliest')
    assert.equal(earliest.status, 202, earliest.text)
    const confirmed: string[] = [earliest.body.id]
    let unknown = 0
    for (const when of ['before', 'after'] as const) {
      const isCut = link.cut(`mark-${when}`, when)
      // The first ones keep both commits busy, so that the others share one.
      const names = Array.from({ length: 12 }, (_, index) => `${when}-${index}`)
      const answers = await Promise.all([...names, `mark-${when}`].map(publish))
      await isCut
      for (const { status, body } of answers) {
        assert.ok(status === 202 || status === 500, `${status}`)
        if (status === 202) confirmed.push(body.id)
        else unknown += 1
      }
      assert.equal(answers[0]?.status, 202)
      assert.equal(answers.at(-1)?.status, 500)
      const ids = await written()
      for (const id of confirmed) assert.ok(ids.includes(id), `${id} was confirmed`)
      // Events whose query was cut off before it arrived are not written; those cut off after it are.
      assert.equal(ids.length, confirmed.length + (when === 'after' ? unknown : 0))
      if (when === 'before') unknown = 0
    }
    // A process does not know of what was born claimed by it then, until it has missed it.
    const ids = await written()
    await until(
      async () => {
        await advanceAtRest(postern, SECOND)
        return destination.received.length
      },
      (count) => count >= ids.length,
      { what: 'all that was written to arrive' },
    )
    assert.deepEqual(destination.received.map(({ event }) => event.id).sort(), ids.sort())
  })
})
