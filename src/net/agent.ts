import type { Socket } from 'node:net'
import type { buildConnector, Client, Dispatcher } from 'undici'
import { type Millis, SECOND } from '../core/clock.ts'
import { atMost, createFairLimiter } from '../core/fair-limiter.ts'
import type { AddressRule } from './address.ts'
import { allowedAddresses, type Resolve } from './destination.ts'
import { dropInterim } from './interim.ts'
import { createOpenSockets } from './open-sockets.ts'
import { type Contact, createTimedClient } from './timed-client.ts'

interface AgentOptions {
  isAllowed: AddressRule
  resolve: Resolve
  /**
   * How long an idle connection is kept; a second by default. Many destinations close theirs after 2 s or 5 s, and a request sent at
   * that moment may or may not have arrived. Only a caller that repeats its requests may keep connections longer.
   */
  idle?: Millis
}

/** Connections of one owner to one origin. */
export const MOST_TO_ORIGIN = 256

/** How long a connection may take to open. */
const CONNECT_TIMEOUT = 10 * SECOND

const OPTIONS = {
  pipelining: 1,
  // One that is slow to say which protocol it speaks would hold up all others.
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
} satisfies Client.Options

/** A connection that one call uses until it is released. */
interface Place {
  dispatcher: Dispatcher
  release: () => void
}

/**
 * The only door to destinations that strangers name: each connection is resolved once, every address is checked, and
 * the socket is opened to a checked one. Connections to one origin are shared by the requests of one owner alone, so
 * that an owner with many slow requests takes none from another.
 */
export interface Agent {
  /**
   * A connection for one request; waits while all of the owner's to this origin are in use.
   * @param owner the organization that asks, or what else has a share of its own
   * @throws the signal's reason, when it ends the wait
   */
  reserve(owner: string, origin: string, signal?: AbortSignal): Promise<Place>
  close(): Promise<void>
}

type Undici = typeof import('undici')

/** The connections of one owner to one origin, each by a client of its own. */
interface Line {
  readonly clients: Set<Client>
  /** Those without a call, whose connections are open. */
  idle: Client[]
}

/** The client is loaded with the first request: a process without calls does not need its memory. */
export function createAgent({ isAllowed, resolve, idle = SECOND }: AgentOptions): Agent {
  // Undici would otherwise follow the `Keep-Alive` of the destination.
  const options = { ...OPTIONS, keepAliveTimeout: idle, keepAliveMaxTimeout: idle }
  const lines = new Map<string, Line>()
  /** Connections in use, by owner and origin. */
  const places = createFairLimiter<string>(Number.MAX_SAFE_INTEGER, atMost(MOST_TO_ORIGIN))
  const sockets = createOpenSockets<Line>(closeLine)
  /** Kept because `import()` of a loaded module still takes turns of the event loop. */
  let loaded: Undici | undefined

  /** Its idle connections are closed; the next request begins a new line. */
  function closeLine(line: Line, key: string): void {
    lines.delete(key)
    for (const client of line.idle) void client.close()
  }

  function lineTo(key: string): Line {
    const known = lines.get(key)
    if (known !== undefined) return known
    const line: Line = { clients: new Set(), idle: [] }
    lines.set(key, line)
    return line
  }

  /** A pool of undici's would do the same with a queue for two thousand requests, for each of ten thousand destinations. */
  function connect(undici: Undici, line: Line, owner: string, origin: string, key: string): Client {
    const client = createTimedClient(undici, new URL(origin), options, (contact) =>
      connectorOf(undici, owner, contact),
    )
    line.clients.add(client)
    client.on('disconnect', () => {
      if (!line.idle.includes(client)) return
      line.idle = line.idle.filter((one) => one !== client)
      line.clients.delete(client)
      rest(line, owner, key)
    })
    return client
  }

  function connectorOf({ buildConnector }: Undici, owner: string, contact: Contact) {
    return (options: buildConnector.Options, callback: buildConnector.Callback) => {
      const opening = contact.begin()
      allowedAddresses(options.hostname, isAllowed, (name) => resolve(name, owner)).then(
        (addresses) => {
          opening.resolved(addresses)
          sockets.makeRoom(owner)
          const connect = buildConnector({
            timeout: CONNECT_TIMEOUT,
            allowH2: false,
            // Node asks this instead of the resolver; a literal address it does not ask at all.
            lookup: (_hostname, { all }, done) => {
              if (all) return done(null, addresses)
              const [first] = addresses
              return done(null, first?.address ?? '', first?.family)
            },
          })
          const isSecure = options.protocol === 'https:'
          // It returns its socket, though its type does not say so.
          const socket = connect(options, (...opened) => {
            const [, made] = opened
            if (made && isSecure) opening.secured()
            if (made) sockets.add(owner, made)
            if (made) dropInterim(made)
            callback(...opened)
          }) as unknown as Socket
          socket.prependOnceListener('connect', () => opening.connected(socket.remoteAddress))
        },
        (error: Error) => callback(error, null),
      )
    }
  }

  /** A line without a call may be closed to make room for others; one without connections is removed. */
  function rest(line: Line, owner: string, key: string): void {
    if (line.clients.size > line.idle.length || lines.get(key) !== line) return
    if (line.idle.length > 0) {
      sockets.rest(line, owner, key)
    } else {
      sockets.use(line)
      closeLine(line, key)
    }
  }

  function release(line: Line, client: Client, owner: string, key: string): void {
    const { connected, size } = client.stats
    // A connection that has ended, was never opened, or has an unfinished request, cannot be used again.
    if (connected && size === 0) {
      line.idle.push(client)
    } else {
      line.clients.delete(client)
      void client.destroy()
    }
    rest(line, owner, key)
  }

  return {
    async reserve(owner, origin, signal) {
      const key = `${owner} ${origin}`
      const undici = loaded ?? (await import('undici'))
      loaded = undici
      const leave = places.tryEnter(key) ?? (await places.enter(key, signal))
      const line = lineTo(key)
      sockets.use(line)
      const client = line.idle.pop() ?? connect(undici, line, owner, origin, key)
      let isReleased = false
      return {
        dispatcher: client,
        release() {
          if (isReleased) return
          isReleased = true
          release(line, client, owner, key)
          leave()
        },
      }
    },
    async close() {
      const clients = [...lines.values()].flatMap((line) => [...line.clients])
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}
