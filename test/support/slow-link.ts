import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Millis } from '#src/core/clock.ts'

/** A way to a TCP server on which everything takes longer. */
export interface SlowLink {
  /** Its port on 127.0.0.1. */
  port: number
  stop(): Promise<void>
}

/** @param delay of each piece, in both directions */
export async function startSlowLink(host: string, port: number, delay: Millis): Promise<SlowLink> {
  const sockets = new Set<Socket>()
  function pass(from: Socket, to: Socket): void {
    // One after the other, so that they stay in their order; none waits for the delay of the one before.
    let last = Promise.resolve()
    const later = (work: () => void) => {
      const passed = sleep(delay)
      last = last.then(() => passed).then(work)
    }
    from.on('data', (chunk) => later(() => void to.write(chunk)))
    from.on('end', () => later(() => void to.end()))
    from.on('error', () => to.destroy())
  }
  const server = createServer((near) => {
    const far = connect(port, host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.once('close', () => sockets.delete(socket))
    }
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
