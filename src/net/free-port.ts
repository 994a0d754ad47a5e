import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/**
 * A port that the machine has free at present on the host that a server will listen on. Another process may take it before the
 * server does; the server then says that the port is taken.
 * @throws Error where the host is none of this machine
 */
export function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
