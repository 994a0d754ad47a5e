import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { newId } from '#src/core/id.ts'
import type { Server } from '#src/http/server.ts'
import { JOB_LIMITS } from '#src/jobs/lanes/job-shares.ts'
import { assertError, inGroups } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, type Sender, useSender } from '../support/webhooks.ts'

/** Webhooks of the hostile organization: together they could use more attempts than the process has. */
const HOSTILE = 260
/** Webhooks of its neighbour, and their calls that must be in flight at once. */
const [HEALTHY, AT_ONCE] = [6, 20]
/** Concurrent requests of one organization. */
const FLOOD = 1_000
/** Events for each webhook. */
const EVENTS = 5

onBothEngines('an organization beside one that strains the server', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let http: Server | undefined
  const server = usePostern(engine, {
    extend: (made) => {
      http = made
    },
  })
  /** Each has a separate organization. */
  const [hostile, neighbour] = [useSender(server), useSender(server)]

  /** A destination that can hang, and release its waiting calls. */
  async function tarpit(sender: Sender) {
    const destination = await sender.receiver()
    const waiting = new Set<ServerResponse>()
    const pit = { destination, waiting, hangs: true, givenUp: 0, release }
    destination.answer = (_call, response) => {
      if (!pit.hangs) return void response.writeHead(204).end()
      waiting.add(response)
      response.once('close', () => {
        if (waiting.delete(response)) pit.givenUp += 1
      })
    }
    function release(): void {
      pit.hangs = false
      for (const response of waiting) {
        waiting.delete(response)
        response.writeHead(204).end()
      }
    }
    return pit
  }

  async function publishMany(sender: Sender): Promise<void> {
    const events = Array.from({ length: EVENTS }, () => ({ type: 'agent.run.completed', data: RUN }))
    const answer = await callsOf(sender.postern, sender.key).post('/v1/events/batch', { events })
    assert.equal(answer.status, 202, answer.text)
  }

  test(`gets its calls at once although ${HOSTILE} webhooks of another hang, new ones and ones that worked before`, async () => {
    const [bad, good] = [await hostile(), await neighbour()]
    const [pit, healthy] = [await tarpit(bad), await tarpit(good)]
    for (let index = 0; index < HEALTHY; index += 1)
      await good.register(`${healthy.destination.url}/${index}`)
    await inGroups(HOSTILE, (index) => bad.register(`${pit.destination.url}/${index}`))
    using _still = bad.postern.clock.stop()
    for (const round of [1, 2]) {
      pit.hangs = true
      await publishMany(bad)
      await until(
        () => pit.waiting.size,
        (waiting) => waiting >= 100,
        { what: 'a hundred calls that hang' },
      )
      // The neighbour's webhooks, which are new or have succeeded, have many calls in flight.
      healthy.hangs = true
      await publishMany(good)
      await until(
        () => healthy.waiting.size,
        (waiting) => waiting >= AT_ONCE,
        { what: `${AT_ONCE} calls at once for the neighbour` },
      )
      assert.equal(pit.givenUp, 0, 'it waited until calls of the other were given up')
      healthy.release()
      await healthy.destination.count(round * HEALTHY * EVENTS)
      assert.equal(pit.givenUp, 0, 'it waited until calls of the other were given up')
      pit.release()
      await pit.destination.count(round * HOSTILE * EVENTS)
    }
  })

  test(`is answered before most of ${FLOOD} requests that another sent just before`, async () => {
    const [bad, good] = [await hostile(), await neighbour()]
    // The request is refused by its schema, without a query. All requests are sent at once.
    const ask = async ({ key }: Sender) => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await http?.inject({ url: '/v1/webhooks?limit=0', headers })
      assert.equal(answer?.statusCode, 400)
    }
    await Promise.all([bad, good].map(ask))
    let answered = 0
    const asked = Array.from({ length: FLOOD }, async () => {
      await ask(bad)
      answered += 1
    })
    await ask(good)
    const before = answered
    await Promise.all(asked)
    assert.ok(before < FLOOD / 2, `it was answered after ${before} of another's`)
  })

  it('is not affected by tests of another, which are limited to ten at once', async () => {
    const [bad, good] = [await hostile(), await neighbour()]
    const pit = await tarpit(bad)
    const { id } = await bad.register(pit.destination.url)
    using _still = bad.postern.clock.stop()
    const test = ({ postern, key }: Sender, webhookId: string) =>
      callsOf(postern, key).post(`/v1/webhooks/${webhookId}/test`)
    const tests = Array.from({ length: JOB_LIMITS.tests }, () => test(bad, id))
    await until(
      () => pit.waiting.size,
      (waiting) => waiting === JOB_LIMITS.tests,
      { what: 'tests that hang' },
    )
    const refused = await test(bad, id)
    assertError(refused, 'RATE_LIMITED')
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 30, `to be tried again after ${seconds} s`)
    // Refused before the look-up, which would answer that the webhook does not exist.
    assertError(await test(bad, newId('webhook', seconds)), 'RATE_LIMITED')
    const healthy = await good.receiver()
    const own = await good.register(healthy.url)
    assert.equal((await test(good, own.id)).body.delivered, true)
    assert.equal(pit.givenUp, 0)
    // `retryAfter` is exact: after it a test finds a place.
    bad.postern.clock.advance(seconds * 1_000)
    for (const answer of await Promise.all(tests)) assert.equal(answer.body.delivered, false, answer.text)
    pit.hangs = false
    // A failed test has released its place.
    for (let times = 0; times <= JOB_LIMITS.tests; times += 1)
      assertError(await test(bad, newId('webhook', seconds)), 'ENTITY_NOT_FOUND')
    assert.equal((await test(bad, id)).body.delivered, true)
  })
})

onBothEngines('a large event', (engine) => {
  const sender = useSender(usePostern(engine))

  it('reaches all its destinations completely although many bodies wait in the table', async () => {
    const own = await sender()
    const destination = await own.receiver()
    const count = 80
    for (let index = 0; index < count; index += 1) await own.register(`${destination.url}/${index}`)
    // The memory has room for some 60 of the 80 bodies.
    await own.publish({ ...RUN, output: randomBytes(120 * 1024).toString('hex') })
    const received = await destination.count(count)
    assert.equal(new Set(received.map(({ path }) => path)).size, count)
    const digests = received.map(({ body }) => createHash('sha256').update(body).digest('hex'))
    assert.equal(new Set(digests).size, 1)
    assert.ok((received[0]?.body.length ?? 0) > 240 * 1024)
  })
})
