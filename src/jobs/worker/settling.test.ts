import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock, turn } from '../../core/clock.ts'
import { createSettling } from './settling.ts'

/** Results on their way into a store whose commits, and the waits for company, end when the test says so. */
function setUp({ isFar = true } = {}) {
  const written: string[][] = []
  const commits: (() => void)[] = []
  const waits: (() => void)[] = []
  const settling = createSettling<string>({
    clock: systemClock,
    store: {
      settle: (_worker, settlements) => {
        written.push(settlements)
        return new Promise((resolve) => commits.push(resolve))
      },
    },
    log: { error() {} },
    onSettled() {},
    isFar,
    rest: () => new Promise((resolve) => waits.push(resolve)),
  })
  async function settle(...results: string[]): Promise<void> {
    for (const settlement of results)
      void settling.settle({ workerId: 'w', settlement, learnt: { isHealthy: true } })
    await turn()
  }
  async function commit(): Promise<void> {
    commits.pop()?.()
    await turn()
  }
  return { written, waits, settle, commit }
}

describe('results', () => {
  it('that come alone are written at once', async () => {
    const { written, waits, settle, commit } = setUp()
    for (const one of ['a', 'b', 'c']) {
      await settle(one)
      await commit()
    }
    assert.deepEqual(written, [['a'], ['b'], ['c']])
    assert.equal(waits.length, 0)
  })

  it('of which many came during a commit wait a moment for more', async () => {
    const { written, waits, settle, commit } = setUp()
    await settle('a')
    await settle('b', 'c', 'd', 'e')
    await commit()
    assert.deepEqual([written, waits.length], [[['a']], 1])
    await settle('f')
    waits[0]?.()
    await turn()
    assert.deepEqual(written, [['a'], ['b', 'c', 'd', 'e', 'f']])
  })

  it('wait for nothing where a commit is no journey', async () => {
    const { written, waits, settle, commit } = setUp({ isFar: false })
    await settle('a')
    await settle('b', 'c', 'd', 'e')
    await commit()
    assert.deepEqual(written, [['a'], ['b', 'c', 'd', 'e']])
    assert.equal(waits.length, 0)
  })
})
