import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { childrenOf } from './children.ts'
import type { ServerProcess } from './process.ts'
import { until } from './waits.ts'

/** A way to one worker of a server alone: each connection to it is one that the kernel has given to that worker (Linux). */
export interface WorkerDoor {
  url: string
  pid: number
}

const sockets = new Set<Socket>()
const closings: (() => void)[] = []
after(() => {
  for (const close of closings) close()
  for (const socket of sockets) socket.destroy()
})

/** A door for each worker, closed after the file; workers that start later have none. */
export function doorsOf({ url, child }: Pick<ServerProcess, 'url' | 'child'>): Promise<WorkerDoor[]> {
  const port = Number(new URL(url).port)
  const workers = () => childrenOf(child.pid)
  return Promise.all(workers().map((pid) => openDoor(pid, port, workers)))
}

async function openDoor(pid: number, port: number, workers: () => number[]): Promise<WorkerDoor> {
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    keep(incoming)
    connectTo(pid, port, workers).then(
      (outgoing) => {
        for (const socket of [incoming, outgoing]) socket.setNoDelay(true)
        incoming.pipe(outgoing).pipe(incoming)
        incoming.once('close', () => outgoing.destroy())
        outgoing.once('close', () => incoming.destroy())
      },
      () => incoming.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(() => server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, pid }
}

function keep(socket: Socket): void {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => sockets.delete(socket))
}

/**
 * The kernel divides connections among the workers, so some are tried.
 * @throws Error where the worker has ended
 */
function connectTo(pid: number, port: number, workers: () => number[]): Promise<Socket> {
  return until(
    async () => {
      const known = workers()
      if (!known.includes(pid)) throw new Error(`the worker ${pid} has ended`)
      const before = socketsOf(known)
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      keep(socket)
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      const accepted = await acceptedOf(socket, port, workers, before)
      if (socketsOf([pid]).has(accepted)) return socket
      socket.destroy()
      return undefined
    },
    (socket) => socket !== undefined,
    { what: `a connection to the worker ${pid}` },
  ).then((socket) => socket as Socket)
}

/**
 * The number of the server's end of a connection, as soon as a worker has accepted it; '0' of one that ends before.
 * @param known the sockets of the workers before it. The table of all connections takes the kernel long, so it is read after one more.
 */
function acceptedOf(
  socket: Socket,
  port: number,
  workers: () => number[],
  known: Set<string>,
): Promise<string> {
  const ends = [port, Number(socket.localPort)].map(
    (one) => `:${one.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  let before = known
  return until(
    () => {
      const now = socketsOf(workers())
      const hasMore = [...now].some((inode) => !before.has(inode))
      before = now
      if (!hasMore) return '0'
      for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
        const [, local = '', remote = '', , , , , , , inode = '0'] = line.trim().split(/\s+/)
        if (local.endsWith(String(ends[0])) && remote.endsWith(String(ends[1]))) return inode
      }
      return '0'
    },
    (inode) => inode !== '0' || socket.destroyed,
    { what: 'a worker to accept a connection' },
  )
}

/** The numbers of the sockets that processes have open. */
function socketsOf(pids: number[]): Set<string> {
  const links = pids.flatMap((pid) => {
    const folder = `/proc/${pid}/fd`
    return orElse([], () => readdirSync(folder)).map((fd) => orElse('', () => readlinkSync(join(folder, fd))))
  })
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

/** What is read, or `none` of a process that has ended, or of what it has closed. */
function orElse<T>(none: T, read: () => T): T {
  try {
    return read()
  } catch {
    return none
  }
}
