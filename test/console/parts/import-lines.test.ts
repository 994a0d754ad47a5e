import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inRequests, readImport } from '../../../console/screens/operator/import-lines.ts'

describe('lines of accounts that the operator imports', () => {
  it('keep their numbers beside blank ones, and those without a JSON object are named', () => {
    const { accounts, unreadable } = readImport('{"email":"a"}\r\n\n[]\n7\n{"email":"b"}\n{oops\nnull')
    assert.deepEqual(accounts, [
      { line: 1, account: { email: 'a' } },
      { line: 5, account: { email: 'b' } },
    ])
    assert.deepEqual(unreadable, [3, 4, 6, 7])
  })

  it('are divided into requests of a thousand accounts and less than 2 MiB, in their order', () => {
    const small = Array.from({ length: 2_001 }, (_, at) => ({ line: at, account: { email: `${at}` } }))
    const requests = inRequests(small)
    assert.deepEqual(
      requests.map(({ length }) => length),
      [1_000, 1_000, 1],
    )
    assert.deepEqual(requests.flat(), small)
    // A letter of three bytes.
    const large = Array.from({ length: 100 }, (_, line) => ({ line, account: { name: '字'.repeat(20_000) } }))
    for (const some of inRequests(large))
      assert.ok(Buffer.byteLength(JSON.stringify(some.map(({ account }) => account))) < 2 * 1024 * 1024)
    assert.deepEqual(inRequests(large).flat(), large)
    assert.equal(inRequests([{ line: 1, account: { name: '字'.repeat(1_000_000) } }]).length, 1)
    assert.deepEqual(inRequests([]), [])
  })
})
