import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { forgetStart } from './after-start.ts'

it('collects what nobody holds any more, and leaves Node as it was started', async () => {
  const left = new WeakRef({ what: 'starting has left behind' })
  await setImmediate()
  forgetStart()
  assert.equal(left.deref(), undefined)
  assert.equal(runInNewContext('typeof gc'), 'undefined')
})
