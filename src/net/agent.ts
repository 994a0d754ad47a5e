import type { Socket } from 'node:net'
import type { buildConnector, Client, Dispatcher } from 'undici'
import { type Millis, SECOND } from '../core/clock.ts'
import { atMost, createFairLimiter } from '../core/fair-limiter.ts'
import type { AddressRule } from './address.ts'
import { allowedAddresses, type Resolve } from './destination.ts'
import { dropInterimResponses } from './interim-responses.ts'
import { loadUndici } from './load-undici.ts'
import { createOpenSockets } from './open-sockets.ts'
import { type ConnectionTimer, createTimedClient } from './timed-client.ts'

interface AgentOptions {
  isAllowed: AddressRule
  resolve: Resolve
  /**
   * How long an idle connection is kept; a second by default. Many destinations close theirs after 2 s or 5 s, and it
   * is unknown whether a request that is sent at that moment arrives. Only callers that repeat their requests may keep
   * connections longer.
   */
  idle?: Millis
}

/** Most connections of one owner to one origin. */
export const MOST_TO_ORIGIN = 256

/** Longest time for opening a connection. */
const CONNECT_TIMEOUT = 10 * SECOND

const OPTIONS = {
  pipelining: 1,
  // A server that negotiates the protocol slowly would delay all others.
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
} satisfies Client.Options

/** A connection that one call holds until it releases it. */
interface ReservedConnection {
  dispatcher: Dispatcher
  release: () => void
}

/**
 * Opens connections to destinations that strangers choose: each name is resolved once per connection, every address is
 * checked, and the socket connects to a checked one. Requests of one owner share connections, so that an owner with
 * many slow requests takes none from another.
 */
export interface Agent {
  /**
   * Reserves a connection for one request; waits while all of the owner's connections to this origin are in use.
   * @param owner the organization, or another key with its own share
   * @throws the signal's reason when it ends the wait
   */
  reserve(owner: string, origin: string, signal?: AbortSignal): Promise<ReservedConnection>
  close(): Promise<void>
}

type Undici = typeof import('undici')

/** The connections of one owner to one origin, one client each. */
interface OriginConnections {
  readonly clients: Set<Client>
  /** Open connections without a request. */
  idle: Client[]
}

/** Creates an agent. */
export function createAgent({ isAllowed, resolve, idle = SECOND }: AgentOptions): Agent {
  // undici would otherwise follow the `Keep-Alive` of the destination.
  const options = { ...OPTIONS, keepAliveTimeout: idle, keepAliveMaxTimeout: idle }
  const origins = new Map<string, OriginConnections>()
  /** Connections in use, by owner and origin. */
  const places = createFairLimiter<string>(Number.MAX_SAFE_INTEGER, atMost(MOST_TO_ORIGIN))
  const sockets = createOpenSockets<OriginConnections>(closeConnections)

  /** Closes the idle connections; the next request opens others. */
  function closeConnections(connections: OriginConnections, key: string): void {
    origins.delete(key)
    for (const client of connections.idle) void client.close()
  }

  function connectionsTo(key: string): OriginConnections {
    const known = origins.get(key)
    if (known !== undefined) return known
    const connections: OriginConnections = { clients: new Set(), idle: [] }
    origins.set(key, connections)
    return connections
  }

  /** undici's Pool would do the same with a queue for two thousand requests, for each of ten thousand destinations. */
  function connect(
    undici: Undici,
    connections: OriginConnections,
    owner: string,
    origin: string,
    key: string,
  ): Client {
    const client = createTimedClient(undici, new URL(origin), options, (contact) =>
      connectorOf(undici, owner, contact),
    )
    connections.clients.add(client)
    client.on('disconnect', () => {
      if (!connections.idle.includes(client)) return
      connections.idle = connections.idle.filter((one) => one !== client)
      connections.clients.delete(client)
      rest(connections, owner, key)
    })
    return client
  }

  function connectorOf({ buildConnector }: Undici, owner: string, contact: ConnectionTimer) {
    return (options: buildConnector.Options, callback: buildConnector.Callback) => {
      const opening = contact.begin()
      allowedAddresses(options.hostname, isAllowed, (name) => resolve(name, owner)).then(
        (addresses) => {
          opening.resolved(addresses)
          sockets.makeRoom(owner)
          const connect = buildConnector({
            timeout: CONNECT_TIMEOUT,
            allowH2: false,
            // Node calls this instead of the resolver, except for literal addresses.
            lookup: (_hostname, { all }, done) => {
              if (all) return done(null, addresses)
              const [first] = addresses
              return done(null, first?.address ?? '', first?.family)
            },
          })
          const isSecure = options.protocol === 'https:'
          // undici's connector returns its socket, which its type does not show.
          const socket = connect(options, (...opened) => {
            const [, made] = opened
            if (made && isSecure) opening.secured()
            if (made) sockets.add(owner, made)
            if (made) dropInterimResponses(made)
            callback(...opened)
          }) as unknown as Socket
          socket.prependOnceListener('connect', () => opening.connected(socket.remoteAddress))
        },
        (error: Error) => callback(error, null),
      )
    }
  }

  /** Connections without a request may be closed for others; an entry without connections is removed. */
  function rest(connections: OriginConnections, owner: string, key: string): void {
    if (connections.clients.size > connections.idle.length || origins.get(key) !== connections) return
    if (connections.idle.length > 0) {
      sockets.rest(connections, owner, key)
    } else {
      sockets.use(connections)
      closeConnections(connections, key)
    }
  }

  function release(connections: OriginConnections, client: Client, owner: string, key: string): void {
    const { connected, size } = client.stats
    // A connection that has ended, was never opened, or has an unfinished request cannot be reused.
    if (connected && size === 0) {
      connections.idle.push(client)
    } else {
      connections.clients.delete(client)
      void client.destroy()
    }
    rest(connections, owner, key)
  }

  return {
    async reserve(owner, origin, signal) {
      const key = `${owner} ${origin}`
      const undici = await loadUndici()
      const leave = places.tryEnter(key) ?? (await places.enter(key, signal))
      const connections = connectionsTo(key)
      sockets.use(connections)
      const client = connections.idle.pop() ?? connect(undici, connections, owner, origin, key)
      let isReleased = false
      return {
        dispatcher: client,
        release() {
          if (isReleased) return
          isReleased = true
          release(connections, client, owner, key)
          leave()
        },
      }
    },
    async close() {
      const clients = [...origins.values()].flatMap((connections) => [...connections.clients])
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}
