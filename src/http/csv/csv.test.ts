import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wantsCsv } from '../accept.ts'
import { toCell, toLine } from './csv.ts'

describe('a table', () => {
  it('quotes what has commas, quotes and ends of lines in it', () => {
    assert.equal(toLine(['a', 'b,c', 'd"e', 'f\r\ng', '']), 'a,"b,c","d""e","f\r\ng",\r\n')
  })

  it('has nothing that a spreadsheet would take for a formula', () => {
    for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      const cell = toCell(`${begin}cmd|' /C calc'!A0`)
      assert.match(cell, /^"?'/, JSON.stringify(cell))
    }
    assert.equal(toCell('=HYPERLINK("https://x")'), `"'=HYPERLINK(""https://x"")"`)
  })

  it('has none either for a program that separates cells by semicolons, bars or tabs, whatever is quoted', () => {
    assert.equal(toCell('a;=1+1'), "a;'=1+1")
    assert.equal(toCell('a;"=1+1'), `"a;""'=1+1"`)
    for (const between of [';', '|', '\t', '\n', '\r\n'])
      assert.ok(
        toCell(`said${between}=cmd|'/C calc'!A0`).includes(`${between}'=cmd`),
        JSON.stringify(between),
      )
    assert.equal(toCell({ text: ';@SUM(1)' }), `"{""text"":"";'@SUM(1)""}"`)
    assert.equal(toCell('x; y=1, -2 and a-b'), '"x; y=1, -2 and a-b"')
  })

  it('leaves numbers as they are, also those below zero', () => {
    assert.deepEqual([-2, 0, 1.5, true, null, undefined].map(toCell), ['-2', '0', '1.5', 'true', '', ''])
  })

  it('writes what has members as JSON', () => {
    assert.equal(toCell({ how: 'reset' }), '"{""how"":""reset""}"')
    assert.equal(toCell(['=1']), '"[""=1""]"')
  })

  it('is for who names it, and names JSON as nothing better', () => {
    const cases: [string | undefined, boolean][] = [
      [undefined, false],
      ['*/*', false],
      ['application/json', false],
      ['text/csv', true],
      ['TEXT/CSV; charset=utf-8', true],
      ['text/csv;header=present, */*;q=0.1', true],
      ['text/csv;q=0', false],
      ['text/csv;q=0.5, application/json', false],
      ['application/json;q=0.5, text/csv', true],
      ['text/csvx', false],
      ['text/csv;q=garbage', false],
    ]
    for (const [accept, isWanted] of cases)
      assert.equal(wantsCsv({ headers: { accept } }), isWanted, String(accept))
  })
})
