import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Millis, pause, stopwatch } from '#src/core/clock.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/waits.ts'
import type { ScenarioOptions, Skipped } from './scenario.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

const KIB = 1_024
/** The disk in MiB, before and after there is room; the first holds less than one write-ahead log. */
const [SMALL, LARGE] = [14, 1_024]
/** Free bytes on the disk when the load begins. */
const LEFT = 2 * 1024 * 1024
/** The disk stays full this long under load. */
const FULL_FOR: Millis = 1_000

/** The disk of the embedded store fills up under load, and gets room again. */
export async function fillDisk({
  rate,
  seed,
  mostRefusals,
  say,
}: ScenarioOptions): Promise<Verdict | Skipped> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-disk-'))
  const disk = mountSmallDisk(folder, SMALL * KIB)
  if (disk === undefined) {
    rmSync(folder, { recursive: true, force: true })
    return { skipped: 'a small disk cannot be made here: that takes Linux, root and the right to mount' }
  }
  try {
    const stand = await startStand({ engine: 'sqlite', rate, seed, mostRefusals, dataDir: folder })
    const { load, server } = stand
    try {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'of-another'), Buffer.alloc(Math.max(0, bavail * bsize - LEFT)))
      await until(() => load.refusals.has('PROCESSING_FAILED') || server.hasCrashed(), Boolean, {
        what: 'a publisher to hear that the disk is full',
      })
      say(`the disk is full after ${load.acknowledged.size} events`)
      await pause(FULL_FOR)
      const before = load.acknowledged.size
      disk.resize(LARGE * KIB)
      const back = stopwatch()
      await stand.acknowledgesMoreThan(before)
      const recovery = back()
      if (server.hasCrashed()) return { failures: [`the server ended: ${server.lastWords()}`], figures: {} }
      await pause(FULL_FOR)
      await load.stop()
      await stand.drained()
      const code = await server.end()
      const { failures, figures } = await judge(stand, { interruptions: 0 })
      if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
      const others = [...load.refusals.keys()].filter((refusal) => refusal !== 'PROCESSING_FAILED')
      if (others.length > 0) failures.push(`refused with ${others}`)
      return {
        failures,
        figures: { ...figures, 'acknowledged again after': `${Math.round(recovery)} ms` },
      }
    } finally {
      await stand.remove()
    }
  } finally {
    disk.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
