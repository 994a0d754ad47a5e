import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/**
 * A port that the machine has free at present on the host that a server will listen on. Another process may take it before the
 * server does; the server then says that the port is taken.
 * @param wanted the port that must be free; 0: any
 * @throws Error where the host is none of this machine, or the port is taken
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
