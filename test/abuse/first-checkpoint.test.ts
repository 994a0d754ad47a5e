import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { startPostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

/** Starts of the thread. Without room in its heap about one in three fails. */
const ROUNDS = nightly(25, 1)
const JSON_TYPE = { 'content-type': 'application/json' }

/** The body is refused after it was counted, and its memory stays in the heap until a collection. */
const refused = `{"events":[${'[1],'.repeat(4_000_000)}1]}`
const events = Array.from({ length: 1_000 }, (_, index) => ({
  type: 'file.processed',
  data: { index, text: 'x'.repeat(16_000) },
}))
const published = Buffer.from(JSON.stringify({ events }))

it('the thread that checkpoints the log starts with a large heap without ending the server', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const postern = await startPostern('sqlite')
    const { post } = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const heap = Array.from({ length: 400_000 }, (_, index) => ({
      index,
      name: `row ${index}`,
      list: [index],
    }))
    for (let times = 0; times < 6; times += 1) await post('/v1/events/batch', refused, JSON_TYPE)
    assert.equal((await post('/v1/events/batch', published, JSON_TYPE)).status, 202)
    assert.equal(heap.length, 400_000)
    await postern.stop()
  }
})
