import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLoopTurns } from './loop-turns.ts'

/** A loop whose turns the test begins, and a thread on which each piece of work takes a given time. */
function loop() {
  let now = 0
  let coming: (() => void)[] = []
  const log: string[] = []
  const turns = createLoopTurns<string>({
    elapsed: () => now,
    next: () => new Promise((resolve) => coming.push(resolve)),
  })
  return {
    turns,
    /** Pieces of owners' work arrive one after the other; work that may begin at once is done before the next arrives. */
    async come(owners: string, took: number): Promise<string> {
      const before = log.length
      for (const owner of owners) {
        void Promise.resolve(turns.enter(owner)).then(() => {
          log.push(owner)
          now += took
        })
        await settled()
      }
      return log.slice(before).join('')
    },
    pass: (time: number) => {
      now += time
    },
    /** Begins the next turn. @returns the waiting work that begins in it */
    async turn(): Promise<string> {
      const before = log.length
      const some = coming
      coming = []
      for (const go of some) {
        go()
        // The work of one owner is done before that of the next begins.
        await settled()
      }
      return log.slice(before).join('')
    },
  }
}

/** Waits until all pending promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('turns of the event loop', () => {
  it('begin single work at once, and keep no state', async () => {
    const { come, turn } = loop()
    for (let times = 0; times < 3; times += 1) {
      assert.equal(await come('a', 5), 'a')
      assert.equal(await turn(), '')
    }
    assert.equal(await turn(), '')
  })

  it('begin work of one owner for two milliseconds, and then read newly arrived input', async () => {
    const { come, turn } = loop()
    assert.equal(await come('aaaaaaaaaaaaa', 0.5), 'aaaa')
    assert.equal(await come('b', 0.5), 'b', 'who has begun nothing yet waits for nothing')
    // No wait was expected.
    assert.equal(await turn(), 'a')
    assert.equal(await come('b', 0.5), 'b')
    assert.equal(await turn(), 'aaaa')
    assert.equal(await come('ab', 0.5), 'b', 'one that waits waits behind itself')
    assert.equal(await turn(), 'aaaa')
    assert.equal(await turn(), 'a')
    assert.equal(await turn(), '')
    assert.equal(await come('aa', 0.5), 'aa')
  })

  it('serve waiting owners in turn, for any number of requests of one', async () => {
    const { come, turn } = loop()
    assert.equal(await come('aaaaaaabbbc', 2), 'abc', 'each its first')
    const order: string[] = []
    for (let times = 0; times < 8; times += 1) order.push(await turn())
    assert.deepEqual(order, [...'ababaaaa'])
  })

  it('begin sixteen that wait in one at most, however short they are', async () => {
    const { come, turn, pass } = loop()
    await come('a', 0)
    pass(3)
    assert.equal(await come('a'.repeat(40), 0), '')
    assert.equal((await turn()).length, 1)
    assert.equal((await turn()).length, 16)
    assert.equal((await turn()).length, 16)
    assert.equal((await turn()).length, 7)
  })

  it('report a single owner: no other owner has requested work within a second', async () => {
    const { turns, come, turn, pass } = loop()
    assert.ok(turns.isAlone('a'))
    await come('a', 0)
    assert.ok(turns.isAlone('a'))
    assert.ok(!turns.isAlone('b'))
    await come('b', 0)
    assert.ok(!turns.isAlone('a'))
    assert.ok(!turns.isAlone('b'))
    pass(600)
    await turn()
    await come('a', 0)
    assert.ok(!turns.isAlone('a'))
    pass(400)
    assert.ok(turns.isAlone('a'))
    assert.ok(!turns.isAlone('b'))
  })
})
