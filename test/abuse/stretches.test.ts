import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Millis } from '#src/core/clock.ts'
import { SIZE } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import { useLargestBodies } from '../support/largest-bodies.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, onOneEngineByDay, usePostern } from '../support/postern.ts'
import { type Route, readRoutes, type Schema, sampleBody } from '../support/routes.ts'
import { leastStretch, strain } from '../support/stretch.ts'
import { callRoute, credentials, ownIds } from '../support/tenants.ts'
import { callsOf } from '../support/webhook-calls.ts'

/** No request may occupy the thread for longer at a time. */
const LONGEST: Millis = 20
/** Milliseconds that this test's client needs to write a megabyte, on the same thread. */
const CLIENT: Millis = 0.5

const routes = (await readRoutes()).filter(({ body }) => body !== undefined)

/** `text` repeated as often as it fits into a number of bytes. */
const filled = (text: string, bytes: number) => text.repeat(Math.max(0, Math.floor(bytes / text.length)))
const list = (item: string, bytes: number) => `[${filled(`${item},`, bytes - item.length - 2)}${item}]`

function* members(bytes: number, name: (index: number) => string, value: string): Generator<string> {
  for (let [index, size] = [0, 0]; size < bytes; index += 1) {
    const member = `"${name(index)}":${value}`
    size += member.length + 1
    if (size < bytes) yield member
  }
}

/**
 * JSON of about a number of bytes that is expensive to parse, to count, to validate, or to report an error of. Making one of the largest
 * bodies takes as long as the server's work on it, so each is made immediately before it is sent.
 */
function shapes(bytes: number): [string, () => string][] {
  const object = (name: (index: number) => string, value: string) =>
    `{${[...members(bytes - 2, name, value)].join()}}`
  return [
    ['empty objects', () => list('{}', bytes)],
    ['empty lists', () => list('[]', bytes)],
    ['numbers', () => list('1', bytes)],
    ['rows', () => list('{"email":"","type":1,"data":{}}', bytes)],
    ['deep lists', () => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`],
    ['deep objects', () => `${'{"a":'.repeat(bytes / 7)}1${'}'.repeat(bytes / 7)}`],
    ['many names', () => object((index) => index.toString(36), '1')],
    ['long names', () => object((index) => `${index}${'n'.repeat(1_000)}`, '{}')],
    ['one name', () => object(() => 'a', '[]')],
    ['reserved names', () => list('{"__proto__":1}', bytes)],
    ['names that look reserved', () => list('{"__prot":"__proto"}', bytes)],
    ['a long number', () => '9'.repeat(bytes)],
    ['long numbers', () => list('12345678901234567890.5e-3', bytes)],
    ['nearly long numbers', () => list('"111111111111111a"', bytes)],
    ['escapes', () => `"${filled('\\u0041', bytes - 2)}"`],
    ['backslashes', () => `"${filled('\\\\', bytes - 2)}"`],
    ['quotes', () => list('"\\""', bytes)],
    ['letters of four bytes', () => `"${'\u{1f600}'.repeat((bytes - 2) / 4)}"`],
    ['spaces', () => `[${' '.repeat(bytes - 2)}]`],
  ]
}

/** Bytes of a body outside a shape in one of its members. */
const REST = 1_000

/**
 * Bodies of a route: the plain shapes, and the shapes in each of its members in turn. By day a route gets an eighth of the shapes, in one
 * of the two ways, and the next routes get the others, because all routes share the parser.
 */
function* hostileBodies(route: Route, limit: number): Generator<[string, string]> {
  const good = sampleBody(route) ?? {}
  const names = Object.entries(route.body?.properties ?? {})
  const structured = names.filter(([, schema]) => isStructured(schema))
  // Each is put into a list or an object of the route, or, without one, into any member.
  const places = structured.length > 0 ? structured : names
  assert.ok(JSON.stringify(good).length + 200 <= REST, 'the sample leaves no room for a shape')
  for (const [index, [what, make]] of shapes(limit - REST).entries()) {
    const turn = (index + routes.indexOf(route)) % 16
    if (nightly(false, turn % 8 !== 0)) continue
    const isBare = turn === 0
    const value = make()
    if (nightly(true, isBare || places.length === 0)) yield [what, value]
    const name = places[index % (places.length || 1)]?.[0]
    if (name === undefined || nightly(false, isBare)) continue
    const { [name]: _, ...others } = good as Record<string, unknown>
    const before = JSON.stringify(others).slice(1, -1)
    yield [`${what} in ${name}`, `{${before === '' ? '' : `${before},`}${JSON.stringify(name)}:${value}}`]
  }
}

function isStructured({ type, anyOf = [] }: Schema): boolean {
  return type === 'object' || type === 'array' || type === undefined || anyOf.some(isStructured)
}

/** The same for a batch of 16 MiB. */
const LONGEST_OF_BATCH = LONGEST + CLIENT * 16

const batchOf = (data: object[]) =>
  Buffer.from(JSON.stringify({ events: data.map((one) => ({ type: 'file.processed', data: one })) }))

const filledList = (text: string, megabytes: number) =>
  Array.from({ length: (megabytes * 1024 ** 2) / (text.length + 3) }, () => text)

/** The only event of a batch of 16 MiB of valid JSON, and the reason of its refusal: an event may have 256 KiB. */
const REFUSED: [string, () => object, 'too_large' | 'too_long'][] = [
  ['one event of 15 MiB in many texts', () => ({ texts: filledList('x'.repeat(400), 15) }), 'too_large'],
  ['one event of 15 MiB in long texts', () => ({ texts: filledList('x'.repeat(900_000), 15) }), 'too_large'],
  ['one event of one text of 15 MiB', () => ({ text: 'x'.repeat(15 * 1024 ** 2) }), 'too_long'],
]

/** Batches of 16 MiB that one organization sends at once. */
const FLOOD = nightly(12, 4)

const JSON_TYPE = { 'content-type': 'application/json' }

// A body is read, checked and refused without a query.
onOneEngineByDay('the longest that a body holds the thread in one go', (engine) => {
  const { begin, limits } = useLargestBodies(engine)

  for (const route of routes) {
    const name = `${route.method} ${route.path}`
    it(`is ${LONGEST} ms at ${name}, with any content`, async () => {
      const { postern, tenant } = await begin()
      const limit = limits.get(name)
      assert.ok(limit !== undefined, `${name} is not registered`)
      const ids = await ownIds(tenant, route)
      const who = route.access === 'public' ? {} : credentials(route, tenant.admin)
      const most = LONGEST + (CLIENT * limit) / 1024 ** 2
      const tooLong: string[] = []
      strain()
      for (const [what, text] of hostileBodies(route, limit)) {
        const body = Buffer.from(text)
        assert.ok(body.length <= limit, `${what}: ${body.length}`)
        const call = { ...who, body, headers: { ...who.headers, ...JSON_TYPE } }
        const longest = await leastStretch(most, async () => {
          const answer = await callRoute(postern.client(), route, ids, call)
          const isExpected = answer.status < 500 || answer.body.error.code === 'INTEGRATION_PROVIDER_ERROR'
          assert.ok(isExpected, `${what}: ${answer.text}`)
        })
        if (longest > most) tooLong.push(`${what}, ${body.length} bytes: ${longest.toFixed(1)} ms`)
      }
      assert.deepEqual(tooLong, [])
    })
  }

  it(`is ${LONGEST} ms for an inbound call and for a form of a page, with any content`, async () => {
    const { postern, tenant } = await begin()
    const webhook = await tenant.own('webhook')
    const { token } = tenant.admin
    const { endpointPath } = (await postern.client().get(`/v1/webhooks/${webhook}`, { token })).body
    const pairs = (bytes: number) =>
      ['&', 'a=&', '%41=%41&', '+'].map((text): [string, () => string] => [text, () => filled(text, bytes)])
    const calls: [string, string, [string, () => string][]][] = [
      [`/v1/webhooks/${endpointPath}`, 'application/json', shapes(SIZE.eventBody)],
      ['/v1/auth/magic-link/verify', 'application/x-www-form-urlencoded', pairs(SIZE.body)],
    ]
    const tooLong: string[] = []
    for (const [path, type, bodies] of calls)
      for (const [what, make] of bodies) {
        const body = Buffer.from(make())
        const headers = { 'content-type': type }
        const longest = await leastStretch(LONGEST, async () => {
          const answer = await postern.client().post(path, body, { headers })
          assert.ok(answer.status < 500, answer.text)
        })
        if (longest > LONGEST) tooLong.push(`${path}: ${what}: ${longest.toFixed(1)} ms`)
      }
    assert.deepEqual(tooLong, [])
  })

  for (const [what, data, reason] of REFUSED)
    it(`is ${LONGEST} ms for a batch of ${what}`, async () => {
      const { postern, tenant } = await begin()
      const body = batchOf([data()])
      const longest = await leastStretch(LONGEST_OF_BATCH, async () => {
        const headers = JSON_TYPE
        const answer = await postern
          .client()
          .post('/v1/events/batch', body, { token: tenant.admin.token, headers })
        assert.equal(answer.status, reason === 'too_long' ? 400 : 202, answer.text.slice(0, 1_000))
        const [first] = answer.body.results ?? [answer.body]
        assert.equal(first.error?.details.reason, reason)
      })
      assert.ok(longest <= LONGEST_OF_BATCH, `${longest.toFixed(1)} ms`)
    })

  it('leaves others their turns while one organization sends the largest bodies, many at once', async () => {
    const { postern, tenant } = await begin()
    const { token } = await administrator(postern)
    const { post } = callsOf(postern, await apiKey(postern, tenant.admin))
    const body = Buffer.from(
      `{"events":${list('{"type":"file.processed","data":{"a":[{},{},{}]}}', SIZE.batchBody - 20)}}`,
    )
    let isOver = false
    const flood = Promise.all(
      Array.from({ length: FLOOD }, () => post('/v1/events/batch', body, JSON_TYPE)),
    ).finally(() => {
      isOver = true
    })
    let served = 0
    while (!isOver) {
      const answers = [
        await postern.client().get('/livez'),
        await postern.client().get('/v1/organizations', { token }),
        await postern.client().post('/v1/api-keys', { name: 'beside' }, { token }),
      ]
      for (const { status, text } of answers) assert.ok(status < 300, text)
      served += 1
    }
    for (const answer of await flood) assertError(answer, 'VALIDATION_FAILED', { field: 'events' })
    assert.ok(served >= 3, `others were served ${served} times`)
  })
})

onBothEngines('the longest that a batch which is published holds the thread in one go', (engine) => {
  const server = usePostern(engine)

  it(`is ${LONGEST} ms for 1,000 good events of 16 MiB`, async () => {
    const postern = await server()
    const { post } = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const body = batchOf(Array.from({ length: 1_000 }, (_, index) => ({ index, text: 'x'.repeat(16_000) })))
    const longest = await leastStretch(LONGEST_OF_BATCH, async () => {
      const answer = await post('/v1/events/batch', body, JSON_TYPE)
      assert.equal(answer.status, 202, answer.text.slice(0, 1_000))
      assert.equal(new Set(answer.body.results.map(({ id }: { id: string }) => id)).size, 1_000)
    })
    assert.ok(longest <= LONGEST_OF_BATCH, `${longest.toFixed(1)} ms`)
  })
})
