import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorOf, RUN_ERRORS } from './run-errors.ts'

describe('the error of a run', () => {
  const said = (error_code: string, error_reason: string | null) =>
    errorOf({ error_code, error_reason })?.message

  it('says what to do about it, by its code and reason, by its reason, or by its code', () => {
    assert.match(said('PROCESSING_FAILED', 'timeout') ?? '', /`timeoutMs`/)
    assert.match(said('INTEGRATION_PROVIDER_ERROR', 'timeout') ?? '', /The model did not answer/)
    assert.match(said('PROCESSING_FAILED', 'max_steps') ?? '', /`maxSteps`/)
    assert.match(said('INSUFFICIENT_CREDITS', null) ?? '', /checkout/)
    assert.match(said('INTEGRATION_PROVIDER_ERROR', 'status_500') ?? '', /ask the operator/)
    // Inherited members of objects are not reasons.
    assert.match(said('PROCESSING_FAILED', 'constructor') ?? '', /Start it once more/)
    assert.equal(errorOf({ error_code: null, error_reason: null }), null)
  })

  it('stands in the documents with the same words', () => {
    const document = readFileSync('docs/agents.md', 'utf8')
    for (const [key, sentence] of Object.entries(RUN_ERRORS)) {
      const rows = document.split('\n').filter((line) => line.includes(`| ${sentence} |`))
      const parts = key.split(' ').map((part) => `\`${part}\``)
      assert.ok(
        rows.some((row) => parts.every((part) => row.includes(part))),
        key,
      )
    }
  })
})
