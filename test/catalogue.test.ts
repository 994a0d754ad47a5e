import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { VARIABLES } from '#src/config/variables.ts'
import { exampleAnswer, GUIDE } from '#src/core/error-guide.ts'
import { ApiError, CATALOGUE, ERROR_CODES, type ErrorCode } from '#src/core/errors.ts'
import { errorsDocument, settingsDocument } from '../docs/generate.ts'
import catalogue from './fixtures/catalogue.json' with { type: 'json' }

/** Every file of the program but the table itself. */
const sources = globSync('src/**/*.ts')
  .filter((file) => !/core.error(s|-guide|-messages)\.ts$/.test(file) && !file.endsWith('.test.ts'))
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

describe('an address that is not allowed', () => {
  for (const [code, details, setting] of [
    ['VALIDATION_FAILED', { field: 'url', reason: 'address_not_allowed' }, 'WEBHOOK_ALLOWED_NETWORKS'],
    ['FETCH_FAILED', { reason: 'blocked_address' }, 'FILES_ALLOWED_NETWORKS'],
    ['INTEGRATION_PROVIDER_ERROR', { reason: 'blocked_address' }, 'CONNECTIONS_ALLOWED_NETWORKS'],
    ['MCP_CLIENT_UNAVAILABLE', { reason: 'blocked_address' }, 'MCP_ALLOWED_NETWORKS'],
  ] as const)
    it(`is reported with the setting that allows it, in the message of ${code} and among its causes`, () => {
      const { message } = new ApiError(code, details as never)
      assert.equal(
        message,
        `Address not allowed: it is not a public address. The operator of this server can allow a private network by ${setting}.`,
      )
      assert.ok(GUIDE[code].causes.some((cause) => cause.includes(`\`${setting}\``)))
      assert.ok(setting in VARIABLES)
    })
})

describe('the guide of the error codes', () => {
  for (const code of ERROR_CODES) {
    const { causes, steps, example } = GUIDE[code]

    it(`says of ${code} what causes it, what to do and how an answer looks`, () => {
      assert.ok(causes.length > 0 && steps.length > 0)
      for (const sentence of [...causes, ...steps]) {
        assert.match(sentence, /^[A-Z`/].*[.]$/, sentence)
        assert.equal(sentence.split('`').length % 2, 1, `an open backtick: ${sentence}`)
      }
      assert.equal(exampleAnswer(code, '').error.code, code)
    })

    it(`names for ${code} only reasons and settings that are in the program`, () => {
      const { reason } = example as { reason?: string | null }
      const named = [...causes, ...steps].flatMap((text) =>
        [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`|\(`([a-z]+)`\)/g)].map(([, long, short]) => long ?? short),
      )
      for (const one of [...named, ...(typeof reason === 'string' ? [reason] : [])])
        assert.ok(
          sources.some((text) => text.includes(`'${one}'`) || text.includes(`${one}:`)),
          `${one} is not in the program`,
        )
      const settings = causes.flatMap((text) => text.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [])
      for (const one of settings) assert.ok(one in VARIABLES || one in CATALOGUE, one)
    })
  }
})

describe('the settings', () => {
  it('are docs/settings.md (npm run docs)', () => {
    assert.equal(readFileSync('docs/settings.md', 'utf8'), settingsDocument())
  })
})
