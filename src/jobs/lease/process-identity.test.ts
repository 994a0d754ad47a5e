import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { within } from '../../../test/support/waits.ts'
import { hasProcessEnded, THIS_PROCESS } from './process-identity.ts'

const skip = THIS_PROCESS === null && 'this system does not tell where a process lives'
const named = (pid: number | string | undefined) => String(THIS_PROCESS).replace(/^\d+/, String(pid))

describe('a process', { skip }, () => {
  it('has ended after it was killed, and not while it runs or is stopped', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    await within('a process to begin', once(child, 'spawn'))
    assert.equal(hasProcessEnded(named(child.pid)), false)
    child.kill('SIGSTOP')
    assert.equal(hasProcessEnded(named(child.pid)), false)
    child.kill('SIGKILL')
    await within('a killed process to be gone', once(child, 'exit'))
    assert.equal(hasProcessEnded(named(child.pid)), true)
  })

  it('counts as running if its name is of another machine, or is malformed, or names a process of another user', () => {
    const gone = 2 ** 22 + 1
    assert.equal(hasProcessEnded(named(gone)), true)
    for (const name of [
      String(THIS_PROCESS),
      named(1),
      `${named(gone)}0`,
      `${gone} elsewhere`,
      named(-gone),
      named(0),
      named(''),
      String(gone),
      '',
    ])
      assert.equal(hasProcessEnded(name), false, name)
  })
})
