import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until, within } from '../support/waits.ts'
import { canTrace, NO_TRACE, publish } from './flushes.ts'
import type { ScenarioOptions, Skipped } from './scenario.ts'
import { createServer } from './server.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/** Flushes of the log that succeed; later ones fail. */
const TAKEN = 300
/** The number of publishers. Each sends one event after another. */
const PUBLISHERS = 4

/** The disk refuses to flush the log of the embedded store: the server ends itself, and has promised nothing since. */
export async function refuseFlushes({
  seed,
  mostRefusals,
  say,
}: ScenarioOptions): Promise<Verdict | Skipped> {
  if (!canTrace()) return { skipped: NO_TRACE }
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-refusing-'))
  const inject = `inject=fsync,fdatasync:error=EIO:when=${TAKEN}+`
  const log = join(dataDir, 'postern.db-wal')
  const under = [
    'strace',
    '-D',
    '-f',
    // The server stops only at the calls that are traced.
    '--seccomp-bpf',
    '-e',
    'trace=fsync,fdatasync',
    '-e',
    inject,
    '-P',
    log,
    '-o',
    '/dev/null',
  ]
  try {
    const stand = await startStand({ engine: 'sqlite', rate: 0, seed, mostRefusals, dataDir, under })
    try {
      await Promise.all(Array.from({ length: PUBLISHERS }, () => publishUntilRefused(stand)))
      say(`refused after ${stand.load.acknowledged.size} events`)
      const failures: string[] = []
      const code = await within('the server to end itself', stand.server.gone())
      if (code !== 1) failures.push(`the server ended with ${code}`)
      if (!/^Postern ends: the embedded database cannot be written any more/m.test(stand.server.lastWords()))
        failures.push(`the server ended without a word: ${stand.server.lastWords()}`)
      await stand.takings.nextLife()
      const next = createServer(stand.env, Number(new URL(stand.server.url).port))
      try {
        await next.start()
        await stand.load.stop()
        await stand.drained()
        const verdict = await judge({ ...stand, server: next }, { interruptions: 1 })
        return { failures: [...failures, ...verdict.failures], figures: verdict.figures }
      } finally {
        await next.kill()
      }
    } finally {
      await stand.remove()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function publishUntilRefused(stand: Parameters<typeof publish>[0]): Promise<void> {
  const isRefused = () =>
    publish(stand).then(
      () => false,
      () => true,
    )
  await until(isRefused, Boolean, { what: 'a publisher to be refused' })
}
