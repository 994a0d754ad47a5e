import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { CATALOGUE, ERROR_CODES } from '#src/core/errors.ts'
import { errorsDocument, readmeWithVariables } from '../docs/generate.ts'
import { RAISED_BY, RESERVED } from '../docs/raised-by.ts'
import catalogue from './fixtures/catalogue.json' with { type: 'json' }

/** Every file of the program but the table itself. */
const sources = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('core/errors.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(file, 'utf8'))

describe('the error catalogue', () => {
  it("is the specification's, row by row and in its order", () => {
    assert.equal(catalogue.length, 24)
    const rows = ERROR_CODES.map((code) => {
      const { status, meaning, remedy, group } = CATALOGUE[code]
      return { code, http: status, meaning, remedy, group }
    })
    assert.deepEqual(rows, catalogue)
  })

  it('is docs/errors.md (npm run docs)', () => {
    assert.equal(readFileSync('docs/errors.md', 'utf8'), errorsDocument())
  })

  for (const code of ERROR_CODES) {
    it(`${code} is raised somewhere, or reserved with a reason`, () => {
      const isRaised = sources.some((text) => text.includes(`'${code}'`))
      assert.equal(
        isRaised,
        RESERVED[code] === undefined,
        isRaised ? 'it is raised and reserved' : 'it is neither',
      )
      assert.equal(isRaised, RAISED_BY[code] !== undefined, 'docs/raised-by.ts does not say by what')
    })
  }
})

describe('the table of variables', () => {
  it('is the one in README.md (npm run docs)', (context) => {
    const readme = existsSync('README.md') ? readFileSync('README.md', 'utf8') : ''
    const generated = readmeWithVariables(readme)
    if (generated === undefined) return context.skip('README.md has no place for it')
    assert.equal(readme, generated)
  })
})
