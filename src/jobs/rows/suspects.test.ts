import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { createSuspects } from './suspects.ts'

function setUp() {
  const timers = new Map<() => void, number>()
  const suspects = createSuspects({
    after(wait, work) {
      timers.set(work, wait)
      return () => void timers.delete(work)
    },
  })
  const begun: string[] = []
  const leaves = new Map<string, () => void>()
  async function enter(name: string, organization = 'org'): Promise<void> {
    const leave = await suspects.enter(organization)
    begun.push(leave === undefined ? `${name} not` : name)
    if (leave !== undefined) leaves.set(name, leave)
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { suspects, begun, leaves, enter, timers, turn }
}

describe('jobs during which a process died', () => {
  it('begin one at a time, in their order', async () => {
    const { begun, leaves, enter, timers, turn } = setUp()
    await enter('a')
    for (const name of ['b', 'c']) void enter(name)
    await turn()
    assert.deepEqual(begun, ['a'])
    leaves.get('a')?.()
    leaves.get('a')?.()
    await turn()
    assert.deepEqual(begun, ['a', 'b'])
    leaves.get('b')?.()
    await turn()
    assert.deepEqual(begun, ['a', 'b', 'c'])
    assert.equal(timers.size, 1)
  })

  it('begin in turns of their organizations, regardless of the number of jobs of each', async () => {
    const { begun, leaves, enter, turn } = setUp()
    await enter('a1', 'a')
    for (const name of ['a2', 'a3', 'a4']) void enter(name, 'a')
    for (const name of ['b1', 'b2']) void enter(name, 'b')
    void enter('c1', 'c')
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']) {
      await turn()
      assert.equal(begun.at(-1), name)
      leaves.get(name)?.()
    }
  })

  it('run alone for ten seconds at most; then the next one begins', async () => {
    const { begun, enter, timers, turn } = setUp()
    await enter('a')
    void enter('b')
    const [[over, wait] = []] = [...timers]
    assert.equal(wait, 10 * SECOND)
    over?.()
    await turn()
    assert.deepEqual(begun, ['a', 'b'])
  })

  it('do not begin in a process that stops', async () => {
    const { suspects, begun, enter, turn } = setUp()
    await enter('a')
    void enter('b')
    suspects.stop()
    await turn()
    await enter('c')
    assert.deepEqual(begun, ['a', 'b not', 'c not'])
  })
})
