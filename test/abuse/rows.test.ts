import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'

const FOLDER = join('test', 'abuse')
/** Rows whose tests are known by what they attack. */
const NAMED_OTHERWISE = /tests have other names/

const readTest = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
/** The numbers with which titles of tests in a source begin. */
const numbersOf = (source: string) =>
  [...source.matchAll(/^\s*(?:it|test)\(\s*['"`](\d+):? /gm)].map(([, number]) => Number(number))

describe('the table of the attacks', () => {
  const rows = readTest('README.md')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, number = '', where = '', why = '']) =>
      /^\d+$/.test(number)
        ? [
            {
              number: Number(number),
              files: [...where.matchAll(/\(([^)]+)\)/g)].map(([, file]) => file ?? ''),
              why,
            },
          ]
        : [],
    )

  it('has every number once, and a test in a file of each row', () => {
    assert.deepEqual(
      rows.map(({ number }) => number),
      rows.map((_, at) => at + 1),
    )
    for (const { number, files, why } of rows) {
      const sources = files.map(readTest)
      assert.ok(sources.length > 0, `row ${number} names no file`)
      const isNumbered = sources.some((source) => numbersOf(source).includes(number))
      assert.equal(isNumbered, !NAMED_OTHERWISE.test(why), `row ${number}`)
    }
  })

  it('has each numbered test of the folder in a row that names its file', () => {
    for (const file of globSync('*.test.ts', { cwd: FOLDER }))
      for (const number of numbersOf(readTest(file))) {
        const row = rows.find((one) => one.number === number)
        assert.ok(row?.files.map((one) => basename(one)).includes(file), `${number} of ${file}`)
      }
  })
})
