import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { toIso } from '../../src/core/clock.ts'
import { KINDS, newId } from '../../src/core/id.ts'
import { FORMATS } from '../../src/http/formats.ts'
import { usePostern } from '../support/postern.ts'
import { readRoutes } from '../support/routes.ts'

const VERBS =
  /^(authorize|call|cancel|change|check|close|create|delete|deliver|end|fetch|finish|leave|list|open|preview|publish|read|receive|refresh|remove|rename|request|resend|reset|retry|revoke|rotate|sign|test|update|verify)[A-Z]\w+$/

const server = usePostern('sqlite')

/** Every schema of the document, wherever it stands. */
function* schemasIn(value: unknown, where = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [where, value as Record<string, unknown>]
  for (const [name, inner] of Object.entries(value)) yield* schemasIn(inner, `${where}/${name}`)
}

it('every operation has a name of its own: a verb and a noun', async () => {
  const names = (await readRoutes()).map(({ operationId }) => operationId)
  for (const name of names) assert.match(String(name), VERBS)
  assert.deepEqual(names, [...new Set(names)])
  for (const promised of ['createInvitation', 'listDeliveries', 'rotateWebhookSecret'])
    assert.ok(names.includes(promised), promised)
})

it('what a format of ours asks of a request stands beside it in words of JSON Schema', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const ruled = new Set<string>()
  for (const operation of Object.values(body.paths as Record<string, Record<string, object>>).flatMap((one) =>
    Object.values(one),
  )) {
    const { parameters, requestBody } = operation as { parameters?: unknown; requestBody?: unknown }
    for (const [where, { format, pattern }] of schemasIn([parameters, requestBody])) {
      if (typeof format !== 'string') continue
      const rule = FORMATS[format]?.rule
      assert.ok(rule, `${where} names the format ${format}, which we do not know`)
      assert.equal(pattern, rule.pattern, where)
      ruled.add(format)
    }
  }
  for (const format of ['email', 'date-time', 'webhook-id']) assert.ok(ruled.has(format), format)
})

it('a text of a request that is kept holds no NUL, and the document says so', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const { schema } = body.paths['/v1/webhooks'].post.requestBody.content['application/json']
  assert.doesNotMatch('a\u0000b', new RegExp(schema.properties.description.pattern, 'u'))
  assert.match('a\nb', new RegExp(schema.properties.description.pattern, 'u'))
})

it('whatever a format of ours takes matches the pattern that the document shows', () => {
  const accepted: Record<string, fc.Arbitrary<string>> = {
    email: fc.oneof(
      fc.emailAddress(),
      fc.constantFrom(
        ' ada+x@acme.test',
        'ADA@Acme.Test ',
        "o'neil@bücher.example",
        'a@xn--bcher-kva.example',
      ),
    ),
    'date-time': fc.nat().map((seconds) => toIso(seconds * 1_000)),
    ...Object.fromEntries(
      KINDS.map((kind) => [
        `${kind}-id`,
        fc
          .nat()
          .map((now) => newId(kind, now))
          .chain((id) => fc.constantFrom(id, id.slice(-36), id.slice(-36).toUpperCase())),
      ]),
    ),
  }
  for (const [name, { check, rule }] of Object.entries(FORMATS)) {
    if (rule.pattern === undefined) continue
    const pattern = new RegExp(rule.pattern, 'u')
    assert.ok(accepted[name], `the test has no samples of ${name}`)
    const taken = fc.sample(accepted[name], 200).filter(check)
    assert.ok(taken.length > 0, name)
    for (const text of taken) assert.match(text, pattern, name)
  }
})

it('an id is described to the letter: its pattern takes what the server takes, and nothing else', () => {
  const uuid = newId('webhook', 1).slice(-36)
  const forms = [
    `whk_${uuid}`,
    uuid,
    `evt_${uuid}`,
    `whk_${uuid}0`,
    `whk_${uuid}\n`,
    uuid.replace('-7', '-4'),
    '',
  ]
  const { check, rule } = FORMATS['webhook-id'] ?? assert.fail()
  for (const form of forms) assert.equal(new RegExp(rule.pattern ?? '', 'u').test(form), check(form), form)
})
