import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { SECOND } from '../core/clock.ts'
import { collectGarbage, settleAfterStart } from './settle-after-start.ts'

it('collects what nobody holds any more, and leaves Node as it was started', async () => {
  const left = new WeakRef({ what: 'starting has left behind' })
  await setImmediate()
  collectGarbage()
  assert.equal(left.deref(), undefined)
  assert.equal(runInNewContext('typeof gc'), 'undefined')
})

/** The number of measurements before a collection, for given shares of a processor per second; undefined: no collection. */
function collectedAfter(shares: number[]): number | undefined {
  const fires: (() => void)[] = []
  let [looks, collected]: [number, number | undefined] = [0, undefined]
  const after = (delay: number, fire: () => void) => {
    assert.equal(delay, SECOND)
    fires.push(fire)
    return () => {}
  }
  const meter = () => () => shares[looks++] ?? 1
  const collect = () => {
    collected = looks
  }
  settleAfterStart({ now: () => 0, after }, { meter, collect })
  for (const fire of fires) fire()
  assert.ok(looks <= 10, `${looks} looks`)
  return collected
}

it('collects in a second in which nobody is served, and not in a lull between two loads', () => {
  const rest = [0, 0.01]
  // The remaining load of two hundred attempts a second after the end of a load.
  const lull = [0.9, 0.06, 0.05, 0.03]
  assert.equal(collectedAfter(rest), 1)
  assert.equal(collectedAfter([...lull, ...rest]), lull.length + 1)
  assert.equal(collectedAfter([...lull, ...lull, ...lull, ...rest]), undefined)
})
