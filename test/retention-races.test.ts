import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { DAY, HOUR, MINUTE, pause, toIso } from '#src/core/clock.ts'
import { holdRows } from './support/held-rows.ts'
import { usePostern } from './support/postern.ts'
import { advanceAtRest } from './support/rest.ts'
import { type Calls, callsOf, until } from './support/webhook-calls.ts'
import { RUN, type Sender, useSender } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }
const FOR_NOBODY = { type: 'file.processed', data: {} }

/** A webhook and events that it has been sent, each with a delivery whose end is on record. */
async function ended(sender: Sender, count: number) {
  const { postern, key, receiver, register } = sender
  const calls = callsOf(postern, key)
  const destination = await receiver()
  const webhook = (await register(destination.url)).id
  const events: string[] = []
  for (let index = 0; index < count; index += 1) events.push((await calls.post('/v1/events', EVENT)).body.id)
  const rows = await until(
    async () => (await calls.get(`/v1/webhooks/${webhook}/deliveries?status=delivered`)).body.data,
    ({ length }) => length === count,
    { what: `${count} deliveries to have ended` },
  )
  const deliveries = events.map((event) => rows.find((row: { eventId: string }) => row.eventId === event).id)
  return { calls, destination, webhook, events, deliveries: deliveries as string[] }
}

/** Waits until the sweep has come by an event: a day passes, and then hours, so that each look is followed by one that begins anew. */
async function swept({ postern }: Sender, get: Calls['get'], event: string): Promise<void> {
  postern.clock.advance(DAY)
  await until(
    async () => {
      await advanceAtRest(postern, 2 * HOUR)
      await pause(50)
      return get(`/v1/events/${event}`)
    },
    ({ status }) => status === 404,
    { what: 'an event that nobody holds to be removed', patience: 5 * MINUTE },
  )
}

/** From here on a new delivery waits for the row of its webhook, so that a test can stop it on its way into the table. */
async function waitBeforeInsert({ postern }: Sender): Promise<void> {
  await postern.app.database.tx(async (tx) => {
    await sql`create function wait_for_webhook() returns trigger language plpgsql
      as $$ begin perform 1 from webhook where id = new.webhook_id for key share; return new; end $$`.execute(
      tx,
    )
    await sql`create trigger wait_for_webhook before insert on delivery
      for each row execute function wait_for_webhook()`.execute(tx)
  })
}

// With its one writer the embedded store makes and removes one after the other.
describe('an event that is removed while its delivery is made again', () => {
  const sender = useSender(usePostern('postgres', { env: { RETENTION_DAYS: '1' } }))

  it('stays, with its new delivery, where the retry came first', async () => {
    const own = await sender()
    const { calls, webhook, events, deliveries } = await ended(own, 1)
    const witness = (await calls.post('/v1/events', FOR_NOBODY)).body.id
    await waitBeforeInsert(own)
    // The new delivery waits for its webhook's row, when the event is in hand already.
    const rows = await holdRows(own.postern, 'webhook', 'id = $1', [webhook])
    try {
      const { answer } = await rows.lineUp(() => calls.post(`/v1/deliveries/${deliveries[0]}/retry`))
      await swept(own, calls.get, witness)
      await rows.release()
      const { status, text, body } = await answer
      assert.equal(status, 202, text)
      assert.equal((await calls.get(`/v1/events/${events[0]}`)).status, 200)
      assert.equal((await calls.get(`/v1/deliveries/${body.id}`)).status, 200)
    } finally {
      await rows.release()
    }
  })

  it('is unknown to the retry where the sweep came first', async () => {
    const own = await sender()
    const { calls, events, deliveries } = await ended(own, 1)
    const rows = await holdRows(own.postern, 'event', 'id = $1', events)
    try {
      const { answer } = await rows.lineUp(() => calls.post(`/v1/deliveries/${deliveries[0]}/retry`))
      await rows.remove()
      const { status, text, body } = await answer
      assert.equal(status, 404, text)
      assert.equal(body.error.code, 'ENTITY_NOT_FOUND')
    } finally {
      await rows.release()
    }
  })

  it('is passed over by a replay where the sweep came first, and the others are made again', async () => {
    const own = await sender()
    const { postern } = own
    const { calls, destination, webhook, events } = await ended(own, 2)
    const since = toIso(postern.clock.now() - HOUR)
    postern.clock.advance(1_000)
    const rows = await holdRows(postern, 'event', 'id = $1', events.slice(0, 1))
    try {
      const replaying = async () => {
        const { body } = await calls.post(`/v1/webhooks/${webhook}/replay`, { since, status: 'delivered' })
        return body.id as string
      }
      const { answer } = await rows.lineUp(replaying)
      await rows.remove()
      const id = await answer
      const replay = await until(
        async () => (await calls.get(`/v1/replays/${id}`)).body,
        ({ status }) => status === 'completed',
        { what: 'the replay to end' },
      )
      assert.deepEqual([replay.total, replay.replayed], [2, 1])
      await destination.count(3)
    } finally {
      await rows.release()
    }
  })
})
