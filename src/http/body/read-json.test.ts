import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../core/errors.ts'
import { limitsOf } from './body-limits.ts'
import { MOST_FREE, MOST_NAMES } from './json-places.ts'
import { type LongestItem, type ReadBody, readJson } from './read-json.ts'
import { scanJson } from './scan-json.ts'

const strict = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
const free = { type: 'object', properties: {}, additionalProperties: true }
const row = strict({ name: { type: 'string', maxLength: 10 }, data: free })
const BODY = strict({
  rows: { type: 'array', maxItems: 1_000, items: row },
  names: { type: 'array', maxItems: 3, items: { type: 'string' } },
  text: { anyOf: [{ type: 'string', maxLength: 2_000_000 }, { type: 'null' }] },
  any: {},
})

function read(text: string, schema: object = BODY, longestItem?: LongestItem): Promise<ReadBody> {
  return readJson({}, Buffer.from(text), limitsOf(schema), {
    nextTurn: () => undefined,
    parse: (piece) => JSON.parse(piece),
    longestItem,
  })
}

function isRefusal(field: string, reason: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error))
    const { field: at, reason: why } = error.details as { field: string; reason: string }
    assert.deepEqual([error.code, at, why], ['VALIDATION_FAILED', field, reason])
    return true
  }
}

describe('reading a JSON body', () => {
  it('gives what JSON.parse gives, however large it is and wherever its lists are cut', async () => {
    const rows = (count: number, more: string) =>
      Array.from({ length: count }, (_, index) => ({
        name: `n${index}`,
        data: { index, more, list: [[], {}, '"]\\'] },
      }))
    for (const body of [
      {},
      { rows: [] },
      { rows: rows(900, 'ü\u{1f600}'.repeat(200)), text: '\\"'.repeat(50_000), names: ['a', 'b'] },
      { text: 'x'.repeat(600_000), rows: rows(3, '') },
      { any: rows(900, 'x'.repeat(400)), rows: rows(1, 'y'.repeat(300_000)) },
    ])
      for (const space of [undefined, 1, '\t']) {
        const text = JSON.stringify(body, null, space)
        const { value, items } = await read(text)
        assert.deepEqual(value, JSON.parse(text))
        for (const [name, texts] of items)
          assert.deepEqual(
            texts.map((one) => JSON.parse(one)),
            (value as Record<string, unknown>)[name],
          )
      }
  })

  it('counts without an error whatever is JSON, in pieces of any size, and tells what is none', () => {
    const spaced = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'))
    fc.assert(
      fc.property(spaced, fc.integer({ min: 1, max: 9 }), ([value, space], piece) => {
        const scan = scanJson(JSON.stringify(value, null, space), limitsOf({}))
        while (!scan.advance(piece));
      }),
      { numRuns: 300 },
    )
    for (const text of ['{', '[', '"', '"\\', '"\\"', '{"a":[}', '[}', ']', '{"a":1]', '{"a"'])
      assert.throws(
        () => {
          const scan = scanJson(text, limitsOf({}))
          while (!scan.advance(1));
        },
        isRefusal('body', 'malformed_json'),
      )
  })

  it('takes of two lists with one name the last, and what comes after one', async () => {
    const large = JSON.stringify([{ name: 'x', data: { text: 'x'.repeat(300_000) } }])
    for (const text of [
      `{"rows":${large},"rows":[{"name":"last"}]}`,
      `{"rows":[{"name":"first"}],"rows":${large}}`,
      `{"rows":${large},"rows":7}`,
      `{"ro\\u0077s":${large}}`,
      `{"rows":[],"text":"${'x'.repeat(300_000)}"}`,
    ])
      assert.deepEqual((await read(text)).value, JSON.parse(text))
  })

  it('reads no item of a large body that is longer than its route takes, and keeps its text', async () => {
    const row = (characters: number) => {
      const empty = JSON.stringify({ name: 'n', data: { text: '' } })
      return empty.replace('""', `"${'x'.repeat(characters - empty.length)}"`)
    }
    const most = { characters: 1_000, instead: '{"name":"instead"}' }
    const rows = [row(1_000), row(1_001), row(300_000)]
    const { value, items } = await read(`{"rows":[${rows.join()}]}`, BODY, most)
    const instead = { name: 'instead' }
    assert.deepEqual(value, { rows: [JSON.parse(row(1_000)), instead, instead] })
    assert.deepEqual(items.get('rows'), rows)
  })

  it('refuses more than a schema takes, and says where', async () => {
    const many = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join()}]`
    const named = (count: number) => Array.from({ length: count }, (_, index) => `{"n${index}":1}`).join()
    const refused: [string, string, string][] = [
      [`{"rows":${many('{}', 1_001)}}`, 'rows', 'too_many_items'],
      ['{"names":["a","b","c","d"]}', 'names', 'too_many_items'],
      [`{"rows":[{"data":{"a":${many('1', MOST_FREE - 1)}}}]}`, 'rows.0.data', 'too_many_values'],
      [`{"any":${many('{}', MOST_FREE + 1)}}`, 'any', 'too_many_values'],
      [`{"rows":[{"data":{"a":[${named(MOST_NAMES)}]}}]}`, 'rows.0.data', 'too_many_names'],
      [`{"any":[${named(MOST_NAMES + 1)}]}`, 'any', 'too_many_names'],
      [many('1', 10_001), 'body', 'too_many_values'],
      [`{"text":${many('[]', 10_001)}}`, 'text', 'too_many_values'],
      [
        `{${Array.from({ length: 10_001 }, (_, index) => `"x${index}":1`).join()}}`,
        'x10000',
        'too_many_values',
      ],
      [`{${Array.from({ length: 10_010 }, () => '"text":null').join()}}`, 'text', 'too_many_values'],
      [`{"rows":${'['.repeat(10_005)}${']'.repeat(10_005)}}`, 'rows.0', 'too_many_values'],
      [`{"rows":"${'x'.repeat(1_100_000)}"}`, 'rows', 'too_long'],
      [`{"any":${'9'.repeat(1_100_000)}}`, 'any', 'too_long'],
      [`{"rows":[${' '.repeat(1_100_000)}]}`, 'rows', 'too_long'],
    ]
    for (const [text, field, reason] of refused)
      await assert.rejects(read(text), isRefusal(field, reason), text.slice(0, 60))
    // The largest bodies that are accepted.
    const taken = [
      `{"rows":${many('{}', 1_000)}}`,
      `{"rows":[{"data":{"a":${many('1', MOST_FREE - 2)}}}]}`,
      `{"rows":[{"data":{"a":[${named(MOST_NAMES - 1)}]}},{"data":{"b":[${named(9)}]}}]}`,
      `{"any":${many('{"a":1}', 16_000)}}`,
      `{"text":"${'x'.repeat(1_100_000)}"}`,
      many('1', 10_000),
    ]
    for (const text of taken) assert.deepEqual((await read(text)).value, JSON.parse(text))
  })
})
