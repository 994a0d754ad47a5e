import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { FILE_FAILURES, sentenceOfFailure } from '#src/core/failure-messages.ts'
import { FAULTS, WARNING_CODES } from '#src/files/readers/child-message.ts'
import { SERVER_REASONS } from '#src/files/readers/read-failure.ts'
import { warningsOf } from '../../console/screens/files/sentences.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENT = readFileSync(join(ROOT, 'docs/files.md'), 'utf8')
/** What is said where no table has it. */
const OTHERS = ['crashed', 'crashed_repeatedly', 'not_stored', 'blob_missing', 'blob_altered', 'blob_late']
const REASONS = [...Object.keys(FAULTS), ...Object.values(SERVER_REASONS), ...OTHERS]

/** The row of a table whose first cell names it. */
function rowOf(name: string): string[] {
  const lines = DOCUMENT.split('\n').filter((line) => line.startsWith('|'))
  const row = lines.find((line) => line.split('|')[1]?.includes(`\`${name}\``)) ?? ''
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

it('every reason for which a file has no text is told with what to do, in the document and in every answer', () => {
  for (const reason of REASONS) {
    const [, what = '', remedy = ''] = rowOf(reason)
    assert.ok(what.length > 10 && remedy.length > 10, `docs/files.md says of ${reason}: ${what} / ${remedy}`)
    for (const code of ['PARSE_FAILED', 'XLSX_CORRUPTED', 'XLSX_TIMEOUT', 'PROCESSING_FAILED'])
      assert.equal(sentenceOfFailure(code, reason), FILE_FAILURES[reason])
    assert.match(FILE_FAILURES[reason] ?? '', /^[A-Z].*\. [A-Z].*\.$/, reason)
  }
  assert.deepEqual(Object.keys(FILE_FAILURES).sort(), [...new Set(REASONS)].sort())
})

it('so is every warning', () => {
  for (const code of Object.keys(WARNING_CODES) as (keyof typeof WARNING_CODES)[]) {
    const [, what = '', remedy = ''] = rowOf(code)
    assert.ok(what.length > 10 && remedy.length > 10, code)
    const [sentence = ''] = warningsOf({ warnings: [{ code, detail: 'THIS' }] })
    assert.match(sentence, /THIS.*\.$/, sentence)
  }
})
