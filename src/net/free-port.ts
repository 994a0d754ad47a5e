import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/**
 * Finds a free port on the host for a server. Another process may take it first; the server then reports that the port
 * is taken.
 * @param wanted the port that must be free; 0: any
 * @throws Error where the host is not on this machine, or the port is taken
 */
export function findFreePort(host: string, wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(wanted, host, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
