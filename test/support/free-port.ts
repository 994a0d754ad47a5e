import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems hand out by themselves: between the look and the use, no connection takes one. */
const [LOWEST, HIGHEST] = [12_000, 32_000]
const MOST_TRIES = 1_000

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${MOST_TRIES} ports between ${LOWEST} and ${HIGHEST} is free`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
