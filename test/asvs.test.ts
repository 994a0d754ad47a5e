import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

/** How many rows each section of ASVS 5.0 has that is about authentication (V6) or sessions (V7). */
const ROWS: Record<string, number> = {
  ...{ '6.1': 3, '6.2': 12, '6.3': 8, '6.4': 6, '6.5': 8, '6.6': 4, '6.7': 2, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 3, '7.6': 2 },
}
const rowsOf = (section: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${section}.${from + at}`)

describe('the table of OWASP ASVS 5.0 in docs/security.md', () => {
  const [, table = ''] = readFileSync('docs/security.md', 'utf8').split(
    '## ASVS: authentication and sessions',
  )
  const cells = table
    .split('\n## ')[0]
    ?.split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, row = '']) => /^\d/.test(row)) as string[][]

  it('has every row about authentication and sessions once', () => {
    const named = cells.flatMap(([, row = '']) =>
      [...row.matchAll(/(\d\.\d)\.(\d+)(?: to \1\.(\d+))?/g)].flatMap(([, section = '', from, to]) =>
        rowsOf(section, Number(from), Number(to ?? from)),
      ),
    )
    const all = Object.entries(ROWS).flatMap(([section, last]) => rowsOf(section, 1, last))
    assert.deepEqual(named.sort(), all.sort())
  })

  it('names a test of each that is met, and says of no more than three that they are not', () => {
    const hasNone = (how: string) => how === 'There are none'
    for (const [, row = '', how = '', test = ''] of cells)
      assert.ok(test !== '' || hasNone(how) || how.startsWith('**Not met:**'), row)
    assert.equal(cells.filter(([, , how = '']) => how.startsWith('**Not met:**')).length, 3)
  })
})
