import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, SECOND } from '#src/core/clock.ts'
import { PARKING } from '#src/jobs/lanes/circuit-breaker.ts'
import { FIRST_LIMIT } from '#src/jobs/lanes/concurrency-limit.ts'
import { PACE } from '#src/jobs/lease/lease.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, turnsTaken, until } from '../support/webhook-calls.ts'
import { RUN, type Sender, useSender } from '../support/webhooks.ts'

/** `health` shows a change of state within this time. */
const HEALTH_WITHIN = 2 * SECOND

/** Deliveries that wait for the destination of each test. */
const BACKLOG = 60

onBothEngines('a destination that fails for long', (engine) => {
  const test = testOnOneEngineByDay(engine)
  /** What each name resolves to. */
  let address = '127.0.0.1'
  const sender = useSender(usePostern(engine, { resolve: async () => [{ address, family: 4 }] }))
  const calls = ({ postern, key }: Sender) => callsOf(postern, key)

  /** A webhook whose destination has failed until its lane is parked, with a backlog behind it. */
  async function parked(hostname = '127.0.0.1') {
    const own = await sender()
    const destination = await own.receiver()
    /** Calls in flight and answered since the destination recovered, and the most calls above the limit that these answers allow. */
    const open = { now: 0, answered: 0, beyond: 0 }
    const refusals: (() => void)[] = []
    let isLong = false
    destination.answer = (_call, response) => {
      // A later attempt resolves the name again.
      const refuse = () => void response.writeHead(503, { connection: 'close' }).end()
      if (isLong || destination.received.length < PARKING.after) refuse()
      else refusals.push(refuse)
    }
    const { id } = await own.register(destination.url.replace('127.0.0.1', hostname))
    const events = Array.from({ length: BACKLOG }, () => ({ type: 'agent.run.completed', data: RUN }))
    const answer = await calls(own).post('/v1/events/batch', { events })
    assert.equal(answer.status, 202, answer.text)
    await until(
      async () => refusals,
      ({ length }) => length > 0,
    )
    assert.doesNotMatch(own.postern.log(), new RegExp(`"webhookId":"${id}","msg":"lane parked"`))
    isLong = true
    own.postern.clock.advance(PARKING.within)
    for (const refuse of refusals) refuse()
    await until(
      async () => own.postern.log(),
      (log) => log.includes(`"webhookId":"${id}","msg":"lane parked"`),
    )
    /** From here on the destination succeeds and counts its calls. */
    function heal() {
      destination.answer = (_call, response) => {
        open.now += 1
        // The limit begins at `FIRST_LIMIT` at most, and rises by one for each success.
        open.beyond = Math.max(open.beyond, open.now - FIRST_LIMIT - open.answered)
        setImmediate(() => {
          open.now -= 1
          open.answered += 1
          response.writeHead(204).end()
        })
      }
    }
    const delivered = (most: number) =>
      until(
        async () => (await calls(own).get(`/v1/webhooks/${id}/stats`)).body.deliveries,
        (deliveries) => deliveries.pending <= most,
      )
    return { own, destination, id, heal, delivered, open }
  }

  it('gets one call at a time with pauses, and all waiting deliveries when it recovers', async () => {
    const { own, destination, heal, delivered, open } = await parked()
    const before = destination.received.length
    assert.ok(before < PARKING.after + 8, `${before} calls before it was parked`)
    await turnsTaken(own)
    const tried = destination.received.length - before
    // Five seconds have passed: the same delivery was retried once, with one probe for each ended pause.
    assert.ok(tried >= 1 && tried <= 8, `${tried} calls while parked`)
    heal()
    own.postern.clock.advance(Math.max(...PARKING.pauses))
    // All except deliveries that wait for their own next attempts.
    await delivered(PARKING.after + 8)
    own.postern.clock.advance(HOUR)
    await delivered(0)
    assert.equal(open.beyond, 0, 'calls at once beyond the limit of the webhook')
  })

  test('gets a delivery that is retried by hand at once, and all others after its success', async () => {
    const { own, destination, id, heal, delivered } = await parked()
    const { body } = await calls(own).get(`/v1/webhooks/${id}/deliveries?limit=1`)
    const [newest] = body.data
    assert.equal(newest.attemptCount, 0)
    const before = destination.received.length
    const answer = await calls(own).post(`/v1/deliveries/${newest.id}/retry`)
    assert.equal(answer.status, 202, answer.text)
    await until(
      async () => (await calls(own).get(`/v1/deliveries/${newest.id}`)).body,
      ({ attemptCount }) => attemptCount > 0,
    )
    assert.ok(destination.received.length - before <= 8, 'it waited behind others')
    heal()
    assert.equal((await calls(own).post(`/v1/deliveries/${newest.id}/retry`)).status, 202)
    await delivered(2 * PARKING.after + 8)
  })

  test('gets waiting deliveries at once after a successful test, and their success ends its parked state', async () => {
    const { own, id, heal, delivered } = await parked()
    const health = async () => (await calls(own).get(`/v1/webhooks/${id}`)).body.health.state
    await until(health, (state) => state === 'parked', { what: 'a parked webhook' })
    heal()
    // The clock is stopped, so no pause ends.
    using _ = own.postern.clock.stop()
    const { body } = await calls(own).post(`/v1/webhooks/${id}/test`)
    assert.equal(body.delivered, true)
    // All except deliveries that wait for their own next attempts.
    await delivered(PARKING.after + 8)
    own.postern.clock.advance(HEALTH_WITHIN)
    await until(health, (state) => state === 'delivering', { what: 'its health' })
  })

  test('no longer delays deliveries when its webhook gets another URL', async () => {
    const { own, id, destination } = await parked()
    const better = await own.receiver()
    const before = destination.received.length
    assert.equal((await calls(own).patch(`/v1/webhooks/${id}`, { url: better.url })).status, 200)
    await better.count(BACKLOG - before)
  })

  it('stays parked while its name leads to a forbidden address, and its deliveries fail', async () => {
    const { own, destination, id, delivered } = await parked('receiver.test')
    address = '169.254.169.254'
    const before = destination.received.length
    own.postern.clock.advance(Math.max(...PARKING.pauses))
    // All except deliveries that wait for their own next attempts.
    await delivered(PARKING.after + 8)
    own.postern.clock.advance(HOUR)
    await delivered(0)
    const { body } = await calls(own).get(`/v1/webhooks/${id}/deliveries?limit=${BACKLOG}`)
    assert.deepEqual(
      new Set(body.data.map(({ status, reason }: Record<string, string>) => `${status} ${reason}`)),
      new Set(['failed blocked_address']),
    )
    assert.ok(destination.received.length <= before + 1, 'it was called again')
    own.postern.clock.advance(PACE.heartbeat)
    await until(
      async () => (await calls(own).get(`/v1/webhooks/${id}`)).body.health,
      ({ state, reason }) => state === 'parked' && reason === 'blocked_address',
      { what: 'a parked webhook' },
    )
    assert.doesNotMatch(own.postern.log(), new RegExp(`"webhookId":"${id}","msg":"lane opened"`))
  })
})
