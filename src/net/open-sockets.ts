import type { Socket } from 'node:net'

/** Connections that are open at once, of one owner and of all, before idle ones are closed for new ones. */
const MOST_OF_ONE = 512
const MOST_OF_ALL = 2_048

/** Which connections are open, and which of them are idle. */
interface OpenSockets<Line> {
  add(owner: string, socket: Socket): void
  /** Closes what has been idle longest where there are too many: the owner's own before the others'. */
  makeRoom(owner: string): void
  /** Notes that the connections of a line are idle, so that they may be closed for others. */
  rest(line: Line, owner: string, key: string): void
  /** Notes that a line is in use. */
  use(line: Line): void
}

/** @param close closes the idle connections of a line */
export function createOpenSockets<Line>(close: (line: Line, key: string) => void): OpenSockets<Line> {
  const open = new Map<string, number>()
  let all = 0
  /** In the order in which they came to rest. */
  const idle = new Map<Line, { owner: string; key: string }>()

  function count(owner: string, change: 1 | -1): void {
    all += change
    const own = (open.get(owner) ?? 0) + change
    if (own === 0) open.delete(owner)
    else open.set(owner, own)
  }

  function closeFirst(owner?: string): void {
    for (const [line, at] of idle) {
      if (owner !== undefined && at.owner !== owner) continue
      idle.delete(line)
      close(line, at.key)
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
    rest(line, owner, key) {
      idle.delete(line)
      idle.set(line, { owner, key })
    },
    use: (line) => void idle.delete(line),
  }
}
