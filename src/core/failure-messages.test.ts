import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DOCUMENT_FAILURES, sentenceOfFailure } from './failure-messages.ts'

describe('the sentence of a failure', () => {
  it('is that of the reason, of its kind, or of the code', () => {
    assert.match(sentenceOfFailure('INDEXING_FAILED', 'no_text') ?? '', /only blanks/)
    assert.match(sentenceOfFailure('PARSE_FAILED', 'no_text') ?? '', /as a scan/)
    assert.match(sentenceOfFailure('INDEXING_FAILED', 'embeddings_status_401') ?? '', /`EMBEDDINGS_KEY`/)
    assert.match(
      sentenceOfFailure('INDEXING_FAILED', 'embeddings_status_418') ?? '',
      /answered with an error/,
    )
    assert.match(sentenceOfFailure('INDEXING_FAILED', 'unheard_of') ?? '', /tell the operator its id/)
    assert.match(sentenceOfFailure('INSUFFICIENT_CREDITS', null) ?? '', /Add credits/)
    // Inherited members of objects are neither reasons nor codes.
    assert.match(sentenceOfFailure('INDEXING_FAILED', 'constructor') ?? '', /tell the operator its id/)
    assert.equal(sentenceOfFailure('toString', 'constructor'), undefined)
    assert.equal(sentenceOfFailure('PARSE_FAILED', 'unheard_of'), undefined)
  })

  it('stands in the documents with the same words', () => {
    const rows = readFileSync('docs/knowledge.md', 'utf8').split('\n')
    for (const [reason, sentence] of Object.entries(DOCUMENT_FAILURES)) {
      const row = rows.find((line) => line.includes(`| ${sentence} |`))
      assert.ok(row?.includes(`\`${reason}`), reason)
    }
  })
})
