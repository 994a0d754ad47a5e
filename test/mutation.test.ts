import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import { PARTS } from './mutation/parts.ts'

it('every part that the mutation tester changes is there, with the tests that hold it', () => {
  const missing = PARTS.flatMap(({ files, tests }) => [...files, ...tests]).filter(
    (file) => !existsSync(file),
  )
  assert.deepEqual(missing, [])
})
