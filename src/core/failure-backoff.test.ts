import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withFailureBackoff } from './failure-backoff.ts'

describe('work that rests after failures', () => {
  const failure = new Error('down')

  it('is tried by strangers after longer and longer pauses, and by callers always, until it succeeds', async () => {
    let calls = 0
    let isUp = false
    const ask = withFailureBackoff([10, 100], async () => {
      calls += 1
      if (!isUp) throw failure
      return calls
    })
    const asks = async (now: number, by: 'caller' | 'stranger', expected: number) => {
      await assert.rejects(ask(now, by), failure)
      assert.equal(calls, expected, `${by} at ${now}`)
    }
    await asks(0, 'stranger', 1)
    await asks(9, 'stranger', 1)
    await asks(10, 'stranger', 2)
    await asks(109, 'stranger', 2)
    // The last pause repeats.
    await asks(110, 'stranger', 3)
    await asks(209, 'stranger', 3)
    // As if the clock was set back.
    await asks(10, 'stranger', 4)
    await asks(11, 'caller', 5)
    await asks(12, 'stranger', 5)
    isUp = true
    assert.equal(await ask(12, 'caller'), 6)
    isUp = false
    await asks(13, 'stranger', 7)
    await asks(23, 'stranger', 8)
  })

  it('has failed once where several calls shared it', async () => {
    let tries = 0
    const counted = withFailureBackoff([10, 100], async () => {
      tries += 1
      throw failure
    })
    await Promise.allSettled([counted(0, 'caller'), counted(0, 'caller')])
    await Promise.allSettled([counted(10, 'stranger')])
    assert.equal(tries, 3)
    // Strangers share a running call.
    await Promise.allSettled([counted(200, 'stranger'), counted(200, 'stranger'), counted(200, 'stranger')])
    assert.equal(tries, 4)
  })
})
