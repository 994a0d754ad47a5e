import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keepAnswer, readAnswer } from './kept-answer.ts'

const USUAL = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'f3a1',
  date: 'Sun, 22 Nov 2026 12:00:00 GMT',
  connection: 'keep-alive',
  'keep-alive': 'timeout=5',
  'content-length': '15',
}

const same = (headers: Record<string, string>) =>
  assert.equal(JSON.stringify(readAnswer(keepAnswer(headers))), JSON.stringify(headers))

describe('the headers of an answer', () => {
  it('are kept in a quarter of their length, and read as they were, in their order', () => {
    const kept = keepAnswer(USUAL)
    assert.ok(kept.length < JSON.stringify(USUAL).length / 4, kept)
    same(USUAL)
    same(Object.fromEntries(Object.entries(USUAL).reverse()))
  })

  it('of any name and any value are read as they were', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'd', ':', 'A', '{', '\n', '\0', '\ud800', 'keep-alive', 'date', 'content-type'),
    )
    fc.assert(fc.property(fc.dictionary(text, text), same))
  })

  it('are kept with their date, however it is written', () => {
    for (const date of [
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Wed, 31 Dec 1969 23:59:59 GMT',
      'Mon, 22 Nov 2026 12:00:00 GMT',
      'Sun, 22 Nov 2026 12:00:00 UTC',
      'Sunday, 22-Nov-26 12:00:00 GMT',
      'Sun Nov 22 12:00:00 2026',
      '0',
      'now',
      '',
    ])
      same({ date })
  })
})
