import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems hand out by themselves: between the look and the use, no connection takes one. */
const [LOWEST, HIGHEST] = [12_000, 32_000]

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
