import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { TOUR_SECONDS } from '../tour/perform.ts'
import { PATIENCE, within } from './support/waits.ts'

const TOUR = fileURLToPath(import.meta.resolve('../tour/tour.ts'))
/** Windows has no process groups to ask. */
const hasGroups = process.platform !== 'win32'

describe('the tour', () => {
  let folder: string
  let child: ChildProcess
  let ended: Promise<number | null>
  let out: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
    out = ''
    child = spawn(process.execPath, [TOUR], {
      env: { ...process.env, TMPDIR: folder, TEMP: folder, FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: hasGroups,
    })
    const closed = once(child, 'close').then(([code]) => code as number | null)
    ended = within('the tour to end', closed, { patience: 4 * PATIENCE, now: () => out })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
  })

  afterEach(() => {
    signalAll('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  /** Signals the tour and everything that it started; tells whether there was anything. */
  function signalAll(signal: NodeJS.Signals | 0): boolean {
    if (!hasGroups) return child.kill(signal)
    try {
      return process.kill(-Number(child.pid), signal)
    } catch {
      return false
    }
  }

  function assertNothingIsLeft(): void {
    assert.equal(hasGroups && signalAll(0), false, 'a process of the tour still runs')
    const left = readdirSync(folder).filter((name) => name.startsWith('postern-'))
    assert.deepEqual(left, [])
  }

  it('verifies every step, prints neither secrets nor wide lines, and leaves nothing behind', async () => {
    assert.equal(await ended, 0, out)
    assert.match(out, /^ {2}All \d\d checks passed in \d+\.\d\d s\.$/m)
    assert.match(out, new RegExp(`^  For about ${TOUR_SECONDS} seconds `, 'm'))
    const chapters = out.match(/^ {2}\d+(?= {2}\S)/gm)?.map((number) => number.trim())
    assert.deepEqual(chapters, ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'])
    const wide = out.split('\n').filter((line) => line.length > 100)
    assert.deepEqual(wide, [])
    // The shortest secret has 43 characters.
    assert.doesNotMatch(out, /[\w+/=-]{40,}|correct horse/)
    assert.equal(out.includes('\u001b'), false, 'colour where no terminal is')
    assertNothingIsLeft()
  })

  it('ends with exit code 1 and leaves nothing behind when it is interrupted', async () => {
    const output = child.stdout as NodeJS.ReadableStream
    while (!out.includes('Ada signs up')) {
      const next = Promise.race([once(output, 'data').then(() => false), ended.then(() => true)])
      assert.equal(await within('the tour to say that Ada signs up', next, { now: () => out }), false, out)
    }
    child.kill('SIGTERM')
    assert.equal(await ended, 1, out)
    assert.match(out, /^ {2}The tour ends here, after \d+ checks\.\n\n {2}It was ended by SIGTERM\.$/m)
    assertNothingIsLeft()
  })
})
