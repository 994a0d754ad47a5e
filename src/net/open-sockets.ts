import type { Socket } from 'node:net'

/** Open connections of one owner and of all, above which idle ones are closed for new ones. */
const MOST_OF_ONE = 512
const MOST_OF_ALL = 2_048

/** The open connections, and which of them are idle. */
interface OpenSockets<Connections> {
  add(owner: string, socket: Socket): void
  /** Closes the longest idle connections above a limit: the owner's own first. */
  makeRoom(owner: string): void
  /** Marks the connections of an entry as idle, so that they may be closed for others. */
  rest(connections: Connections, owner: string, key: string): void
  /** Marks an entry as in use. */
  use(connections: Connections): void
}

/** @param close closes the idle connections of an entry */
export function createOpenSockets<Connections>(
  close: (connections: Connections, key: string) => void,
): OpenSockets<Connections> {
  const open = new Map<string, number>()
  let all = 0
  /** In the order in which they became idle. */
  const idle = new Map<Connections, { owner: string; key: string }>()

  function count(owner: string, change: 1 | -1): void {
    all += change
    const own = (open.get(owner) ?? 0) + change
    if (own === 0) open.delete(owner)
    else open.set(owner, own)
  }

  function closeFirst(owner?: string): void {
    for (const [connections, at] of idle) {
      if (owner !== undefined && at.owner !== owner) continue
      idle.delete(connections)
      close(connections, at.key)
      return
    }
  }

  return {
    add(owner, socket) {
      count(owner, 1)
      socket.once('close', () => count(owner, -1))
    },
    makeRoom(owner) {
      if ((open.get(owner) ?? 0) >= MOST_OF_ONE) closeFirst(owner)
      if (all >= MOST_OF_ALL) closeFirst()
    },
    rest(connections, owner, key) {
      idle.delete(connections)
      idle.set(connections, { owner, key })
    },
    use: (connections) => void idle.delete(connections),
  }
}
