import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { median, ms } from './figures.ts'
import { EVENT, type Publisher, publisher } from './publisher.ts'

/**
 * `npm run bench:litestream -- LITESTREAM [KILLS]`: what is lost where Postern and Litestream, with its defaults, are killed at once
 * while one caller publishes events one after another. The copies are in a folder of this machine.
 */
const [litestream = 'litestream', kills = '20'] = process.argv.slice(2)
/** From the first copy to the kill, at least and at most. */
const [LEAST, MOST]: [Millis, Millis] = [2 * SECOND, 6 * SECOND]
const POLL: Millis = 200

interface Lost {
  acknowledged: number
  lost: number
  /** From the acknowledgement of the first lost event to the kill. */
  since: Millis
}

const served = await publisher('sqlite')
const results: Lost[] = []
for (let kill = 0; kill < Number(kills); kill += 1) {
  const one = await killOnce(served)
  results.push(one)
  console.log(`${kill + 1}: ${one.lost} of ${one.acknowledged} events, ${Math.round(one.since)} ms`)
}
await served.stop()
const spans = results.map(({ since }) => since)
console.log(
  `${results.length} kills: the last ${ms(median(spans))} in the median, ${ms(Math.max(...spans))} at most`,
)
process.exit()

async function killOnce(server: Publisher): Promise<Lost> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-litestream-'))
  const copies = `file://${join(folder, 'copies')}`
  const database = join(server.store.env.DATA_DIR ?? '', 'postern.db')
  const shipping = spawn(litestream, ['replicate', database, copies], { stdio: 'ignore' })
  const gone = new Promise((resolve) => shipping.once('exit', resolve))
  const elapsed = stopwatch()
  const acknowledged: { id: string; at: Millis }[] = []
  let isPublishing = true
  const publishing = (async () => {
    while (isPublishing) {
      const { id } = await server.call('POST', '/v1/events', JSON.parse(EVENT))
      acknowledged.push({ id: String(id), at: elapsed() })
    }
  })()
  // The kill cuts off the last call.
  const ended = publishing.catch(() => {})
  while (!isThere(copies, join(folder, 'first.db'))) await pause(POLL)
  await pause(randomInt(LEAST, MOST))
  const killedAt = elapsed()
  shipping.kill('SIGKILL')
  await server.restart(async () => {
    isPublishing = false
    await Promise.all([gone, ended])
  }, 'kill')
  const restored = join(folder, 'restored.db')
  isThere(copies, restored)
  const reader = new DatabaseSync(restored)
  const has = reader.prepare('select 1 from event where id = ?')
  const missing = acknowledged.filter(({ id }) => has.get(id) === undefined)
  reader.close()
  rmSync(folder, { recursive: true })
  const since = killedAt - (missing[0]?.at ?? killedAt)
  return { acknowledged: acknowledged.length, lost: missing.length, since: Math.max(since, 0) }
}

/** Restores the copies into a file. @returns whether there was a copy */
function isThere(copies: string, file: string): boolean {
  try {
    execFileSync(litestream, ['restore', '-o', file, copies], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
