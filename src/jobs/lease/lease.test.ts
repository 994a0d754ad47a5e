import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Millis, turn } from '../../core/clock.ts'
import { createLease, PACE } from './lease.ts'

const START = 1_795_000_000_000

/** The lease of a process, a table with its row, and a clock whose heartbeats the test starts. */
function stand({ shared = true } = {}) {
  const state = { now: START, isAway: false, looks: 0, dead: 0, names: 0 }
  const rows = new Map<string, Millis>()
  const said: string[] = []
  const timers: (() => void)[] = []
  function reach(): void {
    if (state.isAway) throw new Error('the database is away')
  }
  const lease = createLease({
    clock: {
      now: () => state.now,
      after(_, fire) {
        timers.push(fire)
        return () => void timers.splice(timers.indexOf(fire), 1)
      },
    },
    log: { error: () => said.push('an error') },
    shared,
    newName() {
      state.names += 1
      return `name ${state.names}`
    },
    store: {
      async join(name, until) {
        reach()
        rows.set(name, until)
      },
      async keepAlive(name, until) {
        reach()
        if (rows.has(name)) rows.set(name, until)
        return rows.has(name)
      },
      async correct(latest) {
        said.push(`corrects ${latest() - state.now}`)
      },
      async removeDead(name, _now, mayRemoveExpired) {
        reach()
        state.looks += 1
        said.push(`${name} looks${mayRemoveExpired ? '' : ', but takes none for dead'}`)
        return state.dead
      },
      leave: async (name) => void rows.delete(name),
      interrupt: () => said.push('interrupted'),
    },
  })
  for (const kind of ['mails', 'files'])
    lease.listen({
      onLost: () => said.push(`${kind} lost under ${lease.name}`),
      onRegained: () => said.push(`${kind} go on under ${lease.name}`),
    })
  /** One heartbeat after a given time. */
  async function beat(later: Millis = PACE.heartbeat): Promise<void> {
    state.now += later
    for (const fire of timers.splice(0)) fire()
    for (let turns = 0; turns < 3; turns += 1) await turn()
  }
  return { lease, state, rows, said: () => said.splice(0), beat }
}

describe('the lease of a process', () => {
  it('is one row that a heartbeat extends and the end of the process removes', async () => {
    const { lease, rows, beat, said } = stand()
    assert.deepEqual([lease.name, lease.isGood()], ['', false])
    await lease.start()
    assert.deepEqual([...rows], [['name 1', START + PACE.lease]])
    await beat()
    assert.deepEqual([...rows], [['name 1', START + PACE.heartbeat + PACE.lease]])
    assert.ok(lease.mayWork())
    await lease.stop()
    assert.deepEqual([rows.size, lease.name, said()], [0, '', []])
  })

  it('is lost for all kinds at once if other processes removed its row, and all kinds continue under a new name', async () => {
    const { lease, rows, state, beat, said } = stand()
    await lease.start()
    rows.clear()
    await beat()
    assert.deepEqual(said(), [
      ...['mails lost under name 1', 'files lost under name 1'],
      ...['mails go on under name 2', 'files go on under name 2'],
    ])
    state.isAway = true
    await beat(2 * PACE.lease)
    assert.deepEqual([lease.isGood(), lease.mayWork(), lease.name], [false, false, 'name 2'])
    await turn()
    said()
    state.isAway = false
    await beat()
    // Its row is still there, so no other process has taken over its claims.
    assert.deepEqual(
      [said(), lease.mayWork()],
      [['mails go on under name 2', 'files go on under name 2'], true],
    )
  })

  it('is not acquired again by a process that ends', async () => {
    const { lease, rows, beat, said } = stand()
    await lease.start()
    lease.retire()
    await beat()
    assert.equal(rows.size, 1, 'what is under way is its own until it stops')
    rows.clear()
    await beat()
    assert.deepEqual(said(), ['interrupted', 'mails lost under name 1', 'files lost under name 1'])
    await beat()
    assert.deepEqual([rows.size, lease.name, lease.mayWork(), said()], [0, '', false, []])
    await lease.stop()
  })

  it('never ends if no other process may take over', async () => {
    const { lease, rows, state, beat } = stand({ shared: false })
    await lease.start()
    rows.clear()
    await beat(2 * PACE.lease)
    assert.deepEqual([lease.isGood(), lease.name, state.names], [true, 'name 1', 1])
  })

  it('does not hold longer than its duration after the clock was set back', async () => {
    const { lease, state } = stand()
    await lease.start()
    state.now -= 10 * PACE.lease
    assert.ok(lease.isGood())
    state.now += PACE.lease
    assert.equal(lease.isGood(), false)
  })
})

describe('processes that died', () => {
  it('are searched once for all kinds that poll at about the same time, and reported once', async () => {
    const { lease, state } = stand()
    const died: number[] = []
    lease.onDied((count) => died.push(count))
    await lease.start()
    state.dead = 2
    await Promise.all([lease.removeDead(), lease.removeDead()])
    await lease.removeDead()
    assert.deepEqual([state.looks, died], [1, [2]])
    state.dead = 0
    state.now += PACE.poll
    await lease.removeDead()
    assert.deepEqual([state.looks, died], [2, [2]])
  })

  it('are not declared dead before every living process has had time for a heartbeat after an outage of the database', async () => {
    const { lease, state, beat, said } = stand()
    await lease.start()
    state.isAway = true
    await beat()
    state.isAway = false
    await beat()
    said()
    await lease.removeDead()
    assert.equal(said().at(-1), 'name 1 looks, but takes none for dead')
    await beat(PACE.heartbeat + 1)
    await lease.removeDead()
    assert.equal(said().at(-1), 'name 1 looks')
  })

  it('are searched again after a failed search, and by no process without a lease', async () => {
    const { lease, state } = stand()
    await lease.start()
    state.isAway = true
    await assert.rejects(lease.removeDead(), /away/)
    state.isAway = false
    await lease.removeDead()
    assert.equal(state.looks, 1)
    state.now += 2 * PACE.lease
    await lease.removeDead()
    assert.equal(state.looks, 1)
  })

  it('have their leases corrected at the start and after the clock was set back, each time for twice a lease', async () => {
    const { lease, state, said, beat } = stand()
    await lease.start()
    const corrects = async () => {
      await lease.removeDead()
      return said().filter((what) => what === `corrects ${PACE.lease}`).length
    }
    assert.equal(await corrects(), 1)
    const first = lease.correction
    assert.equal(first.until, START + 2 * PACE.lease)
    await beat()
    assert.deepEqual([await corrects(), lease.correction === first], [1, true])
    for (let beats = 0; beats < 8; beats += 1) await beat()
    assert.equal(await corrects(), 0)
    state.now -= PACE.heartbeat
    assert.equal(await corrects(), 1)
    assert.equal(lease.correction.until, state.now + 2 * PACE.lease)
  })
})
