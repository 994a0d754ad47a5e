import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A link to PostgreSQL that a test can cut, and that counts its messages. */
export interface CutLink {
  /** The database by this way. */
  url: string
  /**
   * Cuts the connection of the next query that contains `mark`: before the query arrives, or after PostgreSQL has answered and before
   * the answer arrives. Resolves when it is cut.
   */
  cut(mark: string, when: 'before' | 'after'): Promise<void>
  /** Questions that were answered so far, and those after which a transaction was open. */
  answered(): { all: number; within: number }
  /** Ends all connections. New ones are accepted and never answered, until `open` is called. */
  close(): void
  open(): void
  stop(): Promise<void>
}

interface Cut {
  mark: string
  when: 'before' | 'after'
  done: () => void
}

/** PostgreSQL's message that it is ready for the next query: outside of a transaction, and within one. */
const [OUTSIDE, WITHIN] = [Buffer.from('5a0000000549', 'hex'), Buffer.from('5a0000000554', 'hex')]

/** Opens a link. @param databaseUrl the database behind it */
export async function startCutLink(databaseUrl: string): Promise<CutLink> {
  const to = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const answered = { all: 0, within: 0 }
  let next: Cut | undefined
  let isClosed = false

  const server = createServer((near) => {
    if (isClosed) {
      sockets.add(near)
      near.on('error', () => {})
      near.once('close', () => sockets.delete(near))
      near.resume()
      return
    }
    const far = connect(Number(to.port), to.hostname)
    let breaking: Cut | undefined
    const breakNow = (cut: Cut) => {
      near.destroy()
      far.destroy()
      cut.done()
    }
    near.on('data', (chunk: Buffer) => {
      const cut = next !== undefined && chunk.includes(next.mark) ? next : undefined
      if (cut !== undefined) next = undefined
      if (cut?.when === 'before') return breakNow(cut)
      breaking ??= cut
      far.write(chunk)
    })
    far.on('data', (chunk: Buffer) => {
      const [outside, within] = [countOf(chunk, OUTSIDE), countOf(chunk, WITHIN)]
      answered.all += outside + within
      answered.within += within
      if (breaking === undefined) near.write(chunk)
      else if (outside + within > 0) breakNow(breaking)
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  function endAll(): void {
    for (const socket of sockets) socket.destroy()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url: url.href,
    cut: (mark, when) =>
      new Promise((done) => {
        next = { mark, when, done }
      }),
    answered: () => ({ ...answered }),
    close() {
      isClosed = true
      endAll()
    },
    open() {
      isClosed = false
    },
    async stop() {
      endAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function countOf(chunk: Buffer, part: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(part); at >= 0; at = chunk.indexOf(part, at + part.length)) count += 1
  return count
}
