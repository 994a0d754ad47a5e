import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { awaitCompany } from './company.ts'

/** How often who waits for company rests, where so many come in each rest. */
async function restsOf(there: number, coming: number[]): Promise<number> {
  let rests = 0
  await awaitCompany(
    () => there,
    async () => {
      there += coming[rests] ?? 0
      rests += 1
    },
  )
  return rests
}

describe('who waits for company', () => {
  it('waits as long as some come, and no longer than four milliseconds', async () => {
    assert.equal(await restsOf(4, []), 1)
    assert.equal(await restsOf(4, [3]), 2)
    assert.equal(await restsOf(4, [3, 0, 3]), 2)
    assert.equal(await restsOf(4, [1, 1, 1, 1, 1, 1]), 4)
  })

  it('waits no longer where enough are there', async () => {
    assert.equal(await restsOf(32, [5]), 0)
    assert.equal(await restsOf(10, [22, 5]), 1)
  })
})
