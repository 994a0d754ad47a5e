import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, MINUTE, type Millis, SECOND, turn } from '../../core/clock.ts'
import { createSettling } from './settling.ts'

const NOW = 1_795_000_000_000

/** Results for a store whose commits, and waits for more results, the test ends. */
function setUp({ isFar = true, isApart = false } = {}) {
  const written: string[][] = []
  const commits: (() => void)[] = []
  const waits: (() => void)[] = []
  const time = { now: NOW }
  const dues: (Millis | null)[] = []
  const settling = createSettling<{ name: string; dueAt: Millis | null }>({
    clock: { now: () => time.now, after: () => () => {} },
    store: {
      settle: (_worker, settlements) => {
        written.push(settlements.map(({ name }) => name))
        dues.push(...settlements.map(({ dueAt }) => dueAt))
        return new Promise((resolve) => commits.push(resolve))
      },
    },
    log: { error() {} },
    isFar,
    behalfOf: isApart ? ({ name }) => name.slice(0, 1) : undefined,
    rest: () => new Promise((resolve) => waits.push(resolve)),
  })
  async function settle(...results: string[]): Promise<void> {
    for (const name of results) await settleDue(name, null)
  }
  async function settleDue(name: string, dueAt: Millis | null): Promise<void> {
    void settling.settle({ workerId: 'w', settlement: { name, dueAt }, learnt: { isReachable: true } })
    await turn()
  }
  async function commit(): Promise<void> {
    commits.pop()?.()
    await turn()
  }
  return { written, waits, settle, settleDue, commit, time, dues }
}

describe('results', () => {
  it('are written at once if they arrive one at a time', async () => {
    const { written, waits, settle, commit } = setUp()
    for (const one of ['a', 'b', 'c']) {
      await settle(one)
      await commit()
    }
    assert.deepEqual(written, [['a'], ['b'], ['c']])
    assert.equal(waits.length, 0)
  })

  it('wait a moment for more if four arrived during a commit', async () => {
    const { written, waits, settle, commit } = setUp()
    await settle('a')
    await settle('b', 'c', 'd', 'e')
    await commit()
    assert.deepEqual([written, waits.length], [[['a']], 1])
    await settle('f')
    waits[0]?.()
    await turn()
    assert.deepEqual([written, waits.length], [[['a']], 2], 'one has come')
    waits[1]?.()
    await turn()
    assert.deepEqual(written, [['a'], ['b', 'c', 'd', 'e', 'f']])
  })

  it('keep the length of their waits if the clock is set back before their commit; an ended job has no wait', async () => {
    const { settle, settleDue, commit, time, dues } = setUp({ isFar: false })
    await settle('a')
    time.now += 3 * DAY
    await settleDue('b', time.now + MINUTE)
    await settleDue('c', null)
    time.now = NOW
    await settleDue('d', NOW + SECOND)
    await commit()
    assert.deepEqual(dues, [null, NOW + MINUTE, null, NOW + SECOND])
  })

  it('keep their due moments if time passes before their commit', async () => {
    const { settle, settleDue, commit, time, dues } = setUp({ isFar: false })
    await settle('a')
    await settleDue('b', NOW + SECOND)
    time.now += MINUTE
    await commit()
    assert.deepEqual(dues, [null, NOW + SECOND])
  })

  it('do not wait for more if a commit needs no round trip', async () => {
    const { written, waits, settle, commit } = setUp({ isFar: false })
    await settle('a')
    await settle('b', 'c', 'd', 'e')
    await commit()
    assert.deepEqual(written, [['a'], ['b', 'c', 'd', 'e']])
    assert.equal(waits.length, 0)
  })

  it('wait only for results of their own organization if organizations are written separately', async () => {
    const { written, settle, commit } = setUp({ isFar: false, isApart: true })
    await settle('a1', 'a2', 'b1', 'a3', 'b2')
    assert.deepEqual(written, [['a1'], ['b1']])
    await commit()
    assert.deepEqual(written.slice(2), [['b2']])
    await commit()
    await commit()
    assert.deepEqual(written.slice(3), [['a2', 'a3']])
  })

  it('of several owners that wait for no row share a commit, and any other goes to the commit of its owner', async () => {
    const [written, told]: [string[][], string[][]] = [[], []]
    let isAway = false
    const settling = createSettling<{ name: string; dueAt: Millis | null }>({
      clock: { now: () => NOW, after: () => () => {} },
      store: {
        async settle(_worker, settlements) {
          written.push(settlements.map(({ name }) => name))
        },
        unlocked: {
          takes: ({ name }) => !name.endsWith('failed'),
          async settle(_worker, settlements) {
            if (isAway) throw new Error('away')
            written.push(settlements.map(({ name }) => `unlocked ${name}`))
            return settlements.filter(({ name }) => !name.endsWith('locked'))
          },
        },
      },
      ...{ log: { error() {} }, isFar: false, behalfOf: ({ name }) => name.slice(0, 1) },
    })
    settling.listen((settled) => void told.push(settled.map(({ settlement }) => settlement.name)))
    const settle = (name: string) =>
      settling.settle({ workerId: 'w', settlement: { name, dueAt: null }, learnt: { isReachable: true } })
    await settle('a done')
    await Promise.all(['a failed', 'b done', 'c locked', 'c done'].map(settle))
    const names = written.map((some) => some.join())
    const all = [
      'unlocked a done',
      'a failed',
      'unlocked b done',
      'unlocked c locked,unlocked c done',
      'c locked',
    ]
    assert.deepEqual(names.toSorted(), all.toSorted())
    assert.equal(names.at(-1), 'c locked')
    assert.deepEqual(told.flat().toSorted(), ['a done', 'a failed', 'b done', 'c done', 'c locked'])
    isAway = true
    await settle('a done')
    assert.deepEqual(written.at(-1), ['a done'])
    const before = written.length
    // The work has settled it, so that it is only reported.
    const settlement = { name: 'a settled', dueAt: null }
    await settling.settle({ workerId: 'w', settlement, learnt: { isReachable: true }, isSettled: true })
    assert.deepEqual([written.length, told.at(-1)], [before, ['a settled']])
  })
})
