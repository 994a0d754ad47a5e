import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { CATALOGUE, ERROR_CODES, type ErrorCode } from '#src/core/errors.ts'
import { errorsDocument, settingsDocument } from '../docs/generate.ts'
import catalogue from './fixtures/catalogue.json' with { type: 'json' }

/** Every file of the program but the table itself. */
const sources = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('core/errors.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(file, 'utf8'))

/** Where each code is provoked through the public door. */
const PROVOKED_IN: Record<ErrorCode, string> = {
  UNAUTHORIZED: 'abuse/jwt',
  FORBIDDEN: 'routes',
  MODULE_NOT_ENABLED: 'billing/modules',
  INTEGRATION_EXPIRED: 'connections/refresh',
  INTEGRATION_REVOKED: 'connections/refresh',
  VALIDATION_FAILED: 'abuse/malformed',
  INVALID_EMAIL: 'abuse/addresses',
  INVALID_UUID: 'routes',
  TYPE_MISMATCH: 'abuse/malformed',
  MISSING_REQUIRED_FIELD: 'abuse/malformed',
  CONVERSATION_NOT_FOUND: 'agents/main-flow',
  ENTITY_NOT_FOUND: 'routes',
  DUPLICATE: 'abuse/inviting',
  RATE_LIMITED: 'http/rate-limit',
  INSUFFICIENT_CREDITS: 'connections/credits',
  INTEGRATION_RATE_LIMIT: 'connections/fetch',
  INDEXING_FAILED: 'knowledge/knowledge',
  PARSE_FAILED: 'files/processing',
  PROCESSING_FAILED: 'files/processing',
  XLSX_TIMEOUT: 'files/processing',
  XLSX_CORRUPTED: 'files/processing',
  FETCH_FAILED: 'files/fetch',
  INTEGRATION_PROVIDER_ERROR: 'connections/fetch',
  MCP_CLIENT_UNAVAILABLE: 'mcp/servers',
}

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
    it(`has a cause for ${code}, and a test that provokes it`, () => {
      assert.ok(sources.some((text) => text.includes(`'${code}'`)))
      const file = `test/${PROVOKED_IN[code]}.test.ts`
      assert.ok(readFileSync(file, 'utf8').includes(`'${code}'`), `${file} does not name ${code}`)
    })
  }
})

describe('the settings', () => {
  it('are docs/settings.md (npm run docs)', () => {
    assert.equal(readFileSync('docs/settings.md', 'utf8'), settingsDocument())
  })
})
