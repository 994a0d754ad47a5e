import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findAmbiguity, itemTexts, memberTexts } from './json-text.ts'

/** A value as JSON, with white space wherever there may be some. */
const spaced = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t', ' \r\n'))

describe('the text of a JSON value', () => {
  it('is cut into that of its members and items, to the letter', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), spaced), (object) => {
        const texts = Object.entries(object).map(
          ([name, [value, space]]) => [name, JSON.stringify(value, null, space)] as const,
        )
        const members = texts.map(([name, text]) => `${JSON.stringify(name)} : ${text}`)
        assert.deepEqual(memberTexts(` { ${members.join(' , ')} } `), new Map(texts))
        const items = texts.map(([, text]) => text)
        assert.deepEqual(itemTexts(`[\n${items.join(',\t')}\n]`), items)
      }),
      { numRuns: 500 },
    )
    assert.deepEqual([...memberTexts('{"a":1,"a":{"b":2}}')], [['a', '{"b":2}']])
    assert.deepEqual(itemTexts('[-1.50e+3,"\\\\","\\"]",true]'), ['-1.50e+3', '"\\\\"', '"\\"]"', 'true'])
  })

  it('is ambiguous where it has a member twice, or a number that is infinite to many', () => {
    fc.assert(
      fc.property(spaced, ([value, space]) => {
        assert.equal(findAmbiguity(JSON.stringify(value, null, space)), undefined)
      }),
      { numRuns: 500 },
    )
    for (const [text, field, reason] of [
      ['{"a":1,"b":2,"a":1}', 'a', 'duplicate_member'],
      ['{"a":[{},{"b":{"c":1 ,"\\u0063" : 2}}]}', 'a.1.b.c', 'duplicate_member'],
      ['{"a":[1,1e999]}', 'a.1', 'number_out_of_range'],
      ['{"a":-1E400 }', 'a', 'number_out_of_range'],
    ] as const)
      assert.deepEqual(findAmbiguity(text), { field, reason })
    for (const text of [
      '{"a":{"b":1},"c":{"b":1}}',
      '{"a":9007199254740993,"b":1.50,"c":1e-999}',
      '{"a":null}',
    ])
      assert.equal(findAmbiguity(text), undefined)
  })
})
