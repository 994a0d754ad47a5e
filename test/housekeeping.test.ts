import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DAY, HOUR, MINUTE, pause } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { nightly } from './support/nightly.ts'
import { apiKey } from './support/people.ts'
import { onBothEngines, type Postern, usePostern } from './support/postern.ts'
import { advanceAtRest } from './support/rest.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN, type Sender, useSender } from './support/webhooks.ts'

const BATCH = 1_000
/** More than the largest step of a sweep takes. */
const MANY = 1_500
/** On a machine that does much else a sweep takes little at a time, and rests in between. */
const SLOWLY = { patience: 5 * MINUTE }
/** Long enough that what is half as old stays, however many sweeps the rest takes. */
const RETENTION = 360 * DAY
const EVENT = { type: 'agent.run.completed', data: RUN }
const batch = (size: number) => ({ events: Array.from({ length: size }, () => EVENT) })

/** Publishes so many events and waits until what became of each is recorded; answers their ids. */
async function publishAll(sender: Sender, count: number): Promise<string[]> {
  const own = callsOf(sender.postern, sender.key)
  const ids: string[] = []
  for (let left = count; left > 0; left -= BATCH) {
    const { body } = await own.post('/v1/events/batch', batch(Math.min(left, BATCH)))
    ids.push(...body.results.map(({ id }: { id: string }) => id))
  }
  await allSettled(sender)
  return ids
}

/** What a table holds, as its owner would count it. */
async function count({ postern }: Sender, table: 'event' | 'delivery' | 'attempt'): Promise<number> {
  const { count } = await postern.app.database.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Waits until the result of every delivery to an active webhook is recorded, which is later than its call. If
 * the clock moved before, a sweep would meet open deliveries, and the next one comes an hour later.
 */
async function allSettled({ postern }: Sender): Promise<void> {
  const { db } = postern.app.database
  const open = async () => [
    ...(await db.selectFrom('fan_out').select('id').execute()),
    ...(await db
      .selectFrom('delivery')
      .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
      .select('delivery.id')
      .where('delivery.status', '=', 'pending')
      .where('webhook.status', '=', 'active')
      .execute()),
  ]
  await until(open, (rows) => rows.length === 0, { what: 'every delivery to be written and settled' })
}

/** What is asked for, some hours after it was asked for last: a sweep that was under way is followed by one that begins anew. */
async function hoursLater<T>(postern: Postern, ask: () => Promise<T>): Promise<T> {
  await advanceAtRest(postern, 2 * HOUR)
  await pause(200)
  return ask()
}

onBothEngines('retention', (engine) => {
  const sender = useSender(usePostern(engine, { env: { RETENTION_DAYS: String(RETENTION / DAY) } }))

  it('removes what ended long enough ago, however much it is, and nothing that still waits', async () => {
    const own = await sender()
    const { postern, key, receiver, register } = own
    const calls = callsOf(postern, key)
    const destination = await receiver()
    // Too long for the row of a delivery: each attempt is a row of its own.
    destination.answer = (_call, response) => void response.writeHead(200).end('x'.repeat(2_000))
    const { id } = await register(destination.url)
    const before = await count(own, 'event')
    const [old = ''] = await publishAll(own, MANY)
    // Held among the old ones, and longer than the retention.
    await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const held = (await calls.post('/v1/events', EVENT)).body.id
    assert.equal(await count(own, 'attempt'), MANY)
    postern.clock.advance(RETENTION / 2)
    const { body: young } = await calls.post('/v1/events', EVENT)
    postern.clock.advance(RETENTION / 2)
    await until(
      () => hoursLater(postern, () => count(own, 'event')),
      (events) => events <= before + 2,
      { what: 'what is older than the retention to be removed', ...SLOWLY },
    )
    assert.equal(await count(own, 'attempt'), 0)
    assert.equal(await count(own, 'delivery'), 2)
    assert.equal((await calls.get(`/v1/events/${old}`)).status, 404)
    for (const event of [held, young.id]) assert.equal((await calls.get(`/v1/events/${event}`)).status, 200)
    // It is delivered when its webhook is active again, and then goes as well.
    await calls.patch(`/v1/webhooks/${id}`, { status: 'active' })
    await destination.count(MANY + 2)
    await allSettled(own)
    postern.clock.advance(RETENTION)
    await until(
      () => hoursLater(postern, () => calls.get(`/v1/events/${held}`)),
      ({ status }) => status === 404,
      { what: 'what was held to be removed when its end is so long ago', ...SLOWLY },
    )
  })

  it('counts from the end of a delivery, not from its beginning', async () => {
    const own = await sender()
    const { postern, key, receiver, register } = own
    const calls = callsOf(postern, key)
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(400).end()
    const { id } = await register(destination.url)
    await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const held = (await calls.post('/v1/events', EVENT)).body.id
    postern.clock.advance(3 * RETENTION)
    await calls.patch(`/v1/webhooks/${id}`, { status: 'active' })
    await destination.count(1)
    await allSettled(own)
    // An event without a subscriber, whose removal shows that the sweep has come by.
    const nobody = (await calls.post('/v1/events', { type: 'file.processed', data: {} })).body.id
    postern.clock.advance(RETENTION - HOUR)
    const [failed] = (await calls.get(`/v1/webhooks/${id}/deliveries`)).body.data
    assert.equal(failed.status, 'failed')
    assert.equal((await calls.get(`/v1/deliveries/${failed.id}`)).body.attempts.length, 1)
    for (const event of [nobody, held])
      await until(
        () => hoursLater(postern, () => calls.get(`/v1/events/${event}`)),
        ({ status }) => status === 404,
        { what: 'an event to be removed when its end is so long ago', ...SLOWLY },
      )
  })

  it('forgets who has published once the service account is gone and so are its events, and gives no number twice', async () => {
    // An API key, because the session is over, and an invitation by the machine's time would be, too.
    const { postern, admin, key } = await sender()
    const published = async () => {
      const token = await apiKey(postern, { ...admin, token: key })
      assert.equal((await postern.client().post('/v1/events', EVENT, { token })).status, 202)
      const { data } = (await postern.client().get('/v1/service-accounts', { token })).body
      return { token, id: String(data[0].id) }
    }
    const [gone, living, last] = [await published(), await published(), await published()]
    const publishers = () =>
      postern.app.database.db
        .selectFrom('publisher')
        .select(['number', 'actor_id'])
        .where('actor_id', 'in', [gone.id, living.id, last.id])
        .orderBy('number')
        .execute()
    const before = await publishers()
    assert.deepEqual(
      before.map(({ actor_id }) => actor_id),
      [gone.id, living.id, last.id],
    )
    for (const { id } of [gone, last]) {
      const answer = await postern.client().delete(`/v1/service-accounts/${id}`, { token: living.token })
      assert.equal(answer.status, 204, answer.text)
    }
    assert.equal((await hoursLater(postern, publishers)).length, 3)
    postern.clock.advance(RETENTION)
    // The last one's number would be the next that the embedded database gives.
    const left = await until(
      () => hoursLater(postern, publishers),
      (rows) => rows.length < 3,
      { what: 'the publisher whose events and service account are gone to be removed', ...SLOWLY },
    )
    assert.deepEqual(left, before.slice(1))
  })

  it('takes the record of a deleted webhook along, what was pending included', async () => {
    const own = await sender()
    const { postern, key, receiver, register } = own
    const calls = callsOf(postern, key)
    const { id } = await register((await receiver()).url)
    await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const { body } = await calls.post('/v1/events', EVENT)
    await calls.delete(`/v1/webhooks/${id}`)
    // The webhooks of the tests before get it as well.
    await allSettled(own)
    postern.clock.advance(RETENTION)
    await until(
      () => hoursLater(postern, () => calls.get(`/v1/events/${body.id}`)),
      ({ status }) => status === 404,
      { what: 'the event of a deleted webhook to be removed', ...SLOWLY },
    )
    const kept = () =>
      postern.app.database.db
        .selectFrom('webhook')
        .select('id')
        .where('id', '=', id as never)
        .execute()
    await until(
      () => hoursLater(postern, kept),
      (rows) => rows.length === 0,
      { what: 'the deleted webhook to be removed', ...SLOWLY },
    )
    const counted = postern.app.database.db.selectFrom('delivery_count').select('at')
    assert.deepEqual(await counted.where('webhook_id', '=', id as never).execute(), [])
  })
})

onBothEngines('a step of retention', (engine) => {
  const sender = useSender(usePostern(engine))

  it('ends with the body that makes a megabyte full', async () => {
    const { postern, admin } = await sender()
    const { tx, background } = postern.app.database
    const past = postern.clock.now() - 40 * DAY
    const body = Buffer.alloc(250 * 1024, ' ')
    const rows = Array.from({ length: 24 }, () => ({
      id: newId('event', past),
      organization_id: admin.organizationId as Id<'organization'>,
      type: 'agent.run.completed',
      body,
      hops: 0,
      created_at: past,
    }))
    await tx((own) => own.insertInto('event').values(rows).execute())
    const steps: number[] = []
    const commit = background.tx
    const left = async () => {
      const { count } = await postern.app.database.db
        .selectFrom('event')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('created_at', '=', past)
        .executeTakeFirstOrThrow()
      return Number(count)
    }
    // Looks one after another: what else is done in the background would count a step that ends beside it as its own.
    let last = Promise.resolve(rows.length)
    background.tx = async (work) => {
      const value = await commit(work)
      last = last.then(async (before) => {
        const now = await left()
        if (now < before) steps.push((before - now) * body.length)
        return now
      })
      await last
      return value
    }
    postern.clock.advance(MINUTE)
    await until(left, (count) => count === 0, { what: 'what is too old to be removed', ...SLOWLY })
    background.tx = commit
    await last
    assert.equal(
      steps.reduce((sum, bytes) => sum + bytes, 0),
      rows.length * body.length,
    )
    for (const bytes of steps) assert.ok(bytes <= 1024 * 1024 + body.length, steps.join(', '))
  })
})

describe('the file of the embedded database', () => {
  /** The days at the beginning and at the end that are compared. */
  const SPAN = nightly(3, 2)
  const sender = useSender(usePostern('sqlite', { env: { RETENTION_DAYS: '1' } }))

  it('levels off: what a day leaves takes the room of what has gone', async () => {
    const own = await sender()
    const { postern, receiver, register } = own
    await register((await receiver()).url)
    const { DATA_DIR = '' } = postern.env
    const size = () =>
      ['postern.db', 'postern.db-wal']
        .map((name) => join(DATA_DIR, name))
        .reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)
    const sizes: number[] = []
    for (let day = 0; day < nightly(9, 4); day += 1) {
      await publishAll(own, BATCH)
      sizes.push(size())
      // Two days at once: nothing of the day is left when the next begins.
      postern.clock.advance(2 * DAY)
      await until(
        () => hoursLater(postern, () => count(own, 'event')),
        (events) => events === 0,
        { what: `what day ${day} left to be removed`, ...SLOWLY },
      )
    }
    const [first, last] = [Math.max(...sizes.slice(0, SPAN)), Math.max(...sizes.slice(-SPAN))]
    assert.ok(last <= first * 1.25, `${sizes.map((bytes) => Math.round(bytes / 1024)).join(', ')} KiB`)
  })
})
