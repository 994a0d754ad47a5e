import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cpuStopwatch, type Millis } from '#src/core/clock.ts'
import { SIZE } from '#src/core/limits.ts'
import { useLargestBodies } from '../support/largest-bodies.ts'
import { nightly } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay } from '../support/postern.ts'
import { type Route, readRoutes, type Schema, sampleBody } from '../support/routes.ts'
import { callRoute, credentials, ownIds } from '../support/tenants.ts'

/**
 * No request may occupy the event loop longer than this. It is processor time of the thread, so that a busy machine changes little; it
 * includes the test, which runs on the same thread.
 */
const LONGEST_STALL: Millis = 250
/** Milliseconds for reading a megabyte of any content. */
const A_MEGABYTE: Millis = 60
/** Compiling and garbage collection happen at random; a slow body is slow each time. So the fastest of several tries counts. */
const TRIES = 3

/** The largest body of the test. Only reading a larger batch of events takes longer, in the same parser. */
const LARGEST = 2 * 1024 * 1024

/** Texts that are expensive for regular expressions, normalisation and parsers, to be repeated. */
const FILLS = [
  ' ',
  'a',
  'a.',
  '@',
  'a@',
  '\t',
  '-',
  '0',
  '%41',
  '\\u0000',
  '\u0323\u0301',
  '\ufdfa',
  '\u3002',
  '\\\\',
  'http://',
  '\u{1f600}',
]

/**
 * At night each member gets all texts; by day it gets some of them, and its neighbours get others. Bodies of routes with a larger limit
 * take long for their size alone.
 */
function fillsOf(limit: number, member: number): string[] {
  const parts = limit > SIZE.body ? nightly(4, 16) : nightly(1, 8)
  return FILLS.filter((_, index) => index % parts === member % parts)
}

/** The same for bodies that are not texts: by day each member gets a sixth of them, in turn. */
function structuresOf(room: number, member: number): [string, string][] {
  const parts = nightly(1, 6)
  return structures(room).filter((_, index) => index % parts === member % parts)
}

const routes = await readRoutes()
const takesBodies = routes.filter(({ body }) => body !== undefined)

/** `text` repeated as often as it fits into a number of bytes. */
const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))

/** Bytes of a body outside the member that fills it. */
const REST = 1_000

/** Invalid bodies up to a number of bytes that are as expensive as possible. */
function* hostileBodies(route: Route, limit: number): Generator<[string, string]> {
  const good = sampleBody(route) ?? {}
  const members = route.body?.properties ?? {}
  // All routes with one limit share the structures.
  const room = limit - REST
  assert.ok(JSON.stringify(good).length + 200 <= REST, 'the sample leaves no room for a text')
  for (const [member, [name, schema]] of Object.entries(members).entries()) {
    for (const fill of typesOf(schema).includes('string') ? fillsOf(limit, member) : [])
      yield [`${name}: ${JSON.stringify(fill)}`, withMember(good, name, `"x${filled(fill, room)}x"`)]
    for (const [what, value] of structuresOf(room, member))
      yield [`${name}: ${what}`, withMember(good, name, value)]
  }
  for (const [what, value] of structuresOf(room, routes.indexOf(route))) yield [what, value]
}

function withMember(good: object, name: string, json: string): string {
  const { [name]: _, ...rest } = good as Record<string, unknown>
  const others = JSON.stringify(rest).slice(1, -1)
  return `{${others === '' ? '' : `${others},`}${JSON.stringify(name)}:${json}}`
}

let made: { bytes: number; all: [string, string][] } | undefined

/** Values of a number of bytes for each member of a route. */
function structures(bytes: number): [string, string][] {
  if (made?.bytes !== bytes) made = { bytes, all: makeStructures(bytes) }
  return made.all
}

function makeStructures(bytes: number): [string, string][] {
  const list = (item: string) => `[${filled(`${item},`, bytes - item.length - 2)}${item}]`
  const members: string[] = []
  for (let size = 0; size < bytes - 20; size += (members.at(-1)?.length ?? 0) + 1)
    members.push(`"${members.length.toString(36)}":1`)
  return [
    ['empty objects', list('{}')],
    ['empty texts', list('""')],
    ['numbers', list('1')],
    ['rows of nothing', list('{"email":"","role":1,"x":{}}')],
    ['members', `{${members.join(',')}}`],
    ['nesting', `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`],
  ]
}

function typesOf({ type, anyOf = [] }: Schema): string[] {
  return [...(type === undefined ? [] : [type].flat()), ...anyOf.flatMap(typesOf)]
}

// Reading and refusing a body does not depend on the engine.
onOneEngineByDay('the largest body', (engine) => {
  const { begin, limits } = useLargestBodies(engine)

  for (const route of takesBodies) {
    const name = `${route.method} ${route.path}`
    it(`of ${name} delays no other request, with any content`, async () => {
      const { postern, tenant } = await begin()
      const limit = limits.get(name)
      assert.ok(limit !== undefined, `${name} is not registered`)
      if (limit > LARGEST) return
      const ids = await ownIds(tenant, route)
      const most = LONGEST_STALL + A_MEGABYTE * (limit / 1024 / 1024)
      const who = route.access === 'public' ? {} : credentials(route, tenant.admin)
      for (const [what, body] of hostileBodies(route, limit)) {
        const bytes = Buffer.from(body)
        assert.ok(bytes.length <= limit, `${what}: ${bytes.length}`)
        const call = { ...who, body: bytes, headers: { ...who.headers, 'content-type': 'application/json' } }
        let used = Number.POSITIVE_INFINITY
        for (let attempt = 0; attempt < TRIES && used > most; attempt += 1) {
          const computed = cpuStopwatch()
          const answer = await callRoute(postern.client(), route, ids, call)
          used = computed()
          // The provider of the tenant's connection no longer exists.
          const isExpected = answer.status < 500 || answer.body.error.code === 'INTEGRATION_PROVIDER_ERROR'
          assert.ok(isExpected, `${what}: ${answer.text}`)
        }
        assert.ok(used <= most, `${what}, ${bytes.length} bytes: ${Math.round(used)} ms`)
      }
    })
  }

  it('of a header or a query delays no other request either', async () => {
    const { postern } = await begin()
    const admin = await administrator(postern)
    const names = [
      'authorization',
      'cookie',
      'user-agent',
      'x-request-id',
      'idempotency-key',
      'accept',
      'origin',
    ]
    for (const fill of [' ', 'a', 'a=b; ', ',', '0', '%41', '.', '"'])
      for (const name of [...names, 'query', 'bearer']) {
        const text = filled(fill, 8_000)
        const query = name === 'query' ? `?cursor=${encodeURIComponent(text).slice(0, 8_000)}` : ''
        const header = name === 'bearer' ? { authorization: `Bearer ${text}` } : { [name]: `x${text}x` }
        const computed = cpuStopwatch()
        await postern.client().call(`/v1/invitations${query}`, {
          ...(name === 'query' ? { token: admin.token } : { headers: header }),
        })
        assert.ok(computed() <= LONGEST_STALL, `${name}: ${JSON.stringify(fill)}`)
      }
  })
})

/** Without a limit in its schema, only the size of the body bounds a text of a request. */
it('every text that a request may hold has a maximum length in the document', () => {
  const unbounded: string[] = []
  function look(schema: Schema, place: string): void {
    for (const branch of schema.anyOf ?? []) look(branch, place)
    if (schema.type === 'string' && schema.enum === undefined && schema.maxLength === undefined)
      unbounded.push(place)
    for (const [name, member] of Object.entries(schema.properties ?? {})) look(member, `${place}.${name}`)
    if (schema.items !== undefined) look(schema.items, `${place}[]`)
  }
  for (const { method, path, parameters, body } of routes) {
    for (const { name, schema } of parameters) look(schema, `${method} ${path} ${name}`)
    if (body !== undefined) look(body, `${method} ${path} body`)
  }
  assert.deepEqual(unbounded, [])
})
