import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createHeartbeats } from './heartbeats.ts'

const BEAT = 3_000

/** The found workers of a number of beats. */
function beats(heartbeats: ReturnType<typeof createHeartbeats>, count: number, lasted = BEAT): number[][] {
  return Array.from({ length: count }, () => heartbeats.judge(lasted)).filter(({ length }) => length > 0)
}

it('finds a worker that has left ten questions in a row without an answer, once', () => {
  const heartbeats = createHeartbeats(BEAT)
  for (const worker of [1, 2]) heartbeats.answered(worker)
  for (let beat = 0; beat < 10; beat += 1) {
    assert.deepEqual(heartbeats.judge(BEAT), [])
    heartbeats.answered(1)
  }
  assert.deepEqual(heartbeats.judge(BEAT), [2])
  heartbeats.answered(1)
  assert.deepEqual(beats(heartbeats, 10), [])
})

it('takes an answer, however late, as a beginning', () => {
  const heartbeats = createHeartbeats(BEAT)
  heartbeats.answered(1)
  assert.deepEqual(beats(heartbeats, 10), [])
  heartbeats.answered(1)
  assert.deepEqual(beats(heartbeats, 10), [])
  assert.deepEqual(beats(heartbeats, 1), [[1]])
})

it('counts nothing against workers while it is late itself', () => {
  const heartbeats = createHeartbeats(BEAT)
  heartbeats.answered(1)
  assert.deepEqual(beats(heartbeats, 100, 2 * BEAT), [])
  assert.deepEqual(beats(heartbeats, 10), [])
  assert.deepEqual(beats(heartbeats, 1, 60 * BEAT), [])
  assert.deepEqual(beats(heartbeats, 1), [[1]])
})

it('gives a worker that begins two minutes more for its first answer', () => {
  const heartbeats = createHeartbeats(BEAT)
  heartbeats.began(1)
  assert.deepEqual(beats(heartbeats, 10 + 120_000 / BEAT), [])
  assert.deepEqual(beats(heartbeats, 1), [[1]])
  heartbeats.began(1)
  heartbeats.answered(1)
  assert.deepEqual(beats(heartbeats, 10), [])
  assert.deepEqual(beats(heartbeats, 1), [[1]])
})

it('says nothing of workers that have ended', () => {
  const heartbeats = createHeartbeats(BEAT)
  heartbeats.answered(1)
  heartbeats.forget(1)
  assert.deepEqual(beats(heartbeats, 100), [])
})
